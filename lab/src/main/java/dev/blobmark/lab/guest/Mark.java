package dev.blobmark.lab.guest;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What says that a schema, and which tables in it, are Blobmark's: a table {@code blobmark_marker}, whose comment tells whose
 * it is and whose rows name the tables, each written before the table is made. A comment and its table come to be in one
 * step, so that no kill leaves the one without the other.
 *
 * <p>A run that is alive holds a lock of the server (GET_LOCK) of the schema's name: the server takes it away when the run's
 * connection ends, however it ends.
 *
 * @param schema that it lies in
 * @param version of Blobmark
 * @param run the name of the run's directory
 * @param owner a random token of the run, 32 hexadecimal digits: it tells nothing of the host
 * @param createdAt by the clock of the client
 * @param isSchemaMade whether the run made the schema too; one that was there before stays
 * @param isLogged whether its tables went to the binary log, and so must their end
 */
public record Mark(
        String schema,
        String version,
        String run,
        String owner,
        Instant createdAt,
        boolean isSchemaMade,
        boolean isLogged) {

    public static final String TABLE = "blobmark_marker";

    private static final Pattern COMMENT = Pattern.compile(
            "Blobmark (\\S+), run (\\S+), owner ([0-9a-f]{32}), made (\\S+), schema (made|given), binlog"
                    + " (written|spared)\\. 'blobmark cleanup' removes it\\.");

    /** Of a mark that somebody changes, what is not a word goes. */
    private static final Pattern NO_WORD = Pattern.compile("[^A-Za-z0-9._:+-]+");

    private static final int WORD_LENGTH = 200;

    static Mark of(String schema, String version, String run, boolean isSchemaMade, boolean isLogged) {
        byte[] token = new byte[16];
        new SecureRandom().nextBytes(token);
        return new Mark(
                schema,
                word(version),
                word(run),
                HexFormat.of().formatHex(token),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                isSchemaMade,
                isLogged);
    }

    private static String word(String text) {
        String word = NO_WORD.matcher(text).replaceAll("-");
        return word.isEmpty() ? "-" : word.substring(0, Math.min(word.length(), WORD_LENGTH));
    }

    /** The mark of a schema; empty where there is none, or a table of that name that is somebody else's. */
    static Optional<Mark> read(Connection connection, String schema) throws SQLException {
        return all(connection).stream()
                .filter(mark -> mark.schema.equalsIgnoreCase(schema))
                .findFirst();
    }

    /** The marks of all schemas that the account may see. */
    static List<Mark> all(Connection connection) throws SQLException {
        List<Mark> marks = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT table_schema, table_comment FROM information_schema.tables"
                                + " WHERE table_name = '" + TABLE + "' ORDER BY table_schema")) {
            while (rows.next()) {
                Matcher comment = COMMENT.matcher(rows.getString(2));
                if (comment.matches()) {
                    marks.add(new Mark(
                            rows.getString(1),
                            comment.group(1),
                            comment.group(2),
                            comment.group(3),
                            Instant.parse(comment.group(4)),
                            comment.group(5).equals("made"),
                            comment.group(6).equals("written")));
                }
            }
        }
        return marks;
    }

    private String comment() {
        return "Blobmark " + version + ", run " + run + ", owner " + owner + ", made " + createdAt + ", schema "
                + (isSchemaMade ? "made" : "given") + ", binlog " + (isLogged ? "written" : "spared")
                + ". 'blobmark cleanup' removes it.";
    }

    private String table(String name) {
        return quoted(schema) + "." + quoted(name);
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static String text(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /** Marks the schema, which has no mark. */
    void write(Connection connection) throws SQLException {
        execute(
                connection,
                "CREATE TABLE " + table(TABLE)
                        + " (table_name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
                        + " PRIMARY KEY) ENGINE=InnoDB COMMENT=" + text(comment()));
    }

    /** Marks a table that is going to be made. */
    void announce(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT IGNORE INTO " + table(TABLE) + " (table_name) VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    /** The tables that it marks, whether they are there or not. */
    List<String> tables(Connection connection) throws SQLException {
        return strings(connection, "SELECT table_name FROM " + table(TABLE) + " ORDER BY table_name");
    }

    /** What lies in a schema. */
    static List<String> contents(Connection connection, String schema) throws SQLException {
        String name = text(schema);
        return strings(
                connection,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = " + name
                        + " UNION ALL SELECT routine_name FROM information_schema.routines WHERE routine_schema = "
                        + name
                        + " UNION ALL SELECT event_name FROM information_schema.events WHERE event_schema = " + name);
    }

    private static List<String> strings(Connection connection, String sql) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                strings.add(rows.getString(1));
            }
        }
        return strings;
    }

    /** Takes the lock of a live run on a schema, for as long as the connection lives. */
    static boolean lock(Connection connection, String schema) throws SQLException {
        return strings(connection, "SELECT GET_LOCK(" + lockName(schema) + ", 0)")
                .equals(List.of("1"));
    }

    static void unlock(Connection connection, String schema) throws SQLException {
        strings(connection, "SELECT RELEASE_LOCK(" + lockName(schema) + ")");
    }

    /** Whether the run that made it is still at work. */
    boolean isAlive(Connection connection) throws SQLException {
        return !strings(connection, "SELECT IFNULL(IS_USED_LOCK(" + lockName(schema) + "), 'free')")
                .equals(List.of("free"));
    }

    private static String lockName(String schema) {
        return text("blobmark:" + schema);
    }

    /**
     * Drops the tables that it marks, one by one, then the schema if the run had made it and nothing else lies in it, else the
     * marker.
     *
     * @return what else lies in the schema and stays
     */
    List<String> remove(Connection connection) throws SQLException {
        if (!isLogged) {
            try {
                execute(connection, "SET SESSION sql_log_bin = 0");
            } catch (SQLException e) {
                // this account may not; replicas, which lack the tables, then pass over the drops
            }
        }
        for (String name : tables(connection)) {
            execute(connection, "DROP TABLE IF EXISTS " + table(name));
        }
        List<String> left = contents(connection, schema);
        left.remove(TABLE);
        execute(
                connection,
                isSchemaMade && left.isEmpty()
                        ? "DROP DATABASE IF EXISTS " + quoted(schema)
                        : "DROP TABLE IF EXISTS " + table(TABLE));
        return left;
    }

    static boolean exists(Connection connection, String schema) throws SQLException {
        return !strings(
                        connection,
                        "SELECT schema_name FROM information_schema.schemata WHERE schema_name = " + text(schema))
                .isEmpty();
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
