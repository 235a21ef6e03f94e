package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;

/** A running Redis or Valkey. */
public interface RedisServer extends Server {

    /**
     * Starts it again at the same endpoint, empty, if it is Blobmark's own; else only checks that it answers.
     *
     * @throws ServerException if it does not
     */
    void restart();
}
