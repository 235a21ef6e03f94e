package dev.blobmark.bench.reencode;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Reads rows, and updates one in ten, at a rate that does not depend on how long it takes. */
final class OpenLoad implements AutoCloseable {

    private static final int WORKERS = 8;
    private static final int UPDATE_PERCENT = 10;
    private static final long MAX_NANOS = 60_000_000_000L;

    private final List<Worker> workers = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS);

    OpenLoad(Endpoint endpoint, String table, long rows) throws SQLException {
        for (int i = 0; i < WORKERS; i++) {
            workers.add(new Worker(JdbcDriver.connectForChanging(endpoint), table, rows, i));
        }
    }

    private static final class Worker {
        private final Connection connection;
        private final PreparedStatement select;
        private final PreparedStatement update;
        private final SplittableRandom random;
        private final long rows;

        Worker(Connection connection, String table, long rows, int seed) throws SQLException {
            this.connection = connection;
            this.rows = rows;
            random = new SplittableRandom(seed);
            select = connection.prepareStatement("SELECT payload FROM " + table + " WHERE id = ?");
            update = connection.prepareStatement("UPDATE " + table + " SET n = n + 1 WHERE id = ?");
        }

        void operate() throws SQLException {
            PreparedStatement statement = random.nextInt(100) < UPDATE_PERCENT ? update : select;
            statement.setLong(1, random.nextLong(rows));
            if (statement == update) {
                update.executeUpdate();
                return;
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                row.getBytes(1);
            }
        }
    }

    /** Operations in a second without pauses. */
    double capacity(Duration time) throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + time.toNanos();
        AtomicLong done = new AtomicLong();
        forEach(worker -> {
            while (System.nanoTime() < end) {
                worker.operate();
                done.incrementAndGet();
            }
        });
        return done.get() / (time.toNanos() / 1e9);
    }

    /** Response times in nanoseconds, from the moment at which an operation is due. */
    Histogram run(double rate, Duration time) throws InterruptedException, ExecutionException {
        long begin = System.nanoTime();
        long count = Math.round(rate * time.toNanos() / 1e9);
        AtomicLong next = new AtomicLong();
        List<Histogram> parts = new ArrayList<>();
        forEach(worker -> {
            Histogram times = new Histogram(MAX_NANOS, 3);
            for (long i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                long due = begin + Math.round(i / rate * 1e9);
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                worker.operate();
                times.recordValue(Math.min(MAX_NANOS, System.nanoTime() - due));
            }
            synchronized (parts) {
                parts.add(times);
            }
        });
        Histogram all = new Histogram(MAX_NANOS, 3);
        parts.forEach(all::add);
        return all;
    }

    private interface Work {
        void run(Worker worker) throws SQLException;
    }

    private void forEach(Work work) throws InterruptedException, ExecutionException {
        List<Future<?>> running = new ArrayList<>();
        for (Worker worker : workers) {
            running.add(threads.submit(() -> {
                work.run(worker);
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    @Override
    public void close() throws SQLException {
        threads.shutdown();
        for (Worker worker : workers) {
            worker.connection.close();
        }
    }
}
