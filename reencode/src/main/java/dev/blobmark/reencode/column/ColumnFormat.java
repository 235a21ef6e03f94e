package dev.blobmark.reencode.column;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueFormat;

/**
 * How the values of a column are read, as its application declares it: to look into what is stored.
 *
 * <p>May be used by any number of threads.
 */
public final class ColumnFormat {

    /** The form of values of {@code COMPRESS()}. */
    static final String SQL = "COMPRESS()";

    private final String reads;
    private final boolean hasSql;
    private final ValueFormat format;
    private final ValueFormat sql = ValueFormat.builder().readsSql().build();

    /** A format that reads a column so. */
    public ColumnFormat(ColumnReading reading, Dictionaries dictionaries) {
        reads = reading.reads();
        format = reading.format(dictionaries);
        hasSql = reading.readsSql() || reads.equals("mysql");
    }

    /**
     * The value that is stored.
     *
     * @throws FrameException if it cannot be read
     */
    public byte[] decode(byte[] stored) {
        return format.decode(stored);
    }

    /**
     * The form of stored bytes, for users. Values of the same form are stored in the same way, such as {@code frame,
     * version 1, zstd, dictionary 0f3a9c, checksum}.
     */
    public String form(byte[] stored) {
        StoredForm form = StoredForm.of(stored);
        return switch (form.kind()) {
            case EMPTY -> "empty";
            case ENCODED, STORED -> form.toString();
            case ESCAPED -> form + ": " + legacyForm();
            case SQL -> hasSql ? SQL : likeSql(stored);
            case NO_FRAME ->
                switch (form.problem().orElseThrow().reason()) {
                    case NEWER_VERSION -> "begins like a frame of a newer version";
                    case UNKNOWN_CODEC -> "begins like a frame of an unknown codec";
                    default -> "begins like a frame, and is none";
                };
            case LEGACY -> legacyForm() + (reads.equals(ColumnReading.RAW) ? lookalike(stored) : "");
        };
    }

    private String legacyForm() {
        return switch (reads) {
            case ColumnReading.RAW -> "raw";
            case ColumnReading.FRAMES -> "without a frame";
            default -> "legacy, " + reads;
        };
    }

    /** Only if the whole of it is as COMPRESS() makes it. */
    private String likeSql(byte[] stored) {
        try {
            sql.decode(stored);
            return legacyForm() + ", looks like COMPRESS()";
        } catch (FrameException e) {
            return legacyForm();
        }
    }

    /** Values that seem to be encoded already; a column of these may need another way to read. */
    private static String lookalike(byte[] stored) {
        return begins(stored, 0x1F, 0x8B, 0x08)
                ? ", looks like gzip"
                : begins(stored, 0x28, 0xB5, 0x2F, 0xFD) ? ", looks like zstd" : "";
    }

    private static boolean begins(byte[] stored, int... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (i >= stored.length || (stored[i] & 0xFF) != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
