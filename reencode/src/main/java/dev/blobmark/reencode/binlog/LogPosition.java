package dev.blobmark.reencode.binlog;

/**
 * A place between two events of the binary log.
 *
 * @param file name of the file, which ends with its number
 * @param offset in bytes, from 4
 */
public record LogPosition(String file, long offset) implements Comparable<LogPosition> {

    /** {@code COM_BINLOG_DUMP} has 4 bytes for the offset. */
    static final long MAX_OFFSET = 0xFFFF_FFFFL;

    public static LogPosition parse(String text) {
        int colon = text.lastIndexOf(':');
        return new LogPosition(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
    }

    /** Whether the first event of the file follows, which describes its format. */
    public boolean isBegin() {
        return offset <= TableChanges.FIRST_OFFSET;
    }

    /** The number of a file has at least six digits, and more when it is larger. */
    private long number() {
        return Long.parseLong(file.substring(file.lastIndexOf('.') + 1));
    }

    /** Whether another file comes directly after the one of this place. */
    boolean isBeforeFile(String next) {
        String base = file.substring(0, file.lastIndexOf('.') + 1);
        return next.startsWith(base) && new LogPosition(next, 0).number() == number() + 1;
    }

    @Override
    public int compareTo(LogPosition other) {
        int files = Long.compare(number(), other.number());
        return files != 0 ? files : Long.compare(offset, other.offset);
    }

    @Override
    public String toString() {
        return file + ":" + offset;
    }
}
