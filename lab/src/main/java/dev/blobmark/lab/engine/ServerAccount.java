package dev.blobmark.lab.engine;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the server did during a window, for all of its clients.
 *
 * @param cpuNanos CPU time of the server's process
 * @param pagesRead pages that InnoDB read from files into its buffer pool
 * @param pagesFlushed pages that InnoDB wrote from its buffer pool to files
 * @param roundTrips how often the SQL nodes of a cluster waited for its data nodes
 * @param statements that it received; empty if it has several servers
 * @param unknown the reason for each unknown value, by field of the sample
 */
public record ServerAccount(
        OptionalLong cpuNanos,
        OptionalLong pagesRead,
        OptionalLong pagesFlushed,
        OptionalLong roundTrips,
        OptionalLong statements,
        SortedMap<String, String> unknown) {

    /** Statements were not counted. */
    public ServerAccount(
            OptionalLong cpuNanos,
            OptionalLong pagesRead,
            OptionalLong pagesFlushed,
            OptionalLong roundTrips,
            SortedMap<String, String> unknown) {
        this(cpuNanos, pagesRead, pagesFlushed, roundTrips, OptionalLong.empty(), unknown);
    }

    static final String CPU = "server_cpu_ns_per_op";
    static final String PAGES_READ = "pages_read_per_op";

    /** All values are unknown, for one reason. */
    static ServerAccount unknown(String reason) {
        return new ServerAccount(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                new TreeMap<>(Map.of(CPU, reason, PAGES_READ, reason)));
    }

    static OptionalDouble perOperation(OptionalLong total, long operations) {
        return total.isPresent() ? OptionalDouble.of((double) total.getAsLong() / operations) : OptionalDouble.empty();
    }
}
