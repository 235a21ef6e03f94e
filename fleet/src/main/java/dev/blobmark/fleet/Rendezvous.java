package dev.blobmark.fleet;

import dev.blobmark.fleet.host.HostClock;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The instant at which the processes of a trial begin their windows: the same for all that get their order within a
 * moment.
 */
final class Rendezvous {

    /** From the comparison of the clocks to the instant. All processes must have their order until then. */
    private static final long AHEAD_NANOS = 50_000_000;

    /** More for each host: an order takes a tenth of that to send. */
    private static final long MORE_NANOS = 500_000;

    private final Supplier<List<HostConnection>> hosts;
    private long instant;
    private Map<HostConnection, HostClock> clocks = Map.of();

    Rendezvous(Supplier<List<HostConnection>> hosts) {
        this.hosts = hosts;
    }

    /** The instant in the host's time. Compares all clocks and agrees on one, if there is none ahead. */
    synchronized Instant hostTime(HostConnection host) throws IOException {
        if (HostClock.now() > instant - AHEAD_NANOS / 2) {
            clocks = compare(hosts.get());
            instant = HostClock.now() + AHEAD_NANOS + clocks.size() * MORE_NANOS;
        }
        HostClock clock = clocks.get(host);
        if (clock == null) {
            throw new IOException("the host " + host.facts().name() + " has left");
        }
        return Instant.EPOCH.plusNanos(clock.hostTime(instant));
    }

    /** All at once, so that a fleet takes no longer than its slowest host. A host that does not answer is left out. */
    private static Map<HostConnection, HostClock> compare(List<HostConnection> hosts) {
        Map<HostConnection, HostClock> compared = new ConcurrentHashMap<>();
        hosts.parallelStream().forEach(host -> {
            try {
                compared.put(host, host.clock());
            } catch (IOException e) {
                // its process will be found to have ended
            }
        });
        return compared;
    }

    /** The clock of a host, as it was compared for the last instant. */
    synchronized HostClock clock(HostConnection host) throws IOException {
        HostClock known = clocks.get(host);
        return known == null ? host.clock() : known;
    }
}
