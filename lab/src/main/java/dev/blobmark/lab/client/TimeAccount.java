package dev.blobmark.lab.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Where the time of operations goes that use a connection: each moment of an operation belongs to one part. Confined, as the
 * connection is, to one thread at a time; a moment costs one look at the clock.
 */
public final class TimeAccount {

    /** A part of an operation's time. */
    public enum Part {
        /** From the last byte of a request to the first of its answer: the server, and the way there and back. */
        WAITING,
        /** In calls of the socket that send a request, or receive an answer after its first byte. */
        TRANSFER,
        /** Between calls of the socket: the driver, and copying. */
        CLIENT,
        /** In the codec: decoding, or encoding where something is written. */
        DECODE,
        /** For a connection: of a pool, or to open and close one. */
        POOL;

        /** As files and tables spell it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final long[] nanos = new long[Part.values().length];
    private LongSupplier clock = System::nanoTime;
    private long linkNanos;
    private long mark;

    /** Whose all is that is booked; null where each part has its own. */
    private Part all;

    /** Takes its times from now on from another clock than {@link System#nanoTime}: its operations' own. */
    public void runBy(LongSupplier nanoTime) {
        clock = nanoTime;
    }

    /** Nothing has been booked yet. */
    public void clear() {
        Arrays.fill(nanos, 0);
        linkNanos = 0;
        all = null;
    }

    /** The time that is booked next begins at a moment, of the clock; what has passed since the last booking is nobody's. */
    public void begin(long nanoTime) {
        mark = nanoTime;
    }

    /** What has passed since the last booking belongs to a part. Returns the moment, so that nobody needs to look at the clock again. */
    public long book(Part part) {
        long now = clock.getAsLong();
        nanos[(all == null ? part : all).ordinal()] += now - mark;
        mark = now;
        return now;
    }

    /** What has passed since the last booking is the client's; all that is booked from now on is one part's, whichever it is said to be. */
    public void bookAllFor(Part part) {
        book(Part.CLIENT);
        all = part;
    }

    /** What has passed since the last booking is that one part's still. */
    public void bookEachForItself() {
        book(all);
        all = null;
    }

    /** So much of what is waiting or transfer was for the emulated link alone: the bytes had come, and were held back. */
    void heldByLink(long heldNanos) {
        linkNanos += heldNanos;
    }

    public long nanos(Part part) {
        return nanos[part.ordinal()];
    }

    /** How much of waiting and transfer was for the emulated link alone. */
    public long linkNanos() {
        return linkNanos;
    }
}
