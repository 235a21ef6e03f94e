package dev.blobmark.lab.store;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table of numbered values in MySQL or MariaDB: {@code id INT PRIMARY KEY, data}. */
public class MySqlTable implements Store {

    /** Large enough that round trips do not matter. If the server only accepts less, a batch is half a packet. */
    private static final int BATCH_BYTES = 4 << 20;

    private static final int BATCH_ROWS = 500;

    private static final int FETCH_ROWS = 1_000;

    /** More than a packet of this many rows takes in addition to the values. */
    private static final int PACKET_RESERVE_BYTES = 32 * BATCH_ROWS;

    /** The name of a table that exists while pages are timed. */
    private static final String PAGE_TIMES = "page_times";

    /** From a tablespace's flags in MariaDB: with full_crc32 (bit 4) they contain the algorithm, otherwise a bit. */
    private static final String MARIADB_PAGE_COMPRESSION = "CASE WHEN s.flag & 16"
            + " THEN ELT(1 + (s.flag >> 5 & 7), 'none', 'zlib', 'lz4', 'lzo', 'lzma', 'bzip2', 'snappy')"
            + " WHEN s.flag & 65536 THEN @@GLOBAL.innodb_compression_algorithm ELSE 'none' END";

    private static final Pattern MYSQL_PAGE_COMPRESSION = Pattern.compile("\\bCOMPRESSION=\"(\\w+)\"");

    /** Of a character set or a collation (MySQL 9.7.4 of utf8mb3): what is asked for is made. */
    private static final Set<Integer> DEPRECATIONS = Set.of(1287, 3719, 3778);

    final Connection connection;
    final String schema;
    final String name;
    final Layout layout;
    final MySqlDialect dialect;
    private final Column column;

    private ServerIdentity server;
    private String comment = "";
    private Optional<BlockCompression> compressionBefore = Optional.empty();

    public MySqlTable(Connection connection, String schema, String name, Layout layout, Column column) {
        this.connection = connection;
        this.schema = schema;
        this.name = name;
        this.layout = layout;
        this.column = column;
        dialect = new MySqlDialect(schema, layout.isClustered());
    }

    /** Sets the table comment that names the owner, which {@link #drop(Connection, String, String, String)} checks. */
    public MySqlTable marked(String owner) {
        comment = owner;
        return this;
    }

    /** The table for these values, or the set for these keys, by the levels of a trial. */
    public static MySqlTable of(Connection connection, String schema, String name, Design design, EncodedValues values)
            throws SQLException {
        Layout layout = design.get(Layout.FACTOR);
        if (LoadOrder.isOfSet(design)) {
            return new KeyTable(connection, schema, name, layout, values, design.get(LoadOrder.FACTOR));
        }
        Column column = design.get(Column.FACTOR);
        return layout.isClustered()
                ? new NdbTable(
                        connection, schema, name, layout, NdbTable.column(column, design.get(Inline.FACTOR), values))
                : new MySqlTable(connection, schema, name, layout, column.fitted(values));
    }

    /** The statement that creates such a table. */
    public static String ddl(String schema, String name, Layout layout, Column column) {
        return "CREATE TABLE `" + schema + "`.`" + name + "` (" + layout.key() + ", data " + column.type()
                + column.clause() + ") " + layout.options();
    }

    @Override
    public String ddl() {
        return ddl(schema, name, layout, column);
    }

    @Override
    public String shownName() {
        return name;
    }

    /** The name of the column whose type is {@link Column}. */
    String columnName() {
        return "data";
    }

    /** @throws SQLException if the server refuses; the message includes its warnings */
    @Override
    public SortedMap<String, String> create() throws SQLException {
        Optional<String> reason = layout.unsupported().apply(server()).or(() -> column.unsupported(server));
        if (reason.isPresent()) {
            throw new UnavailableException(reason.get());
        }
        if (layout.compressesPages()) {
            HolePunching.require(new MySqlTable(connection, schema, name, layout, Column.MEDIUMBLOB).marked(comment));
        }
        createUnverified();
        SortedMap<String, String> facts = new TreeMap<>(facts());
        boolean isMariaDb = TableFile.isMariaDb(server());
        layout.downgrade(facts).or(() -> column.downgrade(facts, isMariaDb)).ifPresent(difference -> {
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

    /** Creates the table without verifying it. */
    void createUnverified() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(ddl() + (comment.isEmpty() ? "" : " COMMENT='" + comment + "'"));
            } catch (SQLException e) {
                String message = e.getMessage()
                        + warnings(statement).map(warnings -> "; " + warnings).orElse("");
                HolePunching.throwIfReported(message);
                // the message alone is often only "doesn't have this option"
                throw new SQLException(message, e.getSQLState(), e.getErrorCode(), e);
            }
            Optional<String> warned = warnings(statement);
            if (warned.isPresent()) {
                HolePunching.throwIfReported(warned.get());
                throw new DowngradeException("the server warned about " + layout.options() + ": " + warned.get());
            }
        }
    }

    static Optional<String> warnings(Statement statement) throws SQLException {
        StringJoiner warnings = new StringJoiner("; ");
        try (ResultSet row = statement.executeQuery("SHOW WARNINGS")) {
            while (row.next()) {
                if (DEPRECATIONS.contains(row.getInt(2))) {
                    continue;
                }
                warnings.add(row.getString(1) + " " + row.getInt(2) + ": " + row.getString(3));
            }
        }
        return Optional.of(warnings.toString()).filter(text -> !text.isEmpty());
    }

    /**
     * What the server reports of the table: engine, row_format, create_options, zip_page_size (bytes, 0 if not
     * compressed), space_type ({@code Single}: a file per table), page_compression (the algorithm, or {@code none}),
     * and of the values column_type and character_set_name; for text and JSON also collation_name, and MariaDB's
     * check_clause.
     */
    public Map<String, String> facts() throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT engine, row_format, create_options FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                name);
        if (facts.isEmpty()) {
            return facts;
        }
        facts.putAll(columnFacts());
        // MariaDB reports mediumblob /*M!100301 COMPRESSED*/
        facts.computeIfPresent("column_type", (fact, type) -> type.replaceAll("/\\*M?!\\d+ (.*)\\*/", "$1"));
        facts.putAll(Sql.row(
                connection,
                TableFile.isMariaDb(server())
                        ? "SELECT t.zip_page_size, t.space_type, " + MARIADB_PAGE_COMPRESSION + " AS page_compression"
                                + " FROM information_schema.innodb_sys_tables t"
                                + " LEFT JOIN information_schema.innodb_sys_tablespaces s USING (space) WHERE t.name = ?"
                        : "SELECT zip_page_size, space_type FROM information_schema.innodb_tables WHERE name = ?",
                schema + "/" + name));
        Matcher compression = MYSQL_PAGE_COMPRESSION.matcher(facts.get("create_options"));
        facts.putIfAbsent("page_compression", compression.find() ? compression.group(1) : "none");
        return facts;
    }

    final Map<String, String> columnFacts() throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT column_type, character_set_name" + (column.content().isPlain() ? ", collation_name" : "")
                        + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?",
                schema,
                name,
                columnName());
        if (column.content() == ColumnContent.JSON && TableFile.isMariaDb(server())) {
            facts.putAll(Sql.row(
                    connection,
                    "SELECT check_clause FROM information_schema.check_constraints"
                            + " WHERE constraint_schema = ? AND table_name = ? AND constraint_name = ?",
                    schema,
                    name,
                    columnName()));
        }
        return facts;
    }

    /** The length in bytes of the longest value that can be loaded with this max_allowed_packet. */
    public static long longestIn(long packetBytes) {
        return packetBytes - PACKET_RESERVE_BYTES;
    }

    @Override
    public final void load(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        compressionBefore = compression();
        connection.setAutoCommit(false);
        try {
            insertAll(values, count, loaded);
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

    /**
     * Inserts the first values in the order of their numbers, in batches of one transaction each.
     *
     * @throws SQLDataException before any value is loaded, if one does not fit into the column or a packet
     */
    void insertAll(EncodedValues values, int count, LongConsumer loaded) throws SQLException {
        column.requireHolds(values);
        long packetBytes = longestIn(Long.parseLong(server().variables().get("max_allowed_packet")));
        if (values.maxStoredLength() > packetBytes) {
            throw new SQLDataException(
                    "the longest stored value has " + values.maxStoredLength() + " bytes, more than the server's"
                            + " max_allowed_packet allows; set it to "
                            + (values.maxStoredLength() + PACKET_RESERVE_BYTES) + " or more",
                    "22001");
        }
        long batchBytes = Math.min(BATCH_BYTES, packetBytes / 2);
        try (PreparedStatement insert = connection.prepareStatement(
                dialect.insert(name, column.content().placeholder()))) {
            int rows = 0;
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                int length = values.storedLength(i);
                // a longer value is sent alone: with a bulk of short and very long values, the driver loses the
                // connection
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
        }
    }

    private void insert(PreparedStatement batch, LongConsumer loaded, long bytes) throws SQLException {
        batch.executeBatch();
        connection.commit();
        loaded.accept(bytes);
    }

    /** Compares every row: byte for byte, or as {@link ColumnContent#isSame} does. */
    @Override
    public void readBack(EncodedValues values) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(dialect.select(name, Decode.APPLICATION))) {
            for (int i = 0; i < values.count(); i++) {
                select.setInt(1, i);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        throw new WrongValueException(
                                "row " + i + " of " + schema + "." + name + " is missing after loading");
                    }
                    if (!column.content().isSame(column.content().bytes(row), values.stored(i))) {
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
                ResultSet row = statement.executeQuery(dialect.count(name))) {
            row.next();
            if (row.getInt(1) != expected) {
                throw new WrongValueException(
                        schema + "." + name + " has " + row.getInt(1) + " rows after loading " + expected);
            }
        }
    }

    @Override
    public void forEachRow(RowConsumer consumer) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(FETCH_ROWS);
            try (ResultSet row = statement.executeQuery("SELECT id, CRC32(data) FROM " + dialect.quoted(name))) {
                while (row.next()) {
                    consumer.accept(row.getInt(1), row.getLong(2));
                }
            }
        }
    }

    final TableFile file() throws SQLException {
        return new TableFile(connection, server(), schema, name, layout.compressesPages());
    }

    @Override
    public DiskSpace disk(Optional<Path> dataDirectory) throws SQLException {
        TableFile file = file(); // reads the server's identity, which an SQL node refuses while the table is locked
        return file.flushed(Integer.parseInt(facts().get("zip_page_size")), dataDirectory);
    }

    @Override
    public Optional<String> contradiction(long diskBytes, Path dataDirectory) throws SQLException {
        return file().contradiction(diskBytes, dataDirectory);
    }

    @Override
    public Optional<PageTimes> pageTimes() throws SQLException {
        return PageTiming.of(this, new MySqlTable(connection, schema, PAGE_TIMES, layout, column).marked(comment));
    }

    @Override
    public Placement placement(EncodedValues values) throws SQLException {
        return new Placement(
                compression().map(now -> now.since(compressionBefore.orElseThrow())),
                memoryBytes(),
                inRow(values),
                parts());
    }

    /** Bytes of memory that the table takes permanently; empty if that depends on the buffer pool. */
    OptionalLong memoryBytes() throws SQLException {
        return OptionalLong.empty();
    }

    /** How many values are stored entirely in their rows; empty if unknown. */
    OptionalLong inRow(EncodedValues values) throws SQLException {
        OptionalInt longest = column.isStoredAsGiven(TableFile.isMariaDb(server()))
                ? layout.longestInRow(server())
                : OptionalInt.empty();
        return longest.isPresent() ? OptionalLong.of(values.countWithin(longest.getAsInt())) : OptionalLong.empty();
    }

    /** The table that holds the rest of the other values; empty if there is none. */
    Optional<PartsTable> parts() throws SQLException {
        return Optional.empty();
    }

    /**
     * How often the server has compressed pages into blocks of this table's size since it started, in all tables. Empty
     * if the table has no compressed blocks.
     */
    Optional<BlockCompression> compression() throws SQLException {
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

    @Override
    public void drop() throws SQLException {
        drop(connection, schema, name, comment);
    }

    /**
     * Drops a table if it exists and has this comment. A table of the same name with another comment is kept: someone
     * else created it.
     */
    public static void drop(Connection connection, String schema, String name, String comment) throws SQLException {
        Map<String, String> table = Sql.row(
                connection,
                "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                schema,
                name);
        if (comment.equals(table.get("table_comment"))) {
            Sql.execute(connection, "DROP TABLE IF EXISTS " + new MySqlDialect(schema, false).quoted(name));
        }
    }
}
