package dev.blobmark.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Receives over a link. Bytes are read from the kernel as soon as they arrive, with the time. They are given to the
 * reader when the round trip has passed since then and they have passed the rate limiter.
 */
final class LinkedInput extends InputStream {

    /**
     * How long a reader may lack a core while the link keeps delivering; a kernel's receive buffer holds at least as
     * much.
     */
    private static final double PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Initial size; the JDK's sockets read no more at once. */
    private static final int MIN_BUFFER = 128 << 10;

    private static final int MAX_BUFFER = 4 << 20;

    /** Shorter pauses are within a burst. */
    private static final long BURST_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** How often arrived bytes are read during a wait. */
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Arrivals that are recorded separately. */
    private static final int ARRIVALS = 512;

    /** Minimum heap of a connection. */
    static final int MIN_BYTES = MIN_BUFFER + 2 * ARRIVALS * Long.BYTES;

    /** Arrivals closer together than this count as one. */
    private static final long ONE_ARRIVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    private final InputStream in;
    private final RateLimiter limiter;
    private final RoundTrips roundTrips;
    private final LongConsumer delayed;
    private final Room room;
    private final int mostBuffer;
    private long growth;

    // bytes since nothing was buffered; buffer and arrivals are rings
    private byte[] buffer = new byte[MIN_BUFFER];
    private long received;
    private long delivered;
    private final long[] upTo = new long[ARRIVALS];
    private final long[] due = new long[ARRIVALS];
    private int first;
    private int count;

    /** When the socket was last polled. */
    private long lastPoll;
    /** When bytes last arrived. */
    private long lastCame;

    LinkedInput(
            InputStream in, RateLimiter limiter, RoundTrips roundTrips, Link link, Room room, LongConsumer delayed) {
        this.in = in;
        this.limiter = limiter;
        this.roundTrips = roundTrips;
        this.delayed = delayed;
        this.room = room;
        mostBuffer = bufferBytes(link);
    }

    /** Twice what is in transit on a full link, plus what the link delivers in a pause. */
    private static int bufferBytes(Link link) {
        double nanos = 2.0 * link.roundTrip().toNanos() + PAUSE_NANOS;
        int least = (int) Math.max(MIN_BUFFER, Math.min(MAX_BUFFER, link.down().orElse(1e9) * nanos / 1e9));
        return Integer.highestOneBit(2 * least - 1);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (received > delivered) {
            receiveAvailable();
        } else if (!awaitFirst()) {
            return -1;
        }
        long begin = System.nanoTime();
        await(due[first], true);
        // the first packet of an answer is given when it has arrived as a whole; further bytes only take their transfer
        // time
        boolean isFirst = roundTrips.received();
        int most = isFirst ? Math.min(length, RateLimiter.PACKET_BYTES) : length;
        int turn = Math.min(most, limiter.turn(due[first], System.nanoTime()));
        long passed = 0;
        int given = 0;
        while (given < turn && count > 0 && due[first] <= System.nanoTime()) {
            int part = (int) Math.min(turn - given, upTo[first] - delivered - given);
            passed = limiter.pass(part, due[first]);
            given += part;
            if (upTo[first] == delivered + given) {
                first = (first + 1) % ARRIVALS;
                count--;
            }
        }
        // when much follows, waits need not be exact, since the average rate is; a message may end a little before the
        // buffered bytes do
        boolean isLast = received - delivered - given < RateLimiter.PACKET_BYTES;
        await(passed, isFirst || isLast);
        delayed.accept(System.nanoTime() - begin);
        int at = (int) (delivered & buffer.length - 1);
        int toEnd = Math.min(given, buffer.length - at);
        System.arraycopy(buffer, at, bytes, offset, toEnd);
        System.arraycopy(buffer, 0, bytes, offset + toEnd, given - toEnd);
        delivered += given;
        return given;
    }

    /**
     * Waits, and meanwhile reads what arrives, as long as there is room. The socket is polled continuously during a
     * burst, and at intervals after it.
     */
    private void await(long nanos, boolean exactly) throws IOException {
        for (long now = System.nanoTime(); hasRoom() && now < nanos; now = System.nanoTime()) {
            receiveAvailable();
            if (now - lastCame < BURST_GAP_NANOS) {
                Thread.onSpinWait();
            } else if (nanos - now > 2 * POLL_NANOS) {
                PreciseWait.await(now + POLL_NANOS, false);
            } else {
                break;
            }
        }
        PreciseWait.await(nanos, exactly);
    }

    private boolean hasRoom() {
        return count < ARRIVALS && (received - delivered < buffer.length || grow());
    }

    /** Doubles the full buffer, up to the size that the link needs; false if it has that size or memory is used up. */
    private boolean grow() {
        int old = buffer.length;
        if (old >= mostBuffer || !room.take(old)) {
            return false;
        }
        growth += old;
        byte[] larger = new byte[2 * old];
        int at = (int) (delivered & old - 1);
        // a byte's place is its count modulo the length
        System.arraycopy(buffer, at, larger, (int) (delivered & larger.length - 1), old - at);
        System.arraycopy(buffer, 0, larger, (int) (delivered + old - at & larger.length - 1), at);
        buffer = larger;
        return true;
    }

    /** Bytes arrived between the last poll, or the last request, and now: on average half of that time ago. */
    private void receiveAvailable() throws IOException {
        for (int available = in.available(); available > 0 && hasRoom(); available = in.available()) {
            long now = System.nanoTime();
            receive(available, now - (now - Math.max(lastPoll, roundTrips.sentNanos())) / 2);
            lastPoll = now;
        }
        lastPoll = System.nanoTime();
    }

    /** Waits for bytes; false at the end of the stream. */
    private boolean awaitFirst() throws IOException {
        // reuses the part of the buffer that is in the processor's cache
        received = 0;
        delivered = 0;
        boolean isMore = receive(buffer.length, Long.MAX_VALUE);
        lastPoll = lastCame;
        return isMore;
    }

    /** @param came when the bytes arrived, if known; a time in the future stands for now */
    private boolean receive(int most, long came) throws IOException {
        int at = (int) (received & buffer.length - 1);
        int room = (int) Math.min(buffer.length - at, buffer.length - (received - delivered));
        int read = in.read(buffer, at, Math.min(most, room));
        if (read < 0) {
            return false;
        }
        received += read;
        lastCame = System.nanoTime();
        int last = (first + count - 1 + ARRIVALS) % ARRIVALS;
        long before = count == 0 ? Long.MIN_VALUE : due[last];
        // bytes do not overtake others, even with a shorter round trip
        long ready = Math.max(Math.min(came, lastCame) + roundTrips.delayNanos(), before);
        if (count > 0 && ready - before < ONE_ARRIVAL_NANOS) {
            upTo[last] = received;
        } else {
            int next = (first + count) % ARRIVALS;
            upTo[next] = received;
            due[next] = ready;
            count++;
        }
        return true;
    }

    @Override
    public int available() throws IOException {
        receiveAvailable();
        long now = System.nanoTime();
        long passed = delivered;
        for (int i = 0; i < count && due[(first + i) % ARRIVALS] <= now; i++) {
            passed = upTo[(first + i) % ARRIVALS];
        }
        return (int) (passed - delivered);
    }

    /** Must be called after the last read, or on the thread that reads. */
    @Override
    public void close() throws IOException {
        room.giveBack(growth);
        growth = 0;
        in.close();
    }
}
