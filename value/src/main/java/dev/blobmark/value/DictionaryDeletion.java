package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a dictionary leaves a {@link DictionaryTable}: it is withdrawn, and deleted when it is known that no value refers
 * to it.
 */
final class DictionaryDeletion {

    /**
     * A value that refers to a dictionary: a frame whose flag says so, whatever its codec. So may one of a later
     * version of the format, or of a codec that is not known here.
     */
    private static final String REFERS =
            "SUBSTRING(%1$s, 1, 2) = " + FrameHeader.SQL_MAGIC + " AND (ORD(SUBSTRING(%1$s, 3, 1)) & 2 <> 0 AND"
                    + " SUBSTRING(%1$s, 4, 3) = ? OR ORD(SUBSTRING(%1$s, 3, 1)) >= 128 OR ORD(SUBSTRING(%1$s, 3, 1)) >= 64 AND"
                    + " (ORD(SUBSTRING(%1$s, 3, 1)) >> 2 & 15) >= ?)";

    /** Character sets in which the first two bytes of a frame are no text. Servers refuse them in such columns. */
    private static final String WITHOUT_FRAMES = "'ascii', 'utf8', 'utf8mb3', 'utf8mb4'";

    /** Between the clocks of the server and of this machine, while the day before a deletion is measured. */
    private static final Duration MOST_APART = Duration.ofMinutes(10);

    /** The end of the year 9999. */
    private static final long LATEST_SECONDS = 253_402_300_799L;

    private static final int NO_SUCH_TABLE = 1146;

    private static final Set<String> OWN_TABLES = Set.of("blobmark_dictionaries", "blobmark_readers");

    private final String schema;
    private final String dictionaries;
    private final String columns;
    private final Clock clock;

    /**
     * @param dictionaries their table, quoted
     * @param columns the table of columns with encoded values, quoted
     * @param clock of this machine
     */
    DictionaryDeletion(String schema, String dictionaries, String columns, Clock clock) {
        this.schema = schema;
        this.dictionaries = dictionaries;
        this.columns = columns;
        this.clock = clock;
    }

    Instant withdraw(Connection connection, int number) throws SQLException {
        requireSameTime(connection, number, "withdrawn");
        try (PreparedStatement update = connection.prepareStatement("UPDATE " + dictionaries
                + " SET withdrawn_at = COALESCE(withdrawn_at, UNIX_TIMESTAMP()) WHERE number = ?")) {
            update.setInt(1, number);
            update.executeUpdate();
        }
        return withdrawnAt(connection, number, "")
                .orElseThrow(() -> new DictionaryException("there is no dictionary " + ValueDictionary.name(number)));
    }

    private Optional<Instant> withdrawnAt(Connection connection, int number, String lock) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT withdrawn_at FROM " + dictionaries + " WHERE number = ? LIMIT 1" + lock)) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next() || rows.getObject(1) == null) {
                    return Optional.empty();
                }
                long seconds = rows.getLong(1);
                if (seconds < 0 || seconds > LATEST_SECONDS) {
                    throw new DictionaryException("the row of dictionary " + ValueDictionary.name(number)
                            + " was changed: withdrawn_at is " + seconds);
                }
                return Optional.of(Instant.ofEpochSecond(seconds));
            }
        }
    }

    /**
     * Waits for rows that others have changed and not committed.
     *
     * @throws DictionaryException as {@link #delete}
     */
    int awaitOthers(Connection connection, int number, String... named) throws SQLException {
        requireWithdrawn(connection, number);
        for (Column column : columnsToRead(connection, number, named)) {
            requireNoReference(connection, number, column, " LOCK IN SHARE MODE");
        }
        return number;
    }

    /**
     * Reads all columns in one snapshot, so that a row that others move meanwhile is seen at one of its places.
     *
     * @throws DictionaryException if a value refers to it, or it cannot be known that none does
     */
    int delete(Connection connection, int number, String... named) throws SQLException {
        requireWithdrawn(connection, number);
        for (Column column : columnsToRead(connection, number, named)) {
            requireNoReference(connection, number, column, "");
        }
        for (String table : List.of(columns, dictionaries)) {
            try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table + " WHERE number = ?")) {
                delete.setInt(1, number);
                delete.executeUpdate();
            }
        }
        return number;
    }

    private void requireWithdrawn(Connection connection, int number) throws SQLException {
        Instant withdrawn = withdrawnAt(connection, number, " FOR UPDATE")
                .orElseThrow(
                        () -> notDeleted(number, "it was not withdrawn: call withdraw, and delete it a day later"));
        Instant earliest = withdrawn.plus(DictionaryTable.DELETED_AFTER);
        if (requireSameTime(connection, number, "deleted").isBefore(earliest)) {
            throw notDeleted(
                    number, "it was withdrawn at " + withdrawn + ", so it is deleted at " + earliest + " or later");
        }
    }

    /** A clock of the server that is a day ahead would end the day at once. */
    private Instant requireSameTime(Connection connection, int number, String what) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT UNIX_TIMESTAMP() LIMIT 1")) {
            rows.next();
            Instant server = Instant.ofEpochSecond(rows.getLong(1));
            Instant here = clock.instant();
            if (Duration.between(server, here).abs().compareTo(MOST_APART) > 0) {
                throw new DictionaryException("dictionary " + ValueDictionary.name(number) + " is not " + what
                        + ": the server's clock says " + server + ", and this machine's " + here
                        + "; set the one that is wrong");
            }
            return server;
        }
    }

    private static DictionaryException notDeleted(int number, String reason) {
        return new DictionaryException("dictionary " + ValueDictionary.name(number) + " is not deleted: " + reason);
    }

    /** @param name without difference of case, as servers have none */
    private record Column(String schema, String table, String name, boolean isText) {

        Column {
            name = name.toLowerCase(Locale.ROOT);
        }

        static Column ofBytes(String schema, String table, String name) {
            return new Column(schema, table, name, false);
        }

        @Override
        public String toString() {
            return schema + "." + table + "." + name;
        }
    }

    /** All columns of bytes in the schemas that were registered or named, and those of text that may hold any bytes. */
    private Set<Column> columnsToRead(Connection connection, int number, String... named) throws SQLException {
        Set<Column> known = new LinkedHashSet<>(registered(connection, number));
        for (String name : named) {
            String[] parts = Identifiers.parts(name);
            if (parts.length != 3) {
                throw new IllegalArgumentException("'" + name + "' is not a column such as shop.orders.payload");
            }
            known.add(Column.ofBytes(parts[0], parts[1], parts[2]));
        }
        Set<String> schemas = Stream.concat(Stream.of(schema), known.stream().map(Column::schema))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<Column> existing = new LinkedHashSet<>();
        for (String one : schemas) {
            requireAllSeen(connection, number, one);
            existing.addAll(columnsOf(connection, number, one));
        }
        requireNone(
                number,
                known,
                existing,
                "call forget if its values were not moved elsewhere: there is no table with a column of bytes ");
        Set<Column> ofBytes =
                existing.stream().filter(column -> !column.isText()).collect(Collectors.toSet());
        requireNone(number, ofBytes, known, "name them, so that they are read, as their values may refer to it: ");
        return existing;
    }

    private static void requireNone(int number, Set<Column> these, Set<Column> butThose, String reason) {
        String left = these.stream()
                .filter(column -> !butThose.contains(column))
                .map(Column::toString)
                .collect(Collectors.joining(", "));
        if (!left.isEmpty()) {
            throw notDeleted(number, reason + left);
        }
    }

    private Set<Column> registered(Connection connection, int number) throws SQLException {
        try (PreparedStatement statement = OwnTransaction.complete(
                connection, "SELECT of_table, of_column FROM " + columns + " WHERE number = ?")) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                Set<Column> found = new LinkedHashSet<>();
                while (rows.next()) {
                    String[] parts = Identifiers.parts(Identifiers.qualified(schema, rows.getString(1)));
                    found.add(Column.ofBytes(parts[0], parts[1], rows.getString(2)));
                }
                return found;
            }
        }
    }

    /**
     * The server shows only those tables for which an account has some privilege. So the account must have the
     * privilege to read any table of the schema: then a table that does not exist is missing, and not denied. Lists of
     * privileges do not show the effect of roles, patterns and revocations.
     */
    private static void requireAllSeen(Connection connection, int number, String schema) throws SQLException {
        String table = "blobmark_" + UUID.randomUUID().toString().replace('-', '_');
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery(
                            "SELECT 1 FROM " + Identifiers.quotedPart(schema) + "." + Identifiers.quotedPart(table))
                    .close();
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_TABLE) {
                return;
            }
            throw notDeleted(
                    number,
                    "this account has no right to read all tables of " + schema
                            + ", so there may be some that it cannot see: " + e.getMessage());
        }
        throw notDeleted(number, "a table of " + schema + " with a random name exists");
    }

    private static Set<Column> columnsOf(Connection connection, int number, String schema) throws SQLException {
        String types = ColumnCheck.TYPES_OF_BYTES.stream()
                .map(type -> "'" + type + "'")
                .collect(Collectors.joining(", "));
        String columns = "SELECT c.table_name, c.column_name, t.table_type, c.character_set_name IS NOT NULL,"
                + " COALESCE(t.engine, 'unknown')"
                + " FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND"
                + " t.table_name = c.table_name WHERE c.table_schema = ? AND t.table_type NOT LIKE '%VIEW' AND"
                + " (LOWER(c.data_type) IN (" + types + ") OR c.character_set_name NOT IN (" + WITHOUT_FRAMES
                + ")) ORDER BY 1, 2";
        try (PreparedStatement statement = OwnTransaction.complete(connection, columns)) {
            statement.setString(1, schema);
            try (ResultSet rows = statement.executeQuery()) {
                Set<Column> found = new LinkedHashSet<>();
                while (rows.next()) {
                    Column column = new Column(schema, rows.getString(1), rows.getString(2), rows.getBoolean(4));
                    if (rows.getString(3).equals("SYSTEM VERSIONED")) {
                        throw notDeleted(number, column + " has a history of values, which is not read");
                    }
                    if (!rows.getString(5).equals("InnoDB")) { // others have no snapshot, or take no locks of rows
                        throw notDeleted(
                                number,
                                column + " is of the engine " + rows.getString(5)
                                        + ", so a row that is moved meanwhile may be passed over");
                    }
                    if (!OWN_TABLES.contains(column.table())) {
                        found.add(column);
                    }
                }
                return found;
            }
        }
    }

    private static void requireNoReference(Connection connection, int number, Column column, String lock)
            throws SQLException {
        String name = Identifiers.quotedPart(column.name());
        String refers = REFERS.formatted(column.isText() ? "CAST(" + name + " AS BINARY)" : name);
        String table = Identifiers.quotedPart(column.schema()) + "." + Identifiers.quotedPart(column.table());
        try (Statement statement = connection.createStatement();
                ResultSet definition = statement.executeQuery("SHOW CREATE TABLE " + table)) {
            definition.next();
            if (definition.getString(2).startsWith("CREATE TEMPORARY")) {
                throw notDeleted(number, "a temporary table of the connection hides " + column);
            }
        }
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM " + table + " WHERE " + refers + " LIMIT 1" + lock)) {
            statement.setBytes(1, new byte[] {(byte) (number >>> 16), (byte) (number >>> 8), (byte) number});
            statement.setInt(2, PayloadCodec.values().length);
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    throw notDeleted(number, "values of " + column + " refer to it, or to something unknown");
                }
            }
        }
    }

    /** @throws DictionaryException if the column exists, or was not registered */
    int forget(Connection connection, int number, String table, String column) throws SQLException {
        String[] parts = Identifiers.parts(Identifiers.qualified(schema, table));
        requireAllSeen(connection, number, parts[0]);
        if (isThere(connection, parts[0], parts[1], column)) {
            throw new DictionaryException(table + "." + column + " exists, so it is not forgotten");
        }
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM " + columns + " WHERE number = ? AND of_table = ? AND LOWER(of_column) = LOWER(?)")) {
            delete.setInt(1, number);
            delete.setString(2, parts[0] + "." + parts[1]);
            delete.setString(3, column);
            if (delete.executeUpdate() == 0) {
                throw new DictionaryException("no column " + table + "." + column + " is registered with dictionary "
                        + ValueDictionary.name(number));
            }
        }
        return number;
    }

    /** Whatever it is: of a view and of any type. */
    private static boolean isThere(Connection connection, String schema, String table, String column)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name"
                        + " = ? AND LOWER(column_name) = LOWER(?) LIMIT 1")) {
            statement.setString(1, schema);
            statement.setString(2, table);
            statement.setString(3, column);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }
}
