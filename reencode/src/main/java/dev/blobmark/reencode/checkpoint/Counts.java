package dev.blobmark.reencode.checkpoint;

/**
 * What was done.
 *
 * @param rows that were read, with and without a value
 * @param changed rows whose stored bytes were changed
 * @param overtaken rows that others changed or deleted between reading and writing; their values were read again
 * @param tooLong values that are longer than readers accept, and were left
 * @param originals rows whose former bytes are kept
 * @param bytesBefore stored bytes of the rows that were read
 * @param bytesAfter stored bytes of these rows now
 * @param binlogBytes estimate of what was written to the binary log
 */
public record Counts(
        long rows,
        long changed,
        long overtaken,
        long tooLong,
        long originals,
        long bytesBefore,
        long bytesAfter,
        long binlogBytes) {

    public static final Counts ZERO = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

    /** A row that was read, and is left as it is. */
    public static Counts ofRow(long bytes, boolean isTooLong) {
        return new Counts(1, 0, 0, isTooLong ? 1 : 0, 0, bytes, bytes, 0);
    }

    /** A row whose stored bytes are changed. */
    public static Counts ofChange(long bytesBefore, long bytesAfter) {
        return new Counts(1, 1, 0, 0, 0, bytesBefore, bytesAfter, 0);
    }

    public static Counts ofOvertaken(long rows) {
        return new Counts(0, 0, rows, 0, 0, 0, 0, 0);
    }

    public static Counts ofOriginals(int rows) {
        return new Counts(0, 0, 0, 0, rows, 0, 0, 0);
    }

    public static Counts ofBinlog(long bytes) {
        return new Counts(0, 0, 0, 0, 0, 0, 0, bytes);
    }

    public Counts plus(Counts more) {
        return new Counts(
                rows + more.rows,
                changed + more.changed,
                overtaken + more.overtaken,
                tooLong + more.tooLong,
                originals + more.originals,
                bytesBefore + more.bytesBefore,
                bytesAfter + more.bytesAfter,
                binlogBytes + more.binlogBytes);
    }
}
