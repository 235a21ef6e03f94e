package dev.blobmark.lab.link;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongConsumer;

/**
 * Sends over a link: each byte reaches the socket when it has passed the rate limiter. The whole round trip is added
 * where the answer is read.
 */
final class LinkedOutput extends FilterOutputStream {

    private final RateLimiter limiter;
    private final RoundTrips roundTrips;
    private final LongConsumer delayed;

    LinkedOutput(OutputStream out, RateLimiter limiter, RoundTrips roundTrips, LongConsumer delayed) {
        super(out);
        this.limiter = limiter;
        this.roundTrips = roundTrips;
        this.delayed = delayed;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int end = offset + length;
        for (int from = offset; from < end; ) {
            long now = System.nanoTime();
            int turn = Math.min(end - from, limiter.turn(now, now));
            PreciseWait.await(limiter.pass(turn, now), from + turn == end);
            delayed.accept(System.nanoTime() - now);
            out.write(bytes, from, turn);
            from += turn;
        }
        roundTrips.sent();
    }
}
