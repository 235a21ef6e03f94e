package dev.blobmark.lab.server;

import java.nio.file.Path;

/** A running server. Closing it stops what was started for it, and nothing else. */
public interface Server extends AutoCloseable {

    /** How it came to be, as named on the command line: {@code embedded}. */
    String kind();

    Endpoint endpoint();

    /** Whether Blobmark started it, and may therefore set its global variables. */
    boolean isOwn();

    /**
     * A private directory for what must not outlive the run: deleted when the server is closed, or by the next start if
     * the run is killed.
     */
    Path scratch();

    @Override
    void close();
}
