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
 * A table, or a set in Redis, that was loaded and read back.
 *
 * @param server name of the server in {@link Manifest#servers}
 * @param factors the levels of a trial that decide the content
 * @param verified what the server reported after the table was created: row format, warnings
 */
public record LoadedStore(
        String server,
        Levels factors,
        String table,
        String ddl,
        SortedMap<String, String> verified,
        LoadedContent content,
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
     * @param rows number of values
     * @param applicationBytes of all values, decoded
     * @param storedBytes of all values, as in the column
     * @param encodedBytesPerS application bytes that were encoded per second of CPU time; empty if values are not
     *     encoded
     */
    public record LoadedContent(long rows, long applicationBytes, long storedBytes, OptionalDouble encodedBytesPerS) {

        public static LoadedContent of(EncodedValues values) {
            return new LoadedContent(
                    values.count(), values.applicationBytes(), values.storedBytes(), values.encodedBytesPerSecond());
        }

        /** An empty table for these values. */
        public static LoadedContent empty(EncodedValues values) {
            return new LoadedContent(0, 0, 0, values.encodedBytesPerSecond());
        }
    }
}
