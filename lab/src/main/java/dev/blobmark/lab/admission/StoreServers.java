package dev.blobmark.lab.admission;

import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.server.Server;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers of a kind of store, for stores outside the MySQL that every run has. Blobmark starts the server, or
 * {@code --server KIND=SERVER} names a running one.
 */
public interface StoreServers {

    StoreKind kind();

    /** The forms of the option, for help texts. */
    String forms();

    /** The embedded server. */
    ServerSource<Opened> embedded();

    /** The environment variables that {@link #parse} uses, such as that of a password. */
    List<String> variables();

    /**
     * Parses the value of {@code --server} after {@code KIND=}.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @param variables those of {@link #variables} that are set
     * @throws IllegalArgumentException if the text has none of the forms, or contains a password
     */
    ServerSource<Opened> parse(String text, List<Path> searchPath, Map<String, String> variables);

    /** A server that was started, or connected to. */
    interface Opened extends AutoCloseable {

        Server server();

        /**
         * Admits a run.
         *
         * @param run the name of the run
         * @param alarm called on another thread if the run must end
         * @throws AdmissionException if the run is not admitted; then nothing has been written
         */
        StoreSession begin(String run, Alarm alarm);

        /** What a run has left on the server, if anything. */
        Optional<Leftover> leftover() throws SQLException;

        /** Stops the server if Blobmark started it. */
        @Override
        default void close() {
            server().close();
        }
    }

    /**
     * What a run has left on a server.
     *
     * @param run the name of the run
     * @param description what would be removed, for the user
     */
    record Leftover(String run, String description, boolean isAlive, Removal removal) {

        /** Removes the leftovers. */
        public interface Removal {
            String run() throws SQLException;
        }

        /**
         * Removes it, and nothing else.
         *
         * @return what was removed, for the user
         */
        public String remove() throws SQLException {
            return removal.run();
        }
    }
}
