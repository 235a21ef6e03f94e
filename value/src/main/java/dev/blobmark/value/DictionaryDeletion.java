package dev.blobmark.value;

import dev.blobmark.value.DictionaryTimes.RemovalStep;
import dev.blobmark.value.DictionaryTimes.Times;
import dev.blobmark.value.OpenTransactions.Open;
import dev.blobmark.value.SchemaColumns.Column;
import dev.blobmark.value.SchemaColumns.Content;
import dev.blobmark.value.SchemaColumns.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a dictionary leaves a {@link DictionaryTable}: it is withdrawn; it is deleted when it is known that no value
 * refers to it; and when this is known for a second time, its bytes are removed.
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

    private static final String CALL_DELETE =
            "call delete with it, and purge it a week later, as values of a column that is not registered may refer to"
                    + " it: ";

    private final String schema;
    private final String dictionaries;
    private final String columns;
    private final DictionaryTimes times;
    private final RemovalStep step;

    /**
     * @param dictionaries their table, quoted
     * @param columns the table of columns with encoded values, quoted
     * @param clock of this machine
     */
    DictionaryDeletion(String schema, String dictionaries, String columns, Clock clock) {
        this(schema, dictionaries, columns, new DictionaryTimes(dictionaries, clock), RemovalStep.DELETE);
    }

    private DictionaryDeletion(
            String schema, String dictionaries, String columns, DictionaryTimes times, RemovalStep step) {
        this.step = step;
        this.schema = schema;
        this.dictionaries = dictionaries;
        this.columns = columns;
        this.times = times;
    }

    /**
     * Reads all columns as they are at one time, before anything is waited for: a value that is committed is at one
     * place.
     *
     * @throws DictionaryException as {@link #remove}
     */
    int read(Connection connection, int number, String... named) throws SQLException {
        requireSameServer(connection, number);
        requireTime(connection, number);
        for (Column column : columnsToRead(connection, number, named)) {
            requireNoReference(connection, number, column, "");
        }
        return number;
    }

    /**
     * Waits for rows that others have changed and not committed.
     *
     * @throws DictionaryException as {@link #remove}
     */
    Set<Column> awaitOthers(Connection connection, int number, String... named) throws SQLException {
        requireSameServer(connection, number);
        requireTime(connection, number);
        Map<String, String> settings = settings(connection);
        requireOneWriter(number, settings);
        requireNoCache(number, settings);
        Set<Column> columns = columnsToRead(connection, number, named);
        for (Column column : columns) {
            requireNoReference(connection, number, column, " LOCK IN SHARE MODE");
        }
        return columns;
    }

    /** Each deletion has an object of its own. */
    private final AtomicReference<ServerIdentity> identity = new AtomicReference<>();

    /** By the first look; empty before. */
    private final AtomicReference<Times> seen = new AtomicReference<>();

    /** For one deletion: its connections must be to one server. */
    DictionaryDeletion once(RemovalStep step) {
        return new DictionaryDeletion(schema, dictionaries, columns, times, step);
    }

    /** Another one has other transactions, and perhaps other values; so has a replica. */
    private void requireSameServer(Connection connection, int number) throws SQLException {
        OwnTransaction.requireCurrent(connection);
        ServerIdentity now = ServerIdentity.of(connection);
        if (!identity.updateAndGet(known -> known == null ? now : known).isSame(now)) {
            throw kept(
                    number,
                    "the source gives connections to different servers, or the server was restarted or its clock set: give"
                            + " a source of one server, and try again");
        }
    }

    /** Transactions of other servers are not seen here, and do not wait for locks. */
    static void requireOneWriter(int number, Map<String, String> variables) {
        String provider = variables.getOrDefault("wsrep_provider", "");
        boolean isGalera = !provider.isEmpty() && !provider.equalsIgnoreCase("none");
        boolean hasPrimaries =
                !variables.getOrDefault("group_replication_group_name", "").isEmpty()
                        && !Set.of("ON", "1").contains(variables.get("group_replication_single_primary_mode"));
        if (isGalera || hasPrimaries) {
            throw kept(
                    number,
                    "several servers of its cluster take changes, and what others have not committed is not seen here");
        }
    }

    /** A hit in the cache begins no transaction of InnoDB, so one that holds the value would not be waited for. */
    private static void requireNoCache(int number, Map<String, String> variables) {
        if (!variables.getOrDefault("query_cache_type", "OFF").equals("OFF")) {
            throw kept(
                    number,
                    "the server has a query cache, which gives values to transactions that it does not list: SET GLOBAL"
                            + " query_cache_type = OFF");
        }
    }

    private static Map<String, String> settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_provider', 'group_replication_group_name',"
                                + " 'group_replication_single_primary_mode', 'query_cache_type')")) {
            Map<String, String> variables = new HashMap<>();
            while (rows.next()) {
                variables.put(rows.getString(1), rows.getString(2));
            }
            return variables;
        }
    }

    /**
     * Reads all columns in one snapshot, so that a row that others move meanwhile is seen at one of its places.
     *
     * @param before the columns that {@link #awaitOthers} has read
     * @throws DictionaryException if a value refers to it, or it cannot be known that none does
     */
    int remove(Connection connection, int number, Set<Column> before, String... named) throws SQLException {
        requireSameServer(connection, number);
        for (Column column : before) { // from here on nobody alters one; the snapshot begins later
            keepDefinition(connection, column);
        }
        requireTime(connection, number);
        requireSame(number, before, columnsToRead(connection, number, named));
        for (Column column : before) {
            requireNoReference(connection, number, column, "");
        }
        requireSame(number, before, columnsToRead(connection, number, named));
        requireUnchanged(connection, number);
        if (step == RemovalStep.DELETE) {
            times.delete(connection, number, seen.get(), register(connection, number, named));
        } else {
            times.remove(connection, number);
            try (PreparedStatement delete =
                    connection.prepareStatement("DELETE FROM " + columns + " WHERE number = ?")) {
                delete.setInt(1, number);
                delete.executeUpdate();
            }
        }
        return number;
    }

    /** Nothing was locked while values were read. From here on, who uses it again waits until it is marked or gone. */
    private void requireUnchanged(Connection connection, int number) throws SQLException {
        times.lock(connection, number, seen.get());
        if (!registered(connection, number, "FOR UPDATE").equals(registered(connection, number, ""))) {
            throw kept(number, "columns were registered with it meanwhile: try again");
        }
    }

    /**
     * A purge reads them too, whoever calls it.
     *
     * @return whether one was not registered before
     */
    private boolean register(Connection connection, int number, String... named) throws SQLException {
        Set<Place> added = places(named);
        added.removeAll(registered(connection, number, ""));
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + columns
                + " (number, of_table, of_column) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE number = number")) {
            for (Place place : added) {
                insert.setInt(1, number);
                insert.setString(2, place.schema() + "." + place.table());
                insert.setString(3, place.name());
                insert.executeUpdate();
            }
        }
        return !added.isEmpty();
    }

    boolean isDeleted(Connection connection, int number) throws SQLException {
        return times.isDeleted(connection, number);
    }

    boolean keep(Connection connection, int number) throws SQLException {
        OwnTables.requireNotHidden(connection, dictionaries);
        return times.keep(connection, number);
    }

    private void requireTime(Connection connection, int number) throws SQLException {
        OwnTables.requireNotHidden(connection, dictionaries, columns);
        Times now = times.require(connection, number, step);
        seen.compareAndSet(null, now);
        DictionaryTimes.requireSame(number, seen.get(), now);
    }

    Instant withdraw(Connection connection, int number) throws SQLException {
        OwnTransaction.requireCurrent(connection);
        OwnTables.requireNotHidden(connection, dictionaries, columns);
        return times.withdraw(connection, number);
    }

    /** @param connection in a transaction; see {@link OpenTransactions#list} */
    Optional<List<Open>> openTransactions(Connection connection, int number) throws SQLException {
        requireSameServer(connection, number);
        return OpenTransactions.list(connection, dictionaries, number);
    }

    /** In a snapshot of MariaDB, a column that is dropped and added again at once is empty, without an error. */
    private static void keepDefinition(Connection connection, Column column) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT 1 FROM " + column.place().quotedTable() + " LIMIT 0")
                    .close();
        }
    }

    /** A table that is renamed or made while others are read would not be read. */
    private static void requireSame(int number, Set<Column> before, Set<Column> now) {
        if (!before.equals(now)) {
            throw kept(number, "tables were made, altered or dropped meanwhile: try again later");
        }
    }

    static DictionaryException kept(int number, String reason) {
        return new DictionaryException("dictionary " + ValueDictionary.name(number) + " is kept: " + reason);
    }

    /** All columns of bytes in the schemas that were registered or named, and those of text that may hold any bytes. */
    private Set<Column> columnsToRead(Connection connection, int number, String... named) throws SQLException {
        Set<Place> known = registered(connection, number, "");
        if (step == RemovalStep.PURGE) { // the deletion has not read others, and a single proof does not suffice
            requireNone(number, places(named), known, CALL_DELETE);
        }
        known.addAll(places(named));
        Set<String> schemas = Stream.concat(Stream.of(schema), known.stream().map(Place::schema))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<Column> existing = new LinkedHashSet<>();
        for (String one : schemas) {
            existing.addAll(SchemaColumns.of(connection, number, one));
        }
        requireNone(
                number,
                known,
                places(existing, column -> true),
                "call forget if its values were not moved elsewhere: there is no table with a column ");
        requireNone(
                number,
                places(existing, column -> column.content() == Content.BYTES),
                known,
                step == RemovalStep.PURGE
                        ? CALL_DELETE
                        : "name them, so that they are read, as their values may refer to it: ");
        return existing.stream()
                .map(column -> column.content() == Content.UTF8 && known.contains(column.place())
                        ? new Column(column.place(), Content.TEXT)
                        : column)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Set<Place> places(String... named) {
        Set<Place> places = new LinkedHashSet<>();
        for (String name : named) {
            String[] parts = Identifiers.parts(name);
            if (parts.length != 3) {
                throw new IllegalArgumentException("'" + name + "' is not a column such as shop.orders.payload");
            }
            places.add(new Place(parts[0], parts[1], parts[2]));
        }
        return places;
    }

    private static Set<Place> places(Set<Column> columns, Predicate<Column> which) {
        return columns.stream().filter(which).map(Column::place).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void requireNone(int number, Set<Place> these, Set<Place> butThose, String reason) {
        String left = these.stream()
                .filter(place -> !butThose.contains(place))
                .map(Place::toString)
                .collect(Collectors.joining(", "));
        if (!left.isEmpty()) {
            throw kept(number, reason + left);
        }
    }

    private Set<Place> registered(Connection connection, int number, String lock) throws SQLException {
        try (PreparedStatement statement = OwnTransaction.complete(
                connection, "SELECT of_table, of_column FROM " + columns + " WHERE number = ?", lock)) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                Set<Place> found = new LinkedHashSet<>();
                while (rows.next()) {
                    String[] parts = Identifiers.parts(Identifiers.qualified(schema, rows.getString(1)));
                    found.add(new Place(parts[0], parts[1], rows.getString(2)));
                }
                return found;
            }
        }
    }

    private static void requireNoReference(Connection connection, int number, Column column, String lock)
            throws SQLException {
        if (column.content() == Content.OTHER || column.content() == Content.UTF8) {
            return;
        }
        String name = Identifiers.quotedPart(column.place().name());
        String refers = REFERS.formatted(column.content() == Content.TEXT ? "CAST(" + name + " AS BINARY)" : name);
        String table = column.place().quotedTable();
        requireNotHidden(connection, number, column.place());
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM " + table + " WHERE " + refers + " LIMIT 1" + lock)) {
            statement.setBytes(1, new byte[] {(byte) (number >>> 16), (byte) (number >>> 8), (byte) number});
            statement.setInt(2, PayloadCodec.values().length);
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    throw kept(number, "values of " + column.place() + " refer to it, or to something unknown");
                }
            }
        }
    }

    /** @return false if it is of a view */
    private static boolean requireNotHidden(Connection connection, int number, Place place) throws SQLException {
        String definition = OwnTables.definition(connection, place.quotedTable());
        if (definition.startsWith("CREATE TEMPORARY")) {
            throw kept(number, "a temporary table of the connection hides " + place);
        }
        return definition.startsWith("CREATE TABLE");
    }

    /** @throws DictionaryException if the column exists, or was not registered */
    int forget(Connection connection, int number, String table, String column) throws SQLException {
        OwnTransaction.requireCurrent(connection);
        OwnTables.requireNotHidden(connection, dictionaries, columns);
        String[] parts = Identifiers.parts(Identifiers.qualified(schema, table));
        Place place = new Place(parts[0], parts[1], column);
        if (SchemaColumns.requireAllSeen(connection, number, place.schema()) && isThere(connection, number, place)) {
            throw new DictionaryException(place + " exists, so it is not forgotten");
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

    /** Whatever it is, also of a table that cannot be opened now. */
    private static boolean isThere(Connection connection, int number, Place place) throws SQLException {
        try {
            if (!requireNotHidden(connection, number, place)) {
                throw new DictionaryException(place
                        + " is of a view now, so it is not forgotten: drop the view, if the values are nowhere else");
            }
            return ColumnCheck.exists(connection, place.quotedTable(), place.name());
        } catch (SQLException e) {
            if (e.getErrorCode() == SchemaColumns.NO_SUCH_TABLE) {
                return false;
            }
            throw e;
        }
    }
}
