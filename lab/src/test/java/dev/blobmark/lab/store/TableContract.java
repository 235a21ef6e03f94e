package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** What every server must do with every layout and column that it has, and say of those that it has not. */
abstract class TableContract {

    private static final String SCHEMA = "table_test";
    private static final Layout DYNAMIC = Layout.FACTOR.parse("dynamic");
    private static final Values FEW = Datasets.parse("sites").values(4_096, 1, 1_000);
    private static final Values MANY = Datasets.parse("sites").values(4_096, 1, 20_000);
    static final List<Layout> LAYOUTS = Layout.ALL;
    static final List<Column> COLUMNS = Stream.of(
                    "mediumblob",
                    "mediumblob-compressed",
                    "blob",
                    "blob-compressed",
                    "longblob",
                    "longblob-compressed",
                    "varbinary(1)",
                    "varbinary(65529)",
                    "varbinary:fit",
                    "char(1)",
                    "char(255)")
            .map(Column.FACTOR::parse)
            .toList();

    /** What takes long to encode, for all tests. */
    @TempDir
    private static Path large;

    final Endpoint endpoint;
    private final boolean isMariaDb;

    @TempDir
    private Path directory;

    Connection connection;

    TableContract(Endpoint endpoint, boolean isMariaDb) {
        this.endpoint = endpoint;
        this.isMariaDb = isMariaDb;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(endpoint, "");
        sql("CREATE DATABASE " + SCHEMA);
    }

    @AfterEach
    void drop() throws SQLException {
        sql("DROP DATABASE " + SCHEMA);
        connection.close();
    }

    void sql(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    MySqlTable table(Layout layout) {
        return new MySqlTable(connection, SCHEMA, "t", layout, Column.MEDIUMBLOB);
    }

    private EncodedValues encoded(ListedValues values) throws Exception {
        return EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
    }

    static Layout layout(String options, String rowFormat, String pageSize, String spaceType) {
        return new Layout(
                "odd",
                "a layout of the test's",
                options,
                Map.of("engine", "InnoDB", "row_format", rowFormat, "zip_page_size", pageSize, "space_type", spaceType),
                Map.of(),
                server -> Optional.empty());
    }

    /** What the servers of these tests do not have. */
    private Optional<String> missing(Layout layout) {
        return switch (layout.id()) {
            case "page:lz4" ->
                isMariaDb ? Optional.of("start it with innodb_compression_algorithm=lz4") : Optional.empty();
            case "page:lzo", "page:lzma", "page:bzip2", "page:snappy" ->
                Optional.of(isMariaDb ? "innodb_compression_algorithm is zlib" : "by zlib or lz4 only");
            case "ndb", "ndb:auto-increment" -> Optional.of("without a cluster; start one with --server ndb:DIR");
            default -> Optional.empty();
        };
    }

    @ParameterizedTest
    @FieldSource("LAYOUTS")
    void isMadeLoadedReadBackMeasuredAndDropped(Layout layout) throws Exception {
        MySqlTable table = table(layout);
        if (missing(layout).isPresent()) {
            assertThatThrownBy(table::create)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining(missing(layout).get());
            assertThat(table.facts()).isEmpty();
            return;
        }
        EncodedValues values = encoded(ListedValues.random(300, 40_000));
        AtomicLong loaded = new AtomicLong();

        assertThat(table.create())
                .containsAllEntriesOf(Map.of("engine", layout.expected().get("engine")))
                .containsEntry("zip_page_size", layout.expected().get("zip_page_size"))
                .containsEntry("page_compression", layout.expected().get("page_compression"))
                .containsEntry("column_type", "mediumblob");
        Optional<BlockCompression> before = table.compression();
        table.load(values, loaded::addAndGet);
        Path dataDirectory = Path.of(value("SELECT @@datadir"));
        DiskSpace disk = table.disk(Optional.of(dataDirectory));
        long diskBytes = disk.allocatedBytes().getAsLong();
        table.readBack(values);

        assertThat(loaded).hasValue(values.storedBytes());
        // half of each value is zero bytes, which a compressed table saves
        if (layout.isCompressed()) {
            assertThat(diskBytes).isBetween(values.storedBytes() / 2, values.storedBytes());
        } else {
            assertThat(diskBytes).isBetween(values.storedBytes(), 9 * values.storedBytes() / 4);
        }
        assertThat(disk.usedBytes().orElseThrow())
                .isBetween(values.storedBytes() / (layout.isCompressed() ? 2 : 1), diskBytes);
        assertThat(table.contradiction(diskBytes, dataDirectory)).isEmpty();
        assertThat(table.contradiction(diskBytes + 4096, dataDirectory).orElseThrow())
                .contains(
                        "the server says that " + (diskBytes + 4096) + " bytes are allocated for t.ibd",
                        "" + diskBytes);
        assertThat(before.isPresent()).isEqualTo(layout.hasCompressedBlocks());
        if (layout.hasCompressedBlocks()) {
            BlockCompression compression = table.compression().orElseThrow().since(before.get());
            // of blocks as long as a page the one leaf of this table fills none
            assertThat(compression.operations() > 0).isEqualTo(compression.blockBytes() < 16 << 10);
            assertThat("" + compression.blockBytes())
                    .isEqualTo(layout.expected().get("zip_page_size"));
        }
        assertThat(connection.getAutoCommit()).isTrue();

        table.drop();
        assertThat(table.facts()).isEmpty();
        table.drop();
    }

    @ParameterizedTest
    @FieldSource("LAYOUTS")
    void holdsValuesOfAnyBytesAndLength(Layout layout) throws Exception {
        assumeTrue(missing(layout).isEmpty(), () -> missing(layout).get());
        byte[] every = new byte[256 * 16];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        EncodedValues values = encoded(ListedValues.of(
                new byte[0],
                new byte[1],
                "'\\\"\0\n\u001a%_".getBytes(StandardCharsets.ISO_8859_1),
                every,
                new byte[(1 << 24) - 1]));
        MySqlTable table = table(layout);

        table.create();
        table.load(values, bytes -> {});
        table.readBack(values);
    }

    @ParameterizedTest
    @FieldSource("COLUMNS")
    void aColumnHoldsWhatItSaysAndRefusesMoreBeforeAnythingIsLoaded(Column column) throws Exception {
        int longest = Math.min(column.maxBytes(), 20 << 20);
        byte[] value = new byte[longest];
        new SplittableRandom(42).nextBytes(value);
        if (column.id().startsWith("char")) {
            Arrays.fill(value, (byte) '~');
        }
        EncodedValues values = encoded(ListedValues.of(value, new byte[0], Arrays.copyOf(value, 1)));
        Column fitted = column.fitted(values);
        MySqlTable table = new MySqlTable(connection, SCHEMA, "t", DYNAMIC, fitted);
        if (column.isCompressed() && !isMariaDb) {
            assertThatThrownBy(table::create)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageStartingWith("only MariaDB has compressed columns; this is MySQL 9.");
            return;
        }

        assertThat(table.create()).containsAllEntriesOf(fitted.expected()).containsKey("column_type");
        table.load(values, bytes -> {});
        table.readBack(values);

        if (longest == column.maxBytes()) {
            EncodedValues more = encoded(ListedValues.of(new byte[0], Arrays.copyOf(value, longest + 1)));
            String message = "the longest stored value has " + (longest + 1) + " bytes, but column " + column.id()
                    + " holds at most " + longest;
            assertThatThrownBy(() -> column.fitted(more))
                    .isInstanceOf(SQLDataException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> table.load(more, bytes -> {})).isInstanceOf(SQLDataException.class);
            table.readBack(values);
        }
    }

    /** Of pages of 16 KB. */
    static final List<Arguments> LONGEST_IN_ROW = List.of(
            Arguments.of("dynamic", "mediumblob", 8101),
            Arguments.of("dynamic", "longblob", 8101),
            Arguments.of("dynamic", "varbinary:fit", 8101),
            Arguments.of("compact", "mediumblob", 8101),
            Arguments.of("redundant", "mediumblob", 8091),
            Arguments.of("page:zlib", "mediumblob", 8101));

    @ParameterizedTest
    @FieldSource("LONGEST_IN_ROW")
    void countsTheValuesThatLieInTheirRow(String layout, String column, int longest) throws Exception {
        assertLongestInRow(connection, Layout.FACTOR.parse(layout), Column.FACTOR.parse(column), longest);
    }

    @ParameterizedTest
    @CsvSource({"4, 1957, 1947, 1947", "64, 16359, 16352, 16351"})
    void countsThemInPagesOfAnotherSize(int pageKb, int longest, int redundantOnMySql, int redundantOnMariaDb)
            throws Exception {
        Map<String, String> pages = Map.of("innodb_page_size", pageKb + "K");
        try (OwnServer other = open(ServerOptions.of(64 << 20).with(pages));
                Connection there = JdbcDriver.connectForLoading(other.endpoint(), "")) {
            try (Statement statement = there.createStatement()) {
                statement.execute("CREATE DATABASE " + SCHEMA);
            }
            assertLongestInRow(there, DYNAMIC, Column.MEDIUMBLOB, longest);
            assertLongestInRow(there, Layout.FACTOR.parse("compact"), Column.MEDIUMBLOB, longest);
            assertLongestInRow(
                    there,
                    Layout.FACTOR.parse("redundant"),
                    Column.MEDIUMBLOB,
                    isMariaDb ? redundantOnMariaDb : redundantOnMySql);
        }
    }

    @Test
    void aServerThatMeasuresItsReadsIsAskedHowLongAPageTakes() throws Exception {
        Layout compressed = Layout.FACTOR.parse("compressed:4");
        EncodedValues values = encoded(ListedValues.random(20_000, 8));
        try (OwnServer other = open(ServerOptions.of(5 << 20).with(Map.of("performance_schema", "ON")));
                Connection there = JdbcDriver.connectForLoading(other.endpoint(), "")) {
            try (Statement statement = there.createStatement()) {
                statement.execute("CREATE DATABASE " + SCHEMA);
            }
            MySqlTable plain = new MySqlTable(there, SCHEMA, "plain", DYNAMIC, Column.MEDIUMBLOB);
            plain.create();
            assertThat(plain.pageTimes()).isEmpty();
            MySqlTable table = new MySqlTable(there, SCHEMA, "t", compressed, Column.MEDIUMBLOB);
            table.create();
            assertThatThrownBy(table::pageTimes)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage("the table has no rows");
            table.load(values, bytes -> {});

            PageTimes times = table.pageTimes().orElseThrow();

            // a second, except for the part in which it was full
            assertThat(times.pagesInflated() * times.inflateNanos()).isBetween(1e9, 1.1e9);
            assertThat(times.inflateErrorNanos()).isPositive().isLessThan(times.inflateNanos() / 10);
            assertThat(times.pagesRead()).isPositive();
            assertThat(times.readErrorNanos()).isPositive();
            assertThat(Sql.strings(there, "SHOW TABLES IN " + SCHEMA)).containsExactlyInAnyOrder("plain", "t");

            // the server does not count the inflating of values outside of their rows
            MySqlTable outside = new MySqlTable(there, SCHEMA, "outside", compressed, Column.MEDIUMBLOB);
            outside.create();
            outside.load(encoded(ListedValues.random(8, 20_000)), bytes -> {});
            assertThatThrownBy(outside::pageTimes)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageMatching("a second scan inflated only \\d+ pages, the first \\d+: .*");
        }
        MySqlTable unmeasured = table(compressed);
        unmeasured.create();
        assertThat(unmeasured.pageTimes()).isEmpty();
    }

    @Test
    void pagesAreNotTimedWhereATableCannotFillThePool() throws Exception {
        try (OwnServer other = open(ServerOptions.of(128 << 20).with(Map.of("performance_schema", "ON")));
                Connection there = JdbcDriver.connectForLoading(other.endpoint(), "")) {
            try (Statement statement = there.createStatement()) {
                statement.execute("CREATE DATABASE " + SCHEMA);
            }
            MySqlTable table =
                    new MySqlTable(there, SCHEMA, "t", Layout.FACTOR.parse("compressed:8"), Column.MEDIUMBLOB);
            table.create();

            assertThatThrownBy(table::pageTimes)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage("the buffer pool has 128 MiB, so that filling it takes long;"
                            + " set server.innodb_buffer_pool_size to 64M or less");
        }
    }

    /** A server like the one that is tested. */
    abstract OwnServer open(ServerOptions options);

    /** The server's own word for what lies outside of a row: the pages that it has in its pool, by their kind. */
    private void assertLongestInRow(Connection there, Layout layout, Column column, int longest) throws Exception {
        EncodedValues within = encoded(ListedValues.of(new byte[0], new byte[200], new byte[longest]));
        MySqlTable table = new MySqlTable(there, SCHEMA, "t", layout, column.fitted(within));
        table.create();
        table.load(within, bytes -> {});
        assertThat(pagesOutside(there)).isZero();
        assertThat(table.inRow(within)).hasValue(3);
        table.drop();

        EncodedValues beyond =
                encoded(ListedValues.of(new byte[longest], new byte[longest + 1], new byte[longest + 1]));
        table = new MySqlTable(there, SCHEMA, "t", layout, column.fitted(beyond));
        table.create();
        table.load(beyond, bytes -> {});
        assertThat(pagesOutside(there)).as("a page for each that is too long").isEqualTo(2);
        assertThat(table.inRow(beyond)).hasValue(1);
        table.drop();
    }

    private long pagesOutside(Connection there) throws SQLException {
        try (Statement statement = there.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM information_schema.innodb_buffer_page"
                        + " WHERE space = (SELECT space FROM information_schema.innodb_" + (isMariaDb ? "sys_" : "")
                        + "tables WHERE name = '" + SCHEMA + "/t')"
                        + " AND (page_type LIKE '%BLOB%' OR page_type LIKE 'LOB%')")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void whereCompressedValuesLieIsNotKnown() throws Exception {
        EncodedValues values = encoded(ListedValues.random(3, 100));

        assertThat(table(Layout.FACTOR.parse("compressed:8")).inRow(values)).isEmpty();
        assertThat(new MySqlTable(connection, SCHEMA, "t", DYNAMIC, Column.FACTOR.parse("mediumblob-compressed"))
                        .inRow(values))
                .isEmpty();
    }

    @Test
    void isMadeAndLoadedAgainUnderTheSameNameOnTheSameConnection() throws Exception {
        EncodedValues values = encoded(ListedValues.random(5, 1_000));
        MySqlTable table = table(DYNAMIC);
        for (int i = 0; i < 2; i++) {
            table.create();
            table.load(values, bytes -> {});
            table.readBack(values);
            table.drop();
        }
    }

    @Test
    void batchesFitThePacketsOfTheServer() throws Exception {
        String packetBytes = value("SELECT @@GLOBAL.max_allowed_packet");
        sql("SET GLOBAL max_allowed_packet=1048576");
        try (Connection small = JdbcDriver.connectForLoading(endpoint, "")) {
            MySqlTable table = new MySqlTable(small, SCHEMA, "t", DYNAMIC, Column.MEDIUMBLOB);
            EncodedValues values = encoded(ListedValues.random(100, 40_000));
            table.create();
            table.load(values, bytes -> {});
            table.readBack(values);

            assertThatThrownBy(() -> table.load(encoded(ListedValues.of(new byte[1 << 20])), bytes -> {}))
                    .isInstanceOf(SQLDataException.class)
                    .hasMessageContaining("1048576 bytes, more than the server's max_allowed_packet allows; set it to");
        } finally {
            sql("SET GLOBAL max_allowed_packet=" + packetBytes);
        }
    }

    @Test
    void whatTextWouldChangeIsRefused() throws Exception {
        Column text = Column.FACTOR.parse("char(8)");

        assertThatThrownBy(() -> text.fitted(encoded(ListedValues.of("a\u00e4".getBytes(StandardCharsets.UTF_8)))))
                .isInstanceOf(SQLDataException.class)
                .hasMessageContaining("value 0 is not ASCII; use varbinary:fit");
        assertThatThrownBy(() -> text.fitted(encoded(ListedValues.of("a".getBytes(), "ab ".getBytes()))))
                .isInstanceOf(SQLDataException.class)
                .hasMessageContaining("value 1 ends in one; use varbinary:fit");
    }

    @Test
    void anotherColumnThanAskedForIsADowngrade() throws Exception {
        sql("SET SESSION sql_mode=''");
        Column odd = new Column("odd", "VARBINARY(70000)", 70_000, Map.of("column_type", "varbinary(70000)"));

        assertThatThrownBy(() -> new MySqlTable(connection, SCHEMA, "t", DYNAMIC, odd).create())
                .isInstanceOf(DowngradeException.class)
                .hasMessageContaining("Converting column 'data' from VAR");

        table(DYNAMIC).drop();
        Column other = new Column("odd", "BLOB", 70_000, Map.of("column_type", "mediumblob"));
        assertThatThrownBy(() -> new MySqlTable(connection, SCHEMA, "t", DYNAMIC, other).create())
                .isInstanceOf(DowngradeException.class)
                .hasMessage("requested BLOB, but column_type is blob instead of mediumblob");
    }

    @Test
    void aRefusalCarriesTheServersWarnings() {
        assertThatThrownBy(() -> table(layout(
                                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=32", "Compressed", "0", "Single"))
                        .create())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Warning 1478: InnoDB: invalid KEY_BLOCK_SIZE = 32.");
    }

    /** Needs root, who may mount: of the file systems at hand one cannot punch holes. */
    @Test
    void aFileSystemWithoutHolesIsNoPlaceForCompressedPages() throws Exception {
        Layout zlib = Layout.FACTOR.parse("page:zlib");
        Path place = Files.createDirectories(OneServer.HOLELESS);
        Process mount = new ProcessBuilder("mount", "-t", "ramfs", "none", place.toString()).start();
        assumeTrue(mount.waitFor() == 0, "no file system without hole punching: mounting ramfs takes root");
        try {
            Layout there = new Layout(
                    zlib.id(),
                    zlib.description(),
                    zlib.options() + " DATA DIRECTORY='" + place + "'",
                    zlib.expected(),
                    Map.of(),
                    server -> Optional.empty());
            assertThatThrownBy(() -> table(there).create())
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("no hole punching");
            assertThat(table(zlib).facts()).isEmpty();
        } finally {
            new ProcessBuilder("umount", place.toString()).start().waitFor();
            Files.delete(place);
        }
    }

    @Test
    void aWarningOfTheServersIsADowngrade() throws Exception {
        sql("SET SESSION innodb_strict_mode=OFF");

        assertThatThrownBy(() -> table(layout(
                                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=32",
                                "Compressed",
                                "8192",
                                "Single"))
                        .create())
                .isInstanceOf(DowngradeException.class)
                .hasMessageContaining("the server warned about ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=32: ")
                .hasMessageContaining("InnoDB: ignoring KEY_BLOCK_SIZE=32");
    }

    @Test
    void anotherRowFormatOrBlockSizeThanAskedForIsADowngrade() {
        assertThatThrownBy(() -> table(layout("ENGINE=InnoDB ROW_FORMAT=COMPACT", "Dynamic", "0", "Single"))
                        .create())
                .isInstanceOf(DowngradeException.class)
                .hasMessage("requested ENGINE=InnoDB ROW_FORMAT=COMPACT, but row_format is Compact instead of Dynamic");
    }

    @Test
    void anotherBlockSizeThanAskedForIsADowngrade() {
        assertThatThrownBy(() -> table(layout(
                                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4", "Compressed", "8192", "Single"))
                        .create())
                .isInstanceOf(DowngradeException.class)
                .hasMessage("requested ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4, but zip_page_size is 4096"
                        + " instead of 8192");
    }

    @Test
    void aTableWithoutAFileOfItsOwnIsADowngrade() throws Exception {
        sql("SET GLOBAL innodb_file_per_table=OFF");
        sql("SET SESSION innodb_strict_mode=OFF");
        try {
            assertThatThrownBy(() -> table(DYNAMIC).create())
                    .isInstanceOf(DowngradeException.class)
                    .hasMessageEndingWith("but space_type is System instead of Single");
            table(DYNAMIC).drop();
            assertThatThrownBy(() -> table(Layout.FACTOR.parse("compressed:4")).create())
                    .isInstanceOf(DowngradeException.class)
                    .hasMessageContaining("requires innodb_file_per_table");
        } finally {
            sql("SET GLOBAL innodb_file_per_table=ON");
        }
    }

    @Test
    void anotherEngineIsADowngrade() throws Exception {
        sql("SET SESSION sql_mode=''");

        assertThatThrownBy(() -> table(layout("ENGINE=Unheard", "Dynamic", "0", "Single"))
                        .create())
                .isInstanceOf(DowngradeException.class)
                .hasMessageContaining("Unknown storage engine 'Unheard'");
    }

    @Test
    void whatTheServerRefusesItSaysItself() {
        assertThatThrownBy(() -> table(layout("ENGINE=InnoDB ROW_FORMAT=ODD", "Odd", "0", "Single"))
                        .create())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("SQL syntax");
    }

    @Test
    void aChangedByteAMissingRowAndASurplusOneAreFoundByReadingBack() throws Exception {
        EncodedValues values = encoded(ListedValues.random(600, 200));
        MySqlTable table = table(DYNAMIC);
        table.create();
        table.load(values, bytes -> {});

        sql("UPDATE " + SCHEMA
                + ".t SET data = INSERT(data, 100, 1, CHAR(ASCII(SUBSTR(data, 100, 1)) ^ 1)) WHERE id = 37");
        assertThatThrownBy(() -> table.readBack(values))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("row 37 of table_test.t differs from what was loaded");

        sql("DELETE FROM " + SCHEMA + ".t WHERE id = 37");
        assertThatThrownBy(() -> table.readBack(values))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("row 37 of table_test.t is missing after loading");

        sql("INSERT INTO " + SCHEMA + ".t SELECT 37, data FROM " + SCHEMA + ".t WHERE id = 1");
        sql("INSERT INTO " + SCHEMA + ".t VALUES (600, '')");
        assertThatThrownBy(() -> table.readBack(encoded(changed(ListedValues.random(600, 200)))))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("table_test.t has 601 rows after loading 600");
    }

    /** The values, with the second also in place 37. */
    private static ListedValues changed(ListedValues values) {
        byte[][] all = values.all().toArray(byte[][]::new);
        all[37] = Arrays.copyOf(all[1], all[1].length);
        return ListedValues.of(all);
    }

    @Test
    void diskBytesGrowWithTheValues() throws Exception {
        MySqlTable table = table(DYNAMIC);
        table.create();
        long empty = diskBytes(table);

        table.load(encoded(ListedValues.random(100, 100_000)), bytes -> {});

        assertThat(empty).isBetween(1L, 1L << 20);
        assertThat(diskBytes(table) - empty).isBetween(10_000_000L, 20_000_000L);
        sql("INSERT INTO " + SCHEMA + ".t VALUES (1000, '')"); // no lock is left
    }

    private static long diskBytes(MySqlTable table) throws SQLException {
        return table.disk(Optional.empty()).allocatedBytes().getAsLong();
    }

    /**
     * The steps in which files grow are large for a table of few rows, so the shares of allocated bytes vary more. One
     * test of all layouts, since the uncompressed tables are the same for each, and large.
     */
    @Test
    void theShareOfUsedPagesIsThatOfManyMoreRows() throws Exception {
        double few = usedBytes(DYNAMIC, "none", 1_000);
        double many = usedBytes(DYNAMIC, "none", 20_000);

        for (String id : List.of("dynamic", "compressed:8", "page:zlib")) {
            Layout layout = Layout.FACTOR.parse(id);
            double share = usedBytes(layout, "gzip:6", 1_000) / few;
            double shareOfMany = usedBytes(layout, "gzip:6", 20_000) / many;

            assertThat(share / shareOfMany).as(id).isBetween(0.95, 1.05);
        }
    }

    private long usedBytes(Layout layout, String codec, int rows) throws Exception {
        MySqlTable table = table(layout);
        table.create();
        table.load(sites(codec, rows), bytes -> {});
        DiskSpace disk = table.disk(Optional.of(Path.of(value("SELECT @@datadir"))));
        table.drop();
        return disk.usedBytes().orElseThrow();
    }

    private static EncodedValues sites(String codec, int rows) throws Exception {
        return EncodedValues.of(rows == 1_000 ? FEW : MANY, Codecs.parse(codec), large, bytes -> {});
    }

    @Test
    void aServerWhoseFilesCannotBeReadTellsWhatALargeTableUses() throws Exception {
        MySqlTable table = table(DYNAMIC);
        table.create();
        table.load(sites("none", 20_000), bytes -> {});

        DiskSpace told = table.disk(Optional.empty());
        long used = table.disk(Optional.of(Path.of(value("SELECT @@datadir"))))
                .usedBytes()
                .orElseThrow();
        assertThat(told.usedBytes().orElseThrow()).isCloseTo(used, withinPercentage(5));
    }

    @Test
    void whatASmallTableUsesIsOnlyInItsFile() throws Exception {
        MySqlTable table = table(DYNAMIC);
        table.create();
        table.load(sites("none", 1_000), bytes -> {});

        assertThat(table.disk(Optional.empty()).usedBytes()).isEmpty();
        assertThat(table.disk(Optional.of(directory)).usedBytes()).isEmpty(); // there is no such file
    }
}
