package dev.blobmark.lab.guest;

import dev.blobmark.lab.server.ServerException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Reads a server's status about once a second, on a connection and a thread of its own, and tells what is over a limit. The
 * run's own connections, which are those in its schema, and this one are taken off {@code Threads_running} and
 * {@code Threads_connected}. An excess that comes and goes between two readings is not seen.
 */
final class LoadWatch implements AutoCloseable {

    private static final long PERIOD_MILLIS = 1_000;

    /** So many readings fail, in as many seconds, before the server is taken to be gone. */
    private static final int MOST_FAILURES = 10;

    private final Opening opening;
    private final String schema;
    private final LoadLimits max;
    private final LoadLimits critical;
    private final Consumer<String> onCritical;
    private final Thread thread;
    private final long own;
    private Connection connection;
    private Optional<String> excess = Optional.empty();
    private Optional<String> disturbance = Optional.empty();
    private int failures;
    private boolean closed;

    /** Opens the watch's connection, and again when it is lost. */
    interface Opening {
        Connection open() throws SQLException;
    }

    /**
     * @param schema whose connections are the run's own
     * @param onCritical is told, once and on the watch's thread, what is over the critical limit
     * @throws GuestException if the server has no such status
     */
    LoadWatch(Opening opening, String schema, LoadLimits max, LoadLimits critical, Consumer<String> onCritical)
            throws SQLException {
        this(opening, schema, 0, max, critical, onCritical);
    }

    /** @param own id of one more connection of the run's; 0 for none */
    LoadWatch(
            Opening opening, String schema, long own, LoadLimits max, LoadLimits critical, Consumer<String> onCritical)
            throws SQLException {
        this.own = own;
        this.opening = opening;
        this.schema = schema;
        this.max = max;
        this.critical = critical;
        this.onCritical = onCritical;
        connection = opening.open();
        thread = new Thread(this::watch, "load-watch");
        thread.setDaemon(true);
        try {
            requireKnown();
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void requireKnown() throws SQLException {
        Map<String, Long> status = status();
        for (LoadLimits limits : new LoadLimits[] {max, critical}) {
            for (String name : limits.most().keySet()) {
                if (!status.containsKey(name)) {
                    throw new GuestException(
                            "the server has no status variable " + name
                                    + " with a number; SHOW GLOBAL STATUS lists those that --max-load and --critical-load can have");
                }
            }
        }
    }

    LoadWatch start() {
        thread.start();
        return this;
    }

    private void watch() {
        boolean isCritical = false;
        while (!isClosed()) {
            Optional<Map<String, Long>> status = reading();
            if (status.isPresent() && !isCritical) {
                Optional<String> end = critical.excess(status.get());
                isCritical = end.isPresent();
                end.ifPresent(onCritical);
            }
            if (!pause()) {
                return;
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized boolean pause() {
        try {
            if (!closed) {
                wait(PERIOD_MILLIS);
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private Optional<Map<String, Long>> reading() {
        try {
            if (connection == null) {
                connection = opening.open();
            }
            Map<String, Long> status = status();
            Optional<String> over = max.excess(status);
            synchronized (this) {
                failures = 0;
                excess = over;
                disturbance = over.or(() -> disturbance);
                notifyAll();
            }
            return Optional.of(status);
        } catch (SQLException | RuntimeException e) {
            dropConnection();
            synchronized (this) {
                failures++;
                notifyAll();
            }
            return Optional.empty();
        }
    }

    private void dropConnection() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // it is gone either way
        }
        connection = null;
    }

    /** The limited variables, less what the run itself adds. */
    private Map<String, Long> status() throws SQLException {
        TreeSet<String> names = new TreeSet<>(max.most().keySet());
        names.addAll(critical.most().keySet());
        names.add("threads_running");
        Map<String, Long> status = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(names.stream()
                        .collect(Collectors.joining("', '", "SHOW GLOBAL STATUS WHERE Variable_name IN ('", "')")))) {
            while (rows.next()) {
                if (rows.getString(2).matches("\\d{1,18}")) {
                    status.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getLong(2));
                }
            }
        }
        try (PreparedStatement ours = connection.prepareStatement(
                "SELECT COUNT(*), COALESCE(SUM(command <> 'Sleep'), 0) FROM information_schema.processlist"
                        + " WHERE db = ? OR id IN (CONNECTION_ID(), ?)")) {
            ours.setString(1, schema);
            ours.setLong(2, own);
            try (ResultSet row = ours.executeQuery()) {
                row.next();
                long connected = row.getLong(1);
                long running = row.getLong(2);
                status.computeIfPresent("threads_connected", (name, all) -> all - connected);
                status.computeIfPresent("threads_running", (name, all) -> all - running);
            }
        }
        return status;
    }

    /**
     * Waits while the load is over the limit, then forgets what has been over it.
     *
     * @param waiting is told what is over it, when waiting begins
     * @param check is run every second meanwhile, and may throw
     * @return whether it had to wait
     * @throws ServerException if the server does not answer any more
     */
    synchronized boolean awaitCalm(Consumer<String> waiting, Runnable check) throws InterruptedException {
        boolean waited = false;
        while (excess.isPresent()) {
            if (failures >= MOST_FAILURES) {
                throw new ServerException("the server has not answered for " + MOST_FAILURES + " s");
            }
            if (!waited) {
                waiting.accept(excess.get());
                waited = true;
            }
            check.run();
            wait(PERIOD_MILLIS);
        }
        disturbance = Optional.empty();
        return waited;
    }

    /** What has been over the limit since the last time that all was calm. */
    synchronized Optional<String> disturbance() {
        return disturbance;
    }

    /** Ends the watch; the connection, and its lock with it, goes last. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dropConnection();
    }
}
