package dev.blobmark.lab.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A running server. Closing it stops what was started for it, and nothing else. */
public interface Server extends AutoCloseable {

    /** How it came to be: {@code embedded}, {@code mysqld}, {@code address}. */
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

    /** What has happened to it and did not end it, since it was asked before; and what has been so since. */
    default List<Incident> incidents() {
        return List.of();
    }

    /** Brings back what was lost and can be started again; returns what it did, in words, or nothing where all was there. */
    default List<String> heal() {
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

    /** Whether Blobmark started it, and may therefore set its global variables. */
    boolean isOwn();

    /**
     * A private directory for what must not outlive the run: deleted when the server is closed, or by the next start if
     * the run is killed.
     */
    Path scratch();

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
