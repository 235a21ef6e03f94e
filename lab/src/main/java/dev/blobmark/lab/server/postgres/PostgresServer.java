package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.server.Endpoint;
import java.util.OptionalLong;

/** A running PostgreSQL. Closing it stops what was started for it, and nothing else. */
public interface PostgresServer extends AutoCloseable {

    /** How it came to be: {@code embedded}, {@code postgres}, {@code address}. */
    String kind();

    Endpoint endpoint();

    /** The database that values are measured in. */
    String database();

    /** Whether Blobmark started it, so that nobody else uses it. */
    default boolean isOwn() {
        return true;
    }

    /** The process that all others of the server descend from, where Blobmark started it on this machine. */
    OptionalLong pid();

    /**
     * Starts it again at the same endpoint with nothing of its data in its memory, if it is Blobmark's own; else only checks that it
     * answers.
     *
     * @throws dev.blobmark.lab.server.ServerException if it does not
     */
    void restart();

    @Override
    void close();
}
