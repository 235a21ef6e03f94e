package dev.blobmark.lab.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalDouble;

/**
 * One direction of a {@link Link}: a queue in front of its slowest part, which passes one byte after another. Its only
 * state is the time at which everything queued so far will have passed. It is in memory that connections, threads and
 * processes share.
 *
 * <p>A thread that wakes late finds that more bytes may pass, so the average rate is exact although each wait is too
 * long.
 */
final class RateLimiter {

    /**
     * Longest time that the bytes of one call take to pass, so that connections take turns. It also limits how often
     * threads wake.
     */
    private static final double TURN_NANOS = 500_000;

    /** Payload of a TCP packet on Ethernet. */
    static final int PACKET_BYTES = 1_448;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer shared;
    private final int index;
    private final double nanosPerByte;

    /**
     * @param shared memory outside the heap, or a file's
     * @param index of the first of the eight bytes that hold this limiter's state
     * @param bytesPerSecond empty for no limit
     */
    RateLimiter(ByteBuffer shared, int index, OptionalDouble bytesPerSecond) {
        this.shared = shared;
        this.index = index;
        nanosPerByte = bytesPerSecond.isPresent() ? 1e9 / bytesPerSecond.getAsDouble() : 0;
    }

    boolean isLimited() {
        return nanosPerByte > 0;
    }

    /** Most bytes to pass in one call: those that have had time to pass since {@code readyNanos}, or one turn's. */
    int turn(long readyNanos, long nowNanos) {
        if (!isLimited()) {
            return Integer.MAX_VALUE;
        }
        long begin = Math.max(readyNanos, (long) LONGS.getVolatile(shared, index));
        double passed = (nowNanos - begin) / nanosPerByte;
        return (int) Math.min(Integer.MAX_VALUE, Math.max(PACKET_BYTES, Math.max(passed, TURN_NANOS / nanosPerByte)));
    }

    /**
     * Queues bytes.
     *
     * @param readyNanos when they arrived, not in the future
     * @return when they will have passed
     */
    long pass(int bytes, long readyNanos) {
        if (!isLimited()) {
            return readyNanos;
        }
        long takes = Math.round(bytes * nanosPerByte);
        while (true) {
            long free = (long) LONGS.getVolatile(shared, index);
            long passed = Math.max(free, readyNanos) + takes;
            if (LONGS.compareAndSet(shared, index, free, passed)) {
                return passed;
            }
        }
    }
}
