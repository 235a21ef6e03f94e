package dev.blobmark.lab.store;

import dev.blobmark.lab.client.UnavailableException;
import dev.blobmark.lab.measurement.DiskSpace;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongConsumer;

/**
 * What trials work on: a table of values, or a set of keys. Uses a connection of the caller and is confined to its thread. A
 * client that does not speak SQL throws unchecked exceptions of its own where {@link SQLException} is declared.
 */
public interface Store {

    /** Its name for people and for the manifest. */
    String shownName();

    /** The statement or commands that make it. */
    String ddl();

    /**
     * Makes it and verifies that it is what was asked for.
     *
     * @return what the server reports of it
     * @throws UnavailableException if the server or its file system lacks what the store needs
     * @throws DowngradeException if the server warned, or made something else
     */
    SortedMap<String, String> create() throws SQLException;

    /**
     * Loads the first values, in the order in which the store keeps them.
     *
     * @param loaded receives the stored bytes that were loaded since its last call; no transaction is open then
     */
    void load(EncodedValues values, int count, LongConsumer loaded) throws SQLException;

    /** Loads all values. */
    default void load(EncodedValues values, LongConsumer loaded) throws SQLException {
        load(values, values.count(), loaded);
    }

    /**
     * Compares what the server has with what was loaded.
     *
     * @throws WrongValueException if a value is missing, surplus or differs
     */
    void readBack(EncodedValues values) throws SQLException;

    /** Reads all rows of a table of values in no particular order. */
    void forEachRow(RowConsumer consumer) throws SQLException;

    /** Receives the key of a row and the CRC-32 of its value. */
    interface RowConsumer {
        void accept(int key, long checksum);
    }

    /**
     * What it takes on disk once all is written; unknown where it has no file of its own.
     *
     * @param dataDirectory of the server, where its files can be read from here
     */
    default DiskSpace disk(Optional<Path> dataDirectory) throws SQLException {
        return DiskSpace.UNKNOWN;
    }

    /**
     * How the operating system contradicts what the server reports of its file; empty where they agree.
     *
     * @param diskBytes allocated, as from {@link #disk}
     */
    default Optional<String> contradiction(long diskBytes, Path dataDirectory) throws SQLException {
        return Optional.empty();
    }

    /** Where the loaded values lie, as far as the server reports it. */
    Placement placement(EncodedValues values) throws SQLException;

    /** Drops it, unless somebody else made it. Nothing happens if it does not exist. */
    void drop() throws SQLException;
}
