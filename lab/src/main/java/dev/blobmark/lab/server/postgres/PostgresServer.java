package dev.blobmark.lab.server.postgres;

import dev.blobmark.mysql.server.Server;
import java.util.List;
import java.util.OptionalLong;

/** A running PostgreSQL. */
public interface PostgresServer extends Server {

    /** The database that trials use. */
    String database();

    /** The server's first process, parent of all others, if Blobmark started it on this machine. */
    OptionalLong pid();

    @Override
    default List<Long> pids() {
        return pid().stream().boxed().toList();
    }

    /**
     * Restarts a server that Blobmark started, with empty memory and at the same endpoint. For any other server, only
     * checks that it answers.
     *
     * @throws dev.blobmark.mysql.server.ServerException if it does not start, or does not answer
     */
    void restart();
}
