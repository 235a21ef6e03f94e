package dev.blobmark.fleet.host;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How far the clock of a host is ahead of that of Blobmark.
 *
 * @param aheadNanos of the host's clock; negative if it is behind
 * @param boundNanos by how much that may be wrong: half of the shortest round trip
 */
public record HostClock(long aheadNanos, long boundNanos) {

    /** The time in nanoseconds since 1970, which is right until 2262. */
    public static long now() {
        return Instant.EPOCH.until(Instant.now(), ChronoUnit.NANOS);
    }

    /**
     * @param sent when Blobmark asked
     * @param host what the clock of the host showed
     * @param received when Blobmark had the answer
     */
    public static HostClock of(long sent, long host, long received) {
        long half = (received - sent) / 2;
        return new HostClock(host - sent - half, half);
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
