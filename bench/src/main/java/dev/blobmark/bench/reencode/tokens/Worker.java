package dev.blobmark.bench.reencode.tokens;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Appends tokens of its own to lists. It compares and sets by single statements, many of them sent at once, or locks
 * some rows, reads them and writes them in one transaction. When a statement fails, it finds out which of its tokens
 * are there, by a read that waits for what may still be at work.
 */
final class Worker extends Thread {

    private static final int BATCH = 24;
    private static final int MOST_LOCKED = 3;
    private static final double LOCKING = 0.05;
    private static final double SHARED = 0.1;
    private static final int RETRY_MILLIS = 20;

    private final Run run;
    private final int number;
    private final ValueFormat format;
    private final SplittableRandom random;

    /** Stored bytes of lists as this worker saw them last. */
    private final Map<Integer, byte[]> stored = new HashMap<>();

    private final Map<Integer, TokenList> seen = new HashMap<>();
    private Connection connection;
    private PreparedStatement update;
    private PreparedStatement set;

    /** @param format either frames are written or values as they are; both are read */
    Worker(Run run, int number, ValueFormat format, long seed) {
        super("worker-" + number);
        this.run = run;
        this.number = number;
        this.format = format;
        random = new SplittableRandom(seed);
        setDaemon(true);
    }

    @Override
    public void run() {
        while (!run.isOver()) {
            Map<Integer, TokenList> after = new LinkedHashMap<>();
            try {
                connect();
                if (random.nextDouble() < LOCKING) {
                    lock(after);
                } else {
                    compareAndSet(after);
                }
                TimeUnit.MILLISECONDS.sleep(run.restMillis());
            } catch (SQLException e) {
                resolve(after);
            } catch (InterruptedException e) {
                return;
            }
        }
        disconnect();
    }

    private void connect() throws SQLException {
        if (connection == null) {
            connection = run.stage().connectAsUser();
            Sql.execute(connection, "SET SESSION lock_wait_timeout = 20, innodb_lock_wait_timeout = 5");
            Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            update = connection.prepareStatement(
                    "UPDATE " + run.table() + " SET payload = ? WHERE id = ? AND payload = ?");
            set = connection.prepareStatement("UPDATE " + run.table() + " SET payload = ? WHERE id = ?");
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

    /** Ids in their order, so that locks are taken in it. Most are of this worker's own share. */
    private TreeSet<Integer> some(int most) {
        TreeSet<Integer> ids = new TreeSet<>();
        int share = run.lists() / run.workers();
        for (int i = 0; i < most; i++) {
            ids.add(
                    random.nextDouble() < SHARED
                            ? random.nextInt(run.lists())
                            : number * share + random.nextInt(share));
        }
        return ids;
    }

    private void compareAndSet(Map<Integer, TokenList> after) throws SQLException {
        TreeSet<Integer> ids = some(BATCH);
        read(ids.stream().filter(id -> !stored.containsKey(id)).toList(), "");
        List<Integer> order = new ArrayList<>();
        List<byte[]> written = new ArrayList<>();
        for (int id : ids) {
            byte[] before = stored.remove(id);
            if (before == null) {
                continue;
            }
            TokenList next = seen.get(id).append(number);
            byte[] bytes = format.encode(next.bytes());
            after.put(id, next);
            order.add(id);
            written.add(bytes);
            update.setBytes(1, bytes);
            update.setInt(2, id);
            update.setBytes(3, before);
            update.addBatch();
        }
        int[] rows = update.executeBatch();
        for (int i = 0; i < rows.length; i++) {
            int id = order.get(i);
            if (rows[i] == 1) {
                run.acknowledged(after.get(id));
                stored.put(id, written.get(i));
                seen.put(id, after.get(id));
                run.committed(1);
            } else {
                run.overtaken();
            }
            after.remove(id);
        }
    }

    private void lock(Map<Integer, TokenList> after) throws SQLException {
        TreeSet<Integer> ids = some(MOST_LOCKED);
        connection.setAutoCommit(false);
        read(List.copyOf(ids), " FOR UPDATE");
        for (int id : ids) {
            TokenList next = seen.get(id).append(number);
            after.put(id, next);
            set.setBytes(1, format.encode(next.bytes()));
            set.setInt(2, id);
            set.executeUpdate();
        }
        connection.commit();
        connection.setAutoCommit(true);
        after.values().forEach(run::acknowledged);
        ids.forEach(stored::remove);
        run.committed(1);
        after.clear();
    }

    private void read(List<Integer> ids, String suffix) throws SQLException {
        for (Map.Entry<Integer, byte[]> row :
                run.read(connection, format, ids, suffix, seen).entrySet()) {
            stored.put(row.getKey(), row.getValue());
        }
    }

    /** Finds out which tokens are there: each at most once. */
    private void resolve(Map<Integer, TokenList> after) {
        run.failed(after.size());
        stored.clear();
        while (true) {
            try {
                if (connection != null) {
                    run.stage().closeAndWait(connection);
                }
            } catch (SQLException e) {
                run.problem("a connection cannot be ended: " + e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
            connection = null;
            try {
                connect();
                for (TokenList list : after.values()) {
                    connection.setAutoCommit(false);
                    read(List.of(list.id()), " FOR UPDATE");
                    connection.commit();
                    connection.setAutoCommit(true);
                    if (seen.get(list.id()).count(number) == list.count(number)) {
                        run.committed(1);
                    }
                }
                stored.clear();
                return;
            } catch (SQLException e) {
                try {
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }
}
