package dev.blobmark.reencode.column;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueFormat;

/**
 * How an application reads a column, as its {@link ValueFormat} has it.
 *
 * @param reads how values without a frame are read, as {@link Legacy#named} has it: {@code raw}, {@code frames},
 *     {@code gzip} and others
 * @param readsSql whether there may be values of {@code COMPRESS()} next to them
 * @param areCollisionsLegacy whether what begins like a frame and is none is such a value too
 * @param maxLength of a value, in bytes
 */
public record ColumnReading(String reads, boolean readsSql, boolean areCollisionsLegacy, int maxLength) {

    /** The word for values that are stored as they are. */
    public static final String RAW = "raw";

    /** The word for a column in which all values have a frame. */
    public static final String FRAMES = "frames";

    /** What the header of a frame takes, and the encoded form of a short value, at most, in bytes. */
    private static final int LONGER = 1 << 10;

    /** @throws IllegalArgumentException if there is no such codec, or the options contradict each other */
    public ColumnReading {
        Legacy.named(reads);
        if (reads.equals(FRAMES) && (readsSql || areCollisionsLegacy)) {
            throw new IllegalArgumentException("with 'frames', all values have a frame; leave out "
                    + (readsSql ? "values of COMPRESS()" : "collisions"));
        }
        if (maxLength < 1 || maxLength >= 1 << 30) {
            throw new IllegalArgumentException("the longest value has 1 byte to 1 GiB - 1");
        }
    }

    /** As a format reads for which nothing else is said. */
    public static ColumnReading standard() {
        return new ColumnReading(RAW, false, false, ValueFormat.STANDARD_MAX_LENGTH);
    }

    /** The longest stored value that is read, in bytes: it may be a little longer than the value. */
    long maxStored() {
        return (long) maxLength + (maxLength >> 6) + LONGER;
    }

    ValueFormat format(Dictionaries dictionaries) {
        ValueFormat.Builder builder = ValueFormat.builder()
                .reads(Legacy.named(reads))
                .maxLength(maxLength)
                .dictionaries(dictionaries);
        if (readsSql) {
            builder.readsSql();
        }
        return (areCollisionsLegacy ? builder.collisionsAreLegacy() : builder).build();
    }
}
