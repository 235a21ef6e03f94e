package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The factor {@code batch}: rows that one operation writes, or keys that it looks up. */
public final class Batch {

    /** A statement has at most 65,535 parameters, and a row needs two. */
    private static final int MAX = 10_000;

    public static final Factor<Integer> FACTOR = new Factor<>(
                    "batch",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.CODE_PATH),
                    Set.of(Factor.Use.BATCH),
                    "rows that one operation of insert or update writes",
                    List.of("1", "100"),
                    Optional.of("1"),
                    Batch::parse,
                    Object::toString)
            .withForm(Factor.WHOLE);

    private Batch() {}

    private static int parse(String level) {
        try {
            int rows = Integer.parseInt(level);
            if (rows >= 1 && rows <= MAX) {
                return rows;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("batch '" + level + "' is not a number between 1 and " + MAX);
    }
}
