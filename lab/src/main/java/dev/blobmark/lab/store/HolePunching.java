package dev.blobmark.lab.store;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import java.sql.SQLException;
import java.util.Optional;

/** Checks that the file system of a server's data frees the space that compressed pages save. */
final class HolePunching {

    private static final String NO_HOLES =
            "the file system of the server's data does not free the space that compressed pages save (no hole punching)";

    /**
     * Bytes of test values. They shrink to a quarter with pages of 16 KB and blocks of 4 KB, and each fits into a
     * packet of 1 MiB. A file of this length grows by 1 MiB at a time, so that space that is not yet written is not
     * mistaken for holes.
     */
    private static final int PROBE_BYTES = 2_000_000;

    private HolePunching() {}

    /** Throws if a message contains MySQL's error 4029. */
    static void throwIfReported(String message) throws UnavailableException {
        if (message.contains("Punch hole not supported")) {
            throw new UnavailableException(NO_HOLES + ": " + message);
        }
    }

    /**
     * Creates and drops a table to find out whether its pages become smaller. MariaDB gives no warning if they do not.
     *
     * @param table with compressed pages and a column for values; must not exist yet
     */
    static void require(MySqlTable table) throws SQLException {
        try {
            table.createUnverified();
            for (int i = 0; i < 4; i++) {
                Sql.execute(
                        table.connection,
                        "INSERT INTO " + table.dialect.quoted(table.name) + " VALUES (" + i + ", REPEAT('x', "
                                + PROBE_BYTES / 4 + "))");
            }
            long bytes = table.disk(Optional.empty()).allocatedBytes().getAsLong();
            long saved = table.file().figure("file_size") - bytes;
            if (saved < PROBE_BYTES / 2) {
                throw new UnavailableException(
                        NO_HOLES + ": of " + PROBE_BYTES + " equal bytes, page compression saved " + saved
                                + "; put the server's data on a file system that does, such as ext4 or XFS");
            }
        } finally {
            table.drop();
        }
    }
}
