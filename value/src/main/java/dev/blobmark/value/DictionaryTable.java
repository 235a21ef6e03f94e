package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Dictionaries in tables of MySQL or MariaDB: {@code blobmark_dictionaries}, and {@code blobmark_dictionary_columns}
 * with the columns whose values were encoded with them. Keep them in the schema of the values, so that a dump has both.
 *
 * <p>A dictionary is not changed. It is deleted in two steps with a day between them, and only if all columns that may
 * hold values were read and none refers to it.
 *
 * <p>All methods ask the server. Formats read {@linkplain #load loaded} dictionaries.
 */
public final class DictionaryTable {

    /** The time from {@link #withdraw} to {@link #delete}: writers learn of the former within minutes. */
    public static final Duration DELETED_AFTER = Duration.ofDays(1);

    /** The longest dictionary that is stored and loaded, in bytes. */
    public static final int MAX_BYTES = 4 << 20;

    private static final String CREATE_DICTIONARIES =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL PRIMARY KEY, sha256 BINARY(32) NOT NULL,"
                    + " bytes MEDIUMBLOB NOT NULL, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,"
                    + " withdrawn_at BIGINT NULL) ENGINE=InnoDB";
    private static final String CREATE_COLUMNS =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL, of_table VARCHAR(130) NOT NULL, of_column"
                    + " VARCHAR(64) NOT NULL, PRIMARY KEY (number, of_table, of_column)) ENGINE=InnoDB"
                    + " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

    /**
     * A value that refers to a dictionary: a frame whose flag says so, whatever its codec. So may one of a later
     * version of the format, or of a codec that is not known here.
     */
    private static final String REFERS = "SUBSTRING(%1$s, 1, 2) = X'BEC1' AND (ORD(SUBSTRING(%1$s, 3, 1)) & 2 <> 0 AND"
            + " SUBSTRING(%1$s, 4, 3) = ? OR ORD(SUBSTRING(%1$s, 3, 1)) >= 128 OR ORD(SUBSTRING(%1$s, 3, 1)) >= 64 AND"
            + " (ORD(SUBSTRING(%1$s, 3, 1)) >> 2 & 15) >= ?)";

    /** Character sets in which the first two bytes of a frame are no text. Servers refuse them in such columns. */
    private static final String WITHOUT_FRAMES = "'ascii', 'utf8', 'utf8mb3', 'utf8mb4'";

    /** Of dictionaries that are loaded. Damaged ones come last. */
    private static final int MOST_ROWS = 65_536;

    /** Between the clocks of the server and of this machine, while the day before a deletion is measured. */
    private static final Duration MOST_APART = Duration.ofMinutes(10);

    private static final int NO_SUCH_TABLE = 1146;

    private static final Set<String> OWN_TABLES = Set.of("blobmark_dictionaries", "blobmark_readers");

    private final DataSource source;
    private final String schema;
    private final String dictionaries;
    private final String columns;
    private final Clock clock;

    /** @param clock of this machine */
    DictionaryTable(DataSource source, String schema, Clock clock) {
        this.source = source;
        this.clock = clock;
        this.schema = schema;
        dictionaries = Identifiers.quoted(schema + ".blobmark_dictionaries");
        columns = Identifiers.quoted(schema + ".blobmark_dictionary_columns");
    }

    /**
     * The dictionaries of a schema. Nothing is read or created.
     *
     * @param source its connections are closed after each call
     */
    public static DictionaryTable in(DataSource source, String schema) {
        return new DictionaryTable(source, schema, Clock.systemUTC());
    }

    /** Creates the tables where they are missing, and the column that an older table does not have. */
    public DictionaryTable create() {
        try {
            return OwnTransaction.writing(source, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(CREATE_DICTIONARIES.formatted(dictionaries));
                    statement.execute(CREATE_COLUMNS.formatted(columns));
                    if (!isWithdrawalKnown(connection)) {
                        statement.execute("ALTER TABLE " + dictionaries + " ADD COLUMN withdrawn_at BIGINT NULL");
                    }
                    return this;
                }
            });
        } catch (SQLException e) {
            throw failed("the tables of dictionaries could not be created", e);
        }
    }

    private boolean isWithdrawalKnown(Connection connection) throws SQLException {
        return ColumnCheck.exists(connection, dictionaries, "withdrawn_at");
    }

    /**
     * The dictionary with that number.
     *
     * @throws DictionaryException if the table cannot be read, or the bytes are not those that were stored
     */
    public Optional<ValueDictionary> find(int number) {
        try {
            return OwnTransaction.reading(source, connection -> {
                try (PreparedStatement statement = OwnTransaction.complete(
                        connection, "SELECT sha256, bytes FROM " + dictionaries + " WHERE number = ?")) {
                    statement.setInt(1, number);
                    try (ResultSet rows = statement.executeQuery()) {
                        return rows.next()
                                ? Optional.of(checked(number, rows.getBytes(1), rows.getBytes(2)))
                                : Optional.empty();
                    }
                }
            });
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " could not be read", e);
        }
    }

    private static ValueDictionary checked(int number, byte[] sha256, byte[] bytes) {
        if (!Arrays.equals(sha256, ValueDictionary.sha256(bytes)) || ValueDictionary.number(sha256) != number) {
            throw new DictionaryException("dictionary " + ValueDictionary.name(number) + " was changed in its table");
        }
        return ValueDictionary.of(bytes);
    }

    /**
     * All dictionaries, by number.
     *
     * @throws DictionaryException if the table cannot be read, or the bytes of one are not those that were stored
     */
    public List<ValueDictionary> all() {
        return rows().all().stream()
                .map(row -> find(row.number()))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * What is known of a dictionary that was not loaded.
     *
     * @param bytes its length
     */
    record Row(int number, long bytes, boolean isUsable, boolean isWithdrawn) {}

    /**
     * What is in the table.
     *
     * @param all by number; those that are too long, or not as they were stored, are not usable
     * @param isCurrent whether it was read on a server that takes changes; another one may be behind by any time
     */
    record Rows(List<Row> all, boolean isCurrent) {}

    Rows rows() {
        try {
            return OwnTransaction.reading(
                    source, connection -> new Rows(rows(connection), OwnTransaction.isCurrent(connection)));
        } catch (SQLException e) {
            throw failed("the dictionaries could not be read", e);
        }
    }

    private List<Row> rows(Connection connection) throws SQLException {
        String withdrawn = isWithdrawalKnown(connection) ? "withdrawn_at IS NOT NULL" : "FALSE";
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT number, sha256, LENGTH(bytes), " + withdrawn
                                + ", SHA2(bytes, 256) = LOWER(HEX(sha256)) AS as_stored FROM " + dictionaries
                                + " ORDER BY as_stored DESC, number LIMIT " + (MOST_ROWS + 1));
                ResultSet rows = statement.executeQuery()) {
            List<Row> found = new ArrayList<>();
            while (rows.next()) {
                long number = rows.getLong(1);
                byte[] sha256 = rows.getBytes(2);
                long bytes = rows.getLong(3);
                boolean isUsable = sha256 != null
                        && sha256.length == 32
                        && ValueDictionary.number(sha256) == number
                        && bytes <= MAX_BYTES
                        && rows.getBoolean(5);
                found.add(new Row((int) number, bytes, isUsable, rows.getBoolean(4)));
            }
            if (found.size() > MOST_ROWS) {
                found.remove(MOST_ROWS);
                System.getLogger(DictionaryTable.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "{0} has more than {1} rows; the others are not read, so their values cannot be read",
                                dictionaries,
                                Integer.toString(MOST_ROWS));
            }
            found.sort(Comparator.comparingInt(Row::number));
            return found;
        }
    }

    /**
     * As {@link #load(long)}, with an eighth of the heap.
     *
     * @throws DictionaryException if the table cannot be read
     */
    public LoadedDictionaries load() {
        return load(Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * All dictionaries in memory, for formats. A thread of its own reads new ones until it is closed. A row that is
     * damaged is logged, and its dictionary is missing; so is one that would exceed the limit. Of more than 65,536 rows
     * the others are not read, damaged ones first.
     *
     * @param maxBytes of all dictionaries together, with their tables outside of the heap, at 32 KiB each. Whoever may
     *     write the table cannot fill the memory.
     * @throws DictionaryException if the table cannot be read
     */
    public LoadedDictionaries load(long maxBytes) {
        return new LoadedDictionaries(this, maxBytes);
    }

    /**
     * Stores a dictionary, and that values of a column are encoded with it. To be called before the first value is.
     * Does nothing if both are known. One that was {@linkplain #withdraw withdrawn} can be used again.
     *
     * @param table such as {@code shop.orders}; without a schema, in that of these dictionaries
     * @throws IllegalArgumentException if the column cannot hold encoded values; see {@link ColumnCheck}
     * @throws DictionaryException if another dictionary has the same number: train it on other values
     */
    public void add(ValueDictionary dictionary, String table, String column) {
        String qualified = qualified(table);
        if (dictionary.length() > MAX_BYTES) {
            throw new IllegalArgumentException(dictionary + " is longer than " + MAX_BYTES + " bytes");
        }
        Optional<ValueDictionary> known = find(dictionary.number());
        if (known.isPresent() && !Arrays.equals(known.get().sha256(), dictionary.sha256())) {
            throw new DictionaryException("another dictionary has the number "
                    + ValueDictionary.name(dictionary.number()) + ": train it again on other values");
        }
        try {
            OwnTransaction.writing(source, connection -> add(connection, dictionary, qualified, column));
        } catch (SQLException e) {
            throw failed(dictionary + " could not be stored", e);
        }
        find(dictionary.number())
                .filter(stored -> Arrays.equals(stored.sha256(), dictionary.sha256()))
                .orElseThrow(() -> new DictionaryException(dictionary + " was not stored"));
    }

    private int add(Connection connection, ValueDictionary dictionary, String table, String column)
            throws SQLException {
        ColumnCheck.Found found = ColumnCheck.find(connection, table, column);
        String again = isWithdrawalKnown(connection) ? "withdrawn_at = NULL" : "number = number";
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + dictionaries
                + " (number, sha256, bytes) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE " + again)) {
            insert.setInt(1, dictionary.number());
            insert.setBytes(2, dictionary.sha256());
            insert.setBytes(3, dictionary.bytes());
            insert.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + columns
                + " (number, of_table, of_column) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE number = number")) {
            insert.setInt(1, dictionary.number());
            insert.setString(2, found.schema() + "." + found.table());
            insert.setString(3, found.column());
            return insert.executeUpdate();
        }
    }

    /** With the schema of these dictionaries if the name has none, and not with that of some connection. */
    private String qualified(String table) {
        String[] parts = Identifiers.parts(table);
        if (parts.length == 3) {
            throw new IllegalArgumentException("'" + table + "' is not the name of a table");
        }
        return parts.length == 2 ? table : schema + "." + table;
    }

    /**
     * The first step of deleting a dictionary: formats with {@linkplain #load loaded} dictionaries encode nothing with
     * it from a few minutes later on. It stays readable. Stop writing with it elsewhere too.
     *
     * @throws DictionaryException if there is no such dictionary, or the clocks of the server and of this machine
     *     differ by more than ten minutes
     */
    public void withdraw(int number) {
        try {
            OwnTransaction.writing(source, connection -> withdraw(connection, number));
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " was not withdrawn", e);
        }
    }

    private Instant withdraw(Connection connection, int number) throws SQLException {
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
                return rows.next() && rows.getObject(1) != null
                        ? Optional.of(Instant.ofEpochSecond(rows.getLong(1)))
                        : Optional.empty();
            }
        }
    }

    /**
     * The second step: deletes a dictionary that was withdrawn a day ago or earlier and that no value refers to. Reads
     * all values of the columns that were registered with it, and of those that are named. They must be all columns of
     * bytes in their schemas and in that of the dictionaries; the message lists those that are left out. Waits for
     * transactions that have changed rows and are not committed yet.
     *
     * @param named columns that may hold values encoded with it, such as {@code shop.archive.payload}; also those of
     *     other schemas
     * @throws DictionaryException if a value refers to it, or it cannot be known that none does; nothing is deleted
     */
    public void delete(int number, String... named) {
        try {
            OwnTransaction.locking(source, connection -> {
                requireWithdrawn(connection, number);
                for (Column column : columnsToRead(connection, number, named)) {
                    requireNoReference(connection, number, column);
                }
                for (String table : List.of(columns, dictionaries)) {
                    try (PreparedStatement delete =
                            connection.prepareStatement("DELETE FROM " + table + " WHERE number = ?")) {
                        delete.setInt(1, number);
                        delete.executeUpdate();
                    }
                }
                return number;
            });
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " was not deleted", e);
        }
    }

    private void requireWithdrawn(Connection connection, int number) throws SQLException {
        Instant withdrawn = withdrawnAt(connection, number, " FOR UPDATE")
                .orElseThrow(
                        () -> notDeleted(number, "it was not withdrawn: call withdraw, and delete it a day later"));
        Instant earliest = withdrawn.plus(DELETED_AFTER);
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
                    String[] parts = Identifiers.parts(qualified(rows.getString(1)));
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
        String columns = "SELECT c.table_name, c.column_name, t.table_type, c.character_set_name IS NOT NULL"
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
                    if (!OWN_TABLES.contains(column.table())) {
                        found.add(column);
                    }
                }
                return found;
            }
        }
    }

    private static void requireNoReference(Connection connection, int number, Column column) throws SQLException {
        String name = Identifiers.quotedPart(column.name());
        String refers = REFERS.formatted(column.isText() ? "CAST(" + name + " AS BINARY)" : name);
        String table = Identifiers.quotedPart(column.schema()) + "." + Identifiers.quotedPart(column.table());
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT 1 FROM " + table + " WHERE " + refers + " LIMIT 1 LOCK IN SHARE MODE")) {
            statement.setBytes(1, new byte[] {(byte) (number >>> 16), (byte) (number >>> 8), (byte) number});
            statement.setInt(2, PayloadCodec.values().length);
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    throw notDeleted(number, "values of " + column + " refer to it, or to something unknown");
                }
            }
        }
    }

    /**
     * Says that a column that was registered by {@link #add} has no values any more, since it or its table was dropped.
     * To be called only if the values were not moved to another table before.
     *
     * @param table as for {@link #add}
     * @throws DictionaryException if the column exists, or was not registered
     */
    public void forget(int number, String table, String column) {
        String[] parts = Identifiers.parts(qualified(table));
        try {
            OwnTransaction.writing(source, connection -> {
                requireAllSeen(connection, number, parts[0]);
                if (columnsOf(connection, number, parts[0]).contains(Column.ofBytes(parts[0], parts[1], column))) {
                    throw new DictionaryException(table + "." + column + " exists, so it is not forgotten");
                }
                try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + columns
                        + " WHERE number = ? AND of_table = ? AND LOWER(of_column) = LOWER(?)")) {
                    delete.setInt(1, number);
                    delete.setString(2, parts[0] + "." + parts[1]);
                    delete.setString(3, column);
                    if (delete.executeUpdate() == 0) {
                        throw new DictionaryException("no column " + table + "." + column
                                + " is registered with dictionary " + ValueDictionary.name(number));
                    }
                }
                return null;
            });
        } catch (SQLException e) {
            throw failed(table + "." + column + " was not forgotten", e);
        }
    }

    private static DictionaryException failed(String what, SQLException e) {
        return new DictionaryException(what + ": " + e.getMessage(), e);
    }
}
