package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.ListedValues;
import dev.blobmark.lab.OneServer;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.EmbeddedServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@ExtendWith(OneServer.class)
class TableTest {

    private static final String SCHEMA = "table_test";
    private static final Layout DYNAMIC = Layout.FACTOR.parse("dynamic");
    static final List<Layout> LAYOUTS = Layout.ALL;

    private final EmbeddedServer server;

    @TempDir
    private Path directory;

    private Connection connection;

    TableTest(EmbeddedServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = Driver.connectForLoading(server.endpoint(), "");
        sql("CREATE DATABASE " + SCHEMA);
    }

    @AfterEach
    void drop() throws SQLException {
        sql("DROP DATABASE " + SCHEMA);
        connection.close();
    }

    private void sql(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Table table(Layout layout) {
        return new Table(connection, SCHEMA, "t", layout, Column.MEDIUMBLOB);
    }

    private EncodedValues encoded(ListedValues values) throws Exception {
        return EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
    }

    private static Layout layout(String options, String rowFormat, String pageSize, String spaceType) {
        return new Layout(
                "odd",
                "a layout of the test's",
                options,
                Map.of(
                        "engine",
                        "InnoDB",
                        "row_format",
                        rowFormat,
                        "zip_page_size",
                        pageSize,
                        "space_type",
                        spaceType));
    }

    @ParameterizedTest
    @FieldSource("LAYOUTS")
    void isMadeLoadedReadBackMeasuredAndDropped(Layout layout) throws Exception {
        EncodedValues values = encoded(ListedValues.random(300, 40_000));
        AtomicLong loaded = new AtomicLong();
        Table table = table(layout);

        assertThat(table.create()).containsAllEntriesOf(layout.expected());
        table.load(values, loaded::addAndGet);
        long diskBytes = table.flushedDiskBytes();
        table.readBack(values);

        assertThat(loaded).hasValue(values.storedBytes());
        // half of each value is zero bytes, which a compressed table saves
        if (layout.id().equals("compressed")) {
            assertThat(diskBytes).isBetween(values.storedBytes() / 2, values.storedBytes());
        } else {
            assertThat(diskBytes).isBetween(values.storedBytes(), 2 * values.storedBytes());
        }
        assertThat(connection.getAutoCommit()).isTrue();

        table.drop();
        assertThat(table.facts()).isEmpty();
        table.drop();
    }

    @ParameterizedTest
    @FieldSource("LAYOUTS")
    void holdsValuesOfAnyBytesAndLength(Layout layout) throws Exception {
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
        Table table = table(layout);

        table.create();
        table.load(values, bytes -> {});
        table.readBack(values);
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
                .hasMessage("asked for ENGINE=InnoDB ROW_FORMAT=COMPACT, but row_format is Compact instead of Dynamic");
    }

    @Test
    void anotherBlockSizeThanAskedForIsADowngrade() {
        assertThatThrownBy(() -> table(layout(
                                "ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4", "Compressed", "8192", "Single"))
                        .create())
                .isInstanceOf(DowngradeException.class)
                .hasMessage("asked for ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4, but zip_page_size is 4096"
                        + " instead of 8192");
    }

    @Test
    void aTableWithoutAFileOfItsOwnIsADowngrade() throws Exception {
        sql("SET GLOBAL innodb_file_per_table=OFF");
        try {
            assertThatThrownBy(() -> table(DYNAMIC).create()).isInstanceOf(DowngradeException.class);
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
        Table table = table(DYNAMIC);
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
    void aValueTooLongForTheColumnIsAnError() throws Exception {
        Table table = table(DYNAMIC);
        table.create();

        EncodedValues values = encoded(ListedValues.of(new byte[5], new byte[1 << 24]));
        assertThatThrownBy(() -> table.load(values, bytes -> {}))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Data too long for column 'data'");
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void diskBytesGrowWithTheValues() throws Exception {
        Table table = table(DYNAMIC);
        table.create();
        long empty = table.flushedDiskBytes();

        table.load(encoded(ListedValues.random(100, 100_000)), bytes -> {});

        assertThat(empty).isBetween(1L, 1L << 20);
        assertThat(table.flushedDiskBytes() - empty).isBetween(10_000_000L, 20_000_000L);
        sql("INSERT INTO " + SCHEMA + ".t VALUES (1000, '')"); // no lock is left
    }
}
