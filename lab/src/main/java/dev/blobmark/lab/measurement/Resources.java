package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the window of a sample took, all types of operations together.
 *
 * @param elapsedNanos from the start of the window to the last completed operation, of the slowest worker
 * @param clientCpuNanosPerOp CPU time of the client's processes, per operation
 * @param serverCpuNanosPerOp CPU time of the server's process, per operation
 * @param pagesReadPerOp pages that the server's InnoDB read from files, per operation
 * @param allocatedBytesPerOp bytes allocated by the workers' threads, per operation
 * @param counters totals of client and server; empty where nothing was measured
 * @param pool settings of the connection pool as it reports them, of each process; empty without a pool
 * @param sqlNodes operations per second over each SQL node of a cluster, in their order; empty where there is one
 *     server
 */
public record Resources(
        @JsonProperty("elapsed_ns") OptionalLong elapsedNanos,
        @JsonProperty("client_cpu_ns_per_op") OptionalDouble clientCpuNanosPerOp,
        @JsonProperty("server_cpu_ns_per_op") OptionalDouble serverCpuNanosPerOp,
        OptionalDouble pagesReadPerOp,
        OptionalDouble allocatedBytesPerOp,
        Optional<ServerCounters> counters,
        SortedMap<String, String> pool,
        List<Double> sqlNodes) {

    /** Nothing was measured. */
    public static final Resources NONE =
            of(OptionalLong.empty(), OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty());

    public Resources {
        requireAmount("elapsed_ns", elapsedNanos);
        requireAmount("client_cpu_ns_per_op", clientCpuNanosPerOp);
        requireAmount("server_cpu_ns_per_op", serverCpuNanosPerOp);
        requireAmount("pages_read_per_op", pagesReadPerOp);
        requireAmount("allocated_bytes_per_op", allocatedBytesPerOp);
        pool = Amounts.sorted(pool);
        sqlNodes = List.copyOf(sqlNodes);
    }

    /** Times and memory alone: pages were not counted, and there is neither a pool nor a cluster. */
    public static Resources of(
            OptionalLong elapsedNanos,
            OptionalDouble clientCpuNanosPerOp,
            OptionalDouble serverCpuNanosPerOp,
            OptionalDouble allocatedBytesPerOp) {
        return new Resources(
                elapsedNanos,
                clientCpuNanosPerOp,
                serverCpuNanosPerOp,
                OptionalDouble.empty(),
                allocatedBytesPerOp,
                Optional.empty(),
                new TreeMap<>(),
                List.of());
    }

    /**
     * Totals of the window.
     *
     * @param pagesRead pages that the server's InnoDB read from files, for any client
     * @param pagesFlushed pages that it wrote to them
     * @param roundTrips how often an SQL node of a cluster waited for data nodes, for any client; empty where there is
     *     none
     * @param collections of garbage in the client
     * @param collectionNs how long they took
     */
    public record ServerCounters(
            OptionalLong pagesRead,
            OptionalLong pagesFlushed,
            OptionalLong roundTrips,
            long collections,
            long collectionNs) {

        public ServerCounters {
            requireAmount("counters.round_trips", roundTrips);
            requireAmount("counters.pages_read", pagesRead);
            requireAmount("counters.pages_flushed", pagesFlushed);
            requireAmount("counters.collections", collections);
            requireAmount("counters.collection_ns", collectionNs);
        }
    }
}
