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

    /** Records that something was sent. It begins a new round trip if the previous one has been answered. */
    void sent() {
        sentNanos = System.nanoTime();
        if (answered) {
            answered = false;
            delayNanos = jitterNanos == 0
                    ? roundTripNanos
                    : roundTripNanos + ThreadLocalRandom.current().nextLong(-jitterNanos, jitterNanos + 1);
        }
    }

    /** When something was last sent; an answer cannot have arrived before. */
    long sentNanos() {
        return sentNanos;
    }

    /** Records that something was received; whether it is the first answer of its round trip. */
    boolean received() {
        boolean isFirst = !answered;
        answered = true;
        return isFirst;
    }

    /** How much the answers of this round trip are delayed by the link. */
    long delayNanos() {
        return delayNanos;
    }
}
