package dev.blobmark.lab.engine;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a window took of its server, all that the server did meanwhile for whomever.
 *
 * @param cpuNanos CPU time of the server's process
 * @param pagesRead pages that InnoDB read from files into its buffer pool
 * @param pagesFlushed pages that it wrote from there to files
 * @param roundTrips how often the SQL nodes of a cluster waited for its data nodes
 * @param unknown why, by the field of the sample
 */
public record ServerAccount(
        OptionalLong cpuNanos,
        OptionalLong pagesRead,
        OptionalLong pagesFlushed,
        OptionalLong roundTrips,
        SortedMap<String, String> unknown) {

    static final String CPU = "server_cpu_ns_per_op";
    static final String PAGES_READ = "pages_read_per_op";

    /** Nothing is known, all for one reason. */
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
