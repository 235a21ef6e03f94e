package dev.blobmark.fleet.host;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * How far the clock of a host is ahead of that of Blobmark.
 *
 * @param aheadNanos of the host's clock; negative if it is behind
 * @param boundNanos by how much that may be wrong: half of the shortest round trip
 */
public record HostClock(long aheadNanos, long boundNanos) {

    private static final long CENTURY_NANOS = TimeUnit.DAYS.toNanos(36_525);

    /** The time in nanoseconds since 1970, which is right until 2262. */
    public static long now() {
        return Instant.EPOCH.until(Instant.now(), ChronoUnit.NANOS);
    }

    /**
     * @param sent when Blobmark asked
     * @param host what the clock of the host showed
     * @param received when Blobmark had the answer
     * @throws IllegalArgumentException if the host shows a time that is more than a century away
     */
    public static HostClock of(long sent, long host, long received) {
        if (host < sent - CENTURY_NANOS || host > sent + CENTURY_NANOS) {
            throw new IllegalArgumentException("its clock is more than a century wrong");
        }
        long half = (received - sent) / 2;
        return new HostClock(host - sent - half, half);
    }

    /** How far the clock has moved against that of Blobmark, compared with an earlier comparison. */
    public long movedNanos(HostClock before) {
        return Math.abs(aheadNanos - before.aheadNanos);
    }

    /** The same with an error that includes the movement since an earlier comparison. */
    public HostClock since(HostClock before) {
        return new HostClock(aheadNanos, Math.max(boundNanos, before.boundNanos) + movedNanos(before));
    }

    public HostClock better(HostClock other) {
        return other.boundNanos < boundNanos ? other : this;
    }

    /** The host's time at a time of Blobmark. */
    public long hostTime(long blobmark) {
        return blobmark + aheadNanos;
    }

    /** Blobmark's time at a time of the host. */
    public Instant blobmarkTime(Instant host) {
        return host.minus(Duration.ofNanos(aheadNanos));
    }
}
