package dev.blobmark.lab.admission;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.study.Design;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A run's stay on a server that holds stores. Confined to the thread of the run. */
public interface StoreSession extends AutoCloseable {

    /**
     * A store of the run, for some values, as a trial's levels have it. Nothing is made yet.
     *
     * @throws dev.blobmark.lab.client.UnavailableException if the values do not fit such a store
     */
    Store store(String name, Design design, EncodedValues values) throws SQLException;

    /** Where a measuring JVM finds a store. */
    ForkPlan.Place place(String name, Design design, DiskSpace disk);

    /** What a store takes on disk, as far as that can be known. */
    default DiskSpace disk(Store store) throws SQLException {
        return DiskSpace.UNKNOWN;
    }

    /** Where the server keeps its files; empty unless they are Blobmark's to look at. */
    default Optional<Path> dataDirectory() throws SQLException {
        return Optional.empty();
    }

    /** Drops a store of the run; nothing happens if there is none, or somebody else made it. */
    void drop(String name) throws SQLException;

    /** Processes of the server on this machine, whose CPU time counts; empty where it runs elsewhere. */
    List<Long> serverPids();

    /**
     * Loads a store once more if the server has lost it, as one that keeps all in memory does when it is started again.
     *
     * @return whether it had to be loaded
     */
    default boolean restore(String name) throws SQLException {
        return false;
    }

    /** Which server it is, as a manifest has it. */
    ServerIdentity identity() throws SQLException;

    /** Whether the server answers. */
    boolean isAlive();

    /**
     * Ends the run where the server is lost. The failure is of a store alone where this returns.
     *
     * @param doing what failed
     */
    default void requireServer(String doing, Exception failure) {}

    /** Removes what the run made, and ends its stay. */
    @Override
    void close();
}
