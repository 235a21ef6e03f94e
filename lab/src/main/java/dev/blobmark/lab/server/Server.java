package dev.blobmark.lab.server;

/** A running server. Closing it stops what was started for it, and nothing else. */
public interface Server extends AutoCloseable {

    /** How it came to be, as named on the command line: {@code embedded}. */
    String kind();

    Endpoint endpoint();

    /** Whether Blobmark started it, and may therefore set its global variables. */
    boolean isOwn();

    @Override
    void close();
}
