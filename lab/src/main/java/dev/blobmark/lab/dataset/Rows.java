package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The factor {@code rows}: how many rows a table has, and so how many values a dataset is asked for; empty for as many as it gives. */
public final class Rows {

    private static final int MAX = 10_000_000;

    private static final String OF_DATASET = "dataset";

    public static final Factor<OptionalInt> FACTOR = new Factor<>(
            "rows",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.STORE),
            "rows of the table; dataset: as many as the dataset gives; of insert, how many are inserted into an empty one",
            List.of(OF_DATASET, "1000", "50000"),
            Optional.of(OF_DATASET),
            Rows::parse,
            rows -> rows.isPresent() ? Integer.toString(rows.getAsInt()) : OF_DATASET);

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
            // said below
        }
        throw new IllegalArgumentException(
                "rows '" + level + "' is neither '" + OF_DATASET + "' nor a number between 1 and " + MAX);
    }
}
