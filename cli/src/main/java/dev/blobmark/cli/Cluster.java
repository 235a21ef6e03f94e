package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cluster on whose hosts processes measure. The module {@code fleet} has the implementation. */
public interface Cluster extends AutoCloseable {

    /**
     * How measuring JVMs are started on the hosts.
     *
     * @param main the class to start
     * @param flags of the JVM
     */
    Launch launch(String main, List<String> flags);

    /**
     * Why the hosts could not use a server that listens on this machine's loopback interface; empty if they can.
     *
     * @throws IOException if they do not join
     */
    Optional<String> withoutLoopback() throws IOException;

    @Override
    void close();

    /**
     * Which hosts.
     *
     * @param master of the cluster: {@code spark://HOST:PORT}
     * @param hosts number of hosts
     * @param settings of Spark
     * @param scratch directory for temporary files
     */
    record Request(String master, int hosts, Map<String, String> settings, Path scratch) {}

    /** Opens clusters; found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Prepares a cluster, whose hosts join when they are first needed.
         *
         * @throws IllegalArgumentException if the cluster's master or settings do not fit; the message says what to
         *     change
         * @throws IOException if the cluster cannot be reached
         */
        Cluster open(Request request) throws IOException;
    }
}
