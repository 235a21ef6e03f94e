package dev.blobmark.bench.link;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.SharedLink;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What an emulated link delivers, told by a {@link Peer} over plain sockets: bytes per second against its bandwidth, with several
 * connections; and how much longer a round trip takes than without it.
 *
 * <p>Arguments, both optional: seconds a measurement (2), repetitions (5). Bandwidth is told as the least and the most of the repetitions,
 * each side by side with the same bytes on the machine's own loopback.
 */
public final class LinkDelivery {

    private static final List<String> BANDWIDTHS = List.of("10mbit", "100mbit", "1gbit", "5gbit");
    private static final List<Integer> CONNECTIONS = List.of(1, 4, 32);
    private static final List<String> ROUND_TRIPS = List.of("any 200us", "any 1ms", "any 5ms", "any 40ms");

    /** As drivers read. */
    private static final int READ_BYTES = 16 << 10;

    private static final long MOST_LOOPBACK_BYTES = 2_000_000_000;

    private LinkDelivery() {}

    public static void main(String[] args) throws Exception {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 2;
        int repetitions = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        try (Peer peer = new Peer()) {
            System.out.println("| link | connections | delivered / nominal | loopback / nominal |");
            System.out.println("| --- | --- | --- | --- |");
            for (String level : BANDWIDTHS) {
                for (int connections : CONNECTIONS) {
                    bandwidth(peer, Link.parse(level), connections, seconds, repetitions);
                }
            }
            System.out.println();
            System.out.println("| link | round trip added, median | of loopback | off by |");
            System.out.println("| --- | --- | --- | --- |");
            for (String level : ROUND_TRIPS) {
                roundTrip(peer, Link.parse(level), seconds * repetitions);
            }
        }
    }

    private static void bandwidth(Peer peer, Link link, int connections, double seconds, int repetitions)
            throws Exception {
        double nominal = link.down().orElseThrow();
        long bytes = (long) (nominal * seconds / connections);
        double[] delivered = new double[repetitions];
        double[] plain = new double[repetitions];
        for (int i = -1; i < repetitions; i++) {
            double own = connections * bytes / transfer(peer, link, connections, bytes) / nominal;
            long most = Math.min(bytes, MOST_LOOPBACK_BYTES / connections);
            double loopback = connections * most / transfer(peer, Link.LOOPBACK, connections, most) / nominal;
            if (i >= 0) { // before it, it was compiled
                delivered[i] = own;
                plain[i] = loopback;
            }
        }
        Arrays.sort(delivered);
        Arrays.sort(plain);
        System.out.printf(
                Locale.ROOT,
                "| %s | %d | %.3f (%.3f to %.3f) | %.1f (%.1f to %.1f) |%n",
                link,
                connections,
                delivered[repetitions / 2],
                delivered[0],
                delivered[repetitions - 1],
                plain[repetitions / 2],
                plain[0],
                plain[repetitions - 1]);
    }

    /** Seconds that all take, by the peer's clock. */
    private static double transfer(Peer peer, Link link, int connections, long bytes) throws Exception {
        SharedLink shared = SharedLink.of(link);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            sockets.add(peer.connect());
        }
        peer.begin();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            CompletableFuture.allOf(sockets.stream()
                            .map(socket -> CompletableFuture.runAsync(() -> fetch(shared, socket, bytes), threads))
                            .toArray(CompletableFuture[]::new))
                    .join();
        } finally {
            threads.shutdown();
        }
        double took = peer.seconds();
        for (Socket socket : sockets) {
            new DataOutputStream(socket.getOutputStream()).writeLong(-1);
            socket.close();
        }
        return took;
    }

    /** Reads so many bytes and tells the peer that it has them, by asking for one more. */
    private static void fetch(SharedLink link, Socket socket, long bytes) {
        try {
            SharedLink.Streams streams = link.take(socket.getInputStream(), socket.getOutputStream());
            DataOutputStream out = new DataOutputStream(streams.out());
            out.writeLong(bytes);
            byte[] buffer = new byte[READ_BYTES];
            for (long left = bytes; left > 0; ) {
                left -= streams.in().read(buffer, 0, (int) Math.min(left, buffer.length));
            }
            out.writeLong(1);
            streams.in().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void roundTrip(Peer peer, Link link, double seconds) throws Exception {
        try (Socket linked = peer.connect();
                Socket plain = peer.connect()) {
            SharedLink.Streams streams = SharedLink.of(link).take(linked.getInputStream(), linked.getOutputStream());
            SharedLink.Streams direct =
                    SharedLink.of(Link.LOOPBACK).take(plain.getInputStream(), plain.getOutputStream());
            int count = (int) Math.max(
                    50, Math.min(5_000, seconds * 1e9 / link.roundTrip().toNanos()));
            long[] with = new long[count];
            long[] without = new long[count];
            for (int i = -count / 5; i < count; i++) {
                long own = ask(streams);
                long loopback = ask(direct);
                if (i >= 0) {
                    with[i] = own;
                    without[i] = loopback;
                }
            }
            Arrays.sort(with);
            Arrays.sort(without);
            double added = (with[count / 2] - without[count / 2]) / 1e3;
            double nominal = link.roundTrip().toNanos() / 1e3;
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f µs | %.1f µs | %+.1f µs, %+.2f %% |%n",
                    link,
                    added,
                    without[count / 2] / 1e3,
                    added - nominal,
                    100 * (added / nominal - 1));
            new DataOutputStream(linked.getOutputStream()).writeLong(-1);
            new DataOutputStream(plain.getOutputStream()).writeLong(-1);
        }
    }

    private static long ask(SharedLink.Streams streams) throws IOException {
        long before = System.nanoTime();
        new DataOutputStream(streams.out()).writeLong(Long.BYTES);
        new DataInputStream(streams.in()).readLong();
        return System.nanoTime() - before;
    }
}
