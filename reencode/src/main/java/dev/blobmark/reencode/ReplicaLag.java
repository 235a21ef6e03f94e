package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.server.Endpoint;
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
 */
final class ReplicaLag implements Signal, AutoCloseable {

    static final String TABLE = StateTable.NAME + "_beats";

    private static final long PERIOD_MILLIS = 200;

    /** After this long without an answer of a replica, its lag counts as unknown. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final Connection source;
    private final String table;
    private final long row;
    private final Duration max;
    private final List<Replica> replicas;
    private final Deque<Beat> beats = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
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
                    try (Connection connection = Driver.connectToWatch(endpoint)) {
                        do {
                            read(connection);
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

        private void read(Connection connection) throws SQLException {
            List<String> found = Sql.strings(connection, "SELECT beat FROM " + table + " WHERE id = " + row);
            synchronized (ReplicaLag.this) {
                answeredNanos = System.nanoTime();
                error = "";
                seen = found.isEmpty() ? 0 : Long.parseLong(found.get(0));
            }
        }
    }

    /**
     * @param source connection of its own, in autocommit
     * @param schema of the table
     * @param row of this process in the table
     * @param max accepted lag
     */
    ReplicaLag(Connection source, String schema, long row, List<Endpoint> replicas, Duration max) throws SQLException {
        this.source = source;
        this.row = row;
        this.max = max;
        table = Names.quoted(schema, TABLE);
        Sql.execute(
                source,
                "CREATE TABLE IF NOT EXISTS " + table
                        + " (id BIGINT NOT NULL PRIMARY KEY, beat BIGINT NOT NULL) ENGINE=InnoDB");
        beat();
        this.replicas = replicas.stream().map(Replica::new).toList();
        this.replicas.forEach(Thread::start);
        Thread beating = new Thread(this::run, "reencode-beat");
        beating.setDaemon(true);
        beating.start();
    }

    private void run() {
        try {
            while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    beat();
                } catch (SQLException e) {
                    synchronized (this) {
                        failure = String.valueOf(e.getMessage());
                    }
                }
            }
        } catch (InterruptedException e) {
            // the JVM ends
        }
    }

    private void beat() throws SQLException {
        long next = number + 1;
        Sql.execute(source, "REPLACE INTO " + table + " (id, beat) VALUES (" + row + ", " + next + ")");
        synchronized (this) {
            number = next;
            failure = "";
            failedSinceNanos = System.nanoTime();
            beats.addLast(new Beat(next, System.nanoTime()));
        }
    }

    /** The lag of the slowest replica. */
    synchronized Duration lag() {
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

    @Override
    public void close() throws SQLException {
        closed.countDown();
        Sql.execute(source, "DELETE FROM " + table + " WHERE id = " + row);
        if (Sql.strings(source, "SELECT id FROM " + table + " LIMIT 1").isEmpty()) {
            Sql.execute(source, "DROP TABLE IF EXISTS " + table);
        }
    }
}
