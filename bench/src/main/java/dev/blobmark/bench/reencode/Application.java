package dev.blobmark.bench.reencode;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A table that an application writes all the time, with what it wrote and the server confirmed. Each writer has rows of
 * its own. It updates, inserts and deletes rows and changes their keys, with values in the format, raw and framed. When
 * its connection is lost during a statement, it finds out whether that was committed.
 */
final class Application implements AutoCloseable {

    /** ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK: the transaction was rolled back. */
    private static final int LOCK_TIMEOUT = 1205;

    private static final int DEADLOCK = 1213;

    private static final int WRITERS = 2;
    private static final long PAUSE_MILLIS = 4;
    private static final long RECONNECT_MILLIS = 50;
    private static final int BATCH_ROWS = 500;
    private static final byte[] MAGIC = {(byte) 0xBE, (byte) 0xC1};
    private static final byte[] NULL = new byte[0];

    private final Endpoint endpoint;
    private final String table;
    private final boolean isComposite;
    private final List<Writer> writers = new ArrayList<>();
    private final ReadWriteLock gate = new ReentrantReadWriteLock(true);
    private final ValueFormat raw = ValueFormat.builder().build();
    private final ValueFormat framed = ValueFormat.builder()
            .writes("zstd:1")
            .policy(new EncodingPolicy(0, 0, false))
            .build();
    private volatile boolean isClosed;

    /** Statements that were committed. */
    final AtomicLong writes = new AtomicLong();

    /** Rows that were inserted, deleted, or got another key. */
    final AtomicLong moves = new AtomicLong();

    final AtomicLong deadlocks = new AtomicLong();
    final AtomicLong timeouts = new AtomicLong();

    /** Statements whose connection was lost. */
    final AtomicLong unknown = new AtomicLong();

    /** @param isComposite whether the key has two columns, of bytes; otherwise one of text */
    Application(Endpoint endpoint, String table, boolean isComposite, long seed) {
        this.endpoint = endpoint;
        this.table = table;
        this.isComposite = isComposite;
        framed.startWriting();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Writer(i, new SplittableRandom(seed + i)));
        }
    }

    void load(int rows) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "")) {
            Sql.execute(connection, "DROP TABLE IF EXISTS " + table);
            Sql.execute(
                    connection,
                    "CREATE TABLE " + table + " ("
                            + (isComposite
                                    ? "shard INT NOT NULL, id VARBINARY(60) NOT NULL, PRIMARY KEY (shard, id)"
                                    : "id VARCHAR(60) CHARACTER SET utf8mb4 NOT NULL, PRIMARY KEY (id)")
                            + ", payload MEDIUMBLOB, updated TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON"
                            + " UPDATE CURRENT_TIMESTAMP(6)) ENGINE=InnoDB");
            connection.setAutoCommit(false);
            try (PreparedStatement insert = insert(connection)) {
                for (Writer writer : writers) {
                    for (int i = 0; i < rows / WRITERS; i++) {
                        String key = writer.newKey();
                        byte[] value = writer.newValue();
                        bindInsert(insert, key, value, writer.random);
                        insert.addBatch();
                        writer.put(key, value);
                        if (i % BATCH_ROWS == 0) {
                            insert.executeBatch();
                        }
                    }
                    insert.executeBatch();
                }
            }
            connection.commit();
        }
    }

    void start() {
        writers.forEach(Thread::start);
    }

    private PreparedStatement insert(Connection connection) throws SQLException {
        return connection.prepareStatement("INSERT INTO " + table
                + (isComposite ? " (shard, id, payload) VALUES (?, ?, ?)" : " (id, payload) VALUES (?, ?)"));
    }

    private int bindKey(PreparedStatement statement, int first, String key) throws SQLException {
        if (!isComposite) {
            statement.setString(first, key);
            return first + 1;
        }
        statement.setInt(first, Math.floorMod(key.hashCode(), 50));
        statement.setBytes(first + 1, key.getBytes(StandardCharsets.UTF_8));
        return first + 2;
    }

    private void bindInsert(PreparedStatement insert, String key, byte[] value, SplittableRandom random)
            throws SQLException {
        insert.setBytes(bindKey(insert, 1, key), encoded(value, random));
    }

    /** As the application writes it: half of its instances know the new format already. */
    private byte[] encoded(byte[] value, SplittableRandom random) {
        return value == NULL ? null : random.nextBoolean() ? raw.encode(value) : framed.encode(value);
    }

    private String condition() {
        return isComposite ? "shard = ? AND id = ?" : "id = ?";
    }

    /** Thread that writes rows whose keys begin with its number. */
    private final class Writer extends Thread {
        private final int number;
        private final SplittableRandom random;
        private final Map<String, byte[]> values = new HashMap<>();
        private final List<String> keys = new ArrayList<>();
        private long keysMade;
        private Connection connection;

        Writer(int number, SplittableRandom random) {
            super("writer-" + table + "-" + number);
            this.number = number;
            this.random = random;
            setDaemon(true);
        }

        String newKey() {
            return String.format("%d-%08x-%d-é", number, random.nextInt(), keysMade++);
        }

        void put(String key, byte[] value) {
            if (values.put(key, value) == null) {
                keys.add(key);
            }
        }

        private void remove(String key) {
            values.remove(key);
            keys.remove(key); // linear, but the list is short
        }

        private String someKey() {
            return keys.get(random.nextInt(keys.size()));
        }

        byte[] newValue() {
            int kind = random.nextInt(200);
            if (kind < 2) {
                return NULL;
            } else if (kind < 4) {
                return new byte[] {'x'};
            } else if (kind < 10) {
                return noise(20 + random.nextInt(3_000));
            } else if (kind < 14) {
                byte[] value = noise(100);
                System.arraycopy(MAGIC, 0, value, 0, MAGIC.length);
                return value;
            } else if (kind == 15) {
                return json(300_000);
            }
            return json(80 + random.nextInt(1_800));
        }

        private byte[] noise(int length) {
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = (byte) random.nextInt();
            }
            return bytes;
        }

        private byte[] json(int length) {
            StringBuilder text = new StringBuilder("{\"order\": ").append(random.nextLong());
            while (text.length() < length) {
                text.append(", {\"sku\": \"item-")
                        .append(random.nextInt(100))
                        .append("\", \"count\": ")
                        .append(random.nextInt(9))
                        .append(", \"state\": \"paid\"}");
            }
            return text.append('}').toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void run() {
            while (!isClosed) {
                gate.readLock().lock();
                try {
                    write();
                } finally {
                    gate.readLock().unlock();
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
            disconnect();
        }

        private Connection connected() {
            while (true) {
                try {
                    if (connection == null) {
                        connection = JdbcDriver.connectForChanging(endpoint);
                        connection.setAutoCommit(false);
                    }
                    return connection;
                } catch (SQLException e) {
                    disconnect();
                    pause();
                }
            }
        }

        private void pause() {
            try {
                TimeUnit.MILLISECONDS.sleep(RECONNECT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void disconnect() {
            try {
                if (connection != null) {
                    connection.close();
                }
            } catch (SQLException e) {
                // it is unusable in any case
            }
            connection = null;
        }

        /** One transaction; afterwards it is known whether it was committed. */
        private void write() {
            Map<String, Optional<byte[]>> after = new LinkedHashMap<>();
            Connection with = connected();
            try {
                int kind = random.nextInt(20);
                if (kind < 2 && keys.size() > 100) {
                    after.put(delete(with, someKey()), Optional.empty());
                } else if (kind < 4) {
                    String key = newKey();
                    after.put(key, Optional.of(newValue()));
                    try (PreparedStatement insert = insert(with)) {
                        bindInsert(insert, key, after.get(key).get(), random);
                        insert.executeUpdate();
                    }
                } else if (kind < 6) {
                    String key = someKey();
                    String other = newKey();
                    after.put(key, Optional.empty());
                    after.put(other, Optional.of(values.get(key)));
                    move(with, key, other);
                } else {
                    // several rows in any order, as applications do
                    for (int i = kind < 18 ? 1 : 3; i > 0; i--) {
                        String key = someKey();
                        byte[] value = newValue();
                        after.put(key, Optional.of(value));
                        update(with, key, value);
                    }
                }
                with.commit();
                adopt(after);
            } catch (SQLException e) {
                if (e.getErrorCode() == DEADLOCK || e.getErrorCode() == LOCK_TIMEOUT) {
                    (e.getErrorCode() == DEADLOCK ? deadlocks : timeouts).incrementAndGet();
                    rollBack(after);
                } else {
                    findOut(after, e);
                }
            }
        }

        private void adopt(Map<String, Optional<byte[]>> after) {
            boolean isMove = after.values().stream().anyMatch(Optional::isEmpty)
                    || !values.keySet().containsAll(after.keySet());
            after.forEach((key, value) -> value.ifPresentOrElse(now -> put(key, now), () -> remove(key)));
            writes.incrementAndGet();
            moves.addAndGet(isMove ? after.size() : 0);
        }

        private void rollBack(Map<String, Optional<byte[]>> after) {
            try {
                connection.rollback();
            } catch (SQLException e) {
                findOut(after, e);
            }
        }

        /** The connection was lost: the rows show whether the transaction was committed. */
        private void findOut(Map<String, Optional<byte[]>> after, SQLException cause) {
            unknown.incrementAndGet();
            disconnect();
            while (true) {
                try {
                    Connection with = connected();
                    boolean isBefore = true;
                    boolean isAfter = true;
                    for (Map.Entry<String, Optional<byte[]>> change : after.entrySet()) {
                        Optional<byte[]> now = find(with, change.getKey());
                        isAfter &= isSame(now, change.getValue());
                        isBefore &= isSame(now, Optional.ofNullable(values.get(change.getKey())));
                    }
                    with.rollback();
                    if (!isBefore && !isAfter) {
                        throw new IllegalStateException("a part of a transaction was committed: " + after.keySet()
                                + " after " + cause.getMessage());
                    }
                    if (isAfter) {
                        adopt(after);
                    }
                    return;
                } catch (SQLException e) {
                    disconnect();
                    pause();
                }
            }
        }

        private Optional<byte[]> find(Connection with, String key) throws SQLException {
            try (PreparedStatement select =
                    with.prepareStatement("SELECT payload FROM " + table + " WHERE " + condition())) {
                bindKey(select, 1, key);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? Optional.of(decoded(row.getBytes(1))) : Optional.empty();
                }
            }
        }

        private String delete(Connection with, String key) throws SQLException {
            try (PreparedStatement delete = with.prepareStatement("DELETE FROM " + table + " WHERE " + condition())) {
                bindKey(delete, 1, key);
                requireOne(delete.executeUpdate(), key);
            }
            return key;
        }

        private void move(Connection with, String key, String other) throws SQLException {
            try (PreparedStatement move = with.prepareStatement("UPDATE " + table + " SET "
                    + (isComposite ? "shard = ?, id = ?" : "id = ?") + " WHERE " + condition())) {
                bindKey(move, bindKey(move, 1, other), key);
                requireOne(move.executeUpdate(), key);
            }
        }

        private void update(Connection with, String key, byte[] value) throws SQLException {
            try (PreparedStatement update =
                    with.prepareStatement("UPDATE " + table + " SET payload = ? WHERE " + condition())) {
                update.setBytes(1, encoded(value, random));
                bindKey(update, 2, key);
                requireOne(update.executeUpdate(), key);
            }
        }

        private void requireOne(int rows, String key) {
            if (rows != 1) {
                throw new IllegalStateException("the row " + key + " of " + table + " is gone");
            }
        }
    }

    private byte[] decoded(byte[] stored) {
        return stored == null ? NULL : raw.decode(stored);
    }

    private static boolean isSame(Optional<byte[]> one, Optional<byte[]> other) {
        return one.isPresent() == other.isPresent()
                && (one.isEmpty() || (one.get() == NULL) == (other.get() == NULL))
                && (one.isEmpty() || Arrays.equals(one.get(), other.get()));
    }

    private static boolean beginsLikeFrame(byte[] value) {
        return value.length >= 2 && value[0] == MAGIC[0] && value[1] == MAGIC[1];
    }

    /** What a check found. */
    record Checked(long rows, long framed, List<String> violations) {}

    /**
     * Compares all rows with what was confirmed, while nothing is written. Each value decodes, is the one that was
     * written last, and is framed once at most.
     *
     * @throws SQLException if the server is lost
     */
    Checked check() throws SQLException {
        gate.writeLock().lock();
        try (Connection connection = JdbcDriver.connectForChanging(endpoint);
                PreparedStatement select = connection.prepareStatement("SELECT id, payload FROM " + table)) {
            Map<String, byte[]> expected = new HashMap<>();
            writers.forEach(writer -> expected.putAll(writer.values));
            List<String> wrong = new ArrayList<>();
            writers.stream()
                    .filter(writer -> writer.getState() == Thread.State.TERMINATED)
                    .forEach(writer -> wrong.add("the thread " + writer.getName() + " has ended"));
            select.setFetchSize(JdbcDriver.MARIADB.streamingFetchSize());
            long rows = 0;
            long frames = 0;
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows++;
                    String key = new String(row.getBytes(1), StandardCharsets.UTF_8);
                    byte[] stored = row.getBytes(2);
                    frames += stored != null && beginsLikeFrame(stored) ? 1 : 0;
                    byte[] value = expected.remove(key);
                    problem(key, stored, value).ifPresent(wrong::add);
                }
            }
            if (!expected.isEmpty()) {
                wrong.add(expected.size() + " rows are missing, such as "
                        + expected.keySet().iterator().next());
            }
            return new Checked(rows, frames, wrong);
        } finally {
            gate.writeLock().unlock();
        }
    }

    private Optional<String> problem(String key, byte[] stored, byte[] value) {
        if (value == null) {
            return Optional.of("the row " + key + " was deleted, or never committed");
        }
        try {
            byte[] now = decoded(stored);
            if (isSame(Optional.of(now), Optional.of(value))) {
                return Optional.empty();
            }
            return Optional.of("the row " + key + " has another value"
                    + (beginsLikeFrame(now) && !beginsLikeFrame(value) ? ", which is framed twice" : ""));
        } catch (FrameException e) {
            return Optional.of("the row " + key + " does not decode: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        isClosed = true;
        for (Writer writer : writers) {
            try {
                writer.join(TimeUnit.SECONDS.toMillis(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
