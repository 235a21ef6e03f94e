package dev.blobmark.lab.run;

import dev.blobmark.lab.measurement.Amounts;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.study.Levels;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.SortedMap;

/**
 * A table or a set in Redis, loaded and read back.
 *
 * @param server its name in {@link Manifest#servers}
 * @param factors the levels of a trial that decide what lies in it
 * @param verified what the server said after the table was made: row format, warnings
 */
public record LoadedStore(
        String server,
        Levels factors,
        String table,
        String ddl,
        SortedMap<String, String> verified,
        Content content,
        DiskSpace disk,
        Placement placement) {

    public LoadedStore {
        verified = Amounts.sorted(verified);
        Objects.requireNonNull(content, "content");
        Objects.requireNonNull(disk, "disk");
        Objects.requireNonNull(placement, "placement");
    }

    /**
     * The values in a store.
     *
     * @param rows values
     * @param applicationBytes of all values, decoded
     * @param storedBytes of all values, as in the column
     * @param encodedBytesPerS application bytes that one core encoded in a second of its time when the values were made;
     *     empty where they are not encoded
     */
    public record Content(long rows, long applicationBytes, long storedBytes, OptionalDouble encodedBytesPerS) {

        public static Content of(EncodedValues values) {
            return new Content(
                    values.count(), values.applicationBytes(), values.storedBytes(), values.encodedBytesPerSecond());
        }

        /** A table for these values that is empty as yet. */
        public static Content none(EncodedValues values) {
            return new Content(0, 0, 0, values.encodedBytesPerSecond());
        }
    }
}
