package dev.blobmark.lab.link;

import java.util.concurrent.ThreadLocalRandom;

/** The round trips of a connection: requests that are sent together, then their answers. */
final class RoundTrips {

    private final long roundTripNanos;
    private final long jitterNanos;
    private volatile long delayNanos;
    private volatile boolean answered = true;
    private volatile long sentNanos = System.nanoTime();

    RoundTrips(Link link) {
        roundTripNanos = link.roundTrip().toNanos();
        jitterNanos = link.jitter().toNanos();
        delayNanos = roundTripNanos;
    }

    /** Something is sent: a new flight, if the one before has been answered. */
    void sent() {
        sentNanos = System.nanoTime();
        if (answered) {
            answered = false;
            delayNanos = jitterNanos == 0
                    ? roundTripNanos
                    : roundTripNanos + ThreadLocalRandom.current().nextLong(-jitterNanos, jitterNanos + 1);
        }
    }

    /** When something was sent last; nothing can come back that was asked for later. */
    long sentNanos() {
        return sentNanos;
    }

    /** Something is received; whether it is the first of its flight. */
    boolean received() {
        boolean isFirst = !answered;
        answered = true;
        return isFirst;
    }

    /** How much later than without the link the answers of this flight are there. */
    long delayNanos() {
        return delayNanos;
    }
}
