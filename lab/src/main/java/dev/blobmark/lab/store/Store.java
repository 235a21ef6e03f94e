package dev.blobmark.lab.store;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.mysql.client.UnavailableException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongConsumer;

/**
 * What trials read and write: a table of values, or a set of keys. Uses the caller's connection and is confined to its
 * thread. Where {@link SQLException} is declared, a client without SQL throws unchecked exceptions of its library.
 */
public interface Store {

    /** The name in the manifest and in messages. */
    String shownName();

    /** The statement or commands that create the store. */
    String ddl();

    /**
     * Creates the store, and verifies that it is as requested.
     *
     * @return what the server reports of the store
     * @throws UnavailableException if the server or its file system lacks what the store needs
     * @throws DowngradeException if the server warned, or created something else
     */
    SortedMap<String, String> create() throws SQLException;

    /**
     * Loads the first {@code count} values, in the store's own order.
     *
     * @param loaded receives the stored bytes loaded since its last call; no transaction is open during the call
     */
    void load(EncodedValues values, int count, LongConsumer loaded) throws SQLException;

    /** Loads all values. */
    default void load(EncodedValues values, LongConsumer loaded) throws SQLException {
        load(values, values.count(), loaded);
    }

    /**
     * Compares the server's contents with what was loaded.
     *
     * @throws WrongValueException if a value is missing, differs, or was never loaded
     */
    void readBack(EncodedValues values) throws SQLException;

    /** Reads all rows of a table of values in no particular order. */
    void forEachRow(RowConsumer consumer) throws SQLException;

    /** Receives the key of a row and the CRC-32 of its value. */
    interface RowConsumer {
        void accept(int key, long checksum);
    }

    /**
     * The disk space of the store once everything is written; unknown if it has no file of its own.
     *
     * @param dataDirectory of the server, if its files can be read by this process
     */
    default DiskSpace disk(Optional<Path> dataDirectory) throws SQLException {
        return DiskSpace.UNKNOWN;
    }

    /**
     * How the operating system contradicts what the server reports of the store's file; empty if they agree.
     *
     * @param diskBytes allocated, as from {@link #disk}
     */
    default Optional<String> contradiction(long diskBytes, Path dataDirectory) throws SQLException {
        return Optional.empty();
    }

    /**
     * How long the server takes to read and to inflate a page of the store; empty if its pages are not compressed, or
     * the server does not measure that. Only on a server that nobody else uses.
     *
     * @throws UnavailableException if it cannot be measured of this store; the message has the reason
     */
    default Optional<PageTimes> pageTimes() throws SQLException {
        return Optional.empty();
    }

    /** Where the server stores the loaded values, as far as it reports that. */
    Placement placement(EncodedValues values) throws SQLException;

    /** Drops the store, unless it does not exist or someone else created it. */
    void drop() throws SQLException;
}
