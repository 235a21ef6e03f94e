package dev.blobmark.lab.server;

import java.nio.file.Path;
import java.util.Optional;

/** A running server. Closing it stops what was started for it, and nothing else. */
public interface Server extends AutoCloseable {

    /** How it came to be: {@code embedded}, {@code mysqld}, {@code address}. */
    String kind();

    Endpoint endpoint();

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
