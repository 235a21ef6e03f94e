package dev.blobmark.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Receives over a link. What the kernel has is taken at once, with the time, and handed out when it has been under way for the round
 * trip and has passed the lane.
 */
final class LinkedInput extends InputStream {

    /** As long as a reader may be kept from its core while the link goes on; a kernel's receive buffer is no smaller. */
    private static final double PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    /** What a connection begins with; no read of the JDK's sockets is longer. */
    private static final int LEAST_BUFFER = 128 << 10;

    private static final int MOST_BUFFER = 4 << 20;

    /** Shorter pauses are in the midst of what is sent together. */
    private static final long BURST_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** While it waits, what has come is taken so often. */
    private static final long LOOK_UP_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Arrivals that are told apart. */
    private static final int ARRIVALS = 512;

    /** Heap that each connection takes at least. */
    static final int LEAST_BYTES = LEAST_BUFFER + 2 * ARRIVALS * Long.BYTES;

    /** Those that lie closer together than this are one. */
    private static final long ONE_ARRIVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    private final InputStream in;
    private final RateLimiter lane;
    private final RoundTrips flights;
    private final LongConsumer held;
    private final Room room;
    private final int mostBuffer;
    private long roomTaken;

    // bytes are counted from when nothing was under way; buffer and arrivals are rings
    private byte[] buffer = new byte[LEAST_BUFFER];
    private long taken;
    private long handedOut;
    private final long[] upTo = new long[ARRIVALS];
    private final long[] due = new long[ARRIVALS];
    private int first;
    private int count;

    /** When it was looked last whether something is there, and when something was. */
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

    /** Twice what is under way on a link that is full, and what it delivers in a pause. */
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
        // what comes first is a packet, and is had when it is there as a whole; the time of all others is that of
        // transfer
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
        // of what much follows on, the average is exact in any case; a message may end a little before what is there
        // does
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
     * Takes what comes meanwhile, as long as there is room for it. What is sent together comes together: while it does, it is looked for
     * all the time, and at intervals afterwards.
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

    /** Doubles the buffer, which is full, until it is as long as the link asks for; not where the memory for it is in use. */
    private boolean grow() {
        int old = buffer.length;
        if (old >= mostBuffer || !room.take(old)) {
            return false;
        }
        roomTaken += old;
        byte[] larger = new byte[2 * old];
        int at = (int) (handedOut & old - 1);
        // a byte's place is its count modulo the length
        System.arraycopy(buffer, at, larger, (int) (handedOut & larger.length - 1), old - at);
        System.arraycopy(buffer, 0, larger, (int) (handedOut + old - at & larger.length - 1), at);
        buffer = larger;
        return true;
    }

    /** It came between the last look, or the last request, and now: half of that time ago, on average. */
    private void takeWhatIsThere() throws IOException {
        for (int there = in.available(); there > 0 && hasRoom(); there = in.available()) {
            long now = System.nanoTime();
            take(there, now - (now - Math.max(lastLook, flights.sentNanos())) / 2);
            lastLook = now;
        }
        lastLook = System.nanoTime();
    }

    /** Waits for it; false if there will be no more. */
    private boolean takeFirst() throws IOException {
        // the part of the buffer that is in the processor's cache
        taken = 0;
        handedOut = 0;
        boolean isMore = take(buffer.length, Long.MAX_VALUE);
        lastLook = lastCame;
        return isMore;
    }

    /** @param came when it did, as far as that is known; anything later is now */
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
        // a byte does not overtake another, though its round trip may be shorter
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

    /** After its last read, or on the thread that reads. */
    @Override
    public void close() throws IOException {
        room.giveBack(roomTaken);
        roomTaken = 0;
        in.close();
    }
}
