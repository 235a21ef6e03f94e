package dev.blobmark.value.integration;

import static dev.blobmark.value.integration.TestDictionaries.aWeekPasses;
import static dev.blobmark.value.integration.TestDictionaries.as;
import static dev.blobmark.value.integration.TestDictionaries.assertNotDeleted;
import static dev.blobmark.value.integration.TestDictionaries.awaitLock;
import static dev.blobmark.value.integration.TestDictionaries.clean;
import static dev.blobmark.value.integration.TestDictionaries.document;
import static dev.blobmark.value.integration.TestDictionaries.execute;
import static dev.blobmark.value.integration.TestDictionaries.insert;
import static dev.blobmark.value.integration.TestDictionaries.trained;
import static dev.blobmark.value.integration.TestDictionaries.withUnknownTable;
import static dev.blobmark.value.integration.TestDictionaries.withdrawADayAgo;
import static dev.blobmark.value.integration.TestDictionaries.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Collisions;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A dictionary is deleted only if no value refers to it, whatever others do meanwhile. */
class DictionaryDeletionIT {

    /**
     * MariaDB lists no columns of a table that others alter, and MySQL waits. The columns are of bytes or of any text.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "MariaDB; payload BLOB, filler CHAR(200); ADD INDEX (filler), LOCK=EXCLUSIVE",
                "MariaDB; payload VARCHAR(1000) CHARACTER SET latin1, filler CHAR(200); ADD INDEX (filler), LOCK=EXCLUSIVE",
                "MariaDB; payload BLOB, filler CHAR(200); ADD FULLTEXT INDEX (filler)",
                "MySQL; payload BLOB, filler CHAR(200); ADD INDEX (filler), ALGORITHM=COPY, LOCK=EXCLUSIVE"
            })
    void aTableThatIsBeingAlteredIsNotPassedOver(String product, String definition, String how) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, definition);
        ValueDictionary dictionary = trained(0);
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO archive (payload) VALUES (?)")) {
            insert.setBytes(1, writer(dictionary, true).encode(document(90_000)));
            insert.executeUpdate();
        }
        execute(source, "INSERT INTO archive (filler) VALUES ('x'), ('x'), ('x'), ('x')");
        for (int i = 0; i < 14; i++) {
            execute(source, "INSERT INTO archive (filler) SELECT filler FROM archive");
        }
        FutureTask<Void> altering = new FutureTask<>(() -> {
            execute(source, "ALTER TABLE archive " + how);
            return null;
        });
        new Thread(altering, "altering").start();
        while (!altering.isDone()) { // the reason may be that the definition has changed meanwhile
            assertNotDeleted(table, dictionary.number(), "dictionary");
        }
        altering.get();
        assertNotDeleted(table, dictionary.number(), "archive");
        clean(source);
    }

    /** The new table is seen by others when the statement has ended. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTableThatIsBeingMadeIsWaitedFor(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "shop.odd`orders", "payload");
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        withdrawADayAgo(source, table, dictionary.number());
        FutureTask<Void> archiving = new FutureTask<>(() -> {
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
                Sql.execute(connection, "CREATE TABLE archive AS SELECT id, payload, SLEEP(4) FROM `odd``orders`");
                return null;
            }
        });
        new Thread(archiving, "archiving").start();
        try (Connection connection = source.getConnection()) {
            awaitSleeping(connection, "CREATE TABLE archive");
            Sql.execute(connection, "DELETE FROM `odd``orders`");
        }
        assertNotDeleted(table, dictionary.number(), "archive");
        archiving.get();
        clean(source);
    }

    /** Two connections are for readings. */
    private static final int FIRST_LOOK = 3;

    /** @param connections counts those that the deletion takes */
    private static FutureTask<Void> deleting(DataSource source, ValueDictionary dictionary, AtomicInteger connections) {
        DataSource counted = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        };
        return new FutureTask<>(
                () -> DictionaryTable.in(counted, TestServers.SCHEMA).delete(dictionary.number()), null);
    }

    /** Waits until the deletion has looked at transactions so often. */
    private static void awaitLook(AtomicInteger connections, FutureTask<Void> deleting, int number)
            throws InterruptedException {
        while (connections.get() < number && !deleting.isDone()) {
            Thread.sleep(10);
        }
    }

    /** Waits until a statement of another connection is in SLEEP(). */
    private static void awaitSleeping(Connection connection, String statement) throws Exception {
        while (Sql.strings(
                        connection,
                        "SELECT id FROM information_schema.processlist WHERE info LIKE '" + statement
                                + "%' AND state = 'User sleep'")
                .isEmpty()) {
            Thread.sleep(20);
        }
    }

    /** It reads the table as it was, or has read it in a way that locks nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "MariaDB; SELECT COUNT(*) FROM customers",
                "MySQL; SELECT COUNT(*) FROM customers",
                "MariaDB; HANDLER `odd``orders` OPEN, HANDLER `odd``orders` READ FIRST, HANDLER `odd``orders` CLOSE",
                "MySQL; HANDLER `odd``orders` OPEN, HANDLER `odd``orders` READ FIRST, HANDLER `odd``orders` CLOSE"
            })
    void aTransactionThatStillSeesAValueIsWaitedFor(String product, String statements) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        execute(source, "CREATE TABLE customers (id INT PRIMARY KEY)");
        byte[] value = writer(dictionary, true).encode(document(90_000));
        insert(source, 1, value);
        withdrawADayAgo(source, table, dictionary.number());
        AtomicInteger connections = new AtomicInteger();
        FutureTask<Void> deleting = deleting(source, dictionary, connections);
        try (Connection open = source.getConnection();
                PreparedStatement insert = open.prepareStatement("INSERT INTO archive (payload) VALUES (?)")) {
            Sql.execute(open, "START TRANSACTION");
            for (String statement : statements.split(", ")) {
                Sql.execute(open, statement);
            }
            execute(source, "DELETE FROM `odd``orders`");
            new Thread(deleting, "deleting").start();
            awaitLook(connections, deleting, FIRST_LOOK + 3);
            assertThat(deleting.isDone()).isFalse();
            insert.setBytes(1, value);
            insert.executeUpdate();
            Sql.execute(open, "COMMIT");
        }
        assertThatThrownBy(deleting::get).hasMessageContaining("values of shop.archive.payload refer to it");
        clean(source);
    }

    @Test
    void aQueryCachePreventsADeletion() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        execute(source, "SET GLOBAL query_cache_type = ON");
        try {
            assertNotDeleted(table, dictionary.number(), "SET GLOBAL query_cache_type = OFF");
        } finally {
            execute(source, "SET GLOBAL query_cache_type = OFF");
        }
        table.delete(dictionary.number());
        clean(source);
    }

    /** It has no connection then, and may be committed later. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTransactionThatIsPreparedMeanwhileHasNotEnded(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        AtomicInteger connections = new AtomicInteger();
        FutureTask<Void> deleting = deleting(source, dictionary, connections);
        try (Connection global = source.getConnection()) {
            Sql.execute(global, "XA START 'moved'");
            Sql.strings(global, "SELECT id FROM `odd``orders`");
            new Thread(deleting, "deleting").start();
            awaitLook(connections, deleting, FIRST_LOOK + 3);
            try (PreparedStatement insert = global.prepareStatement("INSERT INTO archive (payload) VALUES (?)")) {
                insert.setBytes(1, writer(dictionary, true).encode(document(90_000)));
                insert.executeUpdate();
            }
            Sql.execute(global, "XA END 'moved'");
            Sql.execute(global, "XA PREPARE 'moved'");
        }
        awaitLook(connections, deleting, connections.get() + 4);
        assertThat(deleting.isDone()).isFalse();
        execute(source, "XA COMMIT 'moved'");
        assertThatThrownBy(deleting::get).hasMessageContaining("values of shop.archive.payload refer to it");
        clean(source);
    }

    /** A value that is always committed, and is moved behind the reading that waits. */
    @Test
    void aValueThatIsMovedWhileOthersAreReadIsNotPassedOver() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        execute(source, "CREATE TABLE third (id INT PRIMARY KEY, payload BLOB)");
        table.add(dictionary, "shop.archive", "payload");
        table.add(dictionary, "shop.third", "payload");
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        withdrawADayAgo(source, table, dictionary.number());
        try (Connection copying = source.getConnection()) {
            DataSource movedFirst = beforeStatement(
                    source, sql -> sql.startsWith("SELECT 1 FROM `shop`.`odd") && sql.endsWith(" MODE"), () -> {
                        execute(source, "INSERT INTO archive SELECT id, payload FROM `odd``orders`");
                        execute(source, "DELETE FROM `odd``orders`");
                    });
            DataSource thenCopied = beforeStatement(
                    movedFirst,
                    sql -> sql.startsWith("SELECT 1 FROM `shop`.`archive`") && !sql.endsWith(" MODE"),
                    () -> {
                        Sql.execute(copying, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
                        Sql.execute(copying, "START TRANSACTION");
                        Sql.execute(copying, "INSERT INTO third SELECT id, payload FROM archive");
                        execute(source, "UPDATE archive SET payload = 'encoded again'");
                    });
            assertNotDeleted(
                    DictionaryTable.in(thenCopied, TestServers.SCHEMA),
                    dictionary.number(),
                    "values of shop.odd`orders.payload refer to it");
        }
        clean(source);
    }

    /** MariaDB takes any bytes in them, and lists them in no other way than MySQL, which does not. */
    @Test
    void columnsOfAsciiAreRead() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withUnknownTable(source, "payload VARCHAR(1000) CHARACTER SET ascii");
        ValueDictionary dictionary = trained(0);
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        execute(source, "INSERT INTO archive (payload) SELECT payload FROM `odd``orders`");
        execute(source, "DELETE FROM `odd``orders`");
        assertNotDeleted(table, dictionary.number(), "values of shop.archive.payload refer to it");
        clean(source);
    }

    /** Its number changes when it first writes: it has read for seconds before. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTransactionThatReadsBeforeItWritesIsWaitedFor(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        insert(source, 1, writer(dictionary, true).encode(document(90_000)));
        for (int i = 2; i <= 3; i++) {
            insert(source, i, document(i));
        }
        withdrawADayAgo(source, table, dictionary.number());
        FutureTask<Void> archiving = new FutureTask<>(() -> {
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
                Sql.execute(
                        connection,
                        "INSERT INTO archive (id, payload) SELECT id + SLEEP(2), payload FROM `odd``orders` ORDER BY id");
                return null;
            }
        });
        new Thread(archiving, "archiving").start();
        try (Connection connection = source.getConnection()) {
            awaitSleeping(connection, "INSERT INTO archive");
            Sql.execute(connection, "DELETE FROM `odd``orders` WHERE id = 1");
        }
        assertNotDeleted(table, dictionary.number(), "values of shop.archive.payload refer to it");
        archiving.get();
        clean(source);
    }

    /** In MariaDB, a column that is dropped and added again would be empty in the snapshot. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "MariaDB; RENAME TABLE `odd``orders` TO renamed",
                "MySQL; RENAME TABLE `odd``orders` TO renamed",
                "MariaDB; ALTER TABLE `odd``orders` DROP COLUMN payload",
                "MySQL; ALTER TABLE `odd``orders` DROP COLUMN payload"
            })
    void aTableIsNotAlteredWhileOthersAreRead(String product, String statement) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        AtomicInteger readings = new AtomicInteger();
        AtomicBoolean isRefused = new AtomicBoolean();
        DataSource disturbed = beforeStatement(
                source,
                sql -> sql.startsWith("SELECT 1 FROM `shop`.`archive`") && readings.incrementAndGet() == 3,
                () -> {
                    try (Connection connection = source.getConnection()) {
                        Sql.execute(connection, "SET SESSION lock_wait_timeout = 1");
                        assertThatThrownBy(() -> Sql.execute(connection, statement))
                                .isInstanceOf(SQLException.class);
                        isRefused.set(true);
                    }
                });
        DictionaryTable.in(disturbed, TestServers.SCHEMA).delete(dictionary.number());
        assertThat(isRefused).isTrue();
        clean(source);
    }

    /** SHOW would list nothing, and a query cache and tables that are being altered would not be seen. */
    @Test
    void aLimitOfTheSessionHidesNothing() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        DataSource limited = with(source, "SET SESSION sql_select_limit = 0");
        execute(source, "SET GLOBAL query_cache_type = ON");
        try {
            assertNotDeleted(
                    DictionaryTable.in(limited, TestServers.SCHEMA),
                    dictionary.number(),
                    "SET GLOBAL query_cache_type = OFF");
        } finally {
            execute(source, "SET GLOBAL query_cache_type = OFF");
        }
        DictionaryTable.in(limited, TestServers.SCHEMA).delete(dictionary.number());
        clean(source);
    }

    private static DataSource with(DataSource source, String statement) {
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, statement);
                return connection;
            }
        };
    }

    /** What it registers elsewhere would not be read. */
    @ParameterizedTest
    @CsvSource({
        "MariaDB, blobmark_dictionary_columns",
        "MySQL, blobmark_dictionary_columns",
        "MariaDB, blobmark_dictionaries",
        "MySQL, blobmark_dictionaries"
    })
    void aTemporaryTableDoesNotHideTheRegistry(String product, String hidden) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        DictionaryTable hiding = DictionaryTable.in(
                with(source, "CREATE TEMPORARY TABLE " + hidden + " AS SELECT * FROM shop." + hidden),
                TestServers.SCHEMA);
        assertNotDeleted(hiding, dictionary.number(), "a temporary table of the connection hides");
        assertThatThrownBy(() -> hiding.withdraw(dictionary.number())).hasMessageContaining("a temporary table");
        assertThatThrownBy(() -> hiding.add(dictionary, "shop.archive", "payload"))
                .hasMessageContaining("a temporary table");
        assertThatThrownBy(() -> hiding.forget(dictionary.number(), "shop.archive", "payload"))
                .hasMessageContaining("a temporary table");
        clean(source);
    }

    /** The transactions of the one are not those of the other. */
    @Test
    void aSourceOfSeveralServersDeletesNothing() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DataSource other = TestServers.source("MySQL");
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        AtomicInteger connections = new AtomicInteger();
        DataSource both = new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                return connections.incrementAndGet() == 3 ? other.getConnection() : super.getConnection();
            }
        };
        assertNotDeleted(
                DictionaryTable.in(both, TestServers.SCHEMA), dictionary.number(), "connections to different servers");
        clean(source);
    }

    /** MySQL lists the tables of the snapshot, in which a row that is moved to it later is at its former place. */
    @Test
    void aTableThatIsMadeWhileOthersAreReadIsNotPassedOver() throws Exception {
        refusesWhenDisturbed(
                "MariaDB",
                "tables were made, altered or dropped meanwhile",
                "CREATE TABLE late (payload VARCHAR(1000) CHARACTER SET latin1)");
    }

    /** @param statements of another connection while the columns are read for the last time */
    private static void refusesWhenDisturbed(String product, String reason, String... statements) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        ValueDictionary dictionary = trained(0);
        table.add(dictionary, "shop.archive", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        AtomicInteger readings = new AtomicInteger();
        DataSource disturbed = beforeStatement(
                source,
                sql -> sql.startsWith("SELECT 1 FROM `shop`.`archive`") && readings.incrementAndGet() == 3,
                () -> {
                    for (String statement : statements) {
                        execute(source, statement);
                    }
                });
        assertNotDeleted(DictionaryTable.in(disturbed, TestServers.SCHEMA), dictionary.number(), reason);
        clean(source);
    }

    private interface Disturbance {
        void run() throws Exception;
    }

    /** Whose connections do something else before they prepare a statement, once. */
    private static DataSource beforeStatement(DataSource source, Predicate<String> which, Disturbance disturbance) {
        AtomicBoolean isDone = new AtomicBoolean();
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        DictionaryDeletionIT.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (self, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")
                                    && which.test(String.valueOf(arguments[0]))
                                    && !isDone.getAndSet(true)) {
                                disturbance.run();
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    /** Of the types that are known to hold no frame, and of one that is not known. */
    @Test
    void aTypeThatIsNotKnownPreventsADeletion() throws Exception {
        DataSource source = TestServers.source("MySQL");
        DictionaryTable table = withUnknownTable(source, "payload VECTOR(1000)");
        int number = trained(0).number();
        assertNotDeleted(table, number, "shop.archive.payload has the type vector");
        execute(source, "DROP TABLE archive");
        execute(
                source,
                "CREATE TABLE archive (a INT, b DECIMAL(5, 2), c JSON, d GEOMETRY, e BIT(9), f ENUM('x'), g YEAR, h TIME(3),"
                        + " i DOUBLE, j VARCHAR(9) CHARACTER SET utf8mb4)");
        table.delete(number);
        assertThat(table.isDeleted(number)).isTrue();
        clean(source);
    }

    /** Of a table whose engine is not loaded, MariaDB lists the name and no columns. */
    @Test
    void aTableThatCannotBeOpenedIsNotPassedOver() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        DictionaryTable table = withUnknownTable(source, "payload BLOB");
        int number = trained(0).number();
        table.add(trained(0), "shop.archive", "payload");
        withdrawADayAgo(source, table, number);
        try (Connection connection = source.getConnection()) {
            Path definition =
                    Path.of(Sql.strings(connection, "SELECT @@datadir").get(0), TestServers.SCHEMA, "archive.frm");
            byte[] before = Files.readAllBytes(definition);
            byte[] changed = before.clone();
            changed[new String(before, StandardCharsets.ISO_8859_1).lastIndexOf("InnoDB")] = 'X';
            changed[3] = 99; // the number of an engine that is not loaded
            Sql.execute(connection, "FLUSH TABLES");
            Files.write(definition, changed);
            Sql.execute(connection, "FLUSH TABLES");
            try {
                assertNotDeleted(table, number, "archive");
                assertThatThrownBy(() -> table.forget(number, "shop.archive", "payload"))
                        .isInstanceOf(DictionaryException.class);
                assertNotDeleted(table, number, "archive");
            } finally {
                Files.write(definition, before);
                Sql.execute(connection, "FLUSH TABLES");
            }
        }
        clean(source);
    }

    /** Whoever adds it waits for the deletion, and stores it again. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aDictionaryThatIsUsedAgainWhileItIsDeletedIsThere(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "shop.odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        addedBefore("UPDATE ", source, dictionary, deleting -> deleting.delete(dictionary.number()));
        assertThat(table.isDeleted(dictionary.number())).isFalse();

        withdrawADayAgo(source, table, dictionary.number());
        table.delete(dictionary.number());
        aWeekPasses(source);
        addedBefore("DELETE FROM", source, dictionary, deleting -> deleting.purge(dictionary.number()));
        assertThat(table.isDeleted(dictionary.number())).isFalse();
        clean(source);
    }

    private static void addedBefore(
            String statement, DataSource source, ValueDictionary dictionary, Consumer<DictionaryTable> removal)
            throws Exception {
        FutureTask<Void> adding = new FutureTask<>(
                () -> DictionaryTable.in(source, TestServers.SCHEMA).add(dictionary, "shop.odd`orders", "payload"),
                null);
        DataSource disturbed = beforeStatement(source, sql -> sql.startsWith(statement), () -> addOrWait(adding));
        removal.accept(DictionaryTable.in(disturbed, TestServers.SCHEMA));
        adding.get(1, TimeUnit.MINUTES);
    }

    /** Begins to add it. Where nothing is locked, it is added now. */
    private static void addOrWait(FutureTask<Void> adding) throws InterruptedException {
        Thread thread = new Thread(adding, "adding");
        thread.start();
        thread.join(2_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void dictionariesAreFoundAndNotDeletedWhileValuesReferToThem(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary first = trained(0);
        ValueDictionary second = trained(50_000);
        assertThat(first.number()).isNotEqualTo(second.number());
        DictionaryTable table =
                DictionaryTable.in(source, TestServers.SCHEMA).create().create();
        table.add(first, "shop.odd`orders", "payload");
        table.add(first, "odd`orders", "payload");
        table.add(second, "shop.odd`orders", "payload");
        assertThat(table.all()).hasSize(2);

        byte[] value = document(90_000);
        byte[] stored = writer(first, product.equals("MySQL")).encode(value);
        try (LoadedDictionaries loaded = table.load()) {
            assertThat(loaded.numbers()).containsExactlyInAnyOrder(first.number(), second.number());
            assertThat(ValueFormat.builder().dictionaries(loaded).build().decode(stored))
                    .isEqualTo(value);
        }

        assertNotDeleted(table, first.number(), "it was not withdrawn");
        table.withdraw(first.number());
        assertNotDeleted(table, first.number(), "it was withdrawn at ");
        withdrawADayAgo(source, table, first.number());
        withdrawADayAgo(source, table, second.number());
        try (Connection connection = source.getConnection()) {
            insert(source, 1, stored);
            assertNotDeleted(table, first.number(), "values of shop.odd`orders.payload refer to it");
            assertThat(Collisions.count(connection, "shop.odd`orders", "payload"))
                    .isEqualTo(1);
            table.delete(second.number());
            Sql.execute(connection, "DELETE FROM `odd``orders`");
            table.delete(first.number());
            assertThat(table.isDeleted(first.number())).isTrue();
            assertThat(table.isDeleted(second.number())).isTrue();
            aWeekPasses(source);
            table.purge(first.number());
            table.purge(second.number());
            assertThat(table.all()).isEmpty();
        }
        try (LoadedDictionaries loaded = table.load()) {
            assertThatThrownBy(() ->
                            ValueFormat.builder().dictionaries(loaded).build().decode(stored))
                    .isInstanceOf(FrameException.class)
                    .hasMessageContaining(
                            "dictionary " + ValueDictionary.name(first.number()) + ", which was not found");
        }
    }

    /** Each way in which a value that refers to it could be overlooked. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aDictionaryIsNotDeletedWhileAnythingIsUnknown(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        int number = dictionary.number();
        byte[] stored = writer(dictionary, true).encode(document(1));
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        try (Connection connection = source.getConnection();
                Connection other = source.getConnection()) {
            // its default schema is another one
            DataSource elsewhere = new DelegatingDataSource(source) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection one = super.getConnection();
                    one.setCatalog("mysql");
                    return one;
                }
            };
            DictionaryTable fromElsewhere = DictionaryTable.in(elsewhere, TestServers.SCHEMA);
            withdrawADayAgo(source, table, number);
            insert(source, 1, stored);
            assertNotDeleted(fromElsewhere, number, "values of shop.odd`orders.payload refer to it");
            Sql.execute(connection, "DELETE FROM `odd``orders`");

            // a column that was never registered
            Sql.execute(connection, "CREATE TABLE archive (id INT PRIMARY KEY, payload LONGBLOB)");
            assertNotDeleted(
                    table,
                    number,
                    "name them, so that they are read, as their values may refer to it: shop.archive.payload");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO archive VALUES (1, ?)")) {
                insert.setBytes(1, stored);
                insert.executeUpdate();
            }
            assertNotDeleted(table, number, "values of shop.archive.payload refer to it", "shop.archive.payload");
            Sql.execute(connection, "DELETE FROM archive");

            // one of another schema
            Sql.execute(connection, "CREATE DATABASE second");
            Sql.execute(connection, "CREATE TABLE second.copied (id INT PRIMARY KEY, payload LONGBLOB)");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO second.copied VALUES (1, ?)")) {
                insert.setBytes(1, stored);
                insert.executeUpdate();
            }
            assertNotDeleted(
                    table, number, "values of second.copied.payload", "shop.archive.payload", "second.copied.payload");
            Sql.execute(connection, "DELETE FROM second.copied");
            assertNotDeleted(
                    table,
                    number,
                    "there is no table with a column shop.nowhere.payload",
                    "shop.archive.payload",
                    "shop.nowhere.payload");

            // a value of a later version of the format
            byte[] later = stored.clone();
            later[2] = (byte) 0x80;
            insert(source, 2, later);
            assertNotDeleted(table, number, "or to something unknown", "shop.archive.payload");
            later[2] = (byte) (1 << 6 | 15 << 2 | 2);
            Sql.execute(connection, "DELETE FROM `odd``orders`");
            insert(source, 2, later);
            assertNotDeleted(table, number, "or to something unknown", "shop.archive.payload");
            Sql.execute(connection, "DELETE FROM `odd``orders`");

            // an insert that is not committed yet
            other.setAutoCommit(false);
            try (PreparedStatement insert = other.prepareStatement("INSERT INTO `odd``orders` VALUES (3, ?)")) {
                insert.setBytes(1, stored);
                insert.executeUpdate();
            }
            DataSource impatient = new DelegatingDataSource(source) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection one = super.getConnection();
                    Sql.execute(one, "SET innodb_lock_wait_timeout = 1");
                    return one;
                }
            };
            assertNotDeleted(
                    DictionaryTable.in(impatient, TestServers.SCHEMA),
                    number,
                    "was not deleted",
                    "shop.archive.payload");
            other.commit();
            assertNotDeleted(table, number, "values of shop.odd`orders.payload refer to it", "shop.archive.payload");
            Sql.execute(connection, "DELETE FROM `odd``orders`");

            // all of its tables are looked at only by an account that sees them
            table.delete(number, "shop.archive.payload");
            assertThat(table.isDeleted(number)).isTrue();
        } finally {
            TestServers.clean(source);
        }
    }

    /**
     * A job moves a value while all columns are read: into a column that was read already, or within one. Whatever the
     * moment is, the value is seen at one of its places.
     */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aRowThatIsMovedMeanwhileIsSeen(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueDictionary dictionary = trained(8_000);
        byte[] value = writer(dictionary, true).encode(document(3));
        for (String move : List.of(
                "INSERT INTO archive SELECT * FROM orders; DELETE FROM orders",
                "UPDATE middle SET id = 2 WHERE id = 9")) {
            TestServers.clean(source);
            DictionaryTable table =
                    DictionaryTable.in(source, TestServers.SCHEMA).create();
            try (Connection connection = source.getConnection();
                    Connection other = source.getConnection()) {
                for (String name : List.of("archive", "middle", "orders")) {
                    Sql.execute(connection, "CREATE TABLE " + name + " (id INT PRIMARY KEY, payload BLOB)");
                    table.add(dictionary, name, "payload");
                }
                Sql.execute(connection, "INSERT INTO middle VALUES (5, 'locked')");
                try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO " + (move.startsWith("INSERT") ? "orders" : "middle") + " VALUES (9, ?)")) {
                    insert.setBytes(1, value);
                    insert.executeUpdate();
                }
                withdrawADayAgo(source, table, dictionary.number());
                other.setAutoCommit(false);
                Sql.execute(other, "UPDATE middle SET payload = 'and not committed' WHERE id = 5");
                FutureTask<Void> deletion = new FutureTask<>(() -> table.delete(dictionary.number()), null);
                new Thread(deletion, "deletion").start();
                awaitLock(connection, deletion);
                for (String statement : move.split("; ")) {
                    Sql.execute(connection, statement);
                }
                other.commit();
                assertThatThrownBy(deletion::get).hasStackTraceContaining("refer to it");
                assertThat(table.find(dictionary.number())).isPresent();
            } finally {
                TestServers.clean(source);
            }
        }
    }

    /** A table with a history of its rows, which is not read. */
    @Test
    void aHistoryOfValuesIsNotPassedOver() throws Exception {
        DataSource source = TestServers.source("MariaDB");
        clean(source);
        ValueDictionary dictionary = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE versions (id INT PRIMARY KEY, payload BLOB) WITH SYSTEM VERSIONING");
            assertNotDeleted(table, dictionary.number(), "has a history of values", "shop.versions.payload");
        } finally {
            TestServers.clean(source);
        }
    }

    /** An engine without snapshots, in which a row may move from a column that is not read yet to one that was. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aTableOfAnotherEngineIsNotPassedOver(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(8_000);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE moved (id INT PRIMARY KEY, payload BLOB) ENGINE=MyISAM");
            table.add(dictionary, "moved", "payload");
            withdrawADayAgo(source, table, dictionary.number());
            assertNotDeleted(table, dictionary.number(), "shop.moved.payload is of the engine MyISAM");
        } finally {
            TestServers.clean(source);
        }
    }

    /** Rights that are not those to read each table of the schema. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anAccountThatMayNotSeeAllTablesDeletesNothing(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, dictionary.number());
        List<String> grants = new ArrayList<>(List.of(
                "GRANT SELECT ON mysql.* TO limited@'%'", "GRANT INSERT, UPDATE, DELETE ON shop.* TO limited@'%'"));
        if (product.equals("MySQL")) {
            grants.addAll(List.of(
                    "SET GLOBAL partial_revokes = ON",
                    "GRANT SELECT ON *.* TO limited@'%'",
                    "REVOKE SELECT ON shop.* FROM limited@'%'"));
        } else {
            grants.addAll(List.of(
                    "CREATE ROLE reading",
                    "GRANT SELECT ON shop.* TO reading",
                    "GRANT reading TO limited@'%'")); // which is not set
        }
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE archive (id INT PRIMARY KEY, payload LONGBLOB)");
            Sql.execute(connection, "CREATE USER limited@'%' IDENTIFIED BY 'limited-1'");
            for (String one : List.of("odd``orders", "blobmark_dictionaries", "blobmark_dictionary_columns")) {
                Sql.execute(connection, "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.`" + one + "` TO limited@'%'");
            }
            DictionaryTable limited = DictionaryTable.in(as("limited", source, product), TestServers.SCHEMA);
            assertNotDeleted(limited, dictionary.number(), "this account has no right to read all tables of shop");
            for (String grant : grants) {
                Sql.execute(connection, grant);
                if (!grant.contains("ON *.*")) { // until it is revoked for the schema
                    assertNotDeleted(
                            limited, dictionary.number(), "this account has no right to read all tables of shop");
                }
            }
            Sql.execute(connection, "GRANT SELECT ON shop.* TO limited@'%'");
            assertNotDeleted(limited, dictionary.number(), "name them, so that they are read");
            assertNotDeleted(limited, dictionary.number(), "GRANT PROCESS ON *.*", "shop.archive.payload");
            Sql.execute(connection, "GRANT PROCESS ON *.* TO limited@'%'");
            limited.delete(dictionary.number(), "shop.archive.payload");
        } finally {
            try (Connection connection = source.getConnection()) {
                Sql.execute(connection, "DROP USER IF EXISTS limited@'%'");
                Sql.execute(
                        connection,
                        product.equals("MySQL") ? "SET GLOBAL partial_revokes = OFF" : "DROP ROLE IF EXISTS reading");
            }
            TestServers.clean(source);
        }
    }

    /** In such a column, bytes are text, and a frame stays as it is. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void columnsOfTextThatKeepAnyBytesAreRead(String product) throws Exception {
        DataSource source = TestServers.source(product);
        clean(source);
        ValueDictionary dictionary = trained(0);
        int number = dictionary.number();
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        table.add(dictionary, "odd`orders", "payload");
        withdrawADayAgo(source, table, number);
        byte[] stored = writer(dictionary, true).encode(document(1));
        try (Connection connection = source.getConnection()) {
            Sql.execute(
                    connection, "CREATE TABLE notes (id INT PRIMARY KEY, note TEXT CHARACTER SET latin1, plain TEXT)");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO notes (id, note) VALUES (1, CONVERT(? USING latin1))")) {
                insert.setBytes(1, stored);
                insert.executeUpdate();
            }
            assertNotDeleted(table, number, "values of shop.notes.note refer to it");
            Sql.execute(connection, "UPDATE notes SET note = 'something else'");
            table.delete(number);
        } finally {
            TestServers.clean(source);
        }
    }
}
