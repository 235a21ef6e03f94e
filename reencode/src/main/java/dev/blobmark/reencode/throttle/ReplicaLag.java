package dev.blobmark.reencode.throttle;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Names;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits while replicas are late. A number in a table of the source is raised five times a second; a replica is as late
 * as the oldest number that it does not have yet. No clocks are compared. If a replica cannot be read, the work waits.
 *
 * <p>Each column that is changed has a row in the table, which stays if the process is killed. The next one continues
 * with its number, so that a replica never seems to have what it does not have.
 */
public final class ReplicaLag implements Signal, AutoCloseable {

    public static final String TABLE = StateTable.NAME + "_beats";

    private static final long PERIOD_MILLIS = 200;

    /** After this long without an answer of a replica, its lag counts as unknown. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private static final long END_MILLIS = 5_000;

    private final Connections source;
    private final String table;
    private final long row;
    private final Duration max;
    private final List<Replica> replicas;
    private final Thread beating = new Thread(this::run, "reencode-beat");
    private final Deque<Beat> beats = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private Connection connection;
    private long number;
    private String failure = "";
    private long failedSinceNanos;

    /** A number of the source and when it was committed. */
    private record Beat(long number, long atNanos) {}

    /** What was read of a replica. */
    private final class Replica extends Thread {
        private final Endpoint endpoint;
        private long seen;
        private long answeredNanos = System.nanoTime();
        private String error = "no answer yet";

        Replica(Endpoint endpoint) {
            super("reencode-lag");
            this.endpoint = endpoint;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (closed.getCount() > 0) {
                    try (Connection replica = JdbcDriver.connectToWatch(endpoint)) {
                        do {
                            read(replica);
                        } while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
                    } catch (SQLException | RuntimeException e) {
                        synchronized (ReplicaLag.this) {
                            error = String.valueOf(e.getMessage());
                        }
                        closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
                    }
                }
            } catch (InterruptedException e) {
                // the JVM ends
            }
        }

        private void read(Connection replica) throws SQLException {
            long found = stored(replica);
            synchronized (ReplicaLag.this) {
                answeredNanos = System.nanoTime();
                error = "";
                seen = found;
            }
        }
    }

    /**
     * Makes the table and the first beat.
     *
     * @param source new connections to it
     * @param max accepted lag
     */
    public ReplicaLag(Connections source, TableColumn column, List<Endpoint> replicas, Duration max)
            throws SQLException {
        this.source = source;
        this.max = max;
        row = row(column);
        table = Names.quoted(column.schema(), TABLE);
        connection = source.getConnection();
        try {
            create();
            number = stored(connection);
            beat();
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        this.replicas = replicas.stream().map(Replica::new).toList();
        this.replicas.forEach(Thread::start);
        beating.setDaemon(true);
        beating.start();
    }

    /** The row of a column in the table. */
    public static long row(TableColumn column) {
        return ByteBuffer.wrap(Names.digest(column.name())).getLong();
    }

    private void create() throws SQLException {
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + table
                        + " (id BIGINT NOT NULL PRIMARY KEY, beat BIGINT NOT NULL) ENGINE=InnoDB");
    }

    /** The number on a server; 0 if it is not there yet. */
    private long stored(Connection of) throws SQLException {
        try {
            List<String> found = Sql.strings(of, "SELECT beat FROM " + table + " WHERE id = " + row);
            return found.isEmpty() ? 0 : Long.parseLong(found.get(0));
        } catch (SQLException e) {
            if (e.getErrorCode() == StateTable.NO_SUCH_TABLE) {
                return 0;
            }
            throw e;
        }
    }

    private void run() {
        try {
            while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    if (connection == null) {
                        connection = source.getConnection();
                        create(); // a change of another column may have dropped it
                    }
                    beat();
                } catch (SQLException e) {
                    synchronized (this) {
                        failure = String.valueOf(e.getMessage());
                    }
                    disconnect();
                }
            }
            if (connection == null) {
                connection = source.getConnection();
            }
            forget(connection, table, row);
        } catch (InterruptedException e) {
            // the JVM ends
        } catch (SQLException e) {
            // the row stays for the next change of the column
        } finally {
            disconnect();
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

    private void beat() throws SQLException {
        long next = number + 1;
        Sql.execute(connection, "REPLACE INTO " + table + " (id, beat) VALUES (" + row + ", " + next + ")");
        synchronized (this) {
            number = next;
            failure = "";
            failedSinceNanos = System.nanoTime();
            beats.addLast(new Beat(next, System.nanoTime()));
        }
    }

    /** The lag of the slowest replica. */
    public synchronized Duration lag() {
        long now = System.nanoTime();
        long most = 0;
        long least = replicas.stream().mapToLong(replica -> replica.seen).min().orElse(number);
        while (beats.size() > 1 && beats.peekFirst().number() <= least) {
            beats.removeFirst();
        }
        for (Replica replica : replicas) {
            Optional<Beat> missing =
                    beats.stream().filter(beat -> beat.number() > replica.seen).findFirst();
            most = Math.max(most, missing.map(beat -> now - beat.atNanos()).orElse(0L));
        }
        return Duration.ofNanos(most);
    }

    @Override
    public synchronized Optional<String> reasonToWait() {
        long now = System.nanoTime();
        for (Replica replica : replicas) {
            if (now - replica.answeredNanos > SILENCE.toNanos()) {
                return Optional.of(
                        "the lag of " + replica.endpoint.authority() + " cannot be read (" + replica.error + ")");
            }
        }
        if (!failure.isEmpty() && now - failedSinceNanos > SILENCE.toNanos()) {
            return Optional.of("lag cannot be measured (" + failure + ")");
        }
        Duration lag = lag();
        return lag.compareTo(max) > 0
                ? Optional.of("a replica is " + lag.toMillis() + " ms late, and " + max.toMillis() + " ms are allowed")
                : Optional.empty();
    }

    /** Removes the row of a column that a killed process left. */
    public static void forget(Connection connection, TableColumn column) throws SQLException {
        boolean exists = !Sql.row(
                        connection,
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        TABLE)
                .isEmpty();
        if (exists) {
            forget(connection, Names.quoted(column.schema(), TABLE), row(column));
        }
    }

    private static void forget(Connection connection, String table, long row) throws SQLException {
        Sql.execute(connection, "DELETE FROM " + table + " WHERE id = " + row);
        if (Sql.strings(connection, "SELECT id FROM " + table + " LIMIT 1").isEmpty()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS " + table);
        }
    }

    /** Ends within seconds, and removes the row and an empty table. */
    @Override
    public void close() {
        closed.countDown();
        try {
            beating.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
