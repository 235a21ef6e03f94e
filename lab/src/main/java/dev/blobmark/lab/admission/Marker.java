package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.store.MySqlTable;
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
 * The ownership marker of a schema: a table {@code blobmark_marker}, whose comment says which run owns the schema, and on which
 * server it was made. Each table of the run has a comment of its own with the run's token and the table's name. A comment and its
 * table come to be in one step, so no kill leaves one without the other; and what has another comment is never dropped.
 *
 * <p>A run that is alive holds a lock of the server (GET_LOCK): the server releases it when the run's connection ends, however it
 * ends. Tables are replicated, locks are not. So the lock means something on the server that the mark names, and nowhere else.
 *
 * @param schema that it lies in
 * @param version of Blobmark
 * @param run the name of the run's directory
 * @param owner a random token of the run, 32 hexadecimal digits
 * @param createdAt by the clock of the client
 * @param isSchemaMade whether the run made the schema too; one that was there before stays
 * @param isLogged whether its tables went to the binary log, and so must their end
 * @param server where it was made, as in {@link Replication#server}
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

    /** What a version or a run's name may not have in a comment. */
    private static final Pattern NO_WORD = Pattern.compile("[^A-Za-z0-9._:+-]+");

    private static final int WORD_LENGTH = 200;

    /** Where a server folds names of schemas, it compares them folded. */
    private static final String FOLDED = "IF(@@lower_case_table_names = 0, %1$s, LOWER(%1$s))";

    /** @param connection to the server that the mark is for */
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

    /** The mark of a schema, of exactly this name; empty where there is none, or a table of that name that is somebody else's. */
    static Optional<Marker> read(Connection connection, String schema) throws SQLException {
        return all(connection).stream()
                .filter(mark -> mark.schema.equals(schema))
                .findFirst();
    }

    /** The marks of all schemas that the account may see. */
    static List<Marker> all(Connection connection) throws SQLException {
        List<Marker> marks = new ArrayList<>();
        Sql.pairs(
                        connection,
                        "SELECT " + FOLDED.formatted("table_schema") + ", table_comment FROM information_schema.tables"
                                + " WHERE table_name = '" + TABLE + "' ORDER BY table_schema")
                .forEach((schema, comment) -> parse(schema, comment).ifPresent(marks::add));
        return marks;
    }

    /** A comment that is not whole is no marker: anybody may have written it. */
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

    /** The comment of a table of the run. It has the name, so that a copy made by CREATE TABLE … LIKE is not the run's. */
    String comment(String table) {
        return "Blobmark, owner " + owner + ", table " + table;
    }

    static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static String text(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /** Compares a column with a schema's name exactly; the first comparison alone, which may use an index, may ignore case. */
    private static String isSchema(String column, String schema) {
        return column + " = " + text(schema) + " AND CAST(" + FOLDED.formatted(column) + " AS BINARY) = "
                + text(schema);
    }

    /** Marks the schema, which has no mark. */
    void write(Connection connection) throws SQLException {
        Sql.execute(
                connection,
                "CREATE TABLE " + quoted(schema) + "." + quoted(TABLE)
                        + " (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB COMMENT=" + text(comment()));
    }

    /** Whether the schema still carries this very mark. */
    boolean isStillOurs(Connection connection) throws SQLException {
        return read(connection, schema).filter(mark -> mark.owner.equals(owner)).isPresent();
    }

    /** Whether it was made on the server that the connection leads to. */
    boolean isOfThisServer(Connection connection) throws SQLException {
        return server.equals(new Replication(connection).server());
    }

    /** Whether the run that made it is still at work: a run on another server may be, which cannot be seen from here. */
    boolean isAlive(Connection connection) throws SQLException {
        return !isOfThisServer(connection)
                || !Sql.strings(connection, "SELECT IFNULL(IS_USED_LOCK(" + text(lock) + "), 'free')")
                        .equals(List.of("free"));
    }

    /** The tables of the run that are there, by their own comments. */
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

    /** What lies in the schema besides the mark and the tables of the run, as far as the account can see. */
    List<String> others(Connection connection) throws SQLException {
        List<String> others = contents(connection, schema);
        others.removeAll(tables(connection));
        others.remove(TABLE);
        return others;
    }

    /** What lies in a schema, as far as the account can see: tables, views and sequences, routines and packages, libraries, events. */
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

    /** Takes the lock of a live run on a schema, for as long as the connection lives. */
    static boolean lock(Connection connection, String schema) throws SQLException {
        return Sql.strings(connection, "SELECT GET_LOCK(" + text(lockName(schema)) + ", 0)")
                .equals(List.of("1"));
    }

    /** The id of the session that holds the lock of a schema; empty where it is free. */
    static OptionalLong lockHolder(Connection connection, String schema) throws SQLException {
        String id = Sql.strings(connection, "SELECT IFNULL(IS_USED_LOCK(" + text(lockName(schema)) + "), '')")
                .get(0);
        return id.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(id));
    }

    static void unlock(Connection connection, String schema) throws SQLException {
        Sql.strings(connection, "SELECT RELEASE_LOCK(" + text(lockName(schema)) + ")");
    }

    /** MySQL 9.7.4 folds the names of locks and takes 64 characters, MariaDB 11.4.5 does not fold: a hash is exact on both. */
    private static String lockName(String schema) {
        return "blobmark:" + Replication.digest(schema);
    }

    /**
     * Why the schema stays when the run's tables are dropped; empty where it is dropped too. DROP DATABASE takes all that lies in
     * the schema, so nothing else may lie there: not on this server, nor on others that the statement is sent on to.
     */
    Optional<String> reasonToStay(Connection connection) throws SQLException {
        if (!isSchemaMade) {
            return Optional.of("it was there before the run");
        }
        List<String> others = others(connection);
        if (!others.isEmpty()) {
            return Optional.of("it has what is not Blobmark's: " + String.join(", ", others));
        }
        String byHand = "the next run uses it again, or drop it: DROP DATABASE " + quoted(schema);
        if (new BinaryLog(connection).isSentOn(isLogged)) {
            return Optional.of("it is empty here, but DROP DATABASE goes to other servers too (replicas, members of a"
                    + " cluster), and what lies in it there cannot be seen from here; " + byHand);
        }
        Privileges privileges = new Privileges(connection);
        List<String> missing = privileges.missingToSee(schema);
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("the account may not see whether routines or events lie in it: "
                        + privileges.grant(String.join(", ", missing), schema) + "; " + byHand);
    }

    /**
     * Drops the run's tables one by one, then the schema, or the mark where the schema is to stay. Where the mark is gone, as after
     * somebody else has replaced the schema, the run's tables alone are dropped: their comments say whose they are.
     *
     * @return why the schema stays; empty where it was dropped
     * @throws AdmissionException if it cannot be removed from here; nothing has been dropped then
     */
    Optional<String> remove(Connection connection) throws SQLException {
        return remove(connection, () -> reasonToStay(connection));
    }

    /** Drops the run's tables and the mark. The schema stays for the next run. */
    void clear(Connection connection) throws SQLException {
        remove(connection, () -> Optional.of("it is taken over"));
    }

    private Optional<String> remove(Connection connection, BinaryLog.Action<Optional<String>> reason)
            throws SQLException {
        if (!isOfThisServer(connection)) {
            throw new AdmissionException(foreign(connection));
        }
        BinaryLog log = new BinaryLog(connection);
        if (isLogged && log.isKept()) {
            Optional<String> refusal = new Replication(connection).refusal();
            if (refusal.isPresent()) {
                throw new AdmissionException("what run " + run + " made in the schema " + schema
                        + " went to the binary log," + " and so would its removal: " + refusal.get());
            }
        }
        return log.run(isLogged, () -> {
            for (String name : tables(connection)) {
                MySqlTable.drop(connection, schema, name, comment(name));
            }
            Optional<String> toStay = isStillOurs(connection)
                    ? reason.run()
                    : Optional.of("it does not carry the marker of this run any more");
            if (toStay.isEmpty()) {
                Sql.execute(connection, "DROP DATABASE IF EXISTS " + quoted(schema));
            } else {
                MySqlTable.drop(connection, schema, TABLE, comment());
            }
            return toStay;
        });
    }

    /** Why it is left alone on a server that it does not name. */
    String foreign(Connection connection) throws SQLException {
        return "the schema " + schema + " has the mark of run " + run + ", made on another server (" + server
                + "), of which this one is a replica or a copy, and where the run may be at work. Run 'blobmark cleanup"
                + " --schema " + schema + "' on that server; if it is gone, drop by hand what lies here: "
                + byHand(connection);
    }

    private String byHand(Connection connection) throws SQLException {
        return Stream.concat(tables(connection).stream(), Stream.of(TABLE))
                .map(name -> quoted(schema) + "." + quoted(name))
                .collect(Collectors.joining(", ", "DROP TABLE ", ""));
    }

    static boolean exists(Connection connection, String schema) throws SQLException {
        return !Sql.strings(
                        connection,
                        "SELECT schema_name FROM information_schema.schemata WHERE " + isSchema("schema_name", schema))
                .isEmpty();
    }
}
