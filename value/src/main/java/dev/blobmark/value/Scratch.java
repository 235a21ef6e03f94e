package dev.blobmark.value;

import java.lang.ref.SoftReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A buffer for one call. All threads share the buffers that are kept: one for each slot, of at most {@value #MOST_KEPT}
 * bytes, and only while the heap has room. There are two slots for each processor, and at least four.
 */
final class Scratch implements AutoCloseable {

    /** A longer buffer is made for one call, in bytes. */
    static final int MOST_KEPT = 2 << 20;

    private static final int LEAST = 4 << 10;

    /** A power of two. */
    private static final int SLOTS =
            Integer.highestOneBit(Math.max(4, 4 * Runtime.getRuntime().availableProcessors() - 1));

    /** So that slots lie in different cache lines. */
    private static final int STRIDE = 16;

    private static final AtomicReferenceArray<Scratch> IDLE = new AtomicReferenceArray<>(SLOTS * STRIDE);

    private SoftReference<byte[]> kept = new SoftReference<>(null);
    private byte[] bytes;

    private Scratch() {}

    /**
     * A buffer. Close it in the same call.
     *
     * @param length the least length of the buffer, in bytes
     */
    static Scratch of(int length) {
        Scratch idle = IDLE.getAndSet(home(), null);
        Scratch scratch = idle == null ? new Scratch() : idle;
        byte[] bytes = scratch.kept.get();
        if (bytes == null || bytes.length < length) {
            bytes = length > MOST_KEPT ? new byte[length] : new byte[roundedUp(length)];
            if (length <= MOST_KEPT) {
                scratch.kept = new SoftReference<>(bytes);
            }
        }
        scratch.bytes = bytes;
        return scratch;
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public void close() {
        bytes = null;
        IDLE.compareAndSet(home(), null, this);
    }

    private static int roundedUp(int length) {
        return Math.max(LEAST, length <= 1 ? 1 : Integer.highestOneBit(length - 1) << 1);
    }

    /** Neighbouring threads have different slots. */
    private static int home() {
        return ((int) Thread.currentThread().getId() & SLOTS - 1) * STRIDE;
    }
}
