package dev.blobmark.evidence.link;

import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.Peer;
import dev.blobmark.lab.machine.KeepAwake;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What an emulated link delivers, as seen by a {@link Peer} over plain sockets: bytes per second compared with its
 * bandwidth, over several connections, and how much longer a round trip takes than without the link.
 *
 * <p>Arguments, both optional: seconds per measurement (2), repetitions (5). Bandwidth is the median, minimum and
 * maximum of the repetitions, next to that of the same bytes over the loopback interface. Cores are kept awake if a run
 * would do so.
 */
public final class LinkDelivery {

    private static final List<String> BANDWIDTHS = List.of("10mbit", "100mbit", "1gbit", "5gbit");
    private static final List<Integer> CONNECTIONS = List.of(1, 4, 32);
    private static final List<String> ROUND_TRIPS = List.of("any 200us", "any 1ms", "any 5ms", "any 40ms");

    private static final long MAX_LOOPBACK_BYTES = 2_000_000_000;

    private LinkDelivery() {}

    public static void main(String[] args) throws Exception {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 2;
        int repetitions = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        try (KeepAwake awake = KeepAwake.pays() ? KeepAwake.start() : null;
                Peer peer = new Peer()) {
            System.out.println(awake == null ? "cores may idle" : "cores " + awake.cpus() + " kept awake, as in runs");
            System.out.println();
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
                roundTrip(peer, Link.parse(level), seconds, repetitions);
            }
        }
    }

    private static void bandwidth(Peer peer, Link link, int connections, double seconds, int repetitions)
            throws Exception {
        double nominal = link.down().orElseThrow();
        long bytes = (long) (nominal * seconds / connections);
        long loopbackBytes = Math.min(bytes, MAX_LOOPBACK_BYTES / connections);
        double[] delivered = new double[repetitions];
        double[] plain = new double[repetitions];
        for (int i = -1; i < repetitions; i++) {
            double own = Delivery.bytesPerSecond(peer, link, connections, bytes) / nominal;
            double loopback = Delivery.bytesPerSecond(peer, Link.LOOPBACK, connections, loopbackBytes) / nominal;
            if (i >= 0) { // the first repetition compiles the code
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

    /** Measures link and loopback alternately. */
    private static void roundTrip(Peer peer, Link link, double seconds, int repetitions) throws Exception {
        int count = (int)
                Math.max(10, Math.min(1_000, seconds * 1e9 / link.roundTrip().toNanos()));
        double[] with = new double[repetitions];
        double[] without = new double[repetitions];
        for (int i = -1; i < repetitions; i++) {
            Duration own = Delivery.roundTrip(peer, link, count, Duration.ZERO);
            Duration loopback = Delivery.roundTrip(peer, Link.LOOPBACK, count, link.roundTrip());
            if (i >= 0) {
                with[i] = own.toNanos() / 1e3;
                without[i] = loopback.toNanos() / 1e3;
            }
        }
        Arrays.sort(with);
        Arrays.sort(without);
        double added = with[repetitions / 2] - without[repetitions / 2];
        double nominal = link.roundTrip().toNanos() / 1e3;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f µs | %.1f µs | %+.1f µs, %+.2f %% |%n",
                link,
                added,
                without[repetitions / 2],
                added - nominal,
                100 * (added / nominal - 1));
    }
}
