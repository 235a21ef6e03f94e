package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The factor {@code hits}: the percentage of looked-up keys that are in the set. */
public final class Hits {

    public static final Factor<Integer> FACTOR = new Factor<>(
                    "hits",
                    Factor.Home.CONDITION,
                    Set.of(),
                    Set.of(Factor.Use.SET),
                    "how many of the looked-up keys are in the set",
                    List.of("100%", "50%", "0%"),
                    Optional.of("100%"),
                    Hits::parse,
                    percent -> percent + "%")
            .withForm("[+-]?[0-9]+%?");

    private Hits() {}

    private static int parse(String level) {
        try {
            int percent = Integer.parseInt(level.endsWith("%") ? level.substring(0, level.length() - 1) : level);
            if (percent >= 0 && percent <= 100) {
                return percent;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("hits '" + level + "' is not a whole percentage between 0% and 100%");
    }
}
