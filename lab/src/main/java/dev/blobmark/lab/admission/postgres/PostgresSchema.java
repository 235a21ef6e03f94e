package dev.blobmark.lab.admission.postgres;

import dev.blobmark.lab.store.postgres.PostgresTable;
import dev.blobmark.mysql.admission.AdmissionException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schema {@code blobmark} of a run in its database. Its comment contains the run's name and a random token, and
 * each table has the same comment. Schema and comment are created in one transaction, so a killed run leaves no schema
 * without one. A schema or table with another comment is never dropped.
 *
 * <p>A run that is alive holds an advisory lock of the database, which the server releases when the run's session ends
 * for whatever reason. Therefore the connection must not go through a pooler that shares sessions between transactions.
 *
 * @param run the name of the run's directory
 * @param owner a random token of the run, 32 hexadecimal digits
 */
public record PostgresSchema(String run, String owner) {

    /** Key of the advisory lock: "Blobmark" in ASCII. */
    private static final long LOCK = 0x426c6f626d61726bL;

    private static final Pattern COMMENT = Pattern.compile(
            "Blobmark run ([A-Za-z0-9._:+-]+), owner ([0-9a-f]{32})\\. 'blobmark cleanup' removes it\\.");

    private static final int NAME_LENGTH = 200;

    /** Facts that decide whether a role can create and drop a schema here. */
    private static final String PROBLEMS = "SELECT current_setting('server_version_num')::int, pg_is_in_recovery(),"
            + " current_setting('transaction_read_only')::bool,"
            + " has_database_privilege(current_database(), 'CREATE'), current_database(), current_user";

    private static PostgresSchema of(String run) {
        byte[] token = new byte[16];
        new SecureRandom().nextBytes(token);
        String word = run.replaceAll("[^A-Za-z0-9._:+-]+", "-");
        return new PostgresSchema(
                word.isEmpty() ? "-" : word.substring(0, Math.min(word.length(), NAME_LENGTH)),
                HexFormat.of().formatHex(token));
    }

    /** The comment of the schema and of all its tables. */
    public String comment() {
        return "Blobmark run " + run + ", owner " + owner + ". 'blobmark cleanup' removes it.";
    }

    /**
     * Checks the server and the role, and creates the schema.
     *
     * @param connection its session holds the lock from now on
     * @throws AdmissionException if the run is not admitted; then nothing has been written
     */
    static PostgresSchema claim(Connection connection, String run) throws SQLException {
        List<String> problems = problems(connection);
        if (!problems.isEmpty()) {
            throw new AdmissionException("the PostgreSQL does not allow this run; nothing was written to it:\n  - "
                    + String.join("\n  - ", problems));
        }
        if (!isTrue(connection, "SELECT pg_try_advisory_lock(" + LOCK + ")")) {
            throw new AdmissionException("another run is at work in this database"
                    + read(connection).map(other -> " (" + other.run + ")").orElse("")
                    + ": wait for its end, or name another database");
        }
        try {
            Optional<PostgresSchema> left = read(connection);
            if (left.isPresent()) {
                throw new AdmissionException("the schema " + PostgresTable.SCHEMA + " belongs to run " + left.get().run
                        + ", which was killed: remove it with 'blobmark cleanup --server postgresql=…'");
            }
            if (exists(connection)) {
                throw new AdmissionException("there is a schema " + PostgresTable.SCHEMA
                        + " that does not belong to a run: rename it, or name another database");
            }
            PostgresSchema schema = of(run);
            schema.make(connection);
            return schema;
        } catch (SQLException | AdmissionException e) {
            isTrue(connection, "SELECT pg_advisory_unlock(" + LOCK + ")");
            throw e;
        }
    }

    private static List<String> problems(Connection connection) throws SQLException {
        List<String> problems = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PROBLEMS)) {
            row.next();
            if (row.getInt(1) < PostgresTable.MIN_VERSION) {
                problems.add("it is version " + row.getInt(1) / 10000 + ", and only 14 and later have compression per"
                        + " column: name a newer server");
            }
            if (row.getBoolean(2) || row.getBoolean(3)) {
                problems.add("it accepts no writes (a standby, or default_transaction_read_only): name its primary");
            }
            if (!row.getBoolean(4)) {
                problems.add("the role " + row.getString(6) + " may not create a schema: GRANT CREATE ON DATABASE \""
                        + row.getString(5) + "\" TO \"" + row.getString(6) + "\"");
            }
        }
        return problems;
    }

    private void make(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + PostgresTable.SCHEMA);
            statement.execute("COMMENT ON SCHEMA " + PostgresTable.SCHEMA + " IS " + literal(comment()));
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** The schema on a server; empty if there is none, or it has another comment. */
    static Optional<PostgresSchema> read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT obj_description(oid, 'pg_namespace')"
                        + " FROM pg_catalog.pg_namespace WHERE nspname = '" + PostgresTable.SCHEMA + "'")) {
            Matcher comment = COMMENT.matcher(row.next() && row.getString(1) != null ? row.getString(1) : "");
            return comment.matches()
                    ? Optional.of(new PostgresSchema(comment.group(1), comment.group(2)))
                    : Optional.empty();
        }
    }

    private static boolean exists(Connection connection) throws SQLException {
        return isTrue(connection, "SELECT to_regnamespace('" + PostgresTable.SCHEMA + "') IS NOT NULL");
    }

    private static boolean isTrue(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Whether the run is at work, on this connection or another. */
    boolean isAlive(Connection connection) throws SQLException {
        return isTrue(
                connection,
                "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
                        + " AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
                        + " AND classid::bigint << 32 | objid::bigint = " + LOCK + ")");
    }

    /** Whether the schema still belongs to the run. */
    boolean isThere(Connection connection) throws SQLException {
        return read(connection).equals(Optional.of(this));
    }

    /** The run's tables. */
    List<String> tables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT relname FROM pg_catalog.pg_class"
                        + " WHERE relnamespace = to_regnamespace('" + PostgresTable.SCHEMA + "') AND relkind = 'r'"
                        + " AND obj_description(oid, 'pg_class') = " + literal(comment()) + " ORDER BY relname")) {
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
        }
        return tables;
    }

    /**
     * Drops the run's tables and the schema, if the schema still belongs to the run.
     *
     * @return number of tables that were dropped
     * @throws SQLException if the schema contains anything else; its tables have been dropped then
     */
    int drop(Connection connection) throws SQLException {
        if (!isThere(connection)) {
            return 0;
        }
        List<String> tables = tables(connection);
        for (String table : tables) {
            PostgresTable.drop(connection, table, comment());
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA " + PostgresTable.SCHEMA + " RESTRICT");
        }
        return tables.size();
    }

    /** Drops the schema and releases the lock. */
    void release(Connection connection) throws SQLException {
        try {
            drop(connection);
        } finally {
            isTrue(connection, "SELECT pg_advisory_unlock(" + LOCK + ")");
        }
    }
}
