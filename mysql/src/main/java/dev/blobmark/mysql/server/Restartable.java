package dev.blobmark.mysql.server;

/** A server that Blobmark started for one environment and can restart. */
public interface Restartable extends Server {

    /**
     * Stops the server when all pages have been written, and starts it with empty memory at the same endpoint.
     *
     * @throws ServerException if the server does not stop or does not start; then it can only be closed
     */
    void restart();
}
