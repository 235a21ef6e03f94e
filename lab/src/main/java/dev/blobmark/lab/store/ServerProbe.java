package dev.blobmark.lab.store;

import dev.blobmark.lab.server.Endpoint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What a server reports of its own work, asked over connections that are not measured. Confined to one thread. */
public interface ServerProbe extends AutoCloseable {

    /** Opens a probe; equal sources open equal probes, so that trials can share one. */
    interface Source {

        /** @param endpoints of all servers that have the store */
        ServerProbe open(List<Endpoint> endpoints);
    }

    /**
     * Pages since the server started.
     *
     * @param unknown why there is no figure
     */
    record Pages(OptionalLong read, OptionalLong flushed, Optional<String> unknown) {

        public static Pages unknown(String reason) {
            return new Pages(OptionalLong.empty(), OptionalLong.empty(), Optional.of(reason));
        }
    }

    Pages pages();

    /** How often SQL nodes have waited for data nodes since they started; empty where the store is not in a cluster. */
    OptionalLong waits();

    /** CPU time in nanoseconds that the server has spent on the trial's account; empty where it does not report that. */
    OptionalLong cpuNanos();

    @Override
    void close();
}
