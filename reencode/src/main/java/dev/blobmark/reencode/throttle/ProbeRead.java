package dev.blobmark.reencode.throttle;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads single rows all the time, as an application does, and makes the work wait while that takes long. The 99th
 * percentile is that of the last {@value #KEPT} reads, about five seconds.
 */
public final class ProbeRead implements Signal, AutoCloseable {

    private static final int KEPT = 250;
    private static final long PERIOD_MILLIS = 20;

    /** With fewer reads, there is no percentile. */
    private static final int LEAST = 100;

    private final Endpoint endpoint;
    private final String sql;
    private final Duration max;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final long[] nanos = new long[KEPT];
    private int count;
    private String failure = "";

    /**
     * @param sql a SELECT of one row
     * @param max accepted 99th percentile
     */
    public ProbeRead(Endpoint endpoint, String sql, Duration max) {
        this.endpoint = endpoint;
        this.sql = sql;
        this.max = max;
        Thread thread = new Thread(this::run, "reencode-probe");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                try (Connection connection = JdbcDriver.connectToWatch(endpoint);
                        PreparedStatement select = connection.prepareStatement(sql)) {
                    while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                        long begin = System.nanoTime();
                        try (ResultSet row = select.executeQuery()) {
                            row.next();
                        }
                        add(System.nanoTime() - begin);
                    }
                } catch (SQLException e) {
                    synchronized (this) {
                        failure = String.valueOf(e.getMessage());
                    }
                    closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            // the JVM ends
        }
    }

    private synchronized void add(long took) {
        nanos[count++ % KEPT] = took;
        failure = "";
    }

    /** The 99th percentile; empty before there are enough reads. */
    synchronized Optional<Duration> p99() {
        if (count < LEAST) {
            return Optional.empty();
        }
        long[] sorted = Arrays.copyOf(nanos, Math.min(count, KEPT));
        Arrays.sort(sorted);
        return Optional.of(Duration.ofNanos(sorted[(int) Math.ceil(0.99 * sorted.length) - 1]));
    }

    @Override
    public synchronized Optional<String> reasonToWait() {
        if (!failure.isEmpty()) {
            return Optional.of("the probe cannot read (" + failure + ")");
        }
        return p99().filter(p99 -> p99.compareTo(max) > 0)
                .map(p99 -> "the probe's p99 is " + micros(p99) + ", and " + micros(max) + " are allowed");
    }

    private static String micros(Duration time) {
        return time.toNanos() / 1_000 + " µs";
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
