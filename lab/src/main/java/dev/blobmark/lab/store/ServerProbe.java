package dev.blobmark.lab.store;

import dev.blobmark.mysql.server.Endpoint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads what a server reports of its own work, over connections that are not measured. Confined to one thread. */
public interface ServerProbe extends AutoCloseable {

    /** Opens probes. Equal sources open equivalent probes, so that trials can share one. */
    interface ProbeSource {

        /** @param endpoints of all servers that have the store */
        ServerProbe open(List<Endpoint> endpoints);
    }

    /**
     * What a server has counted since it started.
     *
     * @param read pages
     * @param flushed pages
     * @param statements that clients have sent
     * @param unknown why there are no pages
     */
    record ProbedCounts(OptionalLong read, OptionalLong flushed, OptionalLong statements, Optional<String> unknown) {

        public static ProbedCounts unknown(String reason) {
            return new ProbedCounts(
                    OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.of(reason));
        }
    }

    ProbedCounts counts();

    /** How often SQL nodes have waited for data nodes since they started; empty if the store is not in a cluster. */
    OptionalLong waits();

    /** CPU time in nanoseconds that the server has spent on the trial's account; empty if it does not report that. */
    OptionalLong cpuNanos();

    @Override
    void close();
}
