package dev.blobmark.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Receives over a link. Bytes are read from the kernel as soon as they arrive, with the time of arrival, and are delivered once the round
 * trip has passed and the rate limiter has let them through.
 */
final class LinkedInput extends InputStream {

    /** How long a reader may be without a core while the link keeps delivering. A kernel's receive buffer is at least as large. */
    private static final double PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    /** The first size of a connection's buffer. The JDK's sockets read no more at once. */
    private static final int LEAST_BUFFER = 128 << 10;

    private static final int MOST_BUFFER = 4 << 20;

    /** A shorter pause is within one burst. */
    private static final long BURST_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** While waiting, how often to read what has arrived. */
    private static final long LOOK_UP_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** How many arrivals are recorded separately. */
    private static final int ARRIVALS = 512;

    /** The least heap that a connection takes. */
    static final int LEAST_BYTES = LEAST_BUFFER + 2 * ARRIVALS * Long.BYTES;

    /** Arrivals closer together than this are one. */
    private static final long ONE_ARRIVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    private final InputStream in;
    private final RateLimiter lane;
    private final RoundTrips flights;
    private final LongConsumer held;
    private final Room room;
    private final int mostBuffer;
    private long roomTaken;

    // bytes are counted from the last time that nothing was in flight; buffer and arrivals are rings
    private byte[] buffer = new byte[LEAST_BUFFER];
    private long taken;
    private long handedOut;
    private final long[] upTo = new long[ARRIVALS];
    private final long[] due = new long[ARRIVALS];
    private int first;
    private int count;

    /** When the socket was last checked, and when it last had bytes. */
    private long lastLook;

    private long lastCame;

    LinkedInput(InputStream in, RateLimiter lane, RoundTrips flights, Link link, Room room, LongConsumer held) {
        this.in = in;
        this.lane = lane;
        this.flights = flights;
        this.held = held;
        this.room = room;
        mostBuffer = bufferBytes(link);
    }

    /** Twice the bandwidth-delay product, plus what the link delivers in a pause. */
    private static int bufferBytes(Link link) {
        double nanos = 2.0 * link.roundTrip().toNanos() + PAUSE_NANOS;
        int least =
                (int) Math.max(LEAST_BUFFER, Math.min(MOST_BUFFER, link.down().orElse(1e9) * nanos / 1e9));
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
        if (taken > handedOut) {
            takeWhatIsThere();
        } else if (!takeFirst()) {
            return -1;
        }
        long begin = System.nanoTime();
        await(due[first], true);
        // the first packet counts as received when it is complete; the time of all others is transfer
        boolean isFirst = flights.received();
        int most = isFirst ? Math.min(length, RateLimiter.PACKET_BYTES) : length;
        int turn = Math.min(most, lane.turn(due[first], System.nanoTime()));
        long passed = 0;
        int given = 0;
        while (given < turn && count > 0 && due[first] <= System.nanoTime()) {
            int bytesOfOne = (int) Math.min(turn - given, upTo[first] - handedOut - given);
            passed = lane.pass(bytesOfOne, due[first]);
            given += bytesOfOne;
            if (upTo[first] == handedOut + given) {
                first = (first + 1) % ARRIVALS;
                count--;
            }
        }
        // if much follows, the average is exact in any case; a message may end a little before the bytes that have
        // arrived
        boolean isLast = taken - handedOut - given < RateLimiter.PACKET_BYTES;
        await(passed, isFirst || isLast);
        held.accept(System.nanoTime() - begin);
        int at = (int) (handedOut & buffer.length - 1);
        int toEnd = Math.min(given, buffer.length - at);
        System.arraycopy(buffer, at, bytes, offset, toEnd);
        System.arraycopy(buffer, 0, bytes, offset + toEnd, given - toEnd);
        handedOut += given;
        return given;
    }

    /**
     * Reads what arrives in the meantime, as long as there is room. A burst arrives together: the socket is polled without a pause during the
     * burst, and at intervals after it.
     */
    private void await(long nanos, boolean exactly) throws IOException {
        for (long now = System.nanoTime(); hasRoom() && now < nanos; now = System.nanoTime()) {
            takeWhatIsThere();
            if (now - lastCame < BURST_GAP_NANOS) {
                Thread.onSpinWait();
            } else if (nanos - now > 2 * LOOK_UP_NANOS) {
                PreciseWait.await(now + LOOK_UP_NANOS, false);
            } else {
                break;
            }
        }
        PreciseWait.await(nanos, exactly);
    }

    private boolean hasRoom() {
        return count < ARRIVALS && (taken - handedOut < buffer.length || grow());
    }

    /** Doubles the full buffer, up to the size that the link needs, unless the memory for it is in use. */
    private boolean grow() {
        int old = buffer.length;
        if (old >= mostBuffer || !room.take(old)) {
            return false;
        }
        roomTaken += old;
        byte[] larger = new byte[2 * old];
        int at = (int) (handedOut & old - 1);
        // a byte's index is its count modulo the length
        System.arraycopy(buffer, at, larger, (int) (handedOut & larger.length - 1), old - at);
        System.arraycopy(buffer, 0, larger, (int) (handedOut + old - at & larger.length - 1), at);
        buffer = larger;
        return true;
    }

    /** The bytes arrived between the last check, or the last request, and now: half of that time ago, on average. */
    private void takeWhatIsThere() throws IOException {
        for (int there = in.available(); there > 0 && hasRoom(); there = in.available()) {
            long now = System.nanoTime();
            take(there, now - (now - Math.max(lastLook, flights.sentNanos())) / 2);
            lastLook = now;
        }
        lastLook = System.nanoTime();
    }

    /** Waits for bytes; false at the end of the stream. */
    private boolean takeFirst() throws IOException {
        // use the part of the buffer that is in the processor's cache
        taken = 0;
        handedOut = 0;
        boolean isMore = take(buffer.length, Long.MAX_VALUE);
        lastLook = lastCame;
        return isMore;
    }

    /** @param came when they arrived, as far as that is known; a later time counts as now */
    private boolean take(int most, long came) throws IOException {
        int at = (int) (taken & buffer.length - 1);
        int room = (int) Math.min(buffer.length - at, buffer.length - (taken - handedOut));
        int got = in.read(buffer, at, Math.min(most, room));
        if (got < 0) {
            return false;
        }
        taken += got;
        lastCame = System.nanoTime();
        int last = (first + count - 1 + ARRIVALS) % ARRIVALS;
        long before = count == 0 ? Long.MIN_VALUE : due[last];
        // a byte does not overtake another, even if its round trip is shorter
        long ready = Math.max(Math.min(came, lastCame) + flights.delayNanos(), before);
        if (count > 0 && ready - before < ONE_ARRIVAL_NANOS) {
            upTo[last] = taken;
        } else {
            int next = (first + count) % ARRIVALS;
            upTo[next] = taken;
            due[next] = ready;
            count++;
        }
        return true;
    }

    @Override
    public int available() throws IOException {
        takeWhatIsThere();
        long now = System.nanoTime();
        long passed = handedOut;
        for (int i = 0; i < count && due[(first + i) % ARRIVALS] <= now; i++) {
            passed = upTo[(first + i) % ARRIVALS];
        }
        return (int) (passed - handedOut);
    }

    /** Called after the last read, or on the thread that reads. */
    @Override
    public void close() throws IOException {
        room.giveBack(roomTaken);
        roomTaken = 0;
        in.close();
    }
}
