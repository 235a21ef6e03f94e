package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import java.util.OptionalLong;

/** A running Redis or Valkey. Closing it stops what was started for it, and nothing else. */
public interface RedisServer extends AutoCloseable {

    /** How it came to be: {@code embedded}, {@code redis-server}, {@code address}. */
    String kind();

    Endpoint endpoint();

    /** Whether Blobmark started it, so that nobody else is on it. */
    default boolean isOwn() {
        return true;
    }

    /** Its process, where Blobmark started it on this machine. */
    OptionalLong pid();

    /**
     * Starts it again where it was, empty, if it is one of Blobmark's own and has ended; else only looks whether it answers.
     *
     * @throws ServerException if it does not
     */
    void restart();

    @Override
    void close();
}
