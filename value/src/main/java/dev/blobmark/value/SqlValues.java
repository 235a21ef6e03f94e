package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Values as {@code COMPRESS()} makes them, next to legacy values. A value of {@code COMPRESS()} has the length, the
 * first two bytes of zlib, and a checksum; so bytes that begin like one must be one.
 */
final class SqlValues implements ValueFormat.Wire {

    private static final int LENGTH_BYTES = 4;
    private static final int LENGTH_MASK = (1 << 30) - 1;

    /** zlib with a window of 32 KiB, which is what both products write. */
    private static final int ZLIB = 0x78;

    private static final int PRESET_DICTIONARY_BIT = 0x20;

    /** Deflate does not make a value shorter than by this factor. */
    private static final int MOST_RATIO = 1_032;

    private static final int PROBED = 256;

    private final Codec codec;
    private final Legacy legacy;
    private final int maxLength;
    private final boolean areCollisionsLegacy;

    SqlValues(String codec, Legacy legacy, int maxLength, boolean areCollisionsLegacy) {
        this.codec = Codecs.parse(codec);
        this.legacy = legacy;
        this.maxLength = maxLength;
        this.areCollisionsLegacy = areCollisionsLegacy;
    }

    @Override
    public byte[] read(byte[] stored) {
        if (stored.length == 0) {
            return stored; // so does COMPRESS()
        }
        if (!begins(stored)) {
            return legacy.read(stored, maxLength);
        }
        try {
            int length = length(stored);
            if (length > maxLength) {
                throw new FrameException(
                        Reason.TOO_LONG, "the value has " + length + " bytes, and at most " + maxLength + " are read");
            }
            if (length > (long) MOST_RATIO * stored.length) {
                throw new CodecException(codec.id(), "it says " + length + " bytes, and is too short for them");
            }
            byte[] value = new byte[length];
            codec.decode(stored, 0, stored.length, value, 0, value.length);
            return value;
        } catch (CodecException e) {
            if (areCollisionsLegacy) {
                return legacy.read(stored, maxLength);
            }
            throw new FrameException(
                    Reason.DAMAGED,
                    "the value begins as COMPRESS() makes it, and is damaged or stored otherwise: " + e.getMessage(),
                    e);
        }
    }

    private boolean begins(byte[] stored) {
        return stored.length > LENGTH_BYTES + 2
                && stored[LENGTH_BYTES] == ZLIB
                && (ZLIB << 8 | stored[LENGTH_BYTES + 1] & 0xFF) % 31 == 0
                && (stored[LENGTH_BYTES + 1] & PRESET_DICTIONARY_BIT) == 0
                && length(stored) > 0
                && (length(stored) <= maxLength || beginsWithBlock(stored));
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

    private static int length(byte[] stored) {
        int length = 0;
        for (int i = LENGTH_BYTES - 1; i >= 0; i--) {
            length = length << 8 | stored[i] & 0xFF;
        }
        return length & LENGTH_MASK;
    }

    @Override
    public byte[] leave(byte[] value) {
        byte[] stored = legacy.write(value);
        return begins(stored) && !areCollisionsLegacy ? write(value) : stored;
    }

    /** All values are encoded: SQL's UNCOMPRESS() would take others for damaged. */
    @Override
    public byte[] write(byte[] value) {
        if (value.length > maxLength) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes, and at most " + maxLength
                    + " are read again; see maxLength");
        }
        byte[] scratch = FramedValues.scratch(codec.maxEncodedLength(value.length));
        return Arrays.copyOf(scratch, codec.encode(value, 0, value.length, scratch, 0));
    }
}
