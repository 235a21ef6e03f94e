package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.LoadedDictionaries;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ReaderRegistry.Reader;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Three services and a job in Python share a column for a while: one with a pool of one connection, one with 200
 * threads, one with virtual threads where the JVM has them. Dictionaries rotate, a codec is withdrawn, and two services
 * crash. Every value that is read is right, and nobody waits for a connection that somebody holds who waits for a
 * value.
 */
@SuppressWarnings("try") // services throw what they want, and announcements are there until they are closed
class SharedColumnIT {

    private static final HexFormat HEX = HexFormat.of();

    /** A pool; a wait for it as long as this is a failure. */
    private static final long POOL_SECONDS = 60;

    /** What went wrong, from any thread. */
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    /** The row with this key has the document of this number. */
    private final AtomicLong keys = new AtomicLong();

    private static DataSource pool(DataSource source, int size) {
        Semaphore free = new Semaphore(size);
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                try {
                    if (!free.tryAcquire(POOL_SECONDS, TimeUnit.SECONDS)) {
                        throw new SQLException("waited for the pool");
                    }
                } catch (InterruptedException e) {
                    throw new SQLException("interrupted", e);
                }
                Connection connection = super.getConnection();
                AtomicBoolean isClosed = new AtomicBoolean();
                return (Connection) Proxy.newProxyInstance(
                        SharedColumnIT.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("close") && isClosed.compareAndSet(false, true)) {
                                free.release();
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

    private static ExecutorService virtualThreads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) { // before Java 21
            return Executors.newFixedThreadPool(50);
        }
    }

    /** A program with its own pool, registry, dictionaries and threads. */
    private final class Service implements AutoCloseable {

        private final String name;
        private final DataSource pool;
        private final ExecutorService threads;
        private final ReaderRegistry readers;
        private final LoadedDictionaries dictionaries;
        private final Announcement announcement;
        private volatile ValueFormat format;
        private volatile boolean isEnding;

        Service(String name, DataSource source, int connections, ExecutorService threads, int tasks) throws Exception {
            this.name = name;
            this.threads = threads;
            pool = pool(source, connections);
            readers = ReaderRegistry.in(pool, TestServers.SCHEMA);
            dictionaries = DictionaryTable.in(pool, TestServers.SCHEMA).load();
            ValueFormat reader =
                    ValueFormat.builder().dictionaries(dictionaries).build();
            announcement = readers.announce(name, reader);
            format = reader;
            for (int i = 0; i < tasks; i++) {
                threads.submit(this::work);
            }
        }

        /** From now on it writes so, or as before if a reader cannot read that yet. */
        void write(String codec, Optional<ValueDictionary> dictionary) throws Exception {
            dictionaries.reload();
            announcement.renew();
            ValueFormat.Builder builder = ValueFormat.builder()
                    .dictionaries(dictionaries)
                    .writes(codec)
                    .readers(readers);
            dictionary.ifPresent(builder::writesWith);
            ValueFormat next = builder.build();
            next.startWriting();
            format = next;
        }

        private void work() {
            try {
                while (!isEnding) {
                    writeAndRead();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(200, 600));
                }
            } catch (Exception e) {
                if (!isEnding) {
                    failures.add(name + ": " + e);
                }
            }
        }

        /** Holds a connection while values are encoded and decoded. */
        private void writeAndRead() throws SQLException {
            try (Connection connection = pool.getConnection()) {
                long key = keys.incrementAndGet();
                byte[] value = TestDictionaries.document((int) key);
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO of_all (id, payload) VALUES (?, ?)")) {
                    insert.setLong(1, key);
                    insert.setBytes(2, format.encode(value));
                    insert.executeUpdate();
                }
                read(connection, ThreadLocalRandom.current().nextLong(1, key + 1));
            }
        }

        private void read(Connection connection, long key) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement("SELECT payload FROM of_all WHERE id = ?")) {
                select.setLong(1, key);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()
                            && !Arrays.equals(format.decode(row.getBytes(1)), TestDictionaries.document((int) key))) {
                        failures.add(name + ": another value for " + key);
                    }
                }
            }
        }

        /** Its threads end where they are, and its row stays in the registry. */
        void crash() throws Exception {
            isEnding = true;
            threads.shutdownNow();
            assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
            readers.close();
            dictionaries.close();
        }

        @Override
        public void close() throws Exception {
            crash();
            announcement.close();
        }
    }

    /**
     * Reads all rows in Python, which loads the dictionaries from the table; empty if it has no libraries of codecs.
     */
    private static Optional<Integer> readByPython(DataSource source) throws Exception {
        String python = Path.of("/usr/bin/python3").toFile().canExecute() ? "/usr/bin/python3" : "python3";
        if (new ProcessBuilder(python, "-c", "import zstandard").start().waitFor() != 0) {
            return Optional.empty();
        }
        Process process = new ProcessBuilder(python, "../../value/readers/blobmark_value_check.py")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<byte[]> expected = new ArrayList<>();
        StringBuilder requests = new StringBuilder();
        try (Connection connection = source.getConnection();
                PreparedStatement dictionaries =
                        connection.prepareStatement("SELECT bytes FROM blobmark_dictionaries");
                ResultSet all = dictionaries.executeQuery()) {
            while (all.next()) {
                requests.append("{\"dictionary\": \"")
                        .append(HEX.formatHex(all.getBytes(1)))
                        .append("\"}\n");
            }
            try (PreparedStatement select = connection.prepareStatement("SELECT id, payload FROM of_all");
                    ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    expected.add(TestDictionaries.document(rows.getInt(1)));
                    requests.append("{\"stored\": \"")
                            .append(HEX.formatHex(rows.getBytes(2)))
                            .append("\"}\n");
                }
            }
        }
        Thread writing = new Thread(() -> {
            try (OutputStream in = process.getOutputStream()) {
                in.write(requests.toString().getBytes(StandardCharsets.UTF_8));
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        writing.start();
        List<String> answers = process.inputReader().lines().toList();
        writing.join();
        assertThat(answers).hasSize(expected.size());
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i)).isEqualTo("{\"value\": \"" + HEX.formatHex(expected.get(i)) + "\"}");
        }
        return Optional.of(answers.size());
    }

    /** Until that many more rows are there. */
    private void await(int rows) throws Exception {
        long until = keys.get() + rows;
        while (keys.get() < until && failures.isEmpty()) {
            Thread.sleep(20);
        }
        assertThat(failures).isEmpty();
    }

    private static void reencode(DataSource source, ValueFormat from, ValueFormat to) throws Exception {
        try (Connection connection = source.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT id, payload FROM of_all");
                PreparedStatement update = connection.prepareStatement("UPDATE of_all SET payload = ? WHERE id = ?");
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                update.setBytes(1, to.encode(from.decode(rows.getBytes(2))));
                update.setLong(2, rows.getLong(1));
                update.executeUpdate();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void everyValueIsReadByEverybody(String product) throws Exception {
        DataSource source = TestServers.source(product);
        TestServers.clean(source);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE of_all (id BIGINT PRIMARY KEY, payload MEDIUMBLOB NOT NULL)");
        }
        DictionaryTable table = DictionaryTable.in(source, TestServers.SCHEMA).create();
        ReaderRegistry registry = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueDictionary first = TestDictionaries.trained(0);
        ValueDictionary second = TestDictionaries.trained(50_000);
        Service small = new Service("a pool of one", source, 1, Executors.newSingleThreadExecutor(), 1);
        Service large = new Service("200 threads", source, 8, Executors.newFixedThreadPool(200), 200);
        Service virtual = new Service("virtual threads", source, 4, virtualThreads(), 100);
        Announcement python =
                registry.announce(new Reader("a job in Python", 1, Set.of("zstd", "lz4", "deflate", "snappy")));
        try {
            await(300);
            small.write("lz4", Optional.empty());
            large.write("zstd:3", Optional.empty());
            virtual.write("deflate:6", Optional.empty());
            await(500);
            readByPython(source);

            // the job in Python has no dictionary yet, so nobody writes with one
            table.add(first, "of_all", "payload");
            for (Service service : List.of(small, large, virtual)) {
                service.dictionaries.reload();
                service.announcement.renew();
            }
            assertThatThrownBy(() -> large.write("zstd:3", Optional.of(first)))
                    .hasMessageContaining("since a job in Python cannot read it");
            python.close();
            python = registry.announce(new Reader(
                    "a job in Python",
                    1,
                    Set.of("zstd", "lz4", "deflate", "snappy"),
                    Set.of(first.number(), second.number())));
            large.write("zstd:3", Optional.of(first));
            await(500);
            readByPython(source);

            // the next dictionary, while one service still writes with the former
            table.add(second, "of_all", "payload");
            for (Service service : List.of(small, large, virtual)) {
                service.dictionaries.reload();
                service.announcement.renew();
            }
            virtual.write("zstd:9", Optional.of(second));
            await(300);

            // a crash: its row stays for five minutes, and keeps nobody from writing what it could read
            large.crash();
            small.write("zstd:3", Optional.of(second));
            await(100);
            try (Service again = new Service("200 threads again", source, 8, Executors.newFixedThreadPool(200), 200)) {
                again.write("zstd:3", Optional.of(second));
                await(500);
                readByPython(source);

                // the codec lz4 and the first dictionary go: nobody writes them, then nothing refers to them
                table.withdraw(first.number());
                try (Connection connection = source.getConnection()) {
                    Sql.execute(
                            connection,
                            "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401 WHERE"
                                    + " withdrawn_at IS NOT NULL");
                }
                assertThatThrownBy(() -> table.delete(first.number())).hasMessageContaining("refer to it");
                try (LoadedDictionaries loaded = table.load()) {
                    ValueFormat from =
                            ValueFormat.builder().dictionaries(loaded).build();
                    ValueFormat to = ValueFormat.builder().writes("deflate:6").build();
                    to.startWriting();
                    reencode(source, from, to);
                }
                table.delete(first.number());
                await(300);

                virtual.crash();
                await(100);
                readByPython(source);
            }
            small.close();
            assertThat(failures).isEmpty();
        } finally {
            python.close();
            registry.close();
            for (Service service : List.of(small, large, virtual)) {
                service.threads.shutdownNow();
                service.threads.awaitTermination(1, TimeUnit.MINUTES);
            }
            TestServers.clean(source);
        }
    }
}
