package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableInForce;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Signal;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server of a test, with tables of values. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnServer {

    static final EncodingPolicy ALL = new EncodingPolicy(0, 0, false);

    /** At full speed, in transactions of few rows. */
    static final ReencodeOptions FAST = new ReencodeOptions(
            new Pace(
                    ToleratedLoad.DEFAULT,
                    100,
                    OptionalLong.empty(),
                    List.of(),
                    Pace.USUAL_LAG,
                    false,
                    Optional.empty(),
                    Duration.ofMillis(5),
                    Optional.empty(),
                    Optional.empty()),
            false,
            true,
            1,
            false);

    @TempDir
    Path cache;

    OwnServer server;
    UsersTable users;

    abstract OwnServer start() throws Exception;

    @BeforeAll
    void makeTables() throws Exception {
        server = start();
        users = new UsersTable(server);
        users.execute("CREATE DATABASE shop");
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    static final ReencodeListener SILENT = new ReencodeListener() {
        @Override
        public void progressed(Progress progress) {}

        @Override
        public void noticeIssued(String notice) {}
    };

    static final InPlace.Listener IGNORED = new InPlace.Listener() {
        @Override
        public void committed(State state) {}

        @Override
        public void repeated(String reason) {}
    };

    /** Connections that change rows at the same time. */
    int writers() {
        return 1;
    }

    Reencoding reencoding(String column) {
        return new Reencoding(
                users.source(), cache, TableColumn.named(column), FAST.withWriters(writers()), "test", SILENT);
    }

    Reencoding forced(String column) {
        return new Reencoding(
                users.source(),
                cache,
                TableColumn.named(column),
                FAST.withWriters(writers()).forced(),
                "test",
                SILENT);
    }

    static byte[] json(int seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("{\"order\": " + seed + ", \"lines\": [");
        for (int i = 0; i < 5 + random.nextInt(30); i++) {
            text.append("{\"sku\": \"item-")
                    .append(random.nextInt(100))
                    .append("\", \"count\": 1, \"state\": \"paid\"}, ");
        }
        return text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    static byte[] noise(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static byte[] repeated(byte[] bytes, int length) {
        byte[] all = new byte[length];
        for (int i = 0; i < length; i++) {
            all[i] = bytes[i % bytes.length];
        }
        return all;
    }

    void fill(String table, Map<String, byte[]> values) throws Exception {
        try (Connection connection = users.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, payload) VALUES (?, ?)")) {
            for (Map.Entry<String, byte[]> value : values.entrySet()) {
                insert.setString(1, value.getKey());
                insert.setBytes(2, value.getValue());
                insert.executeUpdate();
            }
        }
    }

    void assertSameBytes(String table, Map<String, byte[]> values) throws Exception {
        Map<String, Optional<byte[]>> stored = users.stored(table);
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        stored.forEach((key, bytes) -> assertThat(bytes.orElse(null)).as(key).isEqualTo(values.get(key)));
    }

    /** A table with rows {@code r0} to {@code r299}, and its values. */
    Map<String, byte[]> table(String table) throws Exception {
        users.execute("CREATE TABLE " + table + " (id VARCHAR(40) PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        Map<String, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            values.put("r" + i, json(i));
        }
        fill(table, values);
        return values;
    }

    /** Works on a table without a command around it; the signal is asked between reading and writing rows. */
    State work(String table, State begin, Signal signal) throws Exception {
        TableColumn column = TableColumn.named(table + ".payload");
        StateTable states = new StateTable(column, UUID.randomUUID().toString());
        Throttle throttle = new Throttle(100, OptionalLong.empty(), Clock.SYSTEM, note -> {});
        throttle.setSignals(List.of(signal));
        try (Connection reading = users.connect();
                Connection writing = JdbcDriver.connectForChanging(server.endpoint())) {
            List<String> keyColumns = TableFacts.columns(
                    reading, column, TableKey.of(reading, column).names());
            State state = begin.keyColumns().isEmpty() ? begin.restarted(keyColumns) : begin;
            states.create(reading);
            states.own(reading, state);
            states.release(reading);
            WritingConnection.prepare(writing);
            try (InPlace work = new InPlace(
                    new Work(
                            column,
                            TableKey.of(reading, column),
                            state.conversion(Dictionaries.NONE),
                            throttle,
                            RowImage.NONE,
                            1_000_000,
                            1,
                            Clock.SYSTEM),
                    new InPlace.RowConnections(reading, writing, states),
                    TableFacts.read(reading, column),
                    new TableInForce(writing, column),
                    true)) {
                return work.run(state, IGNORED);
            }
        }
    }

    static State begun(String to) {
        return State.begin("test", Before.RAW, new Target(to, ALL), true, List.of(), Instant.now());
    }

    static Signal stoppingAfter(int permissions) {
        AtomicInteger left = new AtomicInteger(permissions);
        return () -> {
            if (left.getAndDecrement() == 0) {
                throw new StoppedException("test");
            }
            return Optional.empty();
        };
    }
}
