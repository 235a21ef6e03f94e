package dev.blobmark.lab.store;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.study.Levels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table of values by number: {@code id INT PRIMARY KEY, data}. Uses a connection of the caller's and is confined to its
 * thread.
 */
public class Table {

    /** Large enough that round trips do not matter; a server that takes smaller packets gets batches of half of one. */
    private static final int BATCH_BYTES = 4 << 20;

    private static final int BATCH_ROWS = 500;

    /** What a packet of so many rows takes beside their values, with room to spare. */
    private static final int PACKET_RESERVE_BYTES = 32 * BATCH_ROWS;

    /** MariaDB's flags of a tablespace: in format full_crc32 (bit 4) they hold the algorithm, before it but a bit. */
    private static final String MARIADB_PAGE_COMPRESSION = "CASE WHEN s.flag & 16"
            + " THEN ELT(1 + (s.flag >> 5 & 7), 'none', 'zlib', 'lz4', 'lzo', 'lzma', 'bzip2', 'snappy')"
            + " WHEN s.flag & 65536 THEN @@GLOBAL.innodb_compression_algorithm ELSE 'none' END";

    private static final Pattern MYSQL_PAGE_COMPRESSION = Pattern.compile("\\bCOMPRESSION=\"(\\w+)\"");

    private static final Pattern DISK_USAGE = Pattern.compile("(\\d+)\\s.*", Pattern.DOTALL);

    private static final String NO_HOLES =
            "the file system of the server's data does not give back what a page saves (no hole punching)";

    /**
     * Of values that shrink to a quarter in pages of 16 KB and blocks of 4 KB; fits a packet of 1 MiB. A file so short grows by
     * 1 MiB at a time, so that what it has not written yet is not taken for holes.
     */
    private static final int HOLE_PROBE_BYTES = 2_000_000;

    /** In a file of fewer, what is free in extents that are partly used is too much of it. */
    private static final long LEAST_TELLING_EXTENTS = 64;

    /** An extent of usual pages. */
    private static final int MIB = 1 << 20;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MOST_LOOKS = 1_500;

    final Connection connection;
    final String schema;
    final String name;
    final Layout layout;
    private final Column column;

    private ServerIdentity server;
    private String comment = "";

    public Table(Connection connection, String schema, String name, Layout layout, Column column) {
        this.connection = connection;
        this.schema = schema;
        this.name = name;
        this.layout = layout;
        this.column = column;
    }

    /** A table for some values, as the levels of a trial have it. */
    public static Table of(Connection connection, String schema, String name, Levels levels, EncodedValues values)
            throws SQLException {
        Layout layout = Layout.FACTOR.of(levels);
        Column column = Column.FACTOR.of(levels);
        return layout.isClustered()
                ? new NdbTable(
                        connection, schema, name, layout, NdbTable.column(column, Inline.FACTOR.of(levels), values))
                : new Table(connection, schema, name, layout, column.fitted(values));
    }

    /** The statement that makes such a table. */
    public static String ddl(String schema, String name, Layout layout, Column column) {
        return "CREATE TABLE `" + schema + "`.`" + name + "` (id INT NOT NULL PRIMARY KEY, data " + column.type()
                + column.clause() + ") " + layout.options();
    }

    /** The statement that makes this one. */
    public String ddl() {
        return ddl(schema, name, layout, column);
    }

    /** The name of the column that {@link Column} is of. */
    String columnName() {
        return "data";
    }

    /** {@link #create(String)} without a comment. */
    public Map<String, String> create() throws SQLException {
        return create("");
    }

    /**
     * Makes the table and verifies that it is the one that was asked for.
     *
     * @param comment that says who made it: {@link #drop(Connection, String, String, String)} asks for it
     * @return what the server says of it
     * @throws UnavailableException if the server or its file system does not have what the table needs
     * @throws DowngradeException if the server warned, or made another table than asked for
     * @throws SQLException if the server refused, with its warnings
     */
    public Map<String, String> create(String comment) throws SQLException {
        this.comment = comment;
        ServerIdentity server = server();
        layout.lacking().apply(server).or(() -> column.lacking(server)).ifPresent(lack -> {
            throw new UnavailableException(lack);
        });
        if (layout.compressesPages()) {
            Table probe = new Table(connection, schema, name, layout, Column.MEDIUMBLOB);
            probe.comment = comment;
            probe.requireHoles();
        }
        make();
        Map<String, String> facts = facts();
        layout.downgrade(facts).or(() -> column.downgrade(facts)).ifPresent(difference -> {
            throw new DowngradeException(difference);
        });
        return facts;
    }

    private ServerIdentity server() throws SQLException {
        if (server == null) {
            server = ServerIdentity.read(connection);
        }
        return server;
    }

    private void make() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(ddl() + (comment.isEmpty() ? "" : " COMMENT='" + comment + "'"));
            } catch (SQLException e) {
                String words = e.getMessage()
                        + warnings(statement).map(more -> "; " + more).orElse("");
                requireHoles(words);
                // its message alone is often but "doesn't have this option"
                throw new SQLException(words, e.getSQLState(), e.getErrorCode(), e);
            }
            warnings(statement).ifPresent(words -> {
                requireHoles(words);
                throw new DowngradeException("the server warned about " + layout.options() + ": " + words);
            });
        }
    }

    static Optional<String> warnings(Statement statement) throws SQLException {
        StringJoiner warnings = new StringJoiner("; ");
        try (ResultSet row = statement.executeQuery("SHOW WARNINGS")) {
            while (row.next()) {
                warnings.add(row.getString(1) + " " + row.getInt(2) + ": " + row.getString(3));
            }
        }
        return Optional.of(warnings.toString()).filter(words -> !words.isEmpty());
    }

    /** MySQL says so itself, with error 4029. */
    private static void requireHoles(String words) {
        if (words.contains("Punch hole not supported")) {
            throw new UnavailableException(NO_HOLES + ": " + words);
        }
    }

    /** MariaDB keeps quiet, and writes every compressed page in the length of a whole one: the table is tried, and dropped. */
    private void requireHoles() throws SQLException {
        try {
            make();
            try (Statement statement = connection.createStatement()) {
                for (int i = 0; i < 4; i++) {
                    statement.execute("INSERT INTO `" + schema + "`.`" + name + "` VALUES (" + i + ", REPEAT('x', "
                            + HOLE_PROBE_BYTES / 4 + "))");
                }
            }
            long bytes = flushedDisk(Optional.empty()).allocatedBytes().getAsLong();
            long saved = Long.parseLong(space("file_size")) - bytes;
            if (saved < HOLE_PROBE_BYTES / 2) {
                throw new UnavailableException(
                        NO_HOLES + ": of " + HOLE_PROBE_BYTES + " equal bytes page compression saved " + saved
                                + " there; have the server's data on one that does, such as ext4 or XFS");
            }
        } finally {
            drop();
        }
    }

    /**
     * What the server says of the table: engine, row_format, create_options, zip_page_size (bytes, 0 where not compressed),
     * space_type ({@code Single}: a file of its own), page_compression (the algorithm, or {@code none}), column_type and
     * character_set_name of the values.
     */
    public Map<String, String> facts() throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        query(
                "SELECT engine, row_format, create_options FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                List.of(schema, name),
                facts);
        if (facts.isEmpty()) {
            return facts;
        }
        query(
                "SELECT column_type, character_set_name FROM information_schema.columns"
                        + " WHERE table_schema = ? AND table_name = ? AND column_name = ?",
                List.of(schema, name, columnName()),
                facts);
        // mediumblob /*M!100301 COMPRESSED*/
        facts.computeIfPresent("column_type", (fact, type) -> type.replaceAll("/\\*M?!\\d+ (.*)\\*/", "$1"));
        query(
                isMariaDb()
                        ? "SELECT t.zip_page_size, t.space_type, " + MARIADB_PAGE_COMPRESSION + " AS page_compression"
                                + " FROM information_schema.innodb_sys_tables t"
                                + " LEFT JOIN information_schema.innodb_sys_tablespaces s USING (space) WHERE t.name = ?"
                        : "SELECT zip_page_size, space_type FROM information_schema.innodb_tables WHERE name = ?",
                List.of(schema + "/" + name),
                facts);
        Matcher compression = MYSQL_PAGE_COMPRESSION.matcher(facts.get("create_options"));
        facts.putIfAbsent("page_compression", compression.find() ? compression.group(1) : "none");
        return facts;
    }

    private boolean isMariaDb() throws SQLException {
        return server().product().equals("MariaDB");
    }

    /** Adds the columns of one row to the facts. */
    final void query(String sql, List<String> parameters, Map<String, String> facts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        facts.put(
                                row.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT),
                                String.valueOf(row.getString(i)));
                    }
                }
            }
        }
    }

    /** The longest stored value, in bytes, that a table is loaded with by packets of so many bytes. */
    public static long longestIn(long packetBytes) {
        return packetBytes - PACKET_RESERVE_BYTES;
    }

    /** {@link #load(EncodedValues, int, LongConsumer)} with all values. */
    public void load(EncodedValues values, LongConsumer loaded) throws SQLException {
        load(values, values.count(), loaded);
    }

    /**
     * Inserts the first values in the order of their numbers, in batches, one transaction each.
     *
     * @param count how many
     * @param loaded is told the stored bytes loaded since its last call
     * @throws SQLDataException if the column or a packet cannot hold them, before any is loaded
     */
    public void load(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        column.requireHolds(values);
        long packetBytes = longestIn(Long.parseLong(server().variables().get("max_allowed_packet")));
        if (values.maxStoredLength() > packetBytes) {
            throw new SQLDataException(
                    "the longest stored value has " + values.maxStoredLength() + " bytes, more than the server's"
                            + " max_allowed_packet lets through; set it to "
                            + (values.maxStoredLength() + PACKET_RESERVE_BYTES) + " or more",
                    "22001");
        }
        long batchBytes = Math.min(BATCH_BYTES, packetBytes / 2);
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO `" + schema + "`.`" + name + "` (id, data) VALUES (?, ?)")) {
            int rows = 0;
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                int length = values.storedLength(i);
                // a longer value travels alone: the driver loses the connection over a bulk of short and very long ones
                if (rows == BATCH_ROWS || rows > 0 && bytes + length > batchBytes) {
                    insert(insert, loaded, bytes);
                    rows = 0;
                    bytes = 0;
                }
                insert.setInt(1, i);
                insert.setBytes(2, values.stored(i));
                insert.addBatch();
                rows++;
                bytes += length;
            }
            if (rows > 0) {
                insert(insert, loaded, bytes);
            }
        } catch (SQLException e) {
            try {
                connection.setAutoCommit(true);
            } catch (SQLException lost) {
                e.addSuppressed(lost);
            }
            throw e;
        }
        connection.setAutoCommit(true);
    }

    private void insert(PreparedStatement batch, LongConsumer loaded, long bytes) throws SQLException {
        batch.executeBatch();
        connection.commit();
        loaded.accept(bytes);
    }

    /**
     * Reads every row back and compares it byte for byte.
     *
     * @throws WrongValueException if a row is missing, surplus or differs
     */
    public void readBack(EncodedValues values) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT data FROM `" + schema + "`.`" + name + "` WHERE id = ?")) {
            for (int i = 0; i < values.count(); i++) {
                select.setInt(1, i);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        throw new WrongValueException(
                                "row " + i + " of " + schema + "." + name + " is missing after loading");
                    }
                    if (!Arrays.equals(row.getBytes(1), values.stored(i))) {
                        throw new WrongValueException(
                                "row " + i + " of " + schema + "." + name + " differs from what was loaded");
                    }
                }
            }
        }
        requireCount(values.count());
    }

    /** @throws WrongValueException if there are more rows, or fewer */
    final void requireCount(int expected) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM `" + schema + "`.`" + name + "`")) {
            row.next();
            if (row.getInt(1) != expected) {
                throw new WrongValueException(
                        schema + "." + name + " has " + row.getInt(1) + " rows after loading " + expected);
            }
        }
    }

    /**
     * Writes all changed pages of the table out, and looks at its file once that does not change any more. The allocated bytes are the
     * server's own figure, of what its file system says of the file.
     *
     * @param dataDirectory the server's, where its files can be read from here; otherwise only the server is asked
     */
    public DiskSpace flushedDisk(Optional<Path> dataDirectory) throws SQLException {
        ServerIdentity server = server(); // an SQL node tells of its cluster, but not under the lock
        int blockBytes = Integer.parseInt(facts().get("zip_page_size"));
        Tablespace file =
                Tablespace.of(dataDirectory.map(this::file).orElse(Path.of("")), Layout.pageBytes(server), blockBytes);
        try (Statement statement = connection.createStatement()) {
            statement.execute("FLUSH TABLES `" + schema + "`.`" + name + "` FOR EXPORT");
            try {
                long bytes = settledBytes();
                return new DiskSpace(
                        OptionalLong.of(bytes),
                        dataDirectory.isPresent() ? usedBytes(file) : toldUsedBytes(bytes, file.extentBytes()));
            } finally {
                statement.execute("UNLOCK TABLES");
            }
        }
    }

    private Path file(Path dataDirectory) {
        return dataDirectory.resolve(schema).resolve(name + ".ibd");
    }

    private long settledBytes() throws SQLException {
        long bytes = allocatedBytes();
        for (int i = 0; i < MOST_LOOKS; i++) {
            LockSupport.parkNanos(LOOK_NANOS);
            long before = bytes;
            bytes = allocatedBytes();
            if (bytes == before) {
                return bytes;
            }
        }
        throw new SQLException("the file of " + schema + "." + name + " is still changing "
                + TimeUnit.NANOSECONDS.toSeconds(MOST_LOOKS * LOOK_NANOS) + " s after it was flushed");
    }

    /** Empty where the file cannot be read, or is not what it should be. */
    private OptionalLong usedBytes(Tablespace file) {
        try {
            return OptionalLong.of(file.usedBytes(layout.compressesPages()));
        } catch (IOException unreadable) {
            return OptionalLong.empty();
        }
    }

    /**
     * The allocated bytes without free extents, of a table that has many: a server tells no more. Of its free extents it keeps back two and
     * a percent of all, which it does not tell as free ({@code fsp_get_available_space_in_free_extents}). Empty for page
     * compression, since servers differ in whether what is free is allocated.
     */
    private OptionalLong toldUsedBytes(long allocatedBytes, int extentBytes) throws SQLException {
        if (layout.compressesPages() || allocatedBytes < LEAST_TELLING_EXTENTS * Math.max(MIB, extentBytes)) {
            return OptionalLong.empty();
        }
        if (!isMariaDb()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "SET SESSION information_schema_stats_expiry = 0"); // a figure may be a day old otherwise
            }
        }
        Map<String, String> facts = new LinkedHashMap<>();
        query(
                "SELECT data_free FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                List.of(schema, name),
                facts);
        long free = Long.parseLong(facts.get("data_free"));
        return OptionalLong.of(
                allocatedBytes - free - (free == 0 ? 0 : (2 + allocatedBytes / extentBytes / 100) * extentBytes));
    }

    private long allocatedBytes() throws SQLException {
        return Long.parseLong(space("allocated_size"));
    }

    /** A figure of the tablespace. */
    private String space(String column) throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        query(
                "SELECT " + column + " FROM information_schema.innodb_" + (isMariaDb() ? "sys_" : "")
                        + "tablespaces WHERE name = ?",
                List.of(schema + "/" + name),
                facts);
        if (facts.isEmpty()) {
            throw new SQLException(schema + "." + name + " has no file of its own");
        }
        return facts.get(column);
    }

    /** Whether it is a file of the server, so that {@link #flushedDisk} can tell its bytes. */
    public boolean isOnDisk() {
        return true;
    }

    /** Bytes of memory that it takes for good; empty where it is a matter of the buffer pool. */
    public OptionalLong memoryBytes() throws SQLException {
        return OptionalLong.empty();
    }

    /** Those of the values loaded of which all bytes lie in the row; empty where that is not known. */
    public OptionalLong inRow(EncodedValues values) throws SQLException {
        OptionalInt longest = column.isCompressed() ? OptionalInt.empty() : layout.longestInRow(server());
        return longest.isPresent() ? OptionalLong.of(values.countWithin(longest.getAsInt())) : OptionalLong.empty();
    }

    /** Where the rest of the others lies; empty where there is no such table. */
    public Optional<PartsTable> parts() throws SQLException {
        return Optional.empty();
    }

    /**
     * How the operating system contradicts what the server said of the table's file; empty where they agree.
     *
     * @param diskBytes allocated, as from {@link #flushedDisk}
     * @param dataDirectory the server's, on this machine
     */
    public Optional<String> contradiction(long diskBytes, Path dataDirectory) {
        Path file = file(dataDirectory);
        String said = diskUsage(file);
        Matcher blocks = DISK_USAGE.matcher(said);
        if (!blocks.matches()) {
            return Optional.of("the allocated bytes of " + file.getFileName() + " could not be checked: " + said);
        }
        long fileBytes = Long.parseLong(blocks.group(1)) << 10;
        return Math.abs(fileBytes - diskBytes) < 1 << 10
                ? Optional.empty()
                : Optional.of("the server says that " + diskBytes + " bytes are allocated for " + file.getFileName()
                        + ", the operating system " + fileBytes);
    }

    /** Java does not tell blocks; POSIX has this command, which counts in units of 1024 bytes. */
    private static String diskUsage(Path file) {
        try {
            Process du = Subprocess.of("du", "-k", file.toString())
                    .redirectErrorStream(true)
                    .start();
            return new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /**
     * How often this server has compressed a block of the size of the table's, in all its tables, since it started; empty where
     * the table has no compressed blocks.
     */
    public Optional<BlockCompression> compression() throws SQLException {
        int blockBytes = Integer.parseInt(layout.expected().getOrDefault("zip_page_size", "0"));
        if (blockBytes == 0) {
            return Optional.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT compress_ops, compress_ops_ok, compress_time"
                        + " FROM information_schema.innodb_cmp WHERE page_size = " + blockBytes)) {
            return row.next()
                    ? Optional.of(new BlockCompression(blockBytes, row.getLong(1), row.getLong(2), row.getLong(3)))
                    : Optional.empty();
        }
    }

    /** Drops it if it has the comment that it was made with. */
    public void drop() throws SQLException {
        drop(connection, schema, name, comment);
    }

    /**
     * Drops a table if it has the comment that it was made with. One of that name that somebody else made stays; nothing happens
     * if there is none.
     */
    public static void drop(Connection connection, String schema, String name, String comment) throws SQLException {
        boolean isOurs = false;
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?")) {
            select.setString(1, schema);
            select.setString(2, name);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    isOurs |= comment.equals(row.getString(1));
                }
            }
        }
        if (isOurs) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS `" + schema + "`.`" + name + "`");
            }
        }
    }
}
