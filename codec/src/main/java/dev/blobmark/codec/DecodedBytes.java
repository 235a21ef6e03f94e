package dev.blobmark.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where a decoder puts a value whose length is not known before: a part of the caller's array, or an array that grows
 * with what is decoded.
 */
final class DecodedBytes {

    private static final int SMALLEST = 64;

    private final int offset;
    private final int max;
    private byte[] bytes;
    private int room;
    private int length;

    private DecodedBytes(byte[] bytes, int offset, int room, int max) {
        this.bytes = bytes;
        this.offset = offset;
        this.room = room;
        this.max = max;
    }

    /** A part of an array, which takes {@code max} bytes. */
    static DecodedBytes into(byte[] target, int offset, int max) {
        return new DecodedBytes(target, offset, max, max);
    }

    /** An array of {@code first} bytes, or fewer, which grows to {@code max} bytes. */
    static DecodedBytes growing(long first, int max) {
        int room = (int) Math.min(first, max);
        return new DecodedBytes(new byte[room], 0, room, max);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the next byte belongs in {@link #bytes}. */
    int at() {
        return offset + length;
    }

    /** How many bytes may be written there now. Zero does not mean that {@link #isFull}. */
    int room() {
        return room - length;
    }

    int length() {
        return length;
    }

    int max() {
        return max;
    }

    boolean isFull() {
        return length == max;
    }

    /** Counts bytes that were written at {@link #at}. */
    void written(int count) {
        length += count;
    }

    /** Appends a byte; there must be one that fits. */
    void put(byte next) {
        growTo(length + 1);
        bytes[at()] = next;
        length++;
    }

    /** Appends bytes, which must fit. */
    void put(ByteBuffer chunk) {
        int count = chunk.remaining();
        growTo(length + count);
        chunk.get(bytes, at(), count);
        length += count;
    }

    private void growTo(int needed) {
        if (needed <= room) return;
        room = (int) Math.min(max, Math.max(needed, Math.max(SMALLEST, 2L * room)));
        bytes = Arrays.copyOf(bytes, room);
    }

    /** What a growing output holds; the array itself where it is full. */
    byte[] value() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
}
