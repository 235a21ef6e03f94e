package dev.blobmark.lab.server;

/** A server that Blobmark started for one environment, and can start again. */
public interface Restartable extends Server {

    /**
     * Stops the server once all pages are written back, and starts it again at the same endpoint, with nothing in its memory.
     *
     * @throws ServerException if it does not stop, or does not start again; it can only be closed then
     */
    void restart();
}
