package dev.blobmark.lab.study;

import java.util.Comparator;

/**
 * Where a problem is: in a file, or in an option of the command line.
 *
 * @param source the file's name, or the option's
 * @param line from 1; 0 where there is no line
 * @param column from 1; 0 where there is no line
 */
public record Place(String source, int line, int column) {

    /** By line and column; options are all equal in it, so that a stable sort leaves them as they are. */
    static final Comparator<Place> READING_ORDER =
            Comparator.comparingInt(Place::line).thenComparingInt(Place::column);

    /** An option, or a file as a whole. */
    public static Place of(String source) {
        return new Place(source, 0, 0);
    }

    /** {@code blob-fetch.yaml:12:9} or {@code --set codec}. */
    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line + ":" + column;
    }
}
