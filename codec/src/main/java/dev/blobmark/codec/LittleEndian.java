package dev.blobmark.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Four bytes as an int, least significant first, at any alignment. */
final class LittleEndian {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static int get(byte[] source, int offset) {
        return (int) INT.get(source, offset);
    }

    static void put(byte[] target, int offset, int value) {
        INT.set(target, offset, value);
    }
}
