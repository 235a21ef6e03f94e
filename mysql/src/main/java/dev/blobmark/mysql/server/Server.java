package dev.blobmark.mysql.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A running server: MySQL, MariaDB, the SQL nodes of a cluster, Redis or PostgreSQL. Closing it stops only what was
 * started for it.
 */
public interface Server extends AutoCloseable {

    /** The kind of a running server on another host. */
    String REMOTE = "remote";

    /**
     * How it was obtained: {@code embedded}, {@code mysqld}, {@code redis-server}, {@code ndb}; for a running server,
     * {@code address} on this host and {@value #REMOTE} on another.
     */
    String kind();

    /** Endpoint of the server, or of the cluster's first SQL node, on which tables are created and loaded. */
    Endpoint endpoint();

    /** Endpoints of the other SQL nodes of a cluster. The workers of a trial are spread over all SQL nodes. */
    default List<Endpoint> others() {
        return List.of();
    }

    /** The server's processes, if Blobmark started them on this machine. */
    default List<Long> pids() {
        return List.of();
    }

    /** Logs that are kept with the run, by file name. */
    default Map<String, Path> logs() {
        return Map.of();
    }

    /** Facts about the server for the user, a line each. */
    default List<String> notes() {
        return List.of();
    }

    /** Whether Blobmark started it. Then nobody else uses it, and its global variables may be set. */
    default boolean isOwn() {
        return true;
    }

    /** The weakest encryption that the user accepts for any connection; {@code DISABLED} if there is no requirement. */
    default SslMode minimumSsl() {
        return SslMode.DISABLED;
    }

    /** The proxy that was recognised between client and server, if any. */
    default Optional<String> proxy() {
        return Optional.empty();
    }

    @Override
    void close();
}
