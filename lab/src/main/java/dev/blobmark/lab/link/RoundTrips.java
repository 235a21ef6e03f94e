package dev.blobmark.lab.link;

import java.util.concurrent.ThreadLocalRandom;

/** The round trips of a connection: requests that are sent together, followed by their answers. */
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

    /** Records a send, which begins a new flight if the previous one has been answered. */
    void sent() {
        sentNanos = System.nanoTime();
        if (answered) {
            answered = false;
            delayNanos = jitterNanos == 0
                    ? roundTripNanos
                    : roundTripNanos + ThreadLocalRandom.current().nextLong(-jitterNanos, jitterNanos + 1);
        }
    }

    /** When something was last sent. No answer can have been requested later. */
    long sentNanos() {
        return sentNanos;
    }

    /** Records a receipt; true if it is the first of its flight. */
    boolean received() {
        boolean isFirst = !answered;
        answered = true;
        return isFirst;
    }

    /** How much later the answers of this flight arrive than without the link. */
    long delayNanos() {
        return delayNanos;
    }
}
