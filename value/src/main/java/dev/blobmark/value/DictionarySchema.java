package dev.blobmark.value;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** The tables of a {@link DictionaryTable}: how they are made, and what those of earlier releases do not have. */
final class DictionarySchema {

    private static final String CREATE_DICTIONARIES =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL PRIMARY KEY, sha256 BINARY(32) NOT NULL,"
                    + " bytes MEDIUMBLOB NOT NULL, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,"
                    + " withdrawn_at BIGINT NULL, deleted_at BIGINT NULL) ENGINE=InnoDB";
    private static final String CREATE_COLUMNS =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL, of_table VARCHAR(130) NOT NULL, of_column"
                    + " VARCHAR(64) NOT NULL, PRIMARY KEY (number, of_table, of_column)) ENGINE=InnoDB"
                    + " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

    private static final int DUPLICATE_COLUMN = 1060;
    private static final int DENIED_COLUMN = 1143;
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    /** While a table waits to be altered, all who read it wait too. */
    private static final int WAIT_SECONDS = 2;

    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 500;

    private final String dictionaries;
    private final String columns;
    private final AtomicBoolean isDeniedLogged = new AtomicBoolean();

    /** @param dictionaries and columns: their names, quoted */
    DictionarySchema(String dictionaries, String columns) {
        this.dictionaries = dictionaries;
        this.columns = columns;
    }

    /**
     * Creates what is missing. Several programs may do so at a time.
     *
     * @throws DictionaryException if others do not let the table be altered
     */
    void create(DataSource source) throws SQLException {
        for (int left = TRIES; left > 0; left--) {
            try {
                OwnTransaction.writing(source, this::create);
                return;
            } catch (SQLException e) {
                if (e.getErrorCode() != LOCK_WAIT_TIMEOUT) {
                    throw e;
                }
            }
            pause();
        }
        throw new DictionaryException(dictionaries + " was not altered: a transaction that has read it, such as that of"
                + " a backup, has not ended, and all programs that read dictionaries would wait for it too; call create"
                + " again when it has ended");
    }

    /** Meanwhile others read. */
    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DictionaryException("the thread was interrupted while tables of dictionaries were created");
        }
    }

    private DictionarySchema create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            long before = lockWaitSeconds(statement);
            statement.execute("SET SESSION lock_wait_timeout = " + Math.min(before, WAIT_SECONDS));
            try {
                statement.execute(CREATE_DICTIONARIES.formatted(dictionaries));
                statement.execute(CREATE_COLUMNS.formatted(columns));
                for (String column : List.of("withdrawn_at", "deleted_at")) {
                    if (!has(connection, column)) {
                        addColumn(statement, column);
                    }
                }
            } finally {
                statement.execute("SET SESSION lock_wait_timeout = " + before);
            }
            return this;
        }
    }

    private static long lockWaitSeconds(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT @@SESSION.lock_wait_timeout LIMIT 1")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void addColumn(Statement statement, String column) throws SQLException {
        try {
            statement.execute("ALTER TABLE " + dictionaries + " ADD COLUMN " + column + " BIGINT NULL");
        } catch (SQLException e) { // another program was faster
            if (e.getErrorCode() != DUPLICATE_COLUMN) {
                throw e;
            }
        }
    }

    /** Whether the table of dictionaries has a column. */
    boolean has(Connection connection, String column) throws SQLException {
        return ColumnCheck.exists(connection, dictionaries, column);
    }

    /**
     * Whether it is known which dictionaries are deleted. An account that has rights on single columns may not have one
     * on this, which is newer.
     */
    boolean showsDeleted(Connection connection) throws SQLException {
        try {
            return has(connection, "deleted_at");
        } catch (SQLException e) {
            if (e.getErrorCode() != DENIED_COLUMN) {
                throw e;
            }
            if (!isDeniedLogged.getAndSet(true)) {
                System.getLogger(DictionaryTable.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "this account may not read the column deleted_at of " + dictionaries
                                        + ", so values are read with deleted dictionaries without a word: GRANT SELECT on"
                                        + " the table, and UPDATE (deleted_at) (" + e.getMessage() + ")");
            }
            return false;
        }
    }
}
