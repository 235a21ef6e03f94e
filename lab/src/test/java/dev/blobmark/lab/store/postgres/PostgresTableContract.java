package dev.blobmark.lab.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.server.postgres.OnePostgres;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.mysql.client.UnavailableException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every PostgreSQL must do with every storage that it has, and say of those that it has not. */
abstract class PostgresTableContract {

    private static final String COMMENT = "made by 'a test'";

    private final PostgresServer server;
    private final boolean hasLz4;

    @TempDir
    private Path directory;

    Connection connection;

    PostgresTableContract(PostgresServer server, boolean hasLz4) {
        this.server = server;
        this.hasLz4 = hasLz4;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = OnePostgres.connect(server);
        sql("CREATE SCHEMA blobmark");
    }

    @AfterEach
    void drop() throws SQLException {
        sql("DROP SCHEMA blobmark CASCADE");
        connection.close();
    }

    private void sql(String sql) throws SQLException {
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

    private PostgresTable table(Toast toast) {
        return new PostgresTable(connection, "t", toast, COMMENT);
    }

    private boolean isThere(Toast toast) {
        return hasLz4 || !toast.compression().equals(Optional.of("lz4"));
    }

    private EncodedValues encoded(ListedValues values) throws Exception {
        return EncodedValues.of(values, Codecs.parse("none"), directory, bytes -> {});
    }

    /** Lines that any algorithm shortens. */
    private static byte[] text(int length) {
        return "a line like many others\n"
                .repeat(length / 24 + 1)
                .substring(0, length)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @EnumSource
    void aTableIsAsItWasAskedForOrSaysWhyNot(Toast toast) throws Exception {
        if (!isThere(toast)) {
            assertThatThrownBy(table(toast)::create)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("this PostgreSQL was built without lz4 (it has pglz)")
                    .hasMessageContaining("--server postgresql=postgres:DIR");
            assertThat(table(toast).facts()).isEmpty();
            return;
        }
        SortedMap<String, String> facts = table(toast).create();
        assertThat(facts)
                .isEqualTo(new TreeMap<>(Map.of(
                        "access_method",
                        "heap",
                        "column_type",
                        "bytea",
                        "storage",
                        toast.storage(),
                        "compression",
                        toast.compression().orElse("default"))));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLoadedComesBackFromTheTableAsItIs(Toast toast) throws Exception {
        if (!isThere(toast)) {
            return;
        }
        int longest = toast == Toast.PLAIN ? Toast.LONGEST_IN_PAGE : 1 << 20;
        List<byte[]> values = new ArrayList<>();
        values.add(new byte[0]);
        values.add(text(longest));
        values.add(ListedValues.random(1, longest).get(0));
        for (int length : new int[] {1, 126, 127, 1_996, 2_000, 8_000}) {
            values.add(text(length));
            values.add(ListedValues.random(1, length).get(0));
        }
        EncodedValues encoded = encoded(new ListedValues(values));
        PostgresTable table = PostgresTable.of(connection, "t", toast, COMMENT, encoded);
        table.create();
        AtomicLong loaded = new AtomicLong();
        table.load(encoded, encoded.count(), loaded::addAndGet);
        table.readBack(encoded);
        assertThat(loaded).hasValue(encoded.storedBytes());
        List<Long> checksums = new ArrayList<>();
        table.forEachRow((key, checksum) -> checksums.add(key, checksum));
        assertThat(checksums)
                .isEqualTo(values.stream()
                        .map(value -> {
                            CRC32 crc = new CRC32();
                            crc.update(value);
                            return crc.getValue();
                        })
                        .toList());
        assertThat(value("SELECT string_agg(DISTINCT pg_column_compression(data), ',') FROM blobmark.t"))
                .isEqualTo(toast.compression().orElse(null));
        int moved = toast == Toast.PLAIN
                ? 0
                : Integer.parseInt(
                        value(
                                "SELECT count(DISTINCT chunk_id) FROM "
                                        + value(
                                                "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'blobmark.t'::regclass")));
        assertThat(table.inRow()).hasValue(values.size() - moved);
        assertThat(moved > 0).isEqualTo(toast != Toast.PLAIN);
    }

    @Test
    void longestValueOfAPageIsTheLongestThatPlainStorageTakes() throws Exception {
        EncodedValues tooLong = encoded(ListedValues.random(1, Toast.LONGEST_IN_PAGE + 1));
        assertThatThrownBy(() -> PostgresTable.of(connection, "t", Toast.PLAIN, COMMENT, tooLong))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("the longest has " + (Toast.LONGEST_IN_PAGE + 1));
        PostgresTable table = table(Toast.PLAIN);
        table.create();
        assertThatThrownBy(() -> table.load(tooLong, 1, bytes -> {}))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("row is too big");
    }

    @Test
    void compressionAndStorageShowInTheBytesOnDisk() throws Exception {
        EncodedValues encoded = encoded(new ListedValues(
                IntStream.range(0, 40).mapToObj(i -> text(50_000)).toList()));
        PostgresTable compressed = new PostgresTable(connection, "a", Toast.PGLZ, COMMENT);
        PostgresTable external = new PostgresTable(connection, "b", Toast.EXTERNAL, COMMENT);
        for (PostgresTable table : List.of(compressed, external)) {
            table.create();
            table.load(encoded, encoded.count(), bytes -> {});
        }
        long asIs = external.disk(Optional.empty()).allocatedBytes().getAsLong();
        assertThat(asIs).isBetween(encoded.storedBytes(), encoded.storedBytes() * 5 / 4);
        assertThat(compressed.disk(Optional.empty()).allocatedBytes().getAsLong())
                .isLessThan(asIs / 5);
        assertThat(external.inRow()).hasValue(0);
        assertThat(compressed.inRow()).hasValue(40); // they shrink to less than 2 KB
    }

    @Test
    void valuesOfManyCopiesAreAllThere() throws Exception {
        EncodedValues encoded = encoded(ListedValues.random(90, 400_000));
        PostgresTable table = table(Toast.EXTERNAL);
        table.create();
        List<Long> told = new ArrayList<>();
        table.load(encoded, 80, told::add);
        assertThat(told).hasSize(2);
        assertThatThrownBy(() -> table.readBack(encoded))
                .isInstanceOf(WrongValueException.class)
                .hasMessage("t has 80 rows instead of 90");
    }

    @Test
    void aWrongAMissingAndASurplusValueAreFound() throws Exception {
        EncodedValues encoded = encoded(ListedValues.random(10, 3_000));
        PostgresTable table = table(Toast.PGLZ);
        table.create();
        table.load(encoded, encoded.count(), bytes -> {});
        sql("UPDATE blobmark.t SET data = set_byte(data, 2999, get_byte(data, 2999) # 1) WHERE id = 7");
        assertThatThrownBy(() -> table.readBack(encoded)).hasMessage("row 7 of t is not what was loaded");
        sql("DELETE FROM blobmark.t WHERE id = 3");
        assertThatThrownBy(() -> table.readBack(encoded)).hasMessage("row 3 of t is missing: the next is 4");
        sql("DELETE FROM blobmark.t WHERE id > 3");
        sql("INSERT INTO blobmark.t VALUES (3, ''), (10, '')");
        assertThatThrownBy(() -> table.readBack(encoded)).isInstanceOf(WrongValueException.class);
    }

    @Test
    void aTableOfSomebodyElseIsNotDropped() throws Exception {
        table(Toast.PGLZ).create();
        new PostgresTable(connection, "t", Toast.PGLZ, "another").drop();
        assertThat(value("SELECT to_regclass('blobmark.t')")).isNotNull();
        table(Toast.PGLZ).drop();
        assertThat(value("SELECT to_regclass('blobmark.t')")).isNull();
        table(Toast.PGLZ).drop();
    }

    @Test
    void whatIsShownIsWhatIsExecuted() throws Exception {
        String ddl = table(Toast.EXTERNAL).ddl();
        assertThat(ddl)
                .isEqualTo("CREATE TABLE blobmark.\"t\" (id integer PRIMARY KEY, data bytea NOT NULL);"
                        + " ALTER TABLE blobmark.\"t\" ALTER COLUMN data SET STORAGE external");
        sql(ddl);
        assertThat(table(Toast.EXTERNAL).facts()).containsEntry("storage", "external");
    }
}
