package dev.blobmark.lab.admission;

import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Privileges;
import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.client.Sql;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The ownership marker of a schema: a table {@code blobmark_marker}, whose comment names the run that owns the schema
 * and the server on which it was made. The comment of each table of the run has the run's token and the table's name. A
 * table is created with its comment in one step, so a killed run leaves no table without one. A table with another
 * comment is never dropped.
 *
 * <p>A run that is alive holds a lock of the server (GET_LOCK), which the server releases when the run's connection
 * ends for whatever reason. Tables are replicated, locks are not. Therefore the lock is significant only on the server
 * that the marker names.
 *
 * @param schema the schema that contains it
 * @param version of Blobmark
 * @param run the name of the run's directory
 * @param owner a random token of the run, 32 hexadecimal digits
 * @param createdAt by the client's clock
 * @param isSchemaMade whether the run also made the schema; only then may it drop it
 * @param isLogged whether creating the tables was written to the binary log, as dropping them then must be
 * @param server where it was made, see {@link Replication#server}
 * @param lock the name of the run's lock
 */
public record Marker(
        String schema,
        String version,
        String run,
        String owner,
        Instant createdAt,
        boolean isSchemaMade,
        boolean isLogged,
        String server,
        String lock) {

    public static final String TABLE = "blobmark_marker";

    private static final Pattern COMMENT = Pattern.compile(
            "Blobmark ([A-Za-z0-9._:+-]+), run ([A-Za-z0-9._:+-]+), owner ([0-9a-f]{32}), made (\\S+), schema (made|given), binlog (written|spared),"
                    + " server ([0-9A-Za-z-]+), lock (blobmark:[0-9a-f]{32})\\. 'blobmark cleanup' removes it\\.");

    /** Characters that are replaced in versions and names of runs. */
    private static final Pattern NO_WORD = Pattern.compile("[^A-Za-z0-9._:+-]+");

    private static final int WORD_LENGTH = 200;

    /** A name of a schema, in lower case if the server ignores case. */
    private static final String FOLDED = "IF(@@lower_case_table_names = 0, %1$s, LOWER(%1$s))";

    /** @param connection to the server that gets the marker */
    static Marker of(
            Connection connection, String schema, String version, String run, boolean isSchemaMade, boolean isLogged)
            throws SQLException {
        byte[] token = new byte[16];
        new SecureRandom().nextBytes(token);
        return new Marker(
                schema,
                word(version),
                word(run),
                HexFormat.of().formatHex(token),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                isSchemaMade,
                isLogged,
                new Replication(connection).server(),
                lockName(schema));
    }

    private static String word(String text) {
        String word = NO_WORD.matcher(text).replaceAll("-");
        return word.isEmpty() ? "-" : word.substring(0, Math.min(word.length(), WORD_LENGTH));
    }

    /**
     * The marker of the schema with exactly this name; empty if it has none, or a table of that name with another
     * comment.
     */
    static Optional<Marker> read(Connection connection, String schema) throws SQLException {
        return all(connection).stream()
                .filter(marker -> marker.schema.equals(schema))
                .findFirst();
    }

    /** The markers of all schemas that the account may see. */
    static List<Marker> all(Connection connection) throws SQLException {
        List<Marker> markers = new ArrayList<>();
        Sql.pairs(
                        connection,
                        "SELECT " + FOLDED.formatted("table_schema") + ", table_comment FROM information_schema.tables"
                                + " WHERE table_name = '" + TABLE + "' ORDER BY table_schema")
                .forEach((schema, comment) -> parse(schema, comment).ifPresent(markers::add));
        return markers;
    }

    /** Only a complete comment is a marker, because anybody can write one. */
    private static Optional<Marker> parse(String schema, String text) {
        Matcher comment = COMMENT.matcher(text);
        if (!comment.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Marker(
                    schema,
                    comment.group(1),
                    comment.group(2),
                    comment.group(3),
                    Instant.parse(comment.group(4)),
                    comment.group(5).equals("made"),
                    comment.group(6).equals("written"),
                    comment.group(7),
                    comment.group(8)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private String comment() {
        return "Blobmark " + version + ", run " + run + ", owner " + owner + ", made " + createdAt + ", schema "
                + (isSchemaMade ? "made" : "given") + ", binlog " + (isLogged ? "written" : "spared") + ", server "
                + server + ", lock " + lock + ". 'blobmark cleanup' removes it.";
    }

    /**
     * The comment of a table of the run. With the table's name in it, a copy (CREATE TABLE … LIKE) is not the run's.
     */
    String comment(String table) {
        return "Blobmark, owner " + owner + ", table " + table;
    }

    private static String text(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /** Compares a column with a schema's name exactly. The first comparison can use an index, but may ignore case. */
    private static String isSchema(String column, String schema) {
        return column + " = " + text(schema) + " AND CAST(" + FOLDED.formatted(column) + " AS BINARY) = "
                + text(schema);
    }

    /** Creates the marker in its schema, which must not have one. */
    void write(Connection connection) throws SQLException {
        Sql.execute(
                connection,
                "CREATE TABLE " + Sql.quoted(schema) + "." + Sql.quoted(TABLE)
                        + " (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB COMMENT=" + text(comment()));
    }

    /** Whether the schema still has this marker. */
    boolean isStillOurs(Connection connection) throws SQLException {
        return read(connection, schema)
                .filter(marker -> marker.owner.equals(owner))
                .isPresent();
    }

    /** Whether the marker was made on the server of the connection. */
    boolean isOfThisServer(Connection connection) throws SQLException {
        return server.equals(new Replication(connection).server());
    }

    /** Whether the run is still at work. A run on another server cannot be seen, and counts as alive. */
    boolean isAlive(Connection connection) throws SQLException {
        return !isOfThisServer(connection)
                || !Sql.strings(connection, "SELECT IFNULL(IS_USED_LOCK(" + text(lock) + "), 'free')")
                        .equals(List.of("free"));
    }

    /** The run's tables, recognised by their comments. */
    List<String> tables(Connection connection) throws SQLException {
        return Sql.pairs(
                        connection,
                        "SELECT table_name, table_comment FROM information_schema.tables WHERE "
                                + isSchema("table_schema", schema) + " ORDER BY table_name")
                .entrySet()
                .stream()
                .filter(table -> table.getValue().equals(comment(table.getKey())))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What else the schema contains besides the run's tables and the marker, as far as the account can see. */
    List<String> others(Connection connection) throws SQLException {
        List<String> others = contents(connection, schema);
        others.removeAll(tables(connection));
        others.remove(TABLE);
        return others;
    }

    /**
     * Contents of a schema that the account can see: tables, views, sequences, routines, packages, libraries, events.
     */
    static List<String> contents(Connection connection, String schema) throws SQLException {
        String sql = "SELECT table_name FROM information_schema.tables WHERE " + isSchema("table_schema", schema)
                + " UNION ALL SELECT routine_name FROM information_schema.routines WHERE "
                + isSchema("routine_schema", schema)
                + " UNION ALL SELECT event_name FROM information_schema.events WHERE "
                + isSchema("event_schema", schema);
        // MySQL 9.2 and later
        boolean hasLibraries = !Sql.strings(
                        connection,
                        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'information_schema' AND"
                                + " table_name = 'LIBRARIES'")
                .isEmpty();
        return Sql.strings(
                connection,
                hasLibraries
                        ? sql + " UNION ALL SELECT library_name FROM information_schema.libraries WHERE "
                                + isSchema("library_schema", schema)
                        : sql);
    }

    /** Takes the lock of a live run on a schema until the connection ends; false if it is taken. */
    static boolean lock(Connection connection, String schema) throws SQLException {
        return Sql.strings(connection, "SELECT GET_LOCK(" + text(lockName(schema)) + ", 0)")
                .equals(List.of("1"));
    }

    /** The id of the session that holds the lock of a schema; empty if it is free. */
    static OptionalLong lockHolder(Connection connection, String schema) throws SQLException {
        String id = Sql.strings(connection, "SELECT IFNULL(IS_USED_LOCK(" + text(lockName(schema)) + "), '')")
                .get(0);
        return id.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(id));
    }

    static void unlock(Connection connection, String schema) throws SQLException {
        Sql.strings(connection, "SELECT RELEASE_LOCK(" + text(lockName(schema)) + ")");
    }

    /**
     * A hash, because MySQL 9.7.4 ignores case and limits names of locks to 64 characters, and MariaDB 11.4.5 does not.
     */
    private static String lockName(String schema) {
        return "blobmark:" + Replication.digest(schema);
    }

    /**
     * Why the schema is not dropped with the run's tables; empty if it is. DROP DATABASE drops all contents. Therefore
     * there must be no others, on this server or on servers to which the statement is replicated.
     */
    Optional<String> reasonToStay(Connection connection) throws SQLException {
        if (!isSchemaMade) {
            return Optional.of("it existed before the run");
        }
        List<String> others = others(connection);
        if (!others.isEmpty()) {
            return Optional.of("it contains what is not Blobmark's: " + String.join(", ", others));
        }
        String byHand = "the next run uses it again, or drop it: DROP DATABASE " + Sql.quoted(schema);
        if (new BinaryLog(connection).isReplicated(isLogged)) {
            return Optional.of("it is empty here, but DROP DATABASE goes to other servers too (replicas, members of a"
                    + " cluster), where its contents cannot be seen; " + byHand);
        }
        Privileges privileges = new Privileges(connection);
        List<String> missing = privileges.missingToSee(schema);
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("the account may not see whether it contains routines or events: "
                        + privileges.grant(String.join(", ", missing), schema) + "; " + byHand);
    }

    /**
     * Drops the run's tables one by one, then the schema, or only the marker if the schema stays. If the marker is
     * gone, for example because somebody has replaced the schema, only tables with the run's comments are dropped.
     *
     * @return why the schema was not dropped; empty if it was
     * @throws AdmissionException if it cannot be removed here; then nothing has been dropped
     */
    Optional<String> remove(Connection connection) throws SQLException {
        return remove(connection, () -> reasonToStay(connection));
    }

    /** Drops the run's tables and the marker. The schema stays for the next run. */
    void clear(Connection connection) throws SQLException {
        remove(connection, () -> Optional.of("the next run uses it"));
    }

    private Optional<String> remove(Connection connection, BinaryLog.LoggedAction<Optional<String>> reason)
            throws SQLException {
        if (!isOfThisServer(connection)) {
            throw new AdmissionException(foreign(connection));
        }
        BinaryLog log = new BinaryLog(connection);
        if (isLogged && log.exists()) {
            Optional<String> refusal = new Replication(connection).refusal();
            if (refusal.isPresent()) {
                throw new AdmissionException("the tables of run " + run + " in the schema " + schema
                        + " were written to the binary log, and dropping them would be too: " + refusal.get());
            }
        }
        return log.run(isLogged, () -> {
            for (String name : tables(connection)) {
                MySqlTable.drop(connection, schema, name, comment(name));
            }
            Optional<String> toStay =
                    isStillOurs(connection) ? reason.run() : Optional.of("it no longer has the marker of this run");
            if (toStay.isEmpty()) {
                Sql.execute(connection, "DROP DATABASE IF EXISTS " + Sql.quoted(schema));
            } else {
                MySqlTable.drop(connection, schema, TABLE, comment());
            }
            return toStay;
        });
    }

    /** Why it is not removed from a server that it does not name. */
    String foreign(Connection connection) throws SQLException {
        return "the schema " + schema + " has the marker of run " + run + ", made on another server (" + server
                + "). This server is a replica or a copy of it, and the run may be at work there. Run 'blobmark cleanup"
                + " --schema " + schema + "' on that server; if it no longer exists, drop the tables here: "
                + byHand(connection);
    }

    private String byHand(Connection connection) throws SQLException {
        return Stream.concat(tables(connection).stream(), Stream.of(TABLE))
                .map(name -> Sql.quoted(schema) + "." + Sql.quoted(name))
                .collect(Collectors.joining(", ", "DROP TABLE ", ""));
    }

    static boolean exists(Connection connection, String schema) throws SQLException {
        return !Sql.strings(
                        connection,
                        "SELECT schema_name FROM information_schema.schemata WHERE " + isSchema("schema_name", schema))
                .isEmpty();
    }
}
