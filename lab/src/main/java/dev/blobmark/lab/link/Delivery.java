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
 * @param bytesPerSecond from the peer over one connection, median of three
 * @param roundTrip of a small request, median
 * @param loopback the same without the link, with pauses as long as the link's round trip
 */
public record Delivery(Link link, double bytesPerSecond, Duration roundTrip, Loopback loopback) {

    /** What the machine delivers without a link. */
    public record Loopback(double bytesPerSecond, Duration roundTrip) {}

    /** A link that delivers less than this share of its bandwidth is not emulated correctly. */
    private static final double MIN_SHARE = 0.97;

    /** A round trip may differ by the larger of these. */
    private static final double ROUND_TRIP_SHARE = 0.05;

    private static final double ROUND_TRIP_SLACK_NANOS = 60_000;

    private static final double SECONDS = 0.25;

    /** Measurements whose median counts, so that a core that was taken away for 10 ms has no effect. */
    private static final int REPETITIONS = 3;

    private static final long MAX_BYTES = 128 << 20;
    private static final int MIN_ROUND_TRIPS = 5;
    private static final int MAX_ROUND_TRIPS = 200;

    /** Buffer size of drivers. */
    private static final int READ_BYTES = 16 << 10;

    /**
     * Measures a link for about two seconds, or ten of its round trips.
     *
     * @throws IOException if the peer cannot listen
     */
    public static Delivery of(Link link) throws IOException {
        try (Peer peer = new Peer()) {
            bytesPerSecond(peer, Link.LOOPBACK, 1, MAX_BYTES); // until the code is compiled
            double plain = bytesPerSecond(peer, Link.LOOPBACK, 1, MAX_BYTES);
            int roundTrips = (int) Math.max(
                    MIN_ROUND_TRIPS,
                    Math.min(
                            MAX_ROUND_TRIPS,
                            SECONDS * 1e9 / Math.max(1, link.roundTrip().toNanos())));
            Duration plainRoundTrip = roundTrip(peer, Link.LOOPBACK, roundTrips, link.roundTrip());
            Loopback loopback = new Loopback(plain, plainRoundTrip);
            if (!link.isEmulated()) {
                return new Delivery(link, plain, plainRoundTrip, loopback);
            }
            long bytes = (long) Math.min(MAX_BYTES, SECONDS * link.down().orElse(MAX_BYTES / SECONDS));
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

    /** Whether this machine can emulate the link: bandwidth and round trip are as specified. */
    public boolean isSustained() {
        return fault().isEmpty();
    }

    /** What differs from the specification; empty if nothing does. */
    public Optional<String> fault() {
        if (!link.isEmulated()) {
            return Optional.empty();
        }
        if (link.down().isPresent() && bytesPerSecond < MIN_SHARE * link.down().getAsDouble()) {
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
     * Bytes per second of several connections together over one link. The time is that between the peer's first and
     * last request, without one round trip.
     *
     * @param bytes that each connection asks for
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
            throw new IOException(
                    "the link " + link + " cannot be measured: " + e.getCause().getMessage(), e);
        } finally {
            threads.shutdownNow();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Reads a number of bytes, then asks for one more, so that the peer can see the end. */
    private static void fetch(SharedLink link, Socket socket, long bytes) {
        try {
            SharedLink.Streams streams = link.emulate(socket.getInputStream(), socket.getOutputStream());
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
     * The median round trip of {@code count} requests, one after another on one connection.
     *
     * @param pause before each request: the longer a peer has slept, the longer it takes to wake, and behind a link it
     *     sleeps for a round trip
     */
    public static Duration roundTrip(Peer peer, Link link, int count, Duration pause) throws IOException {
        try (Socket socket = peer.connect()) {
            SharedLink.Streams streams = SharedLink.of(link).emulate(socket.getInputStream(), socket.getOutputStream());
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
