package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Over connections: one holds the locks, another one waits for them, a third one asks. */
public final class SqlTableExchange implements TableExchange {

    /** Comment of the table that keeps a RENAME from succeeding too early. */
    private static final String SENTRY = "blobmark: placeholder";

    /** Statements that wait behind a RENAME, whenever they came. */
    private static final Pattern OF_ROWS = Pattern.compile(
            "(?is)(\\s|\\(|/\\*[^!M].*?\\*/)*(SELECT|INSERT|UPDATE|DELETE|REPLACE|LOAD|CALL|WITH|VALUES|SHOW|EXPLAIN)\\b");

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final TableColumn column;
    private final List<String> written;
    private final Connection locking;
    private final Connection renaming;
    private final Connection asking;
    private final boolean isByHolder;

    /**
     * @param written other tables that are used under the lock
     * @param locking a connection in autocommit
     * @param asking a connection that sees the sessions of the account
     */
    public SqlTableExchange(
            TableColumn column, List<String> written, Connection locking, Connection renaming, Connection asking)
            throws SQLException {
        this.column = column;
        this.written = List.copyOf(written);
        this.locking = locking;
        this.renaming = renaming;
        this.asking = asking;
        isByHolder = !Definition.isMariaDb(asking);
    }

    /** The statement that exchanges the tables. */
    static String renaming(TableColumn column) {
        String table = Names.quoted(column.schema(), column.table());
        return "RENAME TABLE " + table + " TO " + former(column) + ", " + ShadowTable.fresh(column) + " TO " + table;
    }

    static String former(TableColumn column) {
        return Names.quoted(column.schema(), ShadowNames.former(column.table()));
    }

    @Override
    public boolean isByHolder() {
        return isByHolder;
    }

    @Override
    public boolean isFree() throws SQLException {
        return comment(asking, column).isEmpty();
    }

    @Override
    public void lock(boolean withSentry) throws SQLException {
        List<String> tables = new ArrayList<>(List.of(Names.quoted(column.schema(), column.table())));
        if (withSentry) {
            tables.add(former(column));
        }
        tables.addAll(written);
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        Sql.execute(locking, "LOCK TABLES " + String.join(" WRITE, ", tables) + " WRITE");
    }

    @Override
    public void unlock() throws SQLException {
        Sql.execute(locking, "UNLOCK TABLES");
    }

    @Override
    public void rename() throws SQLException {
        Sql.execute(locking, renaming(column));
    }

    @Override
    public void makeSentry() throws SQLException {
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + TableLock.LOCK_SECONDS);
        Sql.execute(
                locking,
                "CREATE TABLE IF NOT EXISTS " + former(column) + " (id INT PRIMARY KEY) COMMENT '" + SENTRY + "'");
    }

    @Override
    public boolean isSentry() throws SQLException {
        return isSentry(asking, column);
    }

    @Override
    public boolean isSentryLocked() throws SQLException {
        return isSentry(locking, column);
    }

    static boolean isSentry(Connection asking, TableColumn column) throws SQLException {
        return comment(asking, column).getOrDefault("table_comment", "").equals(SENTRY);
    }

    private static Map<String, String> comment(Connection asking, TableColumn column) throws SQLException {
        return Sql.row(
                asking,
                "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                column.schema(),
                ShadowNames.former(column.table()));
    }

    @Override
    public void dropSentry() throws SQLException {
        Sql.execute(locking, "DROP TABLE " + former(column));
    }

    @Override
    public Renaming renameBehind() throws SQLException {
        Sql.execute(renaming, "SET SESSION lock_wait_timeout = 60");
        return new Behind(
                Long.parseLong(Sql.strings(renaming, "SELECT CONNECTION_ID()").get(0)));
    }

    /** The RENAME of the other connection. */
    private final class Behind implements Renaming {
        private final long session;
        private final CompletableFuture<Boolean> renamed;
        private volatile SQLException failure = new SQLException("it did not begin");

        Behind(long session) {
            this.session = session;
            renamed = CompletableFuture.supplyAsync(this::run);
        }

        private boolean run() {
            try {
                Sql.execute(renaming, renaming(column));
                return true;
            } catch (SQLException e) {
                failure = e;
                return false;
            }
        }

        @Override
        public boolean isWaiting() throws SQLException, InterruptedException {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < PATIENCE_NANOS && !renamed.isDone()) {
                if (Session.list(asking).stream().anyMatch(each -> each.id() == session && isWaiting(each.state()))) {
                    return !isAnotherBefore();
                }
                Thread.sleep(1);
            }
            return false;
        }

        private static boolean isWaiting(String state) {
            return state.toLowerCase(Locale.ROOT).contains("waiting for table metadata lock");
        }

        /**
         * Whether a statement waits that is none of {@link #OF_ROWS}, or names the table: locks of definitions are
         * given in the order in which they were asked for. What has come later than the RENAME is not distinguished.
         */
        private boolean isAnotherBefore() throws SQLException {
            try (PreparedStatement select = asking.prepareStatement(
                    "SELECT state, info FROM information_schema.processlist WHERE command NOT IN ('Sleep', 'Daemon')"
                            + " AND id NOT IN (?, CONNECTION_ID())")) {
                select.setLong(1, session);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        String statement = String.valueOf(row.getString(2));
                        boolean isNamed = statement
                                .toLowerCase(Locale.ROOT)
                                .contains(column.table().toLowerCase(Locale.ROOT));
                        if ((isNamed || isWaiting(String.valueOf(row.getString(1))))
                                && !OF_ROWS.matcher(statement).lookingAt()) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        @Override
        public void kill() throws SQLException {
            Sql.execute(asking, "KILL QUERY " + session);
        }

        @Override
        public boolean isOver() throws InterruptedException {
            try {
                renamed.get(TableLock.LOCK_SECONDS, TimeUnit.SECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e); // what it throws is kept
            }
        }

        @Override
        public boolean isDone() {
            return renamed.join();
        }

        @Override
        public SQLException failure() {
            return failure;
        }
    }
}
