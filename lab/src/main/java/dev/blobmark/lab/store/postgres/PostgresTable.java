package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.mysql.client.UnavailableException;
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

/**
 * A table of numbered values: {@code id integer PRIMARY KEY, data bytea}. Uses the caller's connection and is confined
 * to its thread.
 */
public final class PostgresTable implements Store {

    /** The schema of all tables. A run creates and drops it. */
    public static final String SCHEMA = "blobmark";

    /** The first version with a compression method per column. */
    public static final int MIN_VERSION = 140000;

    /** NAMEDATALEN - 1 in all usual builds. */
    private static final int NAME_LENGTH = 63;

    /** The first version with a function that shows which values are in the TOAST table. */
    private static final int CHUNK_VERSION = 170000;

    /** Stored bytes per COPY, which is one transaction. */
    private static final long COPY_BYTES = 16 << 20;

    /** Bytes of values per fetch when they are read back. */
    private static final int FETCH_BYTES = 4 << 20;

    /** Makes the driver request binary values from the first execution on; text takes two characters per byte. */
    private static final int BINARY = -1;

    private final Connection connection;
    private final String name;
    private final Toast toast;
    private final String comment;

    /** @param comment names the owner; only a table with this comment is dropped */
    public PostgresTable(Connection connection, String name, Toast toast, String comment) {
        this.connection = connection;
        this.name = name;
        this.toast = toast;
        this.comment = comment;
    }

    /**
     * A table for these values.
     *
     * @throws UnavailableException if a value does not fit into such a table
     */
    public static PostgresTable of(
            Connection connection, String name, Toast toast, String comment, EncodedValues values)
            throws UnavailableException {
        if (toast == Toast.PLAIN && values.maxStoredLength() > Toast.LONGEST_IN_PAGE) {
            throw new UnavailableException("toast=plain: a row must fit into a page, so a value may have up to "
                    + Toast.LONGEST_IN_PAGE + " bytes, and the longest has " + values.maxStoredLength()
                    + "; use another toast, or a codec that makes values shorter");
        }
        return new PostgresTable(connection, name, toast, comment);
    }

    /** The statements that create such a table. */
    public static String ddl(String name, Toast toast) {
        return create(name, toast) + "; " + storage(name, toast);
    }

    private static String create(String name, Toast toast) {
        return "CREATE TABLE " + quoted(name) + " (id integer PRIMARY KEY, data bytea"
                + toast.compression().map(method -> " COMPRESSION " + method).orElse("") + " NOT NULL)";
    }

    /** A separate statement, because CREATE TABLE has such a clause only since version 16. */
    private static String storage(String name, Toast toast) {
        return "ALTER TABLE " + quoted(name) + " ALTER COLUMN data SET STORAGE " + toast.storage();
    }

    /** A table's name in a statement, truncated as the server would truncate it (with a notice). */
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

    /** @return the table's {@link #facts} */
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
        String requested = toast.storage() + ", " + toast.compression().orElse("default");
        String actual = facts.get("storage") + ", " + facts.get("compression");
        if (!actual.equals(requested)) {
            throw new DowngradeException(
                    "the requested storage and compression of the column is " + requested + ", but it has " + actual);
        }
        return facts;
    }

    private void requireCompression() throws SQLException {
        int version = version();
        if (version < MIN_VERSION) {
            throw new UnavailableException(
                    "PostgreSQL has a compression method per column since version 14, and the server is "
                            + version / 10000 + "; use a newer server");
        }
        if (toast.compression().isPresent()) {
            String method = toast.compression().get();
            String known = text("SELECT array_to_string(enumvals, ' ') FROM pg_catalog.pg_settings"
                    + " WHERE name = 'default_toast_compression'");
            if (!List.of(known.split(" ")).contains(method)) {
                throw new UnavailableException("this PostgreSQL was built without " + method + " (it has " + known
                        + "); use one that was built with it, as distributions' packages are: --server"
                        + " postgresql=postgres:DIR or --server postgresql=postgresql://USER@HOST:PORT/DATABASE");
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
     * What the catalog says of the table: its access method, and the type, the storage and the compression of the
     * column ({@code default} if none is set for the column).
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
     * Loads with binary COPY in transactions of 16 MB. Then vacuums the table, as autovacuum would do later, so that
     * its pages are marked as visible to all and reading them writes nothing.
     *
     * @throws DowngradeException if values were compressed by another method
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
                BinaryCopy out = new BinaryCopy(copy);
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

    /** Verifies the method of compressed values. Values that would not become shorter are not compressed. */
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
    private interface ValueConsumer {
        void accept(int key, byte[] value) throws SQLException;
    }

    /** Reads all rows in key order, {@link #FETCH_BYTES} at a time. */
    private void read(int maxLength, ValueConsumer rows) throws SQLException {
        connection.setAutoCommit(false); // otherwise the driver reads all rows first
        try (PreparedStatement select =
                connection.prepareStatement("SELECT id, data FROM " + quoted(name) + " ORDER BY id")) {
            select.unwrap(PGStatement.class).setPrepareThreshold(BINARY);
            select.setFetchSize(Math.max(1, Math.min(1_000, FETCH_BYTES / Math.max(1, maxLength))));
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

    /** Reads all rows. The checksum is computed here, because servers have a function for it only since version 18. */
    @Override
    public void forEachRow(RowConsumer consumer) throws SQLException {
        int maxLength = Integer.parseInt(text("SELECT coalesce(max(length(data)), 0) FROM " + quoted(name)));
        CRC32 crc = new CRC32();
        read(maxLength, (key, value) -> {
            crc.reset();
            crc.update(value);
            consumer.accept(key, crc.getValue());
        });
    }

    /**
     * Bytes of all files: rows, TOAST table, their maps, and the indexes of both. They grow by several pages at a time.
     */
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

    /** How many values are entirely in their rows, not in the TOAST table; empty if the server does not report that. */
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
            return OptionalLong.empty(); // only a superuser may read the TOAST table
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
