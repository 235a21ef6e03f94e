package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.logOf;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Tables of an earlier release, which get a column while programs run. */
class DictionaryTablesIT {

    private static final ValueDictionary DICTIONARY = trained(0);
    private static final int NUMBER = DICTIONARY.number();

    private static DictionaryTable ofAnEarlierRelease(DataSource source) throws Exception {
        clean(source);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(DICTIONARY, "odd`orders", "payload");
        execute(source, "ALTER TABLE blobmark_dictionaries DROP COLUMN deleted_at");
        return table;
    }

    /** As when all of them are started again. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void severalProgramsUpdateTheTableAtOnce(String product) throws Exception {
        DataSource source = TestServers.source(product);
        for (int round = 0; round < 10; round++) {
            ofAnEarlierRelease(source);
            CyclicBarrier barrier = new CyclicBarrier(4);
            List<FutureTask<DictionaryTable>> programs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                FutureTask<DictionaryTable> program = new FutureTask<>(() -> {
                    barrier.await();
                    return DictionaryTable.in(source, TestServers.SCHEMA).create();
                });
                programs.add(program);
                new Thread(program).start();
            }
            for (FutureTask<DictionaryTable> program : programs) {
                program.get();
            }
        }
        clean(source);
    }

    /** All who read a table wait behind one who waits to alter it. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void readersDoNotWaitLongForATableThatIsUpdated(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = ofAnEarlierRelease(source);
        try (Connection backup = source.getConnection();
                Connection pooled = source.getConnection()) {
            Sql.execute(backup, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            Sql.strings(backup, "SELECT number FROM blobmark_dictionaries");
            Sql.execute(pooled, "SET SESSION lock_wait_timeout = 77");
            FutureTask<DictionaryTable> creating =
                    new FutureTask<>(DictionaryTable.in(new SingleConnectionDataSource(pooled, true), "shop")::create);
            new Thread(creating).start();
            awaitAlter(backup, creating);
            long begin = System.nanoTime();
            try (LoadedDictionaries loaded = table.load()) {
                assertThat(loaded.numbers()).contains(NUMBER);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
            assertThatThrownBy(creating::get)
                    .cause()
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("was not altered: a transaction that has read it");
            assertThat(Sql.strings(pooled, "SELECT @@SESSION.lock_wait_timeout"))
                    .containsExactly("77");
            Sql.execute(backup, "COMMIT");
        }
        table.create();
        assertThat(table.isDeleted(NUMBER)).isFalse();
        clean(source);
    }

    private static void awaitAlter(Connection connection, FutureTask<?> altering) throws Exception {
        long begin = System.nanoTime();
        while (Sql.strings(connection, "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'ALTER TABLE%'")
                .isEmpty()) {
            assertThat(altering.isDone()).isFalse();
            assertThat(System.nanoTime() - begin).isLessThan(30_000_000_000L);
        }
    }

    /** The new column is not among them. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anAccountWithRightsOnColumnsReadsOn(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = ofAnEarlierRelease(source);
        execute(source, "DROP USER IF EXISTS somecolumns");
        execute(source, "CREATE USER somecolumns IDENTIFIED BY 'somecolumns-1'");
        execute(
                source,
                "GRANT SELECT (number, sha256, bytes, withdrawn_at) ON shop.blobmark_dictionaries TO somecolumns");
        List<String> logged = logOf(DictionaryTable.class);
        try {
            DictionaryTable some =
                    DictionaryTable.in(TestDictionaries.as("somecolumns", source, product), TestServers.SCHEMA);
            byte[] stored = writer(DICTIONARY, true).encode(document(90_000));
            for (int i = 0; i < 3; i++) { // the second and the third look are denied
                try (LoadedDictionaries loaded = some.load()) {
                    assertThat(ValueFormat.builder()
                                    .dictionaries(loaded)
                                    .build()
                                    .decode(stored))
                            .isEqualTo(document(90_000));
                }
                table.create();
            }
            assertThat(logged)
                    .filteredOn(entry -> entry.contains("may not read the column deleted_at"))
                    .hasSize(1);
        } finally {
            execute(source, "DROP USER somecolumns");
            clean(source);
        }
    }
}
