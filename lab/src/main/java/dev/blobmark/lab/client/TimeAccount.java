package dev.blobmark.lab.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Divides the time of operations on a connection into parts. Each nanosecond of an operation belongs to exactly one
 * part. Confined, like the connection, to one thread at a time. Each charge reads the clock once.
 */
public final class TimeAccount {

    /** A part of an operation's time. */
    public enum TimedPart {
        /** From the last byte of a request to the first byte of its answer: the server and the round trip. */
        WAITING,
        /** In socket calls that send a request, or that receive an answer after its first byte. */
        TRANSFER,
        /** Between socket calls: the driver, and copying. */
        CLIENT,
        /** In the codec: decoding, or encoding in a write. */
        DECODE,
        /** Getting a connection: from a pool, or by opening and closing one. */
        POOL;

        /** The name in files and tables. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final long[] nanos = new long[TimedPart.values().length];
    private LongSupplier clock = System::nanoTime;
    private long linkNanos;
    private long chargedUntil;

    /** The part that every charge goes to; null if each charge names its part. */
    private TimedPart all;

    /** Reads another clock than {@link System#nanoTime} from now on: the one that times the operations. */
    public void useClock(LongSupplier nanoTime) {
        clock = nanoTime;
    }

    /** Sets all times to zero. */
    public void clear() {
        Arrays.fill(nanos, 0);
        linkNanos = 0;
        all = null;
    }

    /** Starts the next charge at this reading of the clock. The time since the last charge belongs to no part. */
    public void begin(long nanoTime) {
        chargedUntil = nanoTime;
    }

    /**
     * Charges the time since the last charge to a part. Returns the reading of the clock, so that callers can reuse it.
     */
    public long charge(TimedPart part) {
        long now = clock.getAsLong();
        nanos[(all == null ? part : all).ordinal()] += now - chargedUntil;
        chargedUntil = now;
        return now;
    }

    /** Charges the time since the last charge to the client, and from now on all charges to one part. */
    public void chargeAllTo(TimedPart part) {
        charge(TimedPart.CLIENT);
        all = part;
    }

    /** Charges the time until now to the part of {@link #chargeAllTo}, and ends that. */
    public void chargeEachToItsPart() {
        charge(all);
        all = null;
    }

    /** Adds waiting or transfer time in which the emulated link held back data that had arrived. */
    void heldByLink(long heldNanos) {
        linkNanos += heldNanos;
    }

    public long nanos(TimedPart part) {
        return nanos[part.ordinal()];
    }

    /** The share of waiting and transfer that was due to the emulated link alone. */
    public long linkNanos() {
        return linkNanos;
    }
}
