package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The factor {@code rows}: the number of rows of a table, and so the number of values of the dataset; empty for the
 * dataset's own number.
 */
public final class Rows {

    private static final int MAX = 10_000_000;

    private static final String OF_DATASET = "dataset";

    public static final Factor<OptionalInt> FACTOR = new Factor<>(
                    "rows",
                    Factor.Home.CONDITION,
                    Set.of(Factor.Shape.STORE),
                    Set.of(Factor.Use.STORE),
                    "rows of the table; dataset: as many as the dataset has; with insert: rows inserted into an empty table",
                    List.of(OF_DATASET, "1000", "50000"),
                    Optional.of(OF_DATASET),
                    Rows::parse,
                    rows -> rows.isPresent() ? Integer.toString(rows.getAsInt()) : OF_DATASET)
            .withForm(OF_DATASET + "|" + Factor.WHOLE);

    private Rows() {}

    private static OptionalInt parse(String level) {
        if (level.equals(OF_DATASET)) {
            return OptionalInt.empty();
        }
        try {
            int rows = Integer.parseInt(level);
            if (rows >= 1 && rows <= MAX) {
                return OptionalInt.of(rows);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "rows '" + level + "' is neither '" + OF_DATASET + "' nor a number between 1 and " + MAX);
    }
}
