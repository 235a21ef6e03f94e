package dev.blobmark.value;

import dev.blobmark.value.DictionaryTimes.RemovalStep;
import dev.blobmark.value.SchemaColumns.Column;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Dictionaries in tables of MySQL or MariaDB: {@code blobmark_dictionaries}, and {@code blobmark_dictionary_columns}
 * with the columns whose values were encoded with them. Keep them in the schema of the values, so that a dump has both.
 *
 * <p>A dictionary is not changed. It is removed in three steps: {@link #withdraw}, a day later {@link #delete}, which
 * keeps its bytes, and a week later {@link #purge}. The last two succeed only if all columns that may hold values were
 * read and none refers to it.
 *
 * <p>All methods ask the server. Formats read {@linkplain #load loaded} dictionaries.
 */
public final class DictionaryTable {

    /** The time from {@link #withdraw} to {@link #delete}: writers learn of the former within minutes. */
    public static final Duration DELETED_AFTER = Duration.ofDays(1);

    /** The time from {@link #delete} to {@link #purge}, in which programs that read values with it say so. */
    public static final Duration PURGED_AFTER = Duration.ofDays(7);

    /** The longest dictionary that is stored and loaded, in bytes. */
    public static final int MAX_BYTES = 4 << 20;

    /** Of dictionaries that are loaded. Damaged ones come last. */
    private static final int MOST_ROWS = 65_536;

    /** How long a deletion waits for transactions that are under way. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final DataSource source;
    private final String schema;
    private final String dictionaries;
    private final String columns;
    private final DictionarySchema tables;
    private final DictionaryDeletion deletion;
    private final Duration patience;

    DictionaryTable(DataSource source, String schema, Clock clock) {
        this(source, schema, clock, PATIENCE);
    }

    /**
     * @param clock of this machine
     * @param patience how long transactions of others are waited for
     */
    DictionaryTable(DataSource source, String schema, Clock clock, Duration patience) {
        this.source = source;
        this.patience = patience;
        this.schema = schema;
        dictionaries = Identifiers.quoted(schema + ".blobmark_dictionaries");
        columns = Identifiers.quoted(schema + ".blobmark_dictionary_columns");
        tables = new DictionarySchema(dictionaries, columns);
        deletion = new DictionaryDeletion(schema, dictionaries, columns, clock);
    }

    /**
     * The dictionaries of a schema. Nothing is read or created.
     *
     * @param source its connections are closed after each call
     */
    public static DictionaryTable in(DataSource source, String schema) {
        return new DictionaryTable(source, schema, Clock.systemUTC());
    }

    /**
     * Creates the tables where they are missing, and the columns that an older table does not have. Several programs
     * may do so at a time.
     *
     * @throws DictionaryException if it fails, such as because a transaction that has read an older table does not end
     */
    public DictionaryTable create() {
        try {
            tables.create(source);
            return this;
        } catch (SQLException e) {
            throw failed("the tables of dictionaries could not be created", e);
        }
    }

    /**
     * The dictionary with that number.
     *
     * @throws DictionaryException if the table cannot be read, or the bytes are not those that were stored
     */
    public Optional<ValueDictionary> find(int number) {
        try {
            return OwnTransaction.reading(source, connection -> find(connection, number));
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " could not be read", e);
        }
    }

    private Optional<ValueDictionary> find(Connection connection, int number) throws SQLException {
        try (PreparedStatement statement = OwnTransaction.complete(
                connection,
                "SELECT LEFT(sha256, 33), IF(LENGTH(bytes) <= " + MAX_BYTES + ", bytes, NULL) FROM " + dictionaries
                        + " WHERE number = ?")) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(checked(number, rows.getBytes(1), rows.getBytes(2)))
                        : Optional.empty();
            }
        }
    }

    /**
     * Several dictionaries in one transaction, one after another; those that are missing are left out.
     *
     * @param found receives them
     * @param refused receives the number of one that cannot be used, and why
     * @throws DictionaryException if the server does not give all of them
     */
    void find(List<Integer> numbers, Consumer<ValueDictionary> found, BiConsumer<Integer, RuntimeException> refused) {
        try {
            OwnTransaction.reading(source, connection -> {
                for (int number : numbers) {
                    try {
                        find(connection, number).ifPresent(found);
                    } catch (DictionaryException | UnsupportedOperationException e) {
                        refused.accept(number, e);
                    }
                }
                return numbers;
            });
        } catch (SQLException e) {
            throw failed("dictionaries could not be read", e);
        }
    }

    private static ValueDictionary checked(int number, byte[] sha256, byte[] bytes) {
        boolean isAsStored = bytes != null
                && Arrays.equals(sha256, ValueDictionary.sha256(bytes))
                && ValueDictionary.number(sha256) == number;
        if (!isAsStored) {
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
    record Row(int number, long bytes, boolean isUsable, boolean isWithdrawn, boolean isDeleted) {}

    /**
     * What is in the table.
     *
     * @param all by number; those that are too long, or not as they were stored, are not usable
     * @param isComplete whether there are no more than are read
     * @param isCurrent whether it was read on a server that takes changes; another one may be behind by any time
     */
    record Rows(List<Row> all, boolean isComplete, boolean isCurrent) {}

    Rows rows() {
        try {
            return OwnTransaction.reading(source, this::rows);
        } catch (SQLException e) {
            throw failed("the dictionaries could not be read", e);
        }
    }

    private Rows rows(Connection connection) throws SQLException {
        String withdrawn = tables.has(connection, "withdrawn_at") ? "withdrawn_at IS NOT NULL" : "FALSE";
        String deleted = tables.showsDeleted(connection) ? "deleted_at IS NOT NULL" : "FALSE";
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT number, LEFT(sha256, 33), LENGTH(bytes), " + withdrawn
                                + ", IF(LENGTH(bytes) <= " + MAX_BYTES
                                + ", SHA2(bytes, 256) = LOWER(HEX(LEFT(sha256, 33))), FALSE) AS as_stored, " + deleted
                                + " FROM "
                                + dictionaries
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
                found.add(new Row((int) number, bytes, isUsable, rows.getBoolean(4), rows.getBoolean(6)));
            }
            boolean isComplete = found.size() <= MOST_ROWS;
            if (!isComplete) {
                found.remove(MOST_ROWS);
                System.getLogger(DictionaryTable.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "{0} has more than {1} rows; the others are not read, so their values cannot be read",
                                dictionaries,
                                Integer.toString(MOST_ROWS));
            }
            found.sort(Comparator.comparingInt(Row::number));
            return new Rows(found, isComplete, OwnTransaction.isCurrent(connection));
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
     * Does nothing if both are known. One that was {@linkplain #withdraw withdrawn} or deleted can be used again.
     *
     * @param table such as {@code shop.orders}; without a schema, in that of these dictionaries
     * @throws IllegalArgumentException if the column cannot hold encoded values; see {@link ColumnCheck}
     * @throws DictionaryException if another dictionary has the same number: train it on other values
     */
    public void add(ValueDictionary dictionary, String table, String column) {
        String qualified = Identifiers.qualified(schema, table);
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
        OwnTransaction.requireCurrent(connection);
        OwnTables.requireNotHidden(connection, dictionaries, columns);
        ColumnCheck.Found found = ColumnCheck.find(connection, table, column);
        String again = (tables.has(connection, "withdrawn_at") ? "withdrawn_at = NULL, " : "")
                + (tables.has(connection, "deleted_at") ? "deleted_at = NULL, " : "") + "number = number";
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

    /**
     * The first step of deleting a dictionary: formats with {@linkplain #load loaded} dictionaries encode nothing with
     * it from a few minutes later on. It stays readable. Stop writing with it elsewhere too.
     *
     * @throws DictionaryException if there is no such dictionary, or the clocks of the server and of this machine
     *     differ by more than ten minutes
     */
    public void withdraw(int number) {
        try {
            OwnTransaction.writing(source, connection -> deletion.withdraw(connection, number));
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " was not withdrawn", e);
        }
    }

    /**
     * The second step: deletes a dictionary that was withdrawn a day ago or earlier and that no value refers to. Its
     * bytes stay, and values can still be read with it: a program that does with {@linkplain #load loaded} dictionaries
     * logs a warning, and the dictionary is not deleted any more. Reads all values of the columns that were registered
     * with it, and of those that are named. They must be all columns of bytes in their schemas and in that of the
     * dictionaries; the message lists those that are left out. They are read as they are at one time, so that rows that
     * others move are seen; waiting for rows that are changed and not committed yet; and once more as they are at one
     * time, when all transactions that were under way have ended, which may have been making tables. So the account
     * needs PROCESS, and all connections must be to one server. Tables that are read cannot be altered meanwhile.
     *
     * @param named columns that may hold values encoded with it, such as {@code shop.archive.payload}; also those of
     *     other schemas. They are registered, so that {@link #purge} reads them too. If one was not before, the week to
     *     the purge begins again.
     * @throws DictionaryException if a value refers to it, or it cannot be known that none does, or it was added again
     *     meanwhile; nothing is deleted
     */
    public void delete(int number, String... named) {
        remove(RemovalStep.DELETE, number, named);
    }

    /**
     * The third step: removes a dictionary that was deleted a week ago or earlier, with its bytes. All values are read
     * as for {@link #delete}: one that was on its way then has arrived.
     *
     * @param named columns that are to be read too. They must be registered, by {@link #add} or {@link #delete}.
     * @throws DictionaryException if a value refers to it or was read with it since, also meanwhile, or it cannot be
     *     known that none does, or it was not deleted since it was withdrawn, or a column is not registered; nothing is
     *     removed
     */
    public void purge(int number, String... named) {
        remove(RemovalStep.PURGE, number, named);
    }

    private void remove(RemovalStep step, int number, String... named) {
        DictionaryDeletion deletion = this.deletion.once(step);
        try {
            OwnTransaction.inSnapshot(source, connection -> deletion.read(connection, number, named));
            Set<Column> columns =
                    OwnTransaction.locking(source, connection -> deletion.awaitOthers(connection, number, named));
            OpenTransactions.awaitOlder(
                    () -> OwnTransaction.looking(source, connection -> deletion.openTransactions(connection, number)),
                    number,
                    patience);
            OwnTransaction.inSnapshot(source, connection -> deletion.remove(connection, number, columns, named));
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " was not " + step.done, e);
        }
    }

    /** Whether a dictionary is deleted, or was purged, or was never there. */
    public boolean isDeleted(int number) {
        return rows().all().stream().noneMatch(row -> row.number() == number && !row.isDeleted());
    }

    /**
     * Says that a value was read with a dictionary: if it is deleted, it is not any more. {@linkplain #load Loaded}
     * dictionaries do so themselves. The account needs {@code SELECT} on the table of dictionaries, and {@code UPDATE}
     * on its column {@code deleted_at}.
     *
     * @return whether it was deleted
     * @throws DictionaryException if it was purged, or is deleted and this could not be changed, such as on a server
     *     that is read-only
     */
    public boolean keep(int number) {
        return keep(number, OwnTransaction::writing);
    }

    /** As {@link #keep}, and waits only briefly for others who have locked its row. */
    boolean keepBriefly(int number) {
        return keep(number, OwnTransaction::briefly);
    }

    private interface KeepingTransaction {
        boolean run(DataSource source, OwnTransaction.Work<Boolean> work) throws SQLException;
    }

    /** What is not deleted needs neither the right to write nor a server that takes changes. */
    private boolean keep(int number, KeepingTransaction writing) {
        try {
            boolean isDeleted = OwnTransaction.reading(
                    source, connection -> tables.showsDeleted(connection) && deletion.isDeleted(connection, number));
            return isDeleted && writing.run(source, connection -> deletion.keep(connection, number));
        } catch (SQLException e) {
            throw failed("dictionary " + ValueDictionary.name(number) + " is still deleted", e);
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
        try {
            OwnTransaction.writing(source, connection -> deletion.forget(connection, number, table, column));
        } catch (SQLException e) {
            throw failed(table + "." + column + " was not forgotten", e);
        }
    }

    private static DictionaryException failed(String what, SQLException e) {
        return new DictionaryException(what + ": " + e.getMessage(), e);
    }
}
