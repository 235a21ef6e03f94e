package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.value.FrameException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes before an encoded value, at most 8:
 *
 * <pre>
 * be c1                magic
 * vvccccds             version, codec, whether there is a dictionary, whether there is a checksum
 * 1 to 4 bytes         length of the value; with zstd none
 * 3 bytes              number of the dictionary, if there is one
 * 2 bytes              check; 1 byte if the length takes 4
 * </pre>
 *
 * The check covers the header and both ends of what follows, and its length. So it is found at once whether these bytes
 * are a frame, and whether it is complete. The specification is {@code docs/value-format.md}.
 */
final class FrameHeader {

    static final int MAX_BYTES = 8;
    static final int VERSION = 1;
    static final int CHECKSUM_BYTES = 4;

    /** Not the beginning of UTF-8, Protocol Buffers, CBOR, MessagePack, or a common format of files. */
    static final int MAGIC_0 = 0xBE;

    static final int MAGIC_1 = 0xC1;
    static final int MAGIC_BYTES = 2;

    /** The magic as a literal of SQL. */
    static final String SQL_MAGIC = "X'BEC1'";

    static final int DICTIONARY_NUMBER_BYTES = 3;

    /** Of the length of an escaped value, modulo 2^24. */
    private static final int ESCAPED_LENGTH_BYTES = 3;

    private static final int CODE_AT = 2;
    private static final int FIELD_AT = 3;
    private static final int CHECKSUM_FLAG = 0b01;
    private static final int DICTIONARY_FLAG = 0b10;

    /** 30 bits, as in {@code COMPRESS()}. */
    private static final int MAX_LENGTH = (1 << 30) - 1;

    // a header that was read: 30 bits of length, 24 of a dictionary's number, two flags, 4 bits of codec, 4 of its own
    // length
    private static final int DICTIONARY_SHIFT = 30;
    private static final int HAS_DICTIONARY_SHIFT = 54;
    private static final int CHECKSUM_SHIFT = 55;
    private static final int CODEC_SHIFT = 56;
    private static final int HEADER_SHIFT = 60;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private FrameHeader() {}

    static boolean begins(byte[] stored) {
        return begins(stored, 0, stored.length);
    }

    static boolean begins(byte[] stored, int offset, int length) {
        return length >= MAGIC_BYTES && stored[offset] == (byte) MAGIC_0 && stored[offset + 1] == (byte) MAGIC_1;
    }

    /** Length of the header of a value that will be encoded, in bytes. */
    static int bytes(PayloadCodec codec, boolean hasDictionary, int valueLength) {
        int field = fieldBytes(codec, hasDictionary, valueLength);
        return FIELD_AT + field + checkBytes(field);
    }

    private static int fieldBytes(PayloadCodec codec, boolean hasDictionary, int valueLength) {
        return switch (codec) {
            case ESCAPED -> ESCAPED_LENGTH_BYTES;
            case ZSTD -> hasDictionary ? DICTIONARY_NUMBER_BYTES : 0;
            default -> lengthBytes(valueLength);
        };
    }

    private static int checkBytes(int fieldBytes) {
        return fieldBytes == 4 ? 1 : 2;
    }

    /** 6, 14, 22 or 30 bits. */
    private static int lengthBytes(int length) {
        return length < 1 << 6 ? 1 : length < 1 << 14 ? 2 : length < 1 << 22 ? 3 : 4;
    }

    /**
     * Writes the header before a body that is there already.
     *
     * @param offset of the frame
     * @param end of the frame
     * @param dictionary number of the dictionary; −1 without one
     * @return length of the header, as {@link #bytes} gave it
     */
    static int write(
            byte[] target,
            int offset,
            int end,
            PayloadCodec codec,
            int valueLength,
            int dictionary,
            boolean hasChecksum) {
        int field = fieldBytes(codec, dictionary >= 0, valueLength);
        target[offset] = (byte) MAGIC_0;
        target[offset + 1] = (byte) MAGIC_1;
        target[offset + CODE_AT] = (byte) (VERSION << 6
                | codec.number() << 2
                | (dictionary >= 0 ? DICTIONARY_FLAG : 0)
                | (hasChecksum ? CHECKSUM_FLAG : 0));
        int number = switch (codec) {
            case ESCAPED -> valueLength & 0xFF_FFFF;
            case ZSTD -> dictionary;
            default -> valueLength | (field - 1) << 8 * field - 2;
        };
        for (int i = 0; i < field; i++) {
            target[offset + FIELD_AT + i] = (byte) (number >>> 8 * (field - 1 - i));
        }
        return writeCheck(target, offset, offset + FIELD_AT + field, end);
    }

    /**
     * Writes the check after the rest of the header.
     *
     * @return where the body begins
     */
    static int writeCheck(byte[] frame, int offset, int at, int end) {
        int body = at + checkBytes(at - offset - FIELD_AT);
        int check = check(frame, offset, at, body, end);
        frame[at] = (byte) (check >>> 8);
        if (body - at == 2) {
            frame[at + 1] = (byte) check;
        }
        return body;
    }

    /**
     * 16 bits of a hash of the header up to the check, of the first and the last 8 bytes of the body, and of its
     * length.
     */
    private static int check(byte[] frame, int offset, int headerEnd, int body, int end) {
        long head = 0;
        for (int i = offset + CODE_AT; i < headerEnd; i++) {
            head = head << 8 | frame[i] & 0xFF;
        }
        int length = end - body;
        long first;
        long last;
        if (length >= Long.BYTES) {
            first = (long) LONG.get(frame, body);
            last = (long) LONG.get(frame, end - Long.BYTES);
        } else {
            first = 0;
            for (int i = length - 1; i >= 0; i--) {
                first = first << 8 | frame[body + i] & 0xFF;
            }
            last = first;
        }
        long hash = (first ^ head) * 0x9E3779B97F4A7C15L;
        hash = (hash ^ hash >>> 32 ^ last) * 0xC2B2AE3D27D4EB4FL;
        hash = (hash ^ hash >>> 29 ^ length) * 0x165667B19E3779F9L;
        return (int) (hash >>> 48);
    }

    /**
     * Reads a header. Nothing is allocated, neither for the value nor for the result.
     *
     * @param offset of the frame
     * @param end of the frame
     * @param maxLength of the value
     * @return the header in 64 bits; {@link #headerBytes}, {@link #payload}, {@link #length}, {@link #dictionary} and
     *     {@link #hasChecksum} take it apart
     * @throws FrameException if these bytes are not a complete frame, or one that is not known here, or too long
     */
    static long read(byte[] stored, int offset, int end, int maxLength) {
        int fieldAt = offset + FIELD_AT;
        if (end <= fieldAt) {
            throw notAFrame("it ends after " + (end - offset) + " bytes");
        }
        int code = stored[offset + CODE_AT] & 0xFF;
        PayloadCodec codec = knownCodec(code);
        boolean hasDictionary = (code & DICTIONARY_FLAG) != 0;
        boolean hasChecksum = (code & CHECKSUM_FLAG) != 0;
        int field = switch (codec) {
            case ESCAPED -> ESCAPED_LENGTH_BYTES;
            case ZSTD -> hasDictionary ? DICTIONARY_NUMBER_BYTES : 0;
            default -> 1 + (stored[fieldAt] >>> 6 & 0b11);
        };
        int checkAt = fieldAt + field;
        int body = checkAt + checkBytes(field);
        int bodyEnd = end - (hasChecksum ? CHECKSUM_BYTES : 0);
        if (codec == PayloadCodec.STORED ? body > bodyEnd : body >= bodyEnd) {
            throw notAFrame("it ends after " + (end - offset) + " bytes");
        }
        int check = check(stored, offset, checkAt, body, end);
        if (stored[checkAt] != (byte) (check >>> 8) || field < 4 && stored[checkAt + 1] != (byte) check) {
            throw notAFrame("its check does not match");
        }
        int number = 0;
        for (int i = 0; i < field; i++) {
            number = number << 8 | stored[fieldAt + i] & 0xFF;
        }
        long length = switch (codec) {
            case ESCAPED -> bodyEnd - body;
            case ZSTD -> Bare.zstdContentSize(stored, body, bodyEnd - body);
            default -> number & (1 << 8 * field - 2) - 1;
        };
        boolean isWritten = switch (codec) {
            case ESCAPED -> (length & 0xFF_FFFF) == number && begins(stored, body, bodyEnd - body);
            case STORED -> length == bodyEnd - body && field == fieldBytes(codec, false, (int) length);
            // only what is shorter than its value is written, and in the shortest form
            default -> length > end - offset && field == fieldBytes(codec, hasDictionary, (int) length);
        };
        if (!isWritten) {
            throw notAFrame("its length is " + length);
        }
        if (length > Math.min(maxLength, MAX_LENGTH)) {
            throw new FrameException(
                    Reason.TOO_LONG, "the value has " + length + " bytes, and at most " + maxLength + " are read");
        }
        return (long) (body - offset) << HEADER_SHIFT
                | (long) codec.number() << CODEC_SHIFT
                | (hasChecksum ? 1L << CHECKSUM_SHIFT : 0)
                | (hasDictionary ? 1L << HAS_DICTIONARY_SHIFT | (long) number << DICTIONARY_SHIFT : 0)
                | length;
    }

    /** Length of the header in bytes. */
    static int headerBytes(long header) {
        return (int) (header >>> HEADER_SHIFT);
    }

    static PayloadCodec payload(long header) {
        return PayloadCodec.of((int) (header >>> CODEC_SHIFT) & 0xF).orElseThrow();
    }

    static boolean hasChecksum(long header) {
        return (header >>> CHECKSUM_SHIFT & 1) != 0;
    }

    /** Number of the dictionary; −1 without one. */
    static int dictionary(long header) {
        return (header >>> HAS_DICTIONARY_SHIFT & 1) != 0 ? (int) (header >>> DICTIONARY_SHIFT) & 0xFF_FFFF : -1;
    }

    /** Length of the value in bytes. */
    static int length(long header) {
        return (int) header & MAX_LENGTH;
    }

    private static PayloadCodec knownCodec(int code) {
        int version = code >>> 6;
        if (version == 0) {
            throw notAFrame("its version is 0");
        }
        if (version > VERSION) {
            throw new FrameException(
                    Reason.NEWER_VERSION,
                    "the value was written in version " + version
                            + " of the value format, and this library reads version " + VERSION + ": use a newer one");
        }
        int number = code >>> 2 & 0xF;
        PayloadCodec codec = PayloadCodec.of(number)
                .orElseThrow(() -> new FrameException(
                        Reason.UNKNOWN_CODEC,
                        "the value was encoded by codec number " + number
                                + ", which this library does not know: use a newer one"));
        boolean isContradiction = (code & DICTIONARY_FLAG) != 0 && codec != PayloadCodec.ZSTD
                || (code & CHECKSUM_FLAG) != 0 && codec == PayloadCodec.ESCAPED
                || (code & CHECKSUM_FLAG) == 0 && codec == PayloadCodec.STORED;
        if (isContradiction) {
            throw notAFrame("its flags contradict its codec");
        }
        return codec;
    }

    private static FrameException notAFrame(String detail) {
        return new FrameException(
                Reason.NOT_A_FRAME,
                "the value begins like a frame, and is none: " + detail
                        + "; it was truncated, or stored without the value format");
    }
}
