package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Values as {@code COMPRESS()} makes them. Such a value has the length, the first two bytes of zlib, and a checksum; so
 * bytes that begin like one must be one.
 */
final class SqlValues {

    private static final int LENGTH_BYTES = 4;
    private static final int LENGTH_MASK = (1 << 30) - 1;

    /** zlib with a window of 32 KiB, which is what both products write. */
    private static final int ZLIB = 0x78;

    private static final int PRESET_DICTIONARY_BIT = 0x20;

    private static final int PROBED = 256;

    /** Of a value that is inflated and not kept, in bytes. */
    private static final int PART = 8 << 10;

    private static final Codec CODEC = Codecs.parse("mysql");

    private final int maxLength;

    SqlValues(int maxLength) {
        this.maxLength = maxLength;
    }

    /**
     * Whether a reader of any limit may take bytes for a value of {@code COMPRESS()}: those that {@link #begins}
     * accepts with the longest {@code maxLength}.
     */
    static boolean mayBegin(byte[] stored) {
        return stored.length > LENGTH_BYTES + 2
                && stored[LENGTH_BYTES] == ZLIB
                && (ZLIB << 8 | stored[LENGTH_BYTES + 1] & 0xFF) % 31 == 0
                && (stored[LENGTH_BYTES + 1] & PRESET_DICTIONARY_BIT) == 0
                && length(stored) > 0;
    }

    /** Whether bytes begin like a value of {@code COMPRESS()}. The empty value is its own. */
    boolean begins(byte[] stored) {
        return mayBegin(stored) && (length(stored) <= maxLength || beginsWithBlock(stored));
    }

    /** @throws FrameException if these bytes, which begin like one, are damaged, or the value is too long */
    byte[] read(byte[] stored) {
        if (length(stored) > maxLength) {
            throw tooLong(stored);
        }
        try {
            return CODEC.decode(stored, maxLength);
        } catch (CodecException e) {
            throw new FrameException(
                    Reason.DAMAGED,
                    "the value begins as COMPRESS() makes it, and is damaged or stored otherwise: " + e.getMessage(),
                    e);
        }
    }

    /**
     * The value, if the whole of it is as {@code COMPRESS()} makes it, with its length and its checksum.
     *
     * @throws FrameException if it is, and too long
     */
    Optional<byte[]> readIfWhole(byte[] stored) {
        if (!mayBegin(stored) || length(stored) > maxLength && !isWhole(stored)) {
            return Optional.empty();
        }
        if (length(stored) > maxLength) {
            throw tooLong(stored);
        }
        try {
            return Optional.of(CODEC.decode(stored, maxLength));
        } catch (CodecException e) {
            return Optional.empty();
        }
    }

    /** The same without keeping the value: it may have any length that its bytes can hold. */
    static boolean isWhole(byte[] stored) {
        if (!mayBegin(stored)) {
            return false;
        }
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(stored, LENGTH_BYTES, stored.length - LENGTH_BYTES);
            byte[] part = new byte[PART];
            int inflated = 1;
            while (inflated > 0 && inflater.getBytesWritten() <= length(stored)) {
                inflated = inflater.inflate(part);
            }
            int left = inflater.getRemaining();
            boolean isEnd =
                    left == 0 || left == 1 && stored[stored.length - 1] == '.' && stored[stored.length - 2] == ' ';
            return inflater.finished() && isEnd && inflater.getBytesWritten() == length(stored);
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.end();
        }
    }

    private FrameException tooLong(byte[] stored) {
        return new FrameException(
                Reason.TOO_LONG, "the value has " + length(stored) + " bytes, and at most " + maxLength + " are read");
    }

    /** Text, too, can have x and ^ in these places, with a length beyond all bounds before them. */
    private static boolean beginsWithBlock(byte[] stored) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(stored, LENGTH_BYTES, stored.length - LENGTH_BYTES);
            return inflater.inflate(new byte[PROBED]) > 0;
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.end();
        }
    }

    static int length(byte[] stored) {
        int length = 0;
        for (int i = LENGTH_BYTES - 1; i >= 0; i--) {
            length = length << 8 | stored[i] & 0xFF;
        }
        return length & LENGTH_MASK;
    }
}
