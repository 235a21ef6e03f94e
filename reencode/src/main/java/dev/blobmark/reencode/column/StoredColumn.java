package dev.blobmark.reencode.column;

import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.MySqlSource;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.KeyColumn;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Rewriter;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.ValueDictionary;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * What a column of a user's table holds, read as a guest: in the order of its key, by read-only statements of about 2
 * MiB, with a pause after each, and only while the server's load is low. No old view of the table is kept: a row that
 * is changed meanwhile is read before or after its change. Confined to one thread, but for {@link #interrupt}.
 */
public final class StoredColumn implements AutoCloseable {

    private static final Set<String> TYPES_OF_BYTES =
            Set.of("tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary");

    private final Server server;
    private final TableSession session;
    private final TableColumn column;
    private final TableKey key;
    private final RowReader reader;
    private final long estimatedRows;
    private final AtomicBoolean isInterrupted;
    private final SortedMap<Integer, StoredDictionary> dictionaries;
    private final ColumnReading reading;
    private final long packet;

    /**
     * A row of the column.
     *
     * @param key for users: text as such, bytes that are no text as hexadecimal digits
     * @param keyColumns the same by the key's columns, with numbers as numbers
     * @param storedBytes length of what is stored, 0 for NULL
     * @param stored empty if it is NULL, or longer than what is read
     */
    public record Stored(String key, Map<String, Object> keyColumns, long storedBytes, Optional<byte[]> stored) {

        public boolean isNull() {
            return stored.isEmpty() && storedBytes == 0;
        }
    }

    /**
     * A row of {@code blobmark_dictionaries}.
     *
     * @param found the dictionary, or why it cannot be used
     * @param columns whose values are known to be encoded with it, as {@code schema.table.column}
     */
    record StoredDictionary(int number, Optional<ValueDictionary> found, String problem, List<String> columns) {}

    /** Ends reading between two statements. */
    private static final class Interruption extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Interruption() {
            super("reading was interrupted");
        }
    }

    private StoredColumn(
            Server server,
            TableSession session,
            TableColumn column,
            TableKey key,
            RowReader reader,
            long estimatedRows,
            AtomicBoolean isInterrupted,
            SortedMap<Integer, StoredDictionary> dictionaries,
            ColumnReading reading,
            long packet) {
        this.reading = reading;
        this.packet = packet;
        this.server = server;
        this.session = session;
        this.column = column;
        this.key = key;
        this.reader = reader;
        this.estimatedRows = estimatedRows;
        this.isInterrupted = isInterrupted;
        this.dictionaries = dictionaries;
    }

    /**
     * Connects, and reads the dictionaries of the column's schema.
     *
     * @param reading how its values are read
     * @param load of the server with which reading continues
     * @param notes receives a line when reading pauses or continues
     * @throws dev.blobmark.mysql.table.DatasetException if there is no such column, it is not one of bytes, or the
     *     table has no key; with the remedy
     */
    public static StoredColumn open(
            MySqlSource source,
            Path cache,
            TableColumn column,
            ColumnReading reading,
            ToleratedLoad load,
            Consumer<String> notes)
            throws SQLException, IOException, InterruptedException {
        Server server = source.open(cache);
        AtomicBoolean isInterrupted = new AtomicBoolean();
        TableSession session = null;
        try {
            Endpoint endpoint = server.endpoint();
            session = TableSession.open(endpoint, load, () -> check(isInterrupted), notes);
            Connection connection = session.connection();
            Sql.execute(connection, "SET SESSION TRANSACTION READ ONLY");
            TableKey key = TableKey.of(connection, column);
            requireBytes(connection, column);
            long packet = Long.parseLong(JdbcDriver.variable(connection, "max_allowed_packet"));
            long longest = Math.min(reading.maxStored(), packet - Rewriter.ROW_OVERHEAD);
            return new StoredColumn(
                    server,
                    session,
                    column,
                    key,
                    new RowReader(connection, column, key, longest),
                    estimatedRows(connection, column),
                    isInterrupted,
                    dictionaries(connection, endpoint, column),
                    reading,
                    packet);
        } catch (SQLException | RuntimeException e) {
            if (session != null) {
                session.close();
            }
            server.close();
            throw e;
        }
    }

    private static void check(AtomicBoolean isInterrupted) {
        if (isInterrupted.get()) {
            throw new Interruption();
        }
    }

    private static long estimatedRows(Connection connection, TableColumn column) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT table_rows FROM information_schema.tables WHERE table_schema = ? AND table_name = ?")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private static void requireBytes(Connection connection, TableColumn column) throws SQLException {
        String sql = "SELECT data_type FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND"
                + " column_name = ?";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            select.setString(3, column.column());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw column.problem("there is no such column, or this account may not read it", "check the name");
                }
                String type = row.getString(1).toLowerCase(Locale.ROOT);
                if (!TYPES_OF_BYTES.contains(type)) {
                    throw column.problem(
                            "it is of type " + type + ", and encoded values are bytes",
                            "name a column of type BLOB, VARBINARY or BINARY");
                }
            }
        }
    }

    private static SortedMap<Integer, StoredDictionary> dictionaries(
            Connection connection, Endpoint endpoint, TableColumn column) throws SQLException {
        SortedMap<Integer, StoredDictionary> found = new TreeMap<>();
        String table = Names.quoted(column.schema(), "blobmark_dictionaries");
        if (!exists(connection, column.schema(), "blobmark_dictionaries")) {
            return found;
        }
        DictionaryTable dictionaries = DictionaryTable.in(new Connections(endpoint), column.schema());
        for (String text : Sql.strings(connection, "SELECT number FROM " + table + " ORDER BY number")) {
            int number = (int) Long.parseLong(text);
            List<String> columns = exists(connection, column.schema(), "blobmark_dictionary_columns")
                    ? Sql.strings(
                            connection,
                            "SELECT CONCAT(of_table, '.', of_column) FROM "
                                    + Names.quoted(column.schema(), "blobmark_dictionary_columns")
                                    + " WHERE number = " + number + " ORDER BY 1")
                    : List.of();
            try {
                found.put(number, new StoredDictionary(number, dictionaries.find(number), "", columns));
            } catch (DictionaryException | IllegalArgumentException | UnsupportedOperationException e) {
                found.put(number, new StoredDictionary(number, Optional.empty(), e.getMessage(), columns));
            }
        }
        return found;
    }

    private static boolean exists(Connection connection, String schema, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?")) {
            select.setString(1, schema);
            select.setString(2, table);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** {@code SCHEMA.TABLE.COLUMN}. */
    public String name() {
        return column.name();
    }

    /** Those of the column's schema. Damaged ones are not found. */
    public Dictionaries dictionaries() {
        return Dictionaries.of(dictionaries.values().stream()
                .flatMap(one -> one.found().stream())
                .toArray(ValueDictionary[]::new));
    }

    /** How it is read. */
    public ColumnReading reading() {
        return reading;
    }

    /** What reads it so, with the dictionaries of the column's schema. */
    public ColumnFormat format() {
        return new ColumnFormat(reading, dictionaries());
    }

    /** How many stored bytes are read of a value, and what sets the limit. */
    public String mostStored() {
        return packet - Rewriter.ROW_OVERHEAD < reading.maxStored()
                ? packet - Rewriter.ROW_OVERHEAD + " are read: the server's max_allowed_packet is " + packet
                : reading.maxStored() + " are read of a value of " + reading.maxLength() + ": see --max-length";
    }

    SortedMap<Integer, StoredDictionary> dictionaryRows() {
        return dictionaries;
    }

    /** As the server estimates them; 0 if it does not. */
    public long estimatedRows() {
        return estimatedRows;
    }

    /** Ends {@link #forEach} after the statement that runs now, and while it waits. Any thread may call it. */
    public void interrupt() {
        isInterrupted.set(true);
    }

    /**
     * Reads all rows.
     *
     * @throws dev.blobmark.mysql.admission.CriticalLoadException if the load exceeds the critical limit
     * @throws dev.blobmark.mysql.admission.WatchLostException if the server's load could not be read
     */
    public void forEach(Consumer<Stored> rows) throws SQLException, InterruptedException {
        forEach(rows, read -> {});
    }

    /**
     * The same with the number of rows that were read until then, after each statement.
     *
     * @return false if it was interrupted
     */
    boolean forEach(Consumer<Stored> rows, LongConsumer read) throws SQLException, InterruptedException {
        try {
            readAll(rows, read);
            return true;
        } catch (Interruption e) {
            return false;
        }
    }

    private void readAll(Consumer<Stored> rows, LongConsumer progress) throws SQLException, InterruptedException {
        Optional<List<Object>> after = Optional.empty();
        long done = 0;
        while (true) {
            check(isInterrupted);
            long begin = System.nanoTime();
            List<Row> read = reader.next(after, Optional.empty(), Chunks.MAX_BYTES);
            long took = System.nanoTime() - begin;
            if (read.isEmpty()) {
                return;
            }
            read.forEach(row -> rows.accept(stored(row)));
            done += read.size();
            progress.accept(done);
            after = Optional.of(read.get(read.size() - 1).key());
            session.pause(took, column.name());
        }
    }

    /**
     * The row with a key.
     *
     * @param parts of the key as users write them, in the order of its columns: bytes, and text that is none of its
     *     character set, as hexadecimal digits after {@code 0x}
     * @return empty if there is none
     * @throws dev.blobmark.mysql.table.DatasetException if this is no key of the table
     */
    public Optional<Stored> find(List<String> parts) throws SQLException {
        return reader.find(key.written(parts)).map(this::stored);
    }

    private Stored stored(Row row) {
        Map<String, Object> columns = new LinkedHashMap<>();
        List<KeyColumn> parts = key.parts();
        for (int i = 0; i < parts.size(); i++) {
            Object value = row.key().get(i);
            columns.put(
                    parts.get(i).name(),
                    value instanceof Number
                            ? value
                            : key.readableParts(row.key()).get(i));
        }
        return new Stored(key.readable(row.key()), columns, row.length(), row.stored());
    }

    @Override
    public void close() throws SQLException {
        try {
            session.close();
        } finally {
            server.close();
        }
    }
}
