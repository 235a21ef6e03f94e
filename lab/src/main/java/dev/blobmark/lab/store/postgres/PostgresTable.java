package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.client.UnavailableException;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.WrongValueException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.copy.CopyIn;

/** A table of values by number: {@code id integer PRIMARY KEY, data bytea}. Uses a connection of the caller and is confined to its thread. */
public final class PostgresTable implements Store {

    /** The schema of all tables; a run makes it and drops it. */
    public static final String SCHEMA = "blobmark";

    /** Since then a column has a compression of its own. */
    public static final int LEAST_VERSION = 140000;

    /** NAMEDATALEN - 1 of all usual builds. */
    private static final int NAME_LENGTH = 63;

    /** Since then a function says which values are in the TOAST table. */
    private static final int CHUNK_VERSION = 170000;

    /** Of stored bytes that are loaded by one COPY, which is a transaction. */
    private static final long COPY_BYTES = 16 << 20;

    /** Of messages of a COPY: fewer cost time, more gain none. */
    private static final int MESSAGE_BYTES = 256 << 10;

    /** Of values that are read back at once. */
    private static final int FETCH_BYTES = 4 << 20;

    /** Makes the driver ask for binary values from the first execution on; text would be two characters for each byte. */
    private static final int BINARY = -1;

    private static final byte[] COPY_HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 255, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };

    /** Before each value: number of fields, length of the key, key, length of the value. */
    private static final int COPY_ROW_BYTES = 2 + 4 + 4 + 4;

    private static final short COPY_END = -1;

    private final Connection connection;
    private final String name;
    private final Toast toast;
    private final String comment;

    /** @param comment that says who made it; only a table with this comment is dropped */
    public PostgresTable(Connection connection, String name, Toast toast, String comment) {
        this.connection = connection;
        this.name = name;
        this.toast = toast;
        this.comment = comment;
    }

    /**
     * A table for some values.
     *
     * @throws UnavailableException if such a table cannot hold them
     */
    public static PostgresTable of(
            Connection connection, String name, Toast toast, String comment, EncodedValues values)
            throws UnavailableException {
        if (toast == Toast.PLAIN && values.maxStoredLength() > Toast.LONGEST_IN_PAGE) {
            throw new UnavailableException("toast=plain: a row must fit into a page, so a value may have "
                    + Toast.LONGEST_IN_PAGE + " bytes, and the longest has " + values.maxStoredLength());
        }
        return new PostgresTable(connection, name, toast, comment);
    }

    /** The statements that make such a table. */
    public static String ddl(String name, Toast toast) {
        return create(name, toast) + "; " + storage(name, toast);
    }

    private static String create(String name, Toast toast) {
        return "CREATE TABLE " + quoted(name) + " (id integer PRIMARY KEY, data bytea"
                + toast.compression().map(method -> " COMPRESSION " + method).orElse("") + " NOT NULL)";
    }

    /** A statement of its own: CREATE TABLE has such a clause since 16. */
    private static String storage(String name, Toast toast) {
        return "ALTER TABLE " + quoted(name) + " ALTER COLUMN data SET STORAGE " + toast.storage();
    }

    /** A table's name in a statement; the server would cut a longer one with a notice. */
    static String quoted(String name) {
        return SCHEMA + ".\"" + name.substring(0, Math.min(name.length(), NAME_LENGTH)) + "\"";
    }

    @Override
    public String shownName() {
        return name;
    }

    @Override
    public String ddl() {
        return ddl(name, toast);
    }

    /** @return what the catalog says of it, see {@link #facts} */
    @Override
    public SortedMap<String, String> create() throws SQLException {
        requireCompression();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(create(name, toast));
            statement.execute(storage(name, toast));
            statement.execute("COMMENT ON TABLE " + quoted(name) + " IS '" + comment.replace("'", "''") + "'");
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
        SortedMap<String, String> facts = facts();
        String asked = toast.storage() + ", " + toast.compression().orElse("default");
        String made = facts.get("storage") + ", " + facts.get("compression");
        if (!made.equals(asked)) {
            throw new DowngradeException("the column was to be " + asked + ", but is " + made);
        }
        return facts;
    }

    private void requireCompression() throws SQLException {
        int version = version();
        if (version < LEAST_VERSION) {
            throw new UnavailableException(
                    "a column has a compression of its own since PostgreSQL 14, and the server is " + version / 10000);
        }
        if (toast.compression().isPresent()) {
            String method = toast.compression().get();
            String known = text("SELECT array_to_string(enumvals, ' ') FROM pg_catalog.pg_settings"
                    + " WHERE name = 'default_toast_compression'");
            if (!List.of(known.split(" ")).contains(method)) {
                throw new UnavailableException("this PostgreSQL was built without " + method + " (it has " + known
                        + "); name one that was built with it: --server postgresql=postgres:DIR, as distributions'"
                        + " packages are, or --server postgresql=postgresql://USER@HOST:PORT/DATABASE");
            }
        }
    }

    private int version() throws SQLException {
        return Integer.parseInt(text("SHOW server_version_num"));
    }

    private String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() && row.getString(1) != null ? row.getString(1) : "";
        }
    }

    /**
     * What the catalog says of the table: its access method, and of the column its type, its storage, and its compression ({@code default}
     * where it has none of its own).
     */
    public SortedMap<String, String> facts() throws SQLException {
        SortedMap<String, String> facts = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT m.amname, format_type(a.atttypid, a.atttypmod),"
                        + " CASE a.attstorage WHEN 'p' THEN 'plain' WHEN 'e' THEN 'external' WHEN 'm' THEN 'main'"
                        + " WHEN 'x' THEN 'extended' ELSE a.attstorage::text END,"
                        + " CASE a.attcompression WHEN 'p' THEN 'pglz' WHEN 'l' THEN 'lz4' WHEN '' THEN 'default'"
                        + " ELSE a.attcompression::text END"
                        + " FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
                        + " JOIN pg_catalog.pg_am m ON m.oid = c.relam"
                        + " WHERE a.attrelid = to_regclass('" + quoted(name) + "') AND a.attname = 'data'")) {
            if (row.next()) {
                facts.put("access_method", row.getString(1));
                facts.put("column_type", row.getString(2));
                facts.put("storage", row.getString(3));
                facts.put("compression", row.getString(4));
            }
        }
        return facts;
    }

    /**
     * Loads by COPY in binary, a transaction for each 16 MB; then vacuums the table, as autovacuum would later: so its pages are marked
     * as visible to all, and reading them writes nothing.
     *
     * @throws DowngradeException if values were compressed otherwise than asked
     */
    @Override
    public void load(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        for (int from = 0; from < count; ) {
            long bytes = 0;
            CopyIn copy = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY " + quoted(name) + " (id, data) FROM STDIN (FORMAT binary)");
            try {
                Copying out = new Copying(copy);
                for (; from < count && (bytes == 0 || bytes + values.storedLength(from) <= COPY_BYTES); from++) {
                    byte[] value = values.stored(from);
                    out.row(from, value);
                    bytes += value.length;
                }
                out.end();
            } finally {
                if (copy.isActive()) {
                    copy.cancelCopy();
                }
            }
            loaded.accept(bytes);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("VACUUM (ANALYZE) " + quoted(name));
        }
        requireCompressed();
    }

    /** Rows of a COPY in binary, as the manual describes them ("COPY", section "Binary Format"). */
    private static final class Copying {

        private final CopyIn copy;
        private ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES).put(COPY_HEADER);

        Copying(CopyIn copy) {
            this.copy = copy;
        }

        void row(int key, byte[] value) throws SQLException {
            int length = COPY_ROW_BYTES + value.length;
            if (message.remaining() < length) {
                send();
            }
            if (message.capacity() < length) {
                message = ByteBuffer.allocate(length);
            }
            message.putShort((short) 2)
                    .putInt(4)
                    .putInt(key)
                    .putInt(value.length)
                    .put(value);
        }

        private void send() throws SQLException {
            copy.writeToCopy(message.array(), 0, message.position());
            message.clear();
        }

        void end() throws SQLException {
            if (message.remaining() < Short.BYTES) {
                send();
            }
            message.putShort(COPY_END);
            send();
            copy.endCopy();
        }
    }

    /** What could not be shortened is left as it is; whatever was compressed must have been by the method asked for. */
    private void requireCompressed() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_column_compression(data), count(*) FROM "
                        + quoted(name) + " WHERE pg_column_compression(data) IS NOT NULL GROUP BY 1")) {
            while (rows.next()) {
                if (!toast.compression().equals(Optional.of(rows.getString(1)))) {
                    throw new DowngradeException(rows.getLong(2) + " values of toast=" + toast.word()
                            + " were compressed by " + rows.getString(1));
                }
            }
        }
    }

    /** Receives a row. */
    private interface Rows {
        void accept(int key, byte[] value) throws SQLException;
    }

    /** Reads all rows in the order of their keys, some megabytes at a time. */
    private void read(int longest, Rows rows) throws SQLException {
        connection.setAutoCommit(false); // else the driver reads all before the first
        try (PreparedStatement select =
                connection.prepareStatement("SELECT id, data FROM " + quoted(name) + " ORDER BY id")) {
            select.unwrap(PGStatement.class).setPrepareThreshold(BINARY);
            select.setFetchSize(Math.max(1, Math.min(1_000, FETCH_BYTES / Math.max(1, longest))));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.accept(row.getInt(1), row.getBytes(2));
                }
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Compares every value with what was loaded. */
    @Override
    public void readBack(EncodedValues values) throws SQLException {
        int[] next = {0};
        read(values.maxStoredLength(), (key, value) -> {
            if (key != next[0]) {
                throw new WrongValueException("row " + next[0] + " of " + name + " is missing: the next is " + key);
            }
            if (key >= values.count()) {
                throw new WrongValueException(name + " has more than the " + values.count() + " rows of the dataset");
            }
            if (!Arrays.equals(value, values.stored(key))) {
                throw new WrongValueException("row " + key + " of " + name + " is not what was loaded");
            }
            next[0]++;
        });
        if (next[0] != values.count()) {
            throw new WrongValueException(name + " has " + next[0] + " rows instead of " + values.count());
        }
    }

    /** Reads all rows. The checksum is made here: servers have a function for it since 18. */
    @Override
    public void forEachRow(RowConsumer consumer) throws SQLException {
        int longest = Integer.parseInt(text("SELECT coalesce(max(length(data)), 0) FROM " + quoted(name)));
        CRC32 crc = new CRC32();
        read(longest, (key, value) -> {
            crc.reset();
            crc.update(value);
            consumer.accept(key, crc.getValue());
        });
    }

    /** Bytes of all its files: rows, TOAST table, their maps, and the indexes of both. They grow by some pages at a time. */
    @Override
    public DiskSpace disk(Optional<Path> dataDirectory) throws SQLException {
        return new DiskSpace(
                OptionalLong.of(Long.parseLong(text("SELECT pg_total_relation_size('" + quoted(name) + "')"))),
                OptionalLong.empty());
    }

    @Override
    public Placement placement(EncodedValues values) throws SQLException {
        return new Placement(Optional.empty(), OptionalLong.empty(), inRow(), Optional.empty());
    }

    /** How many values are wholly in their rows, not in the TOAST table; empty where the server does not say. */
    OptionalLong inRow() throws SQLException {
        if (version() >= CHUNK_VERSION) {
            return OptionalLong.of(Long.parseLong(
                    text("SELECT count(*) - count(pg_column_toast_chunk_id(data)) FROM " + quoted(name))));
        }
        String toastTable =
                text("SELECT reltoastrelid::regclass::text FROM pg_catalog.pg_class WHERE oid = to_regclass('"
                        + quoted(name) + "')");
        if (!text("SELECT has_schema_privilege('pg_toast', 'USAGE')").equals("t")
                || !toastTable.startsWith("pg_toast.")) {
            return OptionalLong.empty(); // only a superuser may read it
        }
        return OptionalLong.of(Long.parseLong(text("SELECT (SELECT count(*) FROM " + quoted(name)
                + ") - (SELECT count(DISTINCT chunk_id) FROM " + toastTable + ")")));
    }

    @Override
    public void drop() throws SQLException {
        drop(connection, name, comment);
    }

    /** Drops a table if it has this comment. */
    public static void drop(Connection connection, String name, String comment) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT 1 WHERE obj_description(to_regclass(?), 'pg_class') = ?")) {
            select.setString(1, quoted(name));
            select.setString(2, comment);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return;
                }
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE " + quoted(name));
        }
    }
}
