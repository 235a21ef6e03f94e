package dev.blobmark.lab.server.redis;

import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;

/** A running Redis or Valkey. */
public interface RedisServer extends Server {

    /**
     * Restarts a server that Blobmark started, empty and at the same endpoint. For any other server, only checks that
     * it answers.
     *
     * @throws ServerException if it does not start, or does not answer
     */
    void restart();
}
