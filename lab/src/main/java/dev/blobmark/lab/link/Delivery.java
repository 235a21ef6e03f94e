package dev.blobmark.lab.link;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What a link delivers on this machine, as measured by a {@link Peer}.
 *
 * @param bytesPerSecond from the peer, over one connection: the median of three measurements
 * @param roundTrip the median of small requests
 * @param loopback the same without the link, with pauses of the link's round trip before each request
 */
public record Delivery(Link link, double bytesPerSecond, Duration roundTrip, Loopback loopback) {

    /** The round trip without a link. */
    public record Loopback(double bytesPerSecond, Duration roundTrip) {}

    /** A link that delivers less than this share of its bandwidth is not the requested link. */
    private static final double LEAST_SHARE = 0.97;

    /** A round trip may deviate by the larger of these two. */
    private static final double ROUND_TRIP_SHARE = 0.05;

    private static final double ROUND_TRIP_SLACK_NANOS = 60_000;

    private static final double SECONDS = 0.25;

    /** The median of these is used, because a core may be taken away for 10 ms. */
    private static final int REPETITIONS = 3;

    private static final long MOST_BYTES = 128 << 20;
    private static final int LEAST_ROUND_TRIPS = 5;
    private static final int MOST_ROUND_TRIPS = 200;

    /** The size in which drivers read. */
    private static final int READ_BYTES = 16 << 10;

    /**
     * Measures a link for about two seconds, or ten of its round trips.
     *
     * @throws IOException if the machine has no port for the peer
     */
    public static Delivery of(Link link) throws IOException {
        try (Peer peer = new Peer()) {
            bytesPerSecond(peer, Link.LOOPBACK, 1, MOST_BYTES); // compiles the code before it is measured
            double plain = bytesPerSecond(peer, Link.LOOPBACK, 1, MOST_BYTES);
            int roundTrips = (int) Math.max(
                    LEAST_ROUND_TRIPS,
                    Math.min(
                            MOST_ROUND_TRIPS,
                            SECONDS * 1e9 / Math.max(1, link.roundTrip().toNanos())));
            Duration plainRoundTrip = roundTrip(peer, Link.LOOPBACK, roundTrips, link.roundTrip());
            Loopback loopback = new Loopback(plain, plainRoundTrip);
            if (!link.isEmulated()) {
                return new Delivery(link, plain, plainRoundTrip, loopback);
            }
            long bytes = (long) Math.min(MOST_BYTES, SECONDS * link.down().orElse(MOST_BYTES / SECONDS));
            bytesPerSecond(peer, link, 1, bytes);
            double[] delivered = new double[REPETITIONS];
            for (int i = 0; i < REPETITIONS; i++) {
                delivered[i] = bytesPerSecond(peer, link, 1, bytes);
            }
            Arrays.sort(delivered);
            return new Delivery(
                    link, delivered[REPETITIONS / 2], roundTrip(peer, link, roundTrips, Duration.ZERO), loopback);
        }
    }

    /** Whether this machine can emulate the link: bandwidth and round trip are as requested. */
    public boolean isSustained() {
        return fault().isEmpty();
    }

    /** What differs from the request, in words. */
    public Optional<String> fault() {
        if (!link.isEmulated()) {
            return Optional.empty();
        }
        if (link.down().isPresent()
                && bytesPerSecond < LEAST_SHARE * link.down().getAsDouble()) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "this machine delivers %.0f of its %.0f Mbit/s (%.0f without the link)",
                    megabits(bytesPerSecond),
                    megabits(link.down().getAsDouble()),
                    megabits(loopback.bytesPerSecond)));
        }
        double added = roundTrip.minus(loopback.roundTrip).toNanos();
        double off = Math.abs(added - link.roundTrip().toNanos());
        double slack = Math.max(
                ROUND_TRIP_SLACK_NANOS, ROUND_TRIP_SHARE * link.roundTrip().toNanos());
        return off <= slack + link.jitter().toNanos()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "it adds a round trip of %.0f µs on this machine instead of %.0f",
                        added / 1e3,
                        link.roundTrip().toNanos() / 1e3));
    }

    private static double megabits(double bytesPerSecond) {
        return bytesPerSecond * 8 / 1e6;
    }

    /**
     * Bytes per second of several connections together over one link. Each requests the same number of bytes. Measured by the peer's clock,
     * without the round trips of the first and the last request.
     */
    public static double bytesPerSecond(Peer peer, Link link, int connections, long bytes) throws IOException {
        SharedLink shared = SharedLink.of(link);
        List<Socket> sockets = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            for (int i = 0; i < connections; i++) {
                sockets.add(peer.connect());
            }
            peer.begin();
            CompletableFuture.allOf(sockets.stream()
                            .map(socket -> CompletableFuture.runAsync(() -> fetch(shared, socket, bytes), threads))
                            .toArray(CompletableFuture[]::new))
                    .join();
            double seconds = peer.seconds() - link.roundTrip().toNanos() / 1e9;
            return connections * bytes / seconds;
        } catch (CompletionException e) {
            throw new IOException("a link cannot be measured: " + e.getCause().getMessage(), e);
        } finally {
            threads.shutdownNow();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Reads a number of bytes, then confirms them to the peer by requesting one more. */
    private static void fetch(SharedLink link, Socket socket, long bytes) {
        try {
            SharedLink.Streams streams = link.take(socket.getInputStream(), socket.getOutputStream());
            DataOutputStream out = new DataOutputStream(streams.out());
            out.writeLong(bytes);
            byte[] buffer = new byte[READ_BYTES];
            for (long left = bytes; left > 0; ) {
                left -= read(streams.in(), buffer, (int) Math.min(left, buffer.length));
            }
            out.writeLong(1);
            read(streams.in(), buffer, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int read(InputStream in, byte[] buffer, int most) throws IOException {
        int count = in.read(buffer, 0, most);
        if (count < 0) {
            throw new EOFException("the peer has ended the connection");
        }
        return count;
    }

    /**
     * The median round trip of a number of requests, one after another on one connection.
     *
     * @param pause before each request: the longer a peer has slept, the longer it takes to wake, and behind a link it sleeps for a round
     *     trip
     */
    public static Duration roundTrip(Peer peer, Link link, int count, Duration pause) throws IOException {
        try (Socket socket = peer.connect()) {
            SharedLink.Streams streams = SharedLink.of(link).take(socket.getInputStream(), socket.getOutputStream());
            DataOutputStream out = new DataOutputStream(streams.out());
            DataInputStream in = new DataInputStream(streams.in());
            long[] nanos = new long[count];
            for (int i = 0; i < count; i++) {
                PreciseWait.await(System.nanoTime() + pause.toNanos(), true);
                long before = System.nanoTime();
                out.writeLong(Long.BYTES);
                in.readLong();
                nanos[i] = System.nanoTime() - before;
            }
            Arrays.sort(nanos);
            return Duration.ofNanos(nanos[count / 2]);
        }
    }
}
