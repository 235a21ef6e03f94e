package dev.blobmark.reencode.check;

import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.terms.ReencodeOptions;

/**
 * What a change of a whole table would write, by a sample.
 *
 * @param rows of the table
 * @param image what the change of a row adds to the binary log
 */
public record Forecast(Sampled sampled, long rows, RowImage image, ReencodeOptions options) {

    /** Seconds of a row and of a byte, measured by bench/reencode on two cores with a local disk. */
    private static final double READ_SECONDS = 3e-6;

    private static final double UPDATE_SECONDS = 18e-6;
    private static final double COPY_SECONDS = 20e-6;
    private static final double BYTE_SECONDS = 5e-9;

    /** Values that are not NULL and not empty. */
    private double values() {
        return sampled.valueShare() * rows;
    }

    /** Stored bytes of all values now. */
    public double bytes() {
        return sampled.meanBytes() * values();
    }

    /** Stored bytes of all values then. */
    public double bytesAfter() {
        return sampled.meanBytesAfter() * values();
    }

    /** @param tableBytes of the table on disk now, without its indexes */
    public double tableBytesAfter(long tableBytes) {
        return sampled.tableBytesAfter(tableBytes, values());
    }

    /** In place, only of rows that are changed; in a copy, of all, with and without a value. */
    public double binlogBytes() {
        long after = Math.round(sampled.meanBytesAfter());
        return options.isCopy()
                ? values() * image.bytesOfInsert(after) + (rows - values()) * image.bytesOfInsert(0)
                : sampled.changed() * values() * image.bytes(Math.round(sampled.meanBytes()), after);
    }

    /** Time with the throttle, without what makes it wait. */
    public double seconds() {
        double written = options.isCopy() ? rows : sampled.changed() * values();
        double work = rows * READ_SECONDS
                + written * (options.isCopy() ? COPY_SECONDS : UPDATE_SECONDS)
                + (bytes() + bytesAfter()) * BYTE_SECONDS;
        double paced = options.pace().binlogRate().isPresent()
                ? binlogBytes() / options.pace().binlogRate().getAsLong()
                : 0;
        return Math.max(work * 100 / options.pace().speed(), paced);
    }
}
