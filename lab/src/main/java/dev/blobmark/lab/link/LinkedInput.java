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

    private static final int LEAST_BUFFER = 128 << 10;
    private static final int MOST_BUFFER = 4 << 20;

    /** Arrivals that are told apart. */
    private static final int ARRIVALS = 512;

    /** Those that lie closer together than this are one. */
    private static final long ONE_ARRIVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    private final InputStream in;
    private final Lane lane;
    private final Flights flights;
    private final LongConsumer held;

    // bytes are counted from when nothing was under way; buffer and arrivals are rings
    private final byte[] buffer;
    private long taken;
    private long handedOut;
    private final long[] upTo = new long[ARRIVALS];
    private final long[] due = new long[ARRIVALS];
    private int first;
    private int count;

    LinkedInput(InputStream in, Lane lane, Flights flights, Link link, LongConsumer held) {
        this.in = in;
        this.lane = lane;
        this.flights = flights;
        this.held = held;
        buffer = new byte[bufferBytes(link)];
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
        } else if (!take(buffer.length)) {
            return -1;
        }
        long begin = System.nanoTime();
        Moment.await(due[first], true, this::takeWhatIsThere);
        // what comes first is a packet, and is had when it is there as a whole; the time of all others is that of
        // transfer
        int most = flights.received() ? Math.min(length, Lane.PACKET_BYTES) : length;
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
        // more will follow of which the average is exact in any case
        boolean isLast = handedOut + given == taken;
        Moment.await(passed, isLast, this::takeWhatIsThere);
        held.accept(System.nanoTime() - begin);
        int at = (int) (handedOut & buffer.length - 1);
        int toEnd = Math.min(given, buffer.length - at);
        System.arraycopy(buffer, at, bytes, offset, toEnd);
        System.arraycopy(buffer, 0, bytes, offset + toEnd, given - toEnd);
        handedOut += given;
        return given;
    }

    private void takeWhatIsThere() throws IOException {
        for (int there = in.available();
                there > 0 && taken - handedOut < buffer.length && count < ARRIVALS;
                there = in.available()) {
            take(there);
        }
    }

    /** Waits for the first byte if there is none; false if there will be no more. */
    private boolean take(int most) throws IOException {
        if (taken == handedOut) { // the part of the buffer that is in the processor's cache
            taken = 0;
            handedOut = 0;
        }
        int at = (int) (taken & buffer.length - 1);
        int room = (int) Math.min(buffer.length - at, buffer.length - (taken - handedOut));
        int got = in.read(buffer, at, Math.min(most, room));
        if (got < 0) {
            return false;
        }
        taken += got;
        int last = (first + count - 1 + ARRIVALS) % ARRIVALS;
        long before = count == 0 ? Long.MIN_VALUE : due[last];
        // a byte does not overtake another, though its round trip may be shorter
        long now = Math.max(System.nanoTime() + flights.delayNanos(), before);
        if (count > 0 && now - before < ONE_ARRIVAL_NANOS) {
            upTo[last] = taken;
        } else {
            int next = (first + count) % ARRIVALS;
            upTo[next] = taken;
            due[next] = now;
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

    @Override
    public void close() throws IOException {
        in.close();
    }
}
