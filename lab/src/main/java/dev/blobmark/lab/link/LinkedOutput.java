package dev.blobmark.lab.link;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongConsumer;

/** Sends over a link: each byte reaches the socket when the rate limiter lets it through. The round trip is added where the answer is read. */
final class LinkedOutput extends FilterOutputStream {

    private final RateLimiter lane;
    private final RoundTrips flights;
    private final LongConsumer held;

    LinkedOutput(OutputStream out, RateLimiter lane, RoundTrips flights, LongConsumer held) {
        super(out);
        this.lane = lane;
        this.flights = flights;
        this.held = held;
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
            int turn = Math.min(end - from, lane.turn(now, now));
            PreciseWait.await(lane.pass(turn, now), from + turn == end);
            held.accept(System.nanoTime() - now);
            out.write(bytes, from, turn);
            from += turn;
        }
        flights.sent();
    }
}
