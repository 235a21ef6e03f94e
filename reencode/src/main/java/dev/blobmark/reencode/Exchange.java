package dev.blobmark.reencode;

import dev.blobmark.lab.client.Session;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Puts the new table in the place of the former one, in one step for others: they wait for a moment, and no change is
 * lost. The method is that of gh-ost: while one session holds the locks, the RENAME of another one waits before all
 * others. It cannot succeed as long as a table with its target name exists, which the first session drops at the last
 * moment; so it fails if the first session is lost.
 *
 * <p>The RENAME locks its tables in the order of their names. It must wait for the former table first, and so be before
 * all who wait for that. So the names of the other tables come after it, see {@link ShadowNames}.
 */
final class Exchange {

    /** Comment of the table that keeps a RENAME from succeeding too early. */
    static final String SENTRY = "blobmark: placeholder";

    static final int LOCK_SECONDS = 5;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final int ATTEMPTS = 20;

    private final TableColumn column;
    private final List<String> written;
    private final Connection locking;
    private final Connection renaming;
    private final Connection asking;

    /** Deals with all changes, over the connection that holds the locks. */
    interface Last {
        void run() throws SQLException, InterruptedException;
    }

    /**
     * @param written other tables that the last changes are written to
     * @param asking a connection that sees the sessions of the account
     */
    Exchange(TableColumn column, List<String> written, Connection locking, Connection renaming, Connection asking) {
        this.column = column;
        this.written = written;
        this.locking = locking;
        this.renaming = renaming;
        this.asking = asking;
    }

    /**
     * Exchanges the tables.
     *
     * @param ddl of the former table when the copy began
     * @throws ReencodeException if the former table was altered since, or is never free
     */
    void run(String ddl, Last last) throws SQLException, InterruptedException {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            if (succeeds(ddl, last)) {
                return;
            }
            TimeUnit.SECONDS.sleep(1);
        }
        throw held(column.name());
    }

    /** The error where a table was never free. */
    static ReencodeException held(String table) {
        return new ReencodeException(
                table,
                "others hold the table for longer than " + LOCK_SECONDS + " s all the time",
                "end long transactions; the same command tries again");
    }

    private boolean succeeds(String ddl, Last last) throws SQLException, InterruptedException {
        String table = Names.quoted(column.schema(), column.table());
        String former = Names.quoted(column.schema(), ShadowNames.former(column.table()));
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + LOCK_SECONDS);
        Sql.execute(renaming, "SET SESSION lock_wait_timeout = 60");
        Sql.execute(locking, "CREATE TABLE IF NOT EXISTS " + former + " (id INT PRIMARY KEY) COMMENT '" + SENTRY + "'");
        try {
            Sql.execute(
                    locking,
                    Stream.concat(Stream.of(table, former), written.stream())
                            .collect(Collectors.joining(" WRITE, ", "LOCK TABLES ", " WRITE")));
        } catch (SQLException e) {
            Sql.execute(locking, "DROP TABLE IF EXISTS " + former);
            return false;
        }
        boolean isRenamed = false;
        try {
            if (!ddl.equals(ddl(locking, column))) {
                throw new ReencodeException(
                        column.name(),
                        "the table was altered while it was copied",
                        "take the copy back with --revert, and begin again");
            }
            long session = Long.parseLong(
                    Sql.strings(renaming, "SELECT CONNECTION_ID()").get(0));
            CompletableFuture<Void> renamed = CompletableFuture.runAsync(() -> {
                try {
                    Sql.execute(
                            renaming,
                            "RENAME TABLE " + table + " TO " + former + ", " + ShadowTable.fresh(column) + " TO "
                                    + table);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            isRenamed = isWaiting(session, renamed);
            if (isRenamed) {
                last.run();
                Sql.execute(locking, "DROP TABLE " + former);
            }
            Sql.execute(locking, "UNLOCK TABLES");
            if (!isRenamed) {
                Sql.execute(asking, "KILL QUERY " + session);
            }
            try {
                renamed.join();
            } catch (RuntimeException e) {
                isRenamed = false;
            }
        } finally {
            Sql.execute(locking, "UNLOCK TABLES");
            if (!isRenamed) {
                dropSentry(former);
            }
        }
        return isRenamed;
    }

    /** Only the small table that was made here; not a former one that was exchanged after all. */
    private void dropSentry(String former) throws SQLException {
        if (Sql.row(
                        asking,
                        "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        ShadowNames.former(column.table()))
                .getOrDefault("table_comment", "")
                .equals(SENTRY)) {
            Sql.execute(locking, "DROP TABLE " + former);
        }
    }

    /** Whether the RENAME waits for the locks. */
    private boolean isWaiting(long session, CompletableFuture<Void> renamed) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < PATIENCE_NANOS && !renamed.isDone()) {
            if (Session.list(asking).stream()
                    .anyMatch(each -> each.id() == session
                            && each.state().toLowerCase(Locale.ROOT).contains("waiting for table metadata lock"))) {
                return true;
            }
            Thread.sleep(1);
        }
        return false;
    }

    /** The definition of a table without the counter of its numbers. */
    static String ddl(Connection connection, TableColumn column) throws SQLException {
        return Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(column.schema(), column.table()))
                .values()
                .iterator()
                .next()
                .replaceFirst(" AUTO_INCREMENT=\\d+", "");
    }
}
