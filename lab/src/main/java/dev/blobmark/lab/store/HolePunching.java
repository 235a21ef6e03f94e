package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.client.UnavailableException;
import java.sql.SQLException;
import java.util.Optional;

/** Whether the file system of a server's data gives back what compressed pages save. */
final class HolePunching {

    private static final String NO_HOLES =
            "the file system of the server's data does not give back what a page saves (no hole punching)";

    /**
     * Of values that shrink to a quarter in pages of 16 KB and blocks of 4 KB; fits a packet of 1 MiB. A file so short grows by
     * 1 MiB at a time, so that what it has not written yet is not taken for holes.
     */
    private static final int PROBE_BYTES = 2_000_000;

    private HolePunching() {}

    /** MySQL reports it itself, with error 4029. */
    static void requireIn(String words) throws UnavailableException {
        if (words.contains("Punch hole not supported")) {
            throw new UnavailableException(NO_HOLES + ": " + words);
        }
    }

    /**
     * MariaDB gives no warning and writes every compressed page in the length of a whole one: a table is tried, then dropped.
     *
     * @param table with compressed pages and a column for values; not made yet
     */
    static void require(MySqlTable table) throws SQLException {
        try {
            table.make();
            for (int i = 0; i < 4; i++) {
                Sql.execute(
                        table.connection,
                        "INSERT INTO " + table.dialect.quoted(table.name) + " VALUES (" + i + ", REPEAT('x', "
                                + PROBE_BYTES / 4 + "))");
            }
            long bytes = table.disk(Optional.empty()).allocatedBytes().getAsLong();
            long saved = table.file().figure("file_size") - bytes;
            if (saved < PROBE_BYTES / 2) {
                throw new UnavailableException(NO_HOLES + ": of " + PROBE_BYTES + " equal bytes page compression saved "
                        + saved + " there; have the server's data on one that does, such as ext4 or XFS");
            }
        } finally {
            table.drop();
        }
    }
}
