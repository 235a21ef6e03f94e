package dev.blobmark.lab.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A running server: a MySQL or MariaDB, SQL nodes of a cluster, or a Redis. Closing it stops what was started for it, and nothing else. */
public interface Server extends AutoCloseable {

    /** How it came to be: {@code embedded}, {@code mysqld}, {@code redis-server}, {@code ndb}, {@code address}. */
    String kind();

    /** Of the server, or of the first SQL node of a cluster: tables are made and loaded there. */
    Endpoint endpoint();

    /** Of the other SQL nodes, over which the workers of a trial are spread too; none where there is but one. */
    default List<Endpoint> others() {
        return List.of();
    }

    /** The processes that it is, where they are of this machine and Blobmark started them. */
    default List<Long> pids() {
        return List.of();
    }

    /** Logs to be kept with what was measured, by the name that each is to have. */
    default Map<String, Path> logs() {
        return Map.of();
    }

    /** What a user should know of how it was made; nothing where there is nothing to say. */
    default List<String> notes() {
        return List.of();
    }

    /** Whether Blobmark started it, so that nobody else uses it and its global variables may be set. */
    default boolean isOwn() {
        return true;
    }

    /** The least encryption that its user wants of every connection; {@code DISABLED} if a study may have any. */
    default SslMode leastSsl() {
        return SslMode.DISABLED;
    }

    /** What was recognised between client and server; empty if nothing was. */
    default Optional<String> proxy() {
        return Optional.empty();
    }

    @Override
    void close();
}
