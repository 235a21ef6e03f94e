package dev.blobmark.lab.dataset;

import dev.blobmark.mysql.table.DatasetException;
import java.util.Optional;

/** Where values come from. A level of the factor {@code dataset}. */
public interface Dataset {

    /** The level in a study: {@code sites}, {@code random:62}, {@code dir:/path}. */
    String id();

    /** Whether the factor {@code size} sets the size of all values. Otherwise, the dataset decides their sizes. */
    boolean hasSize();

    /** Whether the values belong to the user, so that every copy of them is deleted at the end of a run. */
    boolean isPrivate();

    /**
     * The column type of the values in a table of the user, as a level of the factor {@code column}; empty for bytes.
     *
     * @throws DatasetException if the source cannot be read
     */
    default Optional<String> nativeColumn() {
        return Optional.empty();
    }

    /**
     * Generates or opens the values.
     *
     * @param size length of each value in bytes; ignored if {@link #hasSize} is false
     * @param seed of the study; the same seed gives the same bytes on every machine
     */
    Values values(int size, long seed);

    /** The same with another number of values: the dataset's values are repeated, or some are left out. */
    default Values values(int size, long seed, int count) {
        return new RepeatedValues(values(size, seed), count);
    }
}
