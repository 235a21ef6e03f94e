package dev.blobmark.value;

import java.util.Arrays;
import java.util.List;

/**
 * Choices and bytes from what a fuzzer gives. Choices are taken from the beginning, so that an input stays the same
 * when bytes are added to its end; after its end, they are 0.
 */
final class FuzzInput {

    private final byte[] bytes;
    private int at;

    FuzzInput(byte[] bytes) {
        this.bytes = bytes;
    }

    /** 0 to 255. */
    int next() {
        return at < bytes.length ? bytes[at++] & 0xFF : 0;
    }

    /** 0 to 65,535, the high byte first. */
    int nextShort() {
        return next() << 8 | next();
    }

    boolean nextBoolean() {
        return (next() & 1) != 0;
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(next() % choices.size());
    }

    byte[] next(int most) {
        byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + most));
        at += part.length;
        return part;
    }

    byte[] rest() {
        return next(bytes.length - at);
    }
}
