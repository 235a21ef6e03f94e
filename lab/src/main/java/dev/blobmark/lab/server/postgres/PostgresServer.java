package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.server.Server;
import java.util.List;
import java.util.OptionalLong;

/** A running PostgreSQL. */
public interface PostgresServer extends Server {

    /** The database that values are measured in. */
    String database();

    /** The process that all others of the server descend from, where Blobmark started it on this machine. */
    OptionalLong pid();

    @Override
    default List<Long> pids() {
        return pid().stream().boxed().toList();
    }

    /**
     * Starts it again at the same endpoint with nothing of its data in its memory, if it is Blobmark's own; else only checks that it
     * answers.
     *
     * @throws dev.blobmark.lab.server.ServerException if it does not
     */
    void restart();
}
