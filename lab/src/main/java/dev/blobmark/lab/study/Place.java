package dev.blobmark.lab.study;

import java.util.Comparator;

/**
 * The place of a problem: in a file or in a command-line option.
 *
 * @param source name of the file or the option
 * @param line from 1; 0 for an option or a whole file
 * @param column from 1; 0 for an option or a whole file
 */
public record Place(String source, int line, int column) {

    /** By line and column. All options are equal, so a stable sort keeps their order. */
    static final Comparator<Place> READING_ORDER =
            Comparator.comparingInt(Place::line).thenComparingInt(Place::column);

    /** An option or a whole file. */
    public static Place of(String source) {
        return new Place(source, 0, 0);
    }

    /** {@code blob-fetch.yaml:12:9} or {@code --set codec}. */
    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line + ":" + column;
    }
}
