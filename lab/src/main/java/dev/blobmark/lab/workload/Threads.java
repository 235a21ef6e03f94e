package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Trial;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The factor {@code threads}: operations in flight, one per thread. */
public final class Threads {

    private static final int MAX = 4096;

    public static final Factor<Integer> FACTOR = new Factor<>(
                    "threads",
                    Factor.Home.CONDITION,
                    Set.of(),
                    Set.of(),
                    "operations in flight; with a rate, the most in flight",
                    List.of("1", "8"),
                    Optional.of("1"),
                    Threads::parse,
                    Object::toString)
            .withForm(Factor.WHOLE);

    private Threads() {}

    /** The fewest operations in flight of any of these trials. */
    public static int fewest(Collection<Trial> trials) {
        return trials.stream()
                .mapToInt(trial -> trial.design().get(FACTOR))
                .min()
                .orElse(1);
    }

    private static int parse(String level) {
        try {
            int threads = Integer.parseInt(level);
            if (threads >= 1 && threads <= MAX) {
                return threads;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("threads '" + level + "' is not a number between 1 and " + MAX);
    }
}
