package dev.blobmark.lab.admission;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.store.StoreKind;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers of a kind of store other than the MySQL that every run has: one that Blobmark starts, or one that is running already. {@code
 * --server KIND=SERVER} names it.
 */
public interface StoreServers {

    StoreKind kind();

    /** What can be named, for help texts. */
    String forms();

    /** The one that comes with Blobmark. */
    Source embedded();

    /** The environment variables that {@link #parse} reads, such as that of a password. */
    List<String> variables();

    /**
     * Reads what a user wrote.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @param variables those of {@link #variables} that are set
     * @throws IllegalArgumentException if it names no such server, or holds a password
     */
    Source parse(String text, List<Path> searchPath, Map<String, String> variables);

    /** Where the server of a run comes from. */
    interface Source {

        /** Whether it was there before the run, and stays. */
        boolean isRunning();

        /** Why connections that are encrypted, or are not, cannot be had; empty where they can. */
        Optional<String> lacking(boolean encrypted);

        /**
         * Starts the server, or connects to it.
         *
         * @param environment that a server is started for
         * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
         */
        Opened open(Path cache, Environment environment, Launch launch);
    }

    /** A server that is there. */
    interface Opened extends AutoCloseable {

        Server server();

        /**
         * Lets a run in.
         *
         * @param run the name of the run
         * @param alarm is called, on another thread, when the run has to end
         * @throws AdmissionException if the run cannot be let in; nothing has been written then
         */
        StoreSession begin(String run, Alarm alarm);

        /** What a run has left there; empty if there is nothing of one. */
        Optional<Leftover> leftover() throws SQLException;

        /** Stops the server if Blobmark started it. */
        @Override
        default void close() {
            server().close();
        }
    }

    /** What a run has left on a server. */
    interface Leftover {

        /** The name of the run. */
        String run();

        boolean isAlive();

        /** What would be removed, for people. */
        String description();

        /**
         * Removes it, and nothing else.
         *
         * @return what was removed, for people
         */
        String remove() throws SQLException;
    }
}
