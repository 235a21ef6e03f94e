package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Puts the new table in the place of the former one, in one step for others: they wait for a moment. What must be done
 * last is done under a lock that excludes all others.
 *
 * <p>In MySQL, the session that holds the lock renames the tables (since 8.0.13). If it is lost before, nothing is
 * renamed.
 *
 * <p>MariaDB refuses that with error 1192. There the method is that of gh-ost: while one session holds the locks, the
 * RENAME of another one waits before all others. It cannot succeed as long as a table with its target name exists,
 * which the first session drops at the last moment; so it fails if the first session is lost. The RENAME locks its
 * tables in the order of their names. It must wait for the former table first, and so be before all who wait for that.
 * So the names of the other tables come after it, see {@link ShadowNames}.
 */
public final class Exchange {

    /** Comment of the table that keeps a RENAME from succeeding too early. */
    static final String SENTRY = "blobmark: placeholder";

    /** A RENAME that was ended, or has waited too long, has done nothing: 1317 and 1205. */
    private static final Set<Integer> REFUSED = Set.of(1317, 1205);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final TableColumn column;
    private final List<String> written;
    private final Connection locking;
    private final Connection renaming;
    private final Connection asking;
    private final boolean isMariaDb;

    /** Why the RENAME of the other session failed. */
    private volatile SQLException failure = new SQLException("it did not begin");

    /** What is done under the lock, over the connection that holds it. */
    public interface Last {

        /** Whether it is worth to take the lock, for which others wait. */
        boolean mayLock() throws SQLException, InterruptedException;

        /**
         * Does it.
         *
         * @return whether the tables may be exchanged now; otherwise all is tried again
         * @throws CopyEndedException if they may not be exchanged at all
         */
        public boolean run() throws SQLException, InterruptedException;
    }

    /**
     * @param written other tables that are used under the lock
     * @param locking a connection in autocommit
     * @param asking a connection that sees the sessions of the account
     */
    public Exchange(
            TableColumn column, List<String> written, Connection locking, Connection renaming, Connection asking)
            throws SQLException {
        this.column = column;
        this.written = written;
        this.locking = locking;
        this.renaming = renaming;
        this.asking = asking;
        isMariaDb = Sql.strings(asking, "SELECT VERSION()").get(0).contains("MariaDB");
    }

    /** The statement that exchanges the tables. */
    static String rename(TableColumn column) {
        String table = Names.quoted(column.schema(), column.table());
        return "RENAME TABLE " + table + " TO " + former(column) + ", " + ShadowTable.fresh(column) + " TO " + table;
    }

    static String former(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.former(column.table()));
    }

    /**
     * Exchanges the tables.
     *
     * @return whether they were exchanged; otherwise the former table was never free
     */
    public boolean run(Last last) throws SQLException, InterruptedException {
        for (int attempt = 1; attempt <= TableLock.ATTEMPTS; attempt++) {
            if (last.mayLock() && (isMariaDb ? succeedsWithAnother(last) : succeeds(last))) {
                return true;
            }
            TableLock.pause(attempt);
        }
        return false;
    }

    private boolean lock(List<String> tables) throws SQLException {
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        try {
            Sql.execute(
                    locking,
                    Stream.concat(tables.stream(), written.stream())
                            .collect(Collectors.joining(" WRITE, ", "LOCK TABLES ", " WRITE")));
            return true;
        } catch (SQLException e) {
            if (TableLock.isRepeated(e)) {
                return false;
            }
            throw e;
        }
    }

    private boolean succeeds(Last last) throws SQLException, InterruptedException {
        requireFree();
        if (!lock(List.of(Names.quoted(column.schema(), column.table())))) {
            return false;
        }
        try {
            if (!last.run()) {
                return false;
            }
            Sql.execute(locking, rename(column));
            return true;
        } catch (SQLException e) { // such as a backup's lock, which keeps all from renaming
            if (TableLock.isRepeated(e)) {
                return false;
            }
            throw e;
        } finally {
            Sql.execute(locking, "UNLOCK TABLES");
        }
    }

    private boolean succeedsWithAnother(Last last) throws SQLException, InterruptedException {
        String former = former(column);
        Sql.execute(renaming, "SET SESSION lock_wait_timeout = 60");
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        try {
            Sql.execute(
                    locking, "CREATE TABLE IF NOT EXISTS " + former + " (id INT PRIMARY KEY) COMMENT '" + SENTRY + "'");
        } catch (SQLException e) {
            if (TableLock.isRepeated(e)) {
                return false;
            }
            throw e;
        }
        CompletableFuture<Boolean> renamed = CompletableFuture.completedFuture(false);
        boolean isReady = false;
        boolean isRenamed = false;
        try {
            requireSentry();
            if (lock(List.of(Names.quoted(column.schema(), column.table()), former)) && isSentryLocked()) {
                long session = Long.parseLong(
                        Sql.strings(renaming, "SELECT CONNECTION_ID()").get(0));
                renamed = CompletableFuture.supplyAsync(this::renames);
                try {
                    isReady = isWaiting(session, renamed) && last.run();
                    if (isReady) {
                        Sql.execute(locking, "DROP TABLE " + former);
                    }
                } finally {
                    if (!isReady) {
                        Sql.execute(asking, "KILL QUERY " + session);
                    }
                    Sql.execute(locking, "UNLOCK TABLES");
                    if (isReady && !isOver(renamed)) { // somebody reads the new table, and the application waits too
                        Sql.execute(asking, "KILL QUERY " + session);
                    }
                }
            }
        } finally {
            isRenamed = renamed.join(); // before the placeholder is dropped: until then, it cannot succeed
            if (!isRenamed && isSentry()) {
                Sql.execute(locking, "DROP TABLE " + former);
            }
        }
        if (isReady && !isRenamed && !REFUSED.contains(failure.getErrorCode())) {
            throw new SQLException("the answer to the exchange was lost: " + failure.getMessage(), "08S01", failure);
        }
        return isRenamed;
    }

    private static boolean isOver(CompletableFuture<Boolean> renamed) throws InterruptedException {
        try {
            renamed.get(TableLock.LOCK_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // what it throws is kept
        }
    }

    private boolean renames() {
        try {
            Sql.execute(renaming, rename(column));
            return true;
        } catch (SQLException e) {
            failure = e;
            return false;
        }
    }

    private void requireFree() throws SQLException {
        String name = ShadowNames.former(column.table());
        if (!Sql.row(
                        asking,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        name)
                .isEmpty()) {
            throw new CopyEndedException(column.name(), "the table " + name + " was made by somebody else");
        }
    }

    private void requireSentry() throws SQLException {
        if (!isSentry()) {
            throw new CopyEndedException(
                    column.name(), "the table " + ShadowNames.former(column.table()) + " was made by somebody else");
        }
    }

    /** Somebody may have exchanged it before it was locked; if not, nobody does before it is dropped. */
    private boolean isSentryLocked() throws SQLException {
        boolean isSentry = isSentry(locking, column);
        if (!isSentry) {
            Sql.execute(locking, "UNLOCK TABLES");
        }
        return isSentry;
    }

    /** Whether the target's name is that of the small table that was made here. */
    private boolean isSentry() throws SQLException {
        return isSentry(asking, column);
    }

    static boolean isSentry(Connection asking, TableColumn column) throws SQLException {
        return Sql.row(
                        asking,
                        "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        ShadowNames.former(column.table()))
                .getOrDefault("table_comment", "")
                .equals(SENTRY);
    }

    /** Whether the RENAME waits for the locks. */
    private boolean isWaiting(long session, CompletableFuture<Boolean> renamed)
            throws SQLException, InterruptedException {
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
                .replaceFirst("(?m)^(\\).*?) AUTO_INCREMENT=\\d+", "$1");
    }
}
