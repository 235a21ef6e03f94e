package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.integration.TestServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Clocks that differ, and time that has passed. */
@SuppressWarnings("try") // announcements are there until they are closed
class OwnClocksIT {

    @AfterEach
    void clean() throws Exception {
        TestServers.clean(TestServers.source("MariaDB"));
    }

    /** A server whose clock is set forward by a day would delete what was withdrawn a moment ago. */
    @ParameterizedTest
    @CsvSource({"MariaDB, -1500", "MariaDB, 700", "MySQL, -1500"})
    void nothingIsWithdrawnOrDeletedByClocksThatDiffer(String product, int seconds) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable right = DictionaryTable.in(source, TestServers.SCHEMA).create();
        DictionaryTable wrong = new DictionaryTable(
                source, TestServers.SCHEMA, Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds)));
        try {
            ValueDictionary dictionary = ValueDictionary.of("a dictionary of some bytes".getBytes());
            TestServers.table(source, "orders");
            right.add(dictionary, "orders", "payload");
            assertThatThrownBy(() -> wrong.withdraw(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is not withdrawn: the server's clock says");
            right.withdraw(dictionary.number());
            assertThatThrownBy(() -> wrong.delete(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is not deleted: the server's clock says");
        } finally {
            TestServers.clean(source);
        }
    }

    /** It may make a table with values that it has read. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTransactionThatDoesNotEndPreventsADeletion(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Connection open = source.getConnection()) {
            DictionaryTable table =
                    new DictionaryTable(source, TestServers.SCHEMA, Clock.systemUTC(), Duration.ofMillis(500)).create();
            ValueDictionary dictionary = ValueDictionary.of("a dictionary of some bytes".getBytes());
            TestServers.table(source, "orders");
            table.add(dictionary, "orders", "payload");
            table.withdraw(dictionary.number());
            Sql.execute(open, "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401");
            Sql.execute(open, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            Sql.strings(open, "SELECT id FROM orders");
            assertThatThrownBy(() -> table.delete(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("transactions are under way");
            Sql.execute(open, "COMMIT");
            table.delete(dictionary.number());
            assertThat(table.isDeleted(dictionary.number())).isTrue();
        } finally {
            TestServers.clean(source);
        }
    }

    /**
     * InnoDB renews the list only when nobody has read it for a tenth of a second. The old one has the own connection.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aListOfTransactionsThatIsOldPreventsADeletion(String product) throws Exception {
        DataSource source = TestServers.source(product);
        AtomicBoolean isPolling = new AtomicBoolean(true);
        FutureTask<Void> polling = new FutureTask<>(() -> {
            try (Connection connection = source.getConnection()) {
                while (isPolling.get()) {
                    Sql.strings(connection, "SELECT COUNT(*) FROM information_schema.innodb_trx");
                }
                return null;
            }
        });
        try (Connection pooled = source.getConnection()) {
            DictionaryTable table = new DictionaryTable(
                            new SingleConnectionDataSource(pooled, true),
                            TestServers.SCHEMA,
                            Clock.systemUTC(),
                            Duration.ofMillis(1_500))
                    .create();
            ValueDictionary dictionary = ValueDictionary.of("a dictionary of some bytes".getBytes());
            TestServers.table(source, "orders");
            table.add(dictionary, "orders", "payload");
            table.withdraw(dictionary.number());
            Sql.execute(pooled, "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401");
            Sql.execute(pooled, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            Thread.sleep(300);
            new Thread(polling, "polling").start();
            Thread.sleep(300);
            assertThatThrownBy(() -> table.delete(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("somebody reads information_schema.innodb_trx more often");
            isPolling.set(false);
            polling.get();
            table.delete(dictionary.number());
            assertThat(table.isDeleted(dictionary.number())).isTrue();
        } finally {
            isPolling.set(false);
            TestServers.clean(source);
        }
    }

    /** In those of {@link Set#of}, numbers that are chosen to collide take minutes to find. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void numbersOfDamagedRowsAreInSetsThatDoNotDegrade(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Connection connection = source.getConnection()) {
            DictionaryTable table =
                    DictionaryTable.in(source, TestServers.SCHEMA).create();
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_dictionaries (number, sha256, bytes) VALUES (1, REPEAT('x', 32), 'damaged')");
            try (LoadedDictionaries loaded = table.load()) {
                for (Set<Integer> numbers : List.of(loaded.unusable(), loaded.numbers())) {
                    assertThat(numbers.getClass().getName()).doesNotContain("ImmutableCollections");
                }
                assertThat(loaded.unusable()).containsExactly(1);
            }
        } finally {
            TestServers.clean(source);
        }
    }

    @Test
    void severalServersThatTakeChangesPreventADeletion() {
        for (Map<String, String> cluster : List.of(
                Map.of("wsrep_provider", "/usr/lib/galera/libgalera_smm.so"),
                Map.of("group_replication_group_name", "a-name", "group_replication_single_primary_mode", "OFF"))) {
            assertThatThrownBy(() -> DictionaryDeletion.requireOneWriter(1, cluster))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("several servers");
        }
        for (Map<String, String> single : List.of(
                Map.<String, String>of(),
                Map.of("wsrep_provider", "none"),
                Map.of("group_replication_group_name", "a-name", "group_replication_single_primary_mode", "ON"))) {
            assertThatCode(() -> DictionaryDeletion.requireOneWriter(1, single)).doesNotThrowAnyException();
        }
    }

    /** Of a column that was made longer than the table has it. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void longIdsAndVersionsAreNotRead(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
        try (Connection connection = source.getConnection();
                ReaderRegistry registry =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            Sql.execute(
                    connection,
                    "ALTER TABLE blobmark_readers DROP PRIMARY KEY, MODIFY id LONGTEXT, MODIFY version LONGTEXT");
            Sql.execute(
                    connection,
                    "INSERT INTO blobmark_readers (id, name, version, codecs) VALUES"
                            + " (REPEAT('i', 1000000), 'by its id', '1', 'lz4'),"
                            + " ('short', 'by its version', REPEAT('1', 1000000), 'lz4')");
            assertThat(registry.readers())
                    .extracting(
                            ReaderRegistry.Reader::name,
                            reader -> reader.codecs().size())
                    .containsExactly(tuple("by its id", 0), tuple("by its version", 0));
            registry.read(Elapsed.fromNow());
            assertThat(registry.allReadersRead(written)).isFalse();
        } finally {
            TestServers.clean(source);
        }
    }

    /** All of them may have been unable to announce themselves, and read all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void afterAnOutageReadersHaveTimeToAnnounceThemselves(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            registry.requireAllRead(written);
            Elapsed now = Elapsed.fromNow();
            long outage = Duration.ofMinutes(4).toNanos();
            registry.read(new Elapsed(now.atNanos() + 1, now.atMillis() - outage / 1_000_000));
            registry.keepReading();
            assertThatThrownBy(() -> registry.requireAllRead(written))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("could not be asked for minutes");
        }
        // one that has not kept reading has missed nothing
        try (ReaderRegistry registry = ReaderRegistry.in(source, TestServers.SCHEMA)) {
            assertThatCode(() -> registry.requireAllRead(new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of())))
                    .doesNotThrowAnyException();
        } finally {
            TestServers.clean(source);
        }
    }

    /** Who was refused asks again later, and an outage in between is one all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOutageAfterAnAnswerThatWasNoIsNoticed(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                ReaderRegistry.Announcement old =
                        registry.announce(new ReaderRegistry.Reader("old", 1, Set.of("deflate")))) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            assertThatThrownBy(() -> registry.requireAllRead(written)).hasMessageContaining("since old cannot read it");
            Elapsed now = Elapsed.fromNow();
            long outage = Duration.ofMinutes(4).toNanos();
            registry.read(new Elapsed(now.atNanos() + 1, now.atMillis() - outage / 1_000_000));
            assertThatThrownBy(() -> registry.requireAllRead(written))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("could not be asked for minutes");
        } finally {
            TestServers.clean(source);
        }
    }

    /** A value is not encoded by what was seen more than a minute ago, nor soon after an outage. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatWasSeenIsReliedOnForAMinuteAndNotAfterAnOutage(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            registry.read(ago(Duration.ofSeconds(61)));
            assertThat(registry.allReadersRead(written)).isFalse();
            registry.read(Elapsed.fromNow());
            assertThat(registry.allReadersRead(written)).isTrue();
            Elapsed now = Elapsed.fromNow();
            registry.read(new Elapsed(
                    now.atNanos() + 1, now.atMillis() - Duration.ofMinutes(4).toMillis()));
            registry.keepReading();
            for (int look = 0; look < 2; look++) {
                registry.read(Elapsed.fromNow());
                assertThat(registry.allReadersRead(written)).isFalse();
            }
        } finally {
            TestServers.clean(source);
        }
    }

    private static Elapsed in(Duration time) {
        return ago(time.negated());
    }

    /** Another thread was slower: what it has seen is older. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aLookThatBeganEarlierReplacesNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
        try (ReaderRegistry registry =
                ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            ReaderRegistry.Announcement old = registry.announce(new ReaderRegistry.Reader("old", 1, Set.of("deflate")));
            Elapsed earlier = Elapsed.fromNow();
            registry.read(in(Duration.ofMillis(1)));
            assertThat(registry.allReadersRead(written)).isFalse();
            old.close();
            registry.read(earlier);
            assertThat(registry.allReadersRead(written)).isFalse();
            registry.read(in(Duration.ofMillis(2)));
            assertThat(registry.allReadersRead(written)).isTrue();
        } finally {
            TestServers.clean(source);
        }
    }

    /** One look has seen a reader whose row is lost before the other looks, such as in a failover. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void twoLooksAtOnceForgetNoReader(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
        AtomicReference<Runnable> beforeTheNext = new AtomicReference<>();
        DataSource disturbed = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Runnable first = beforeTheNext.getAndSet(null);
                if (first != null) {
                    first.run();
                }
                return super.getConnection();
            }
        };
        try (ReaderRegistry registry =
                ReaderRegistry.in(disturbed, TestServers.SCHEMA).create()) {
            registry.read(Elapsed.fromNow());
            try (ReaderRegistry.Announcement old =
                    registry.announce(new ReaderRegistry.Reader("old", 1, Set.of("deflate")))) {
                beforeTheNext.set(() -> {
                    try (Connection connection = source.getConnection()) {
                        registry.read(Elapsed.fromNow());
                        Sql.execute(connection, "DELETE FROM blobmark_readers WHERE name = 'old'");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                registry.read(in(Duration.ofSeconds(1)));
                assertThat(beforeTheNext).hasValue(null);
                assertThat(registry.readers()).isEmpty();
                assertThat(registry.allReadersRead(written)).isFalse();
            }
        } finally {
            TestServers.clean(source);
        }
    }

    /** In a set of {@link Set#of}, numbers that are chosen to collide take minutes to find. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void numbersThatOthersChooseAreInSetsThatDoNotDegrade(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry registry = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (ReaderRegistry.Announcement many =
                registry.announce(new ReaderRegistry.Reader("many", 1, Set.of("lz4", "zstd"), Set.of(1, 2, 3)))) {
            ReaderRegistry.Reader read = registry.readers().get(0);
            assertThat(read.dictionaries()).isInstanceOf(HashSet.class).hasSize(3);
            assertThat(read.codecs()).isInstanceOf(HashSet.class).hasSize(2);
        } finally {
            TestServers.clean(source);
        }
    }

    private static Elapsed ago(Duration time) {
        Elapsed now = Elapsed.fromNow();
        return new Elapsed(now.atNanos() - time.toNanos(), now.atMillis() - time.toMillis());
    }
}
