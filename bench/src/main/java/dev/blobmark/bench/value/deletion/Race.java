package dev.blobmark.bench.value.deletion;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.ListSampler;
import org.apache.commons.rng.simple.RandomSource;

/** One dictionary is deleted while sessions move its values. */
final class Race {

    private static final String SCHEMA = "race";
    private static final int MOST_SESSIONS = 5;
    private static final int MOST_STEPS = 120;
    private static final int MOST_PAUSE_MILLIS = 60;
    private static final long MOST_OPEN_MILLIS = 3_000;
    private static final ValueDictionary DICTIONARY = trained();
    private static final byte[] VALUE = encoded();

    /** How it ended. */
    enum Ending {
        DELETED("deleted, and no value was left", false),
        KEPT("kept, since values refer to it", false),
        UNKNOWN("kept, since tables were made that are not registered", false),
        LOST("LOST: deleted, and a value refers to it", true),
        STUCK("STUCK: no value refers to it, and it cannot be deleted", true);

        final String words;
        final boolean isWrong;

        Ending(String words, boolean isWrong) {
            this.words = words;
            this.isWrong = isWrong;
        }
    }

    private final Endpoint endpoint;
    private final UniformRandomProvider random;
    private final List<String> history = Collections.synchronizedList(new ArrayList<>());
    private final long begin = System.nanoTime();
    private final AtomicInteger attempts = new AtomicInteger();
    private int statements;

    Race(Endpoint endpoint, long seed) {
        this.endpoint = endpoint;
        random = random(seed);
    }

    static UniformRandomProvider random(long seed) {
        return RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
    }

    List<String> history() {
        return history;
    }

    int statements() {
        return statements;
    }

    int attempts() {
        return attempts.get();
    }

    private void note(String line) {
        history.add(String.format(Locale.ROOT, "%5d ms  %s", (System.nanoTime() - begin) / 1_000_000, line));
    }

    private static byte[] document(int i) {
        return ("{\"customer_name\": \"customer " + i + "\", \"delivery_address\": {\"street\": \"street " + i % 17
                        + "\", \"postal_code\": \"" + (10_000 + i) + "\"}, \"articles\": [" + i * 7 + ", " + i * 13
                        + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static ValueDictionary trained() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int i = 0; i < 1_000; i++) {
            trainer.add(document(i));
        }
        return trainer.train(8_000, 3).orElseThrow().dictionary();
    }

    private static byte[] encoded() {
        ValueFormat writer = ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(DICTIONARY)
                .dictionaries(Dictionaries.of(DICTIONARY))
                .policy(new EncodingPolicy(0, 0, true))
                .build();
        writer.startWriting();
        return writer.encode(document(90_000));
    }

    private DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                Race.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && arguments == null) {
                        return JdbcDriver.connectForLoading(endpoint, SCHEMA);
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    Ending run() throws SQLException, InterruptedException {
        Tables tables = new Tables(
                List.of("a", "b", "c").subList(0, 2 + random.nextInt(2)),
                random.nextInt(3) == 0,
                random.nextInt(4) == 0);
        DictionaryTable dictionaries = made(tables);
        List<Mover> movers = new ArrayList<>();
        int sessions = 1 + random.nextInt(MOST_SESSIONS);
        for (int i = 1; i <= sessions; i++) {
            movers.add(new Mover(i, () -> JdbcDriver.connectForLoading(endpoint, SCHEMA), this::note));
        }
        try {
            CompletableFuture<Boolean> deleting = new CompletableFuture<>();
            boolean isDeleted = false;
            int steps = MOST_STEPS / 4 + random.nextInt(MOST_STEPS);
            for (int step = 0; step < steps && !isDeleted; step++) {
                if (step == 5 || step > 5 && deleting.isDone()) {
                    deleting = CompletableFuture.supplyAsync(() -> isDeleted(dictionaries));
                }
                Mover mover = movers.get(random.nextInt(movers.size()));
                if (mover.isFree()) {
                    mover.next(random, tables, true);
                }
                Thread.sleep(random.nextInt(MOST_PAUSE_MILLIS));
                isDeleted = deleting.isDone() && step > 5 && result(deleting);
            }
            // transactions that have begun late may stay open for longer than the deletion
            long until = System.nanoTime() + random.nextLong(MOST_OPEN_MILLIS) * 1_000_000;
            while (!deleting.isDone() && System.nanoTime() < until) {
                Mover mover = movers.get(random.nextInt(movers.size()));
                if (mover.isFree() && mover.isOpen()) {
                    mover.next(random, tables, false);
                }
                Thread.sleep(random.nextInt(MOST_PAUSE_MILLIS));
            }
            ListSampler.shuffle(random, movers);
            movers.forEach(mover -> mover.end(tables));
            result(deleting);
            return judged(dictionaries);
        } finally {
            for (Mover mover : movers) {
                statements += mover.statements();
                mover.close();
            }
        }
    }

    private static boolean result(CompletableFuture<Boolean> deleting) {
        try {
            return deleting.join();
        } catch (CompletionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private Ending judged(DictionaryTable dictionaries) throws SQLException {
        Optional<String> place = place();
        boolean isDeleted = dictionaries.isDeleted(DICTIONARY.number());
        if (isDeleted) {
            place.ifPresent(found -> note("a value is in " + found));
            return place.isPresent() ? Ending.LOST : Ending.DELETED;
        }
        if (place.isPresent()) {
            return isDeleted(dictionaries) ? Ending.LOST : Ending.KEPT;
        }
        return isDeleted(dictionaries) ? Ending.DELETED : hasMade() ? Ending.UNKNOWN : Ending.STUCK;
    }

    private boolean isDeleted(DictionaryTable dictionaries) {
        attempts.incrementAndGet();
        note("deletion begins");
        try {
            dictionaries.delete(DICTIONARY.number());
            note("deletion succeeds");
            return true;
        } catch (DictionaryException e) {
            note("deletion is refused: " + e.getMessage());
            return false;
        }
    }

    /** Tables with values of the dictionary, and of none. */
    private DictionaryTable made(Tables tables) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "")) {
            Sql.execute(connection, "DROP DATABASE IF EXISTS " + SCHEMA);
            Sql.execute(connection, "CREATE DATABASE " + SCHEMA);
        }
        DictionaryTable dictionaries = DictionaryTable.in(source(), SCHEMA).create();
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, SCHEMA)) {
            for (String table : tables.names()) {
                Sql.execute(
                        connection,
                        "CREATE TABLE " + table
                                + " (id INT AUTO_INCREMENT PRIMARY KEY, payload BLOB, spare BLOB) ENGINE=InnoDB");
                dictionaries.add(DICTIONARY, SCHEMA + "." + table, "payload");
                dictionaries.add(DICTIONARY, SCHEMA + "." + table, "spare");
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (payload, spare) VALUES (?, ?)")) {
                    boolean isFirst = table.equals(tables.names().get(0));
                    for (int i = isFirst ? 2 : random.nextInt(2); i > 0; i--) {
                        insert.setBytes(1, isFirst && i == 1 ? VALUE : document(i));
                        insert.setBytes(2, null);
                        insert.executeUpdate();
                    }
                }
            }
            dictionaries.withdraw(DICTIONARY.number());
            Sql.execute(connection, "UPDATE blobmark_dictionaries SET withdrawn_at = withdrawn_at - 86401");
        }
        return dictionaries;
    }

    private List<String> tables(Connection connection) throws SQLException {
        return Sql.strings(
                connection,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = '" + SCHEMA
                        + "' AND table_name NOT LIKE 'blobmark%'");
    }

    private boolean hasMade() throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, SCHEMA)) {
            return tables(connection).stream().anyMatch(name -> name.startsWith("made"));
        }
    }

    /** A table with the value, whose bytes are always the same: the judge knows nothing else of the format. */
    private Optional<String> place() throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, SCHEMA)) {
            for (String table : tables(connection)) {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SELECT * FROM " + table)) {
                    while (row.next()) {
                        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                            if (!row.getMetaData().getColumnName(i).equals("id")
                                    && Arrays.equals(row.getBytes(i), VALUE)) {
                                return Optional.of(table);
                            }
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }
}
