package dev.blobmark.lab.admission;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A run's session on a server that has stores. Confined to the run's thread. */
public interface StoreSession extends AutoCloseable {

    /**
     * A store for values, with the levels of a design. Nothing is created yet.
     *
     * @throws dev.blobmark.mysql.client.UnavailableException if such a store cannot hold the values
     */
    Store store(String name, Design design, EncodedValues values) throws SQLException;

    /** Where a measuring JVM finds a store. */
    ForkPlan.LoadedTable place(String name, Design design, DiskSpace disk);

    /** Disk space of a store, if it can be read. */
    default DiskSpace disk(Store store) throws SQLException {
        return DiskSpace.UNKNOWN;
    }

    /** The times of a store's pages, see {@link Store#pageTimes}; empty unless Blobmark started the server. */
    default Optional<PageTimes> pageTimes(Store store) throws SQLException {
        return Optional.empty();
    }

    /** The server's data directory; empty unless Blobmark may read it. */
    default Optional<Path> dataDirectory() throws SQLException {
        return Optional.empty();
    }

    /** Drops a store of the run. Does nothing if there is none, or if somebody else made it. */
    void drop(String name) throws SQLException;

    /** The server's processes, whose CPU time is measured; empty unless Blobmark started them on this machine. */
    List<Long> serverPids();

    /**
     * Loads a store again if the server has lost it, as a restarted in-memory server has.
     *
     * @return whether it had to be loaded
     */
    default boolean restore(String name) throws SQLException {
        return false;
    }

    /** The server's identity, for the manifest. */
    ServerIdentity identity() throws SQLException;

    /** Whether the server answers. */
    boolean isAlive();

    /**
     * Throws if a failure is that of the server, so that the run must end. Returns if only a store failed.
     *
     * @param doing the activity that failed
     */
    default void requireServer(String doing, Exception failure) {}

    /** Removes what the run made, and ends the session. */
    @Override
    void close();
}
