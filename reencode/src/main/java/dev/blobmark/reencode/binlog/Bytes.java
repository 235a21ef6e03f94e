package dev.blobmark.reencode.binlog;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the body of an event from its begin to its end. Reading past the end throws {@link IndexOutOfBoundsException}.
 */
final class Bytes {

    private static final int BYTE = 0xFF;
    private static final int TWO_BYTES = 0xFC;
    private static final int THREE_BYTES = 0xFD;
    private static final int EIGHT_BYTES = 0xFE;

    private final byte[] bytes;
    private final int end;
    private int at;

    Bytes(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        at = from;
        end = to;
        if (from < 0 || to > bytes.length || from > to) {
            throw new IndexOutOfBoundsException("from " + from + " to " + to + " of " + bytes.length + " bytes");
        }
    }

    Bytes(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    int left() {
        return end - at;
    }

    /** Leaves out bytes; returns where they begin. */
    private int take(long length) {
        if (length < 0 || length > left()) {
            throw new IndexOutOfBoundsException(length + " bytes of " + left());
        }
        int from = at;
        at += (int) length;
        return from;
    }

    void skip(long length) {
        take(length);
    }

    int unsignedByte() {
        return bytes[take(1)] & BYTE;
    }

    /** Up to 8 bytes, the lowest first. */
    long little(int length) {
        int from = take(length);
        long value = 0;
        for (int i = length - 1; i >= 0; i--) {
            value = value << Byte.SIZE | bytes[from + i] & BYTE;
        }
        return value;
    }

    /** Up to 8 bytes, the highest first. */
    long big(int length) {
        int from = take(length);
        long value = 0;
        for (int i = 0; i < length; i++) {
            value = value << Byte.SIZE | bytes[from + i] & BYTE;
        }
        return value;
    }

    byte[] bytes(long length) {
        int from = take(length);
        return Arrays.copyOfRange(bytes, from, at);
    }

    /** What is left, to be read twice. */
    Bytes again() {
        return new Bytes(bytes, at, end);
    }

    /** A part that is read on its own. */
    Bytes part(long length) {
        int from = take(length);
        return new Bytes(bytes, from, at);
    }

    String text(long length) {
        return new String(bytes(length), StandardCharsets.UTF_8);
    }

    /** An integer of 1, 3, 4 or 9 bytes. */
    long packed() {
        int first = unsignedByte();
        return switch (first) {
            case TWO_BYTES -> little(2);
            case THREE_BYTES -> little(3);
            case EIGHT_BYTES -> little(Long.BYTES);
            default -> {
                if (first > EIGHT_BYTES || first == TWO_BYTES - 1) {
                    throw new IndexOutOfBoundsException("a packed integer begins with " + first);
                }
                yield first;
            }
        };
    }

    /** Bits, the lowest of the first byte first. */
    Bits bits(int count) {
        return new Bits(bytes((count + Byte.SIZE - 1) / Byte.SIZE), count);
    }

    /** A bitmap. */
    record Bits(byte[] bytes, int count) {

        boolean isSet(int number) {
            return (bytes[number / Byte.SIZE] >> number % Byte.SIZE & 1) == 1;
        }

        int cardinality() {
            int set = 0;
            for (int i = 0; i < count; i++) {
                set += isSet(i) ? 1 : 0;
            }
            return set;
        }
    }

    static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }
}
