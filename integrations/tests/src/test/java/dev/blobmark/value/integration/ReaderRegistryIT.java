package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ReaderRegistry.Reader;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@SuppressWarnings("try") // announcements are there until they are closed
class ReaderRegistryIT {

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsEncodedThatALiveReaderCannotRead(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(readers).build();
        byte[] value = new byte[1_000];
        try (Announcement own = readers.announce("orders 2.0", format)) {
            assertThat(readers.readers())
                    .singleElement()
                    .satisfies(reader -> assertThat(reader.codecs())
                            .containsExactlyInAnyOrder("zstd", "lz4", "deflate", "brotli", "snappy", "stored"));
            ValueFormat forSql = ValueFormat.builder()
                    .readsSql()
                    .writes("mysql")
                    .readers(readers)
                    .build();
            assertThatThrownBy(forSql::startWriting).hasMessageContaining("since orders 2.0 cannot read it");
            ValueFormat framesOnly = ValueFormat.builder()
                    .reads(Legacy.NONE)
                    .writes("lz4")
                    .readers(readers)
                    .build();
            framesOnly.startWriting();
            try (Announcement old = readers.announce(new Reader("reports in Python", 1, Set.of("deflate", "lz4")))) {
                assertThatThrownBy(format::startWriting)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("nothing is encoded by zstd:3, since reports in Python cannot read it");
                assertThat(format.encode(value)).isSameAs(value);
                ValueFormat lz4 =
                        ValueFormat.builder().writes("lz4hc:9").readers(readers).build();
                lz4.startWriting();
                assertThat(lz4.encode(value).length).isLessThan(100);
                assertThatThrownBy(framesOnly::startWriting).hasMessageContaining("since reports in Python");
            }
            format.startWriting();
            assertThat(format.encode(value).length).isLessThan(100);
        }
        assertThat(readers.readers()).isEmpty();
        readers.close();
        // nothing would end its thread
        assertThatThrownBy(format::startWriting).hasMessage("the registry of readers is closed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aDictionaryIsOnlyUsedWhenAllReadersHaveIt(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueDictionary dictionary = TestDictionaries.trained(0);
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .dictionaries(Dictionaries.of(dictionary))
                .readers(readers)
                .build();
        boolean[] isLoaded = {false};
        ValueFormat reader = ValueFormat.builder()
                .dictionaries(new Dictionaries() {
                    @Override
                    public Optional<ValueDictionary> find(int number) {
                        return Optional.of(dictionary);
                    }

                    @Override
                    public Set<Integer> numbers() {
                        return isLoaded[0] ? Set.of(dictionary.number()) : Set.of();
                    }
                })
                .build();
        try (Announcement announcement = readers.announce("reports", reader)) {
            assertThatThrownBy(writer::startWriting).hasMessageContaining("since reports cannot read it");
            isLoaded[0] = true;
            announcement.renew();
            writer.startWriting();
        }
        readers.close();
    }

    /** As the protocol has it: they cannot be stored otherwise, and to refuse them would lose them. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void valuesThatHaveNoOtherFormAreStoredInFramesWhateverIsAnnounced(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        byte[] likeSql = {1, 2, 3, 1, 'x', '^', 'h', 'e', 'l', 'l', 'o'};
        try (Announcement announcement = readers.announce(new Reader("without stored", 1, Set.of("zstd", "mysql")))) {
            for (ValueFormat.Builder builder : List.of(
                    ValueFormat.builder().reads(Legacy.NONE),
                    ValueFormat.builder().readsSql())) {
                ValueFormat format = builder.writes("zstd:3").readers(readers).build();
                assertThatThrownBy(format::startWriting).hasMessageContaining("since without stored cannot read it");
                for (byte[] value : List.of(likeSql, new byte[5_000])) {
                    byte[] stored = format.encode(value);
                    assertThat(StoredForm.of(stored).kind()).isNotEqualTo(StoredForm.Kind.ENCODED);
                    assertThat(format.decode(stored)).isEqualTo(value);
                }
                assertThat(StoredForm.of(format.encode(likeSql)).kind()).isEqualTo(StoredForm.Kind.STORED);
            }
        }
        readers.close();
    }

    /** A row that nobody understands stops writers from encoding, and no request fails. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aRowThatIsNotUnderstoodIsAReaderOfNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(readers).build();
        Random random = new Random(1);
        List<String> codecs =
                new ArrayList<>(List.of("zstd,zstd", ",", "zstd,", "ZSTD", "zstd lz4", "\u0000", "\u00e4"));
        for (int i = 0; i < 30; i++) {
            byte[] text = new byte[random.nextInt(40)];
            random.nextBytes(text);
            codecs.add(new String(text, StandardCharsets.ISO_8859_1));
        }
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO blobmark_readers (id, name, version, codecs, dictionaries) VALUES (?, ?, ?, ?, ?)")) {
            for (String each : codecs) {
                insert.setString(1, UUID.randomUUID().toString());
                insert.setString(2, "unknown " + each);
                insert.setInt(3, each.length() < 3 ? random.nextInt() : 1);
                insert.setString(4, each);
                insert.setString(5, random.nextBoolean() ? null : each);
                insert.executeUpdate();
                assertThat(readers.readers())
                        .singleElement()
                        .satisfies(reader -> assertThat(reader.codecs()).doesNotContain("zstd"));
                assertThatThrownBy(format::startWriting)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("unknown ");
                byte[] value = new byte[1_000];
                assertThat(format.decode(format.encode(value))).isEqualTo(value);
                Sql.execute(connection, "DELETE FROM blobmark_readers");
            }
        }
        // a row that is missing may have been lost, so a writer that has seen it counts it
        assertThatThrownBy(format::startWriting).hasMessageContaining("cannot read it");
        try (ReaderRegistry later = ReaderRegistry.in(source, TestServers.SCHEMA)) {
            ValueFormat other =
                    ValueFormat.builder().writes("zstd:3").readers(later).build();
            other.startWriting();
            assertThat(other.encode(new byte[1_000]).length).isLessThan(100);
        }
        readers.close();
    }

    /** A pool of one connection, which a request holds: no value waits for another one. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void noValueNeedsAConnection(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        ValueDictionary dictionary = TestDictionaries.trained(11);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE IF NOT EXISTS held (id INT PRIMARY KEY, payload BLOB)");
        }
        table.add(dictionary, "held", "payload");
        Thread request = Thread.currentThread();
        DataSource guarded = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                // a short transaction of the library's has a thread of its own, which the request would wait for
                String thread = Thread.currentThread().getName();
                if (isHeld[0] && (Thread.currentThread() == request || thread.equals("blobmark-transaction"))) {
                    throw new SQLException("the request holds the only connection");
                }
                return super.getConnection();
            }
        };
        ReaderRegistry guardedReaders = ReaderRegistry.in(guarded, TestServers.SCHEMA);
        try (LoadedDictionaries dictionaries =
                        DictionaryTable.in(guarded, TestServers.SCHEMA).load();
                ReaderRegistry closed = guardedReaders) {
            ValueFormat format = ValueFormat.builder()
                    .writes("zstd:3")
                    .writesWith(dictionary)
                    .dictionaries(dictionaries)
                    .readers(guardedReaders)
                    .build();
            format.startWriting();
            ValueDictionary later = TestDictionaries.trained(22);
            table.add(later, "held", "payload");
            ValueFormat other = ValueFormat.builder()
                    .writes("zstd:3")
                    .writesWith(later)
                    .dictionaries(Dictionaries.of(later))
                    .build();
            other.startWriting();
            isHeld[0] = true;
            byte[] value = TestDictionaries.document(90_000);
            assertThat(format.decode(format.encode(value))).isEqualTo(value);
            byte[] stored = other.encode(value);
            assertThatThrownBy(() -> format.decode(stored))
                    .isInstanceOfSatisfying(
                            FrameException.class,
                            e -> assertThat(e.reason()).isEqualTo(FrameException.Reason.MISSING_DICTIONARY));
            // the thread of the dictionaries has been woken, and finds it
            assertThat(decodedAtLast(format, stored)).isEqualTo(value);
        } finally {
            isHeld[0] = false;
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, "DROP TABLE held, blobmark_dictionaries, blobmark_dictionary_columns");
            }
        }
    }

    /** Its list would not fit into the column; a reader that cannot announce itself is not seen. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderOfMoreDictionariesThanFitIsAnnouncedWithoutSome(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        Set<Integer> dictionaries = IntStream.range(0, 9_500).boxed().collect(Collectors.toSet());
        try (Announcement announcement = readers.announce(new Reader("many", 1, Set.of("zstd"), dictionaries))) {
            Reader seen = readers.readers().stream()
                    .filter(reader -> reader.name().equals("many"))
                    .findFirst()
                    .orElseThrow();
            assertThat(seen.codecs()).containsExactly("zstd");
            assertThat(seen.dictionaries()).hasSize(9_362).isSubsetOf(dictionaries);
        } finally {
            TestServers.clean(source);
        }
    }

    /** A reader looks for a dictionary again after a second. */
    private static byte[] decodedAtLast(ValueFormat format, byte[] stored) throws InterruptedException {
        for (int tries = 0; ; tries++) {
            try {
                return format.decode(stored);
            } catch (FrameException e) {
                if (tries == 600) {
                    throw e;
                }
                Thread.sleep(200);
            }
        }
    }

    private final boolean[] isHeld = {false};

    /** In the hour that comes twice when summer time ends, a live reader stays alive. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void theSessionsTimeZoneHasNoEffect(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry.in(source, TestServers.SCHEMA).create();
        long summerEnded = Instant.now().minusSeconds(1_800).getEpochSecond();
        try (Connection connection = source.getConnection()) {
            for (String statement : List.of(
                    "DELETE FROM mysql.time_zone_name WHERE Time_zone_id = 9999",
                    "DELETE FROM mysql.time_zone WHERE Time_zone_id = 9999",
                    "DELETE FROM mysql.time_zone_transition WHERE Time_zone_id = 9999",
                    "DELETE FROM mysql.time_zone_transition_type WHERE Time_zone_id = 9999",
                    "INSERT INTO mysql.time_zone VALUES (9999, 'N')",
                    "INSERT INTO mysql.time_zone_name VALUES ('Test/Folded" + summerEnded + "', 9999)",
                    "INSERT INTO mysql.time_zone_transition VALUES (9999, 0, 1), (9999, " + summerEnded + ", 0)",
                    "INSERT INTO mysql.time_zone_transition_type VALUES (9999, 0, 3600, 0, 'W'), (9999, 1, 7200, 1, 'S')")) {
                Sql.execute(connection, statement);
            }
        }
        DataSource inTheFold = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "SET time_zone = 'Test/Folded" + summerEnded + "'");
                return connection;
            }
        };
        ReaderRegistry folded = ReaderRegistry.in(inTheFold, TestServers.SCHEMA);
        ReaderRegistry usual = ReaderRegistry.in(source, TestServers.SCHEMA);
        try (Announcement own = folded.announce(new Reader("in the fold", 1, Set.of("lz4")))) {
            assertThat(usual.readers()).hasSize(1);
            assertThat(folded.readers()).hasSize(1);
        }
        try (Announcement own = usual.announce(new Reader("elsewhere", 1, Set.of("lz4")))) {
            assertThat(folded.readers()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderThatWasNotHeardOfIsGone(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (Announcement old = readers.announce(new Reader("old", 0, Set.of()));
                Connection connection = source.getConnection()) {
            assertThat(readers.readers()).hasSize(1);
            Sql.execute(connection, "UPDATE blobmark_readers SET announced = CURRENT_TIMESTAMP - INTERVAL 6 MINUTE");
            assertThat(readers.readers()).isEmpty();
        }
    }

    /**
     * The server's clock is set forward, so that readers seem gone until they announce themselves again; or their rows
     * are lost, after a failover to a server that did not have them yet.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aWriterRemembersReaders(String product) throws Exception {
        DataSource source = TestServers.source(product);
        for (String loss : List.of(
                "UPDATE blobmark_readers SET announced = announced - INTERVAL 10 MINUTE",
                "DELETE FROM blobmark_readers")) {
            try (ReaderRegistry readers =
                            ReaderRegistry.in(source, TestServers.SCHEMA).create();
                    ReaderRegistry others = ReaderRegistry.in(source, TestServers.SCHEMA);
                    Connection connection = source.getConnection()) {
                ValueFormat format =
                        ValueFormat.builder().writes("zstd:3").readers(readers).build();
                try (Announcement old = others.announce(new Reader("old", 1, Set.of("lz4")))) {
                    assertThatThrownBy(format::startWriting).hasMessageContaining("since old cannot read it");
                    for (int i = 0; i < 2; i++) {
                        Sql.execute(connection, loss);
                        assertThat(readers.readers()).isEmpty();
                        assertThatThrownBy(format::startWriting).hasMessageContaining("since old cannot read it");
                    }
                }
                format.startWriting(); // it said that it is gone
            }
        }
    }

    /** As a program in another language may say it, which leaves the time to the server. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderThatSaysThatItIsGoneDoesNotCountWhateverItsTime(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                Announcement old = readers.announce(new Reader("old", 1, Set.of("lz4")));
                Connection connection = source.getConnection()) {
            ValueFormat format =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            assertThatThrownBy(format::startWriting).hasMessageContaining("since old cannot read it");
            Sql.execute(connection, "UPDATE blobmark_readers SET version = -1");
            assertThat(readers.readers()).isEmpty();
            format.startWriting();
        }
    }

    /** Nobody could close it, and it would keep writers from encoding. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anAnnouncementThatFailsLeavesNoReader(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueFormat format = ValueFormat.builder()
                .dictionaries(new Dictionaries() {
                    @Override
                    public Optional<ValueDictionary> find(int number) {
                        return Optional.empty();
                    }

                    @Override
                    public void reload() {
                        throw new IllegalStateException("as a test wants it");
                    }
                })
                .build();
        assertThatThrownBy(() -> readers.announce("old", format)).hasMessage("as a test wants it");
        assertThat(readers.readers()).isEmpty();
        Thread.currentThread().interrupt();
        try (Announcement own = readers.announce(new Reader("own", 1, Set.of("lz4")))) {
            assertThat(Thread.interrupted()).isTrue();
            assertThat(readers.readers()).hasSize(1);
        }
    }

    /** A replica can be behind by any time, and shows readers that were there then. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aServerThatIsReadOnlyIsNotAskedForReaders(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        ValueDictionary dictionary = TestDictionaries.trained(44);
        try (ReaderRegistry readers =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE IF NOT EXISTS held (id INT PRIMARY KEY, payload BLOB)");
            table.add(dictionary, "held", "payload");
            ValueFormat format =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            Sql.execute(connection, "SET GLOBAL read_only = ON");
            try (LoadedDictionaries loaded = table.load()) {
                assertThatThrownBy(format::startWriting).hasMessageContaining("the server is read-only");
                assertThat(loaded.find(dictionary.number())).isPresent();
                assertThat(loaded.isWithdrawn(dictionary.number())).isTrue();
            } finally {
                Sql.execute(connection, "SET GLOBAL read_only = OFF");
            }
            format.startWriting();
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.isWithdrawn(dictionary.number())).isFalse();
            }
            Sql.execute(connection, "DROP TABLE held, blobmark_dictionaries, blobmark_dictionary_columns");
        }
    }

    /** What cannot be asked is not relied on. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsEncodedIfTheReadersCannotBeAsked(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry nowhere = ReaderRegistry.in(source, "no_such_schema");
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(nowhere).build();
        assertThatThrownBy(format::startWriting)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the readers could not be asked, so nothing is encoded");
    }

    /** As widened by somebody. A list that does not end is no reason for an error of the thread either. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void longListsAndManyRowsAreReadersOfNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(readers).build();
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "ALTER TABLE blobmark_readers MODIFY codecs MEDIUMTEXT NOT NULL");
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs) VALUES"
                            + " ('a', 'long', 1, CONCAT(REPEAT('lz4,', 12000), 'zstd'))");
            assertThatThrownBy(format::startWriting)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("since long cannot read it");
            Sql.execute(connection, "DELETE FROM blobmark_readers");
            readers.close();
            Sql.execute(
                    connection,
                    "SET SESSION " + (product.equals("MySQL") ? "cte_max_recursion_depth" : "max_recursive_iterations")
                            + " = 20000");
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs) WITH RECURSIVE n AS (SELECT 1 AS i UNION"
                            + " ALL SELECT i + 1 FROM n WHERE i < 10001) SELECT i, CONCAT('pod ', i), 1, 'stored,zstd' FROM n");
            try (ReaderRegistry many = ReaderRegistry.in(source, TestServers.SCHEMA)) {
                ValueFormat writer =
                        ValueFormat.builder().writes("zstd:3").readers(many).build();
                assertThatThrownBy(writer::startWriting)
                        .hasMessageContaining("since more than 10000 rows cannot read it");
                Sql.execute(connection, "DELETE FROM blobmark_readers WHERE id = '1'");
                // whoever was among them may be alive
                assertThatThrownBy(writer::startWriting)
                        .hasMessageContaining("since more than 10000 rows cannot read it");
            }
            try (ReaderRegistry fewer = ReaderRegistry.in(source, TestServers.SCHEMA)) {
                ValueFormat writer =
                        ValueFormat.builder().writes("zstd:3").readers(fewer).build();
                writer.startWriting();
                // each list is allowed, and all of them would take gigabytes
                Sql.execute(
                        connection,
                        "UPDATE blobmark_readers SET dictionaries = CONCAT(REPEAT('0f3a9c,', 9000), '77ab01') WHERE id < '3'");
                assertThatThrownBy(writer::startWriting)
                        .hasMessageContaining("since rows with more than 4194304 characters cannot read it");
            }
            Sql.execute(connection, "DROP TABLE blobmark_readers");
        }
    }

    /** They count as before, and are not read: whoever may write the table cannot fill the heap. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void readersThatAreRememberedAreNotReadIfTheirListsAreTooLong(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs) WITH RECURSIVE n AS (SELECT 1 AS i UNION"
                            + " ALL SELECT i + 1 FROM n WHERE i < 70) SELECT i, CONCAT('pod ', i), 1, 'lz4,stored' FROM n");
            ValueFormat writer =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            assertThatThrownBy(writer::startWriting).hasMessageContaining("cannot read it");
            Sql.execute(
                    connection,
                    "UPDATE blobmark_readers SET announced = announced - INTERVAL 10 MINUTE, codecs = 'stored,zstd',"
                            + " dictionaries = CONCAT(REPEAT('0f3a9c,', 9000), '77ab01')");
            assertThat(readers.readers()).isEmpty();
            assertThatThrownBy(writer::startWriting).hasMessageContaining("cannot read it");
            Sql.execute(connection, "UPDATE blobmark_readers SET dictionaries = ''");
            writer.startWriting();
            Sql.execute(connection, "DROP TABLE blobmark_readers");
        }
    }

    /** What the table would cut, or would take for a reader that is gone, is not announced. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderThatDoesNotFitIsNotAnnounced(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        for (Reader each : List.of(
                new Reader("long", 1, Set.of("a".repeat(250), "zstd9")),
                new Reader("gone", -1, Set.of("zstd")),
                new Reader("two in one", 1, Set.of("zstd,lz4")),
                new Reader("n".repeat(256), 1, Set.of("zstd")))) {
            assertThatThrownBy(() -> readers.announce(each)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(readers.readers()).isEmpty();
    }

    /** Readers cannot announce themselves then, although the table can be read. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTableThatCannotBeWrittenHasNoReadersThatAreKnown(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                Connection holder = source.getConnection()) {
            ValueFormat format =
                    ValueFormat.builder().writes("zstd:3").readers(readers).build();
            Sql.execute(holder, "LOCK TABLES blobmark_readers READ");
            DataSource impatient = new DelegatingDataSource(source) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = super.getConnection();
                    Sql.execute(connection, "SET SESSION lock_wait_timeout = 1");
                    return connection;
                }
            };
            try (ReaderRegistry other = ReaderRegistry.in(impatient, TestServers.SCHEMA)) {
                ValueFormat writer =
                        ValueFormat.builder().writes("zstd:3").readers(other).build();
                assertThat(other.readers()).isEmpty();
                assertThatThrownBy(writer::startWriting)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("could not be asked");
                Sql.execute(holder, "UNLOCK TABLES");
                writer.startWriting();
            }
            format.startWriting();
        }
    }

    /** Then the text of a reader without codecs or dictionaries is NULL. */
    @Test
    void emptyTextIsWrittenAndReadWhereItIsNull() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DataSource emptyIsNull = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "SET SESSION sql_mode = 'STRICT_ALL_TABLES,EMPTY_STRING_IS_NULL'");
                return connection;
            }
        };
        ReaderRegistry usual = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (ReaderRegistry readers = ReaderRegistry.in(emptyIsNull, TestServers.SCHEMA)) {
            for (Reader each : List.of(
                    new Reader("of nothing", 1, Set.of()),
                    new Reader("of zstd", 1, Set.of("zstd", "stored")),
                    new Reader("", 1, Set.of("lz4"), Set.of(5)))) {
                try (Announcement own = readers.announce(each)) {
                    assertThat(usual.readers()).containsExactly(each);
                    assertThat(readers.readers()).containsExactly(each);
                }
                assertThat(usual.readers()).isEmpty();
            }
        }
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE blobmark_readers");
        }
    }

    /** Pools may give connections on whose transaction nobody has ended, with what was committed when it began. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOpenTransactionOfAPooledConnectionHidesNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        ReaderRegistry others = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection();
                Connection physical = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE IF NOT EXISTS held (id INT PRIMARY KEY, payload BLOB)");
            physical.setAutoCommit(false);
            DataSource pool = new SingleConnectionDataSource(physical, true);
            ReaderRegistry readers = ReaderRegistry.in(pool, TestServers.SCHEMA);
            Sql.execute(physical, "SELECT * FROM blobmark_readers, blobmark_dictionaries");
            try (Announcement other = others.announce(new Reader("other", 1, Set.of("lz4")));
                    LoadedDictionaries loaded =
                            DictionaryTable.in(pool, TestServers.SCHEMA).load()) {
                assertThat(readers.readers()).hasSize(1);
                ValueDictionary dictionary = TestDictionaries.trained(33);
                table.add(dictionary, "held", "payload");
                loaded.reload();
                assertThat(loaded.numbers()).containsExactly(dictionary.number());
                table.withdraw(dictionary.number());
                loaded.reload();
                assertThat(loaded.isWithdrawn(dictionary.number())).isTrue();
            }
            assertThat(readers.readers()).isEmpty();

            Sql.execute(physical, "INSERT INTO held VALUES (1, 'left by somebody')");
            try (Announcement own = readers.announce(new Reader("own", 1, Set.of("lz4")))) {
                assertThat(others.readers()).hasSize(1);
            }
            assertThat(Sql.strings(connection, "SELECT COUNT(*) FROM held")).containsExactly("0");
        } finally {
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, "DROP TABLE held, blobmark_dictionaries, blobmark_dictionary_columns");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void rowsOfReadersThatEndedADayAgoAreRemoved(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection()) {
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs, announced) VALUES"
                            + " ('a', 'killed', 1, 'lz4', NOW() - INTERVAL 25 HOUR),"
                            + " ('b', 'suspended', 1, 'lz4', NOW() - INTERVAL 23 HOUR)");
            try (Announcement own = readers.announce(new Reader("own", 1, Set.of("lz4")))) {
                assertThat(Sql.strings(
                                connection, "SELECT name FROM blobmark_readers WHERE version >= 0 ORDER BY name"))
                        .containsExactly("own", "suspended");
            }
            // what cannot be removed keeps no reader from being announced
            Sql.execute(
                    connection,
                    "CREATE TRIGGER kept BEFORE DELETE ON blobmark_readers FOR EACH ROW BEGIN IF OLD.name = 'killed' THEN"
                            + " SIGNAL SQLSTATE '45000'; END IF; END");
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs, announced) VALUES"
                            + " ('a', 'killed', 1, 'lz4', NOW() - INTERVAL 25 HOUR)");
            try (Announcement own = readers.announce(new Reader("own", 1, Set.of("lz4")))) {
                assertThat(readers.readers()).hasSize(1);
            }
            Sql.execute(connection, "DROP TRIGGER kept");
            Sql.execute(connection, "DELETE FROM blobmark_readers");
        }
    }

    /** An announcement is on its way while another thread closes it. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderThatIsGoneDoesNotComeBack(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicBoolean isNextSlow = new AtomicBoolean();
        DataSource slowly = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                if (isNextSlow.compareAndSet(true, false)) {
                    asked.countDown();
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        throw new SQLException(e);
                    }
                }
                return super.getConnection();
            }
        };
        Announcement announcement =
                ReaderRegistry.in(slowly, TestServers.SCHEMA).announce(new Reader("own", 1, Set.of("lz4")));
        Thread renewing = new Thread(() -> {
            try {
                announcement.renew();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        isNextSlow.set(true);
        renewing.start();
        asked.await();
        announcement.close();
        closed.countDown();
        renewing.join();
        assertThat(readers.readers()).isEmpty();
    }
}
