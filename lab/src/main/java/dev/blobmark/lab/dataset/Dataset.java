package dev.blobmark.lab.dataset;

import java.util.Optional;

/** Where values come from. A level of the factor {@code dataset}. */
public interface Dataset {

    /** The level as written in a study: {@code sites}, {@code random:62}, {@code dir:/path}. */
    String id();

    /** Whether the values have one size that the factor {@code size} sets; otherwise their sizes are the dataset's own. */
    boolean hasSize();

    /** Whether the values are a user's own, so that no copy of them may outlive a run. */
    boolean isPrivate();

    /**
     * The type that the values have in a table of the user's, as a level of the factor {@code column}; empty if they are bytes.
     *
     * @throws DatasetException if the source cannot be read
     */
    default Optional<String> nativeColumn() {
        return Optional.empty();
    }

    /**
     * Makes or opens the values.
     *
     * @param size length of each value in bytes; ignored where {@link #hasSize} is false
     * @param seed the study's seed: the same seed gives the same bytes on every machine
     */
    Values values(int size, long seed);

    /** So many values, instead of as many as the dataset gives by itself: its own again and again, or some of them. */
    default Values values(int size, long seed, int count) {
        return new RepeatedValues(values(size, seed), count);
    }
}
