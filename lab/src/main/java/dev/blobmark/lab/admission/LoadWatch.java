package dev.blobmark.lab.admission;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Reads a server's status about once a second, on a connection and a thread of its own, and reports what is over a limit. The
 * run's own connections, which are those in its schema, and this one are taken off {@code Threads_running} and
 * {@code Threads_connected}. An excess that comes and goes between two readings is not seen.
 *
 * <p>A watch that cannot read says stop. Seconds without a reading are counted on a second thread, since a reading may hang: nothing
 * begins after {@value #PAUSE_SECONDS} of them, and the alarm is raised after {@value #END_SECONDS}. They are counted and not
 * taken from a clock, so that a process that was suspended and goes on is not taken for one that was blind.
 */
final class LoadWatch implements AutoCloseable {

    /** Seconds without a reading after which nothing begins, and what was measured meanwhile does not count. */
    static final int PAUSE_SECONDS = 3;

    /** Seconds without a reading after which the run ends: longer than a restart of a server's network takes. */
    static final int END_SECONDS = 30;

    static final String GOING_ON = "going on: the load can be read, and is below --max-load";

    private static final long PERIOD_MILLIS = 1_000;

    /**
     * Refused logins that do not have the SQLSTATE of one: locked accounts of MySQL and of MariaDB, and ER_NOT_SUPPORTED_AUTH_MODE,
     * for MySQL 9.7.4 asks for any method of authentication where there is no such account. They are not tried again: each
     * attempt counts towards the account's FAILED_LOGIN_ATTEMPTS.
     */
    private static final Set<Integer> LOGIN_REFUSED = Set.of(3118, 4151, 1251);

    /** SQLSTATE class of a refused login. */
    private static final String NOT_AUTHORIZED = "28";

    private final Opening opening;
    private final String schema;
    private final Look look;
    private final LoadLimits max;
    private final LoadLimits critical;
    private final Alarm alarm;
    private final Thread reader;
    private final Thread counter;
    private final long own;
    private final CountDownLatch closed = new CountDownLatch(1);
    private Connection connection;
    private Optional<String> excess = Optional.empty();
    private Optional<String> disturbance = Optional.empty();
    private Optional<String> lost = Optional.empty();
    private String failure = "no answer yet";
    private int blindSeconds;
    private boolean isExcused;

    /**
     * Opens the watch's connection, and again when it is lost. A {@link WatchLostException} of it ends the watch; after any other
     * it is tried again.
     */
    interface Opening {
        Connection open() throws SQLException;
    }

    /** Looks at the server once a second, beside its status. */
    interface Look {
        /** @return why the run has to end; empty if it may go on */
        Optional<String> at(Connection connection) throws SQLException;
    }

    /**
     * @param schema whose connections are the run's own
     * @param look beside the status
     * @param alarm is raised on a thread of the watch
     * @throws AdmissionException if the server has no such status
     */
    LoadWatch(Opening opening, String schema, Look look, LoadLimits max, LoadLimits critical, Alarm alarm)
            throws SQLException {
        this(opening, schema, 0, look, max, critical, alarm);
    }

    /** @param own id of one more connection of the run's; 0 for none */
    LoadWatch(Opening opening, String schema, long own, Look look, LoadLimits max, LoadLimits critical, Alarm alarm)
            throws SQLException {
        this.own = own;
        this.look = look;
        this.opening = opening;
        this.schema = schema;
        this.max = max;
        this.critical = critical;
        this.alarm = alarm;
        reader = thread("load-watch", this::read);
        counter = thread("load-watch-counter", this::count);
        connection = opening.open();
        try {
            requireKnown();
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void requireKnown() throws SQLException {
        Map<String, Long> status = status();
        for (LoadLimits limits : new LoadLimits[] {max, critical}) {
            for (String name : limits.most().keySet()) {
                if (!status.containsKey(name)) {
                    throw new AdmissionException(
                            "the server has no status variable " + name
                                    + " with a number; SHOW GLOBAL STATUS lists those that --max-load and --critical-load can have");
                }
            }
        }
    }

    LoadWatch start() {
        reader.start();
        counter.start();
        return this;
    }

    private void read() {
        boolean isCritical = false;
        try {
            do {
                try {
                    if (connection == null) {
                        connection = opening.open();
                    }
                    Map<String, Long> status = status();
                    Optional<String> seen = look.at(connection);
                    if (seen.isPresent()) {
                        lose(seen.get());
                        return;
                    }
                    note(max.excess(status));
                    Optional<String> end = critical.excess(status);
                    if (!isCritical && end.isPresent()) {
                        isCritical = true;
                        alarm.critical(end.get());
                    }
                } catch (WatchLostException e) {
                    lose(e.getMessage());
                    return;
                } catch (SQLException | RuntimeException e) {
                    dropConnection();
                    noteFailure(String.valueOf(e.getMessage()));
                    if (e instanceof SQLException refusal && isLoginRefused(refusal)) {
                        lose("the server refuses the login of the watch (" + e.getMessage() + ")");
                        return;
                    }
                }
            } while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // nobody interrupts it but the end of the JVM
        } finally {
            dropConnection();
        }
    }

    private static boolean isLoginRefused(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith(NOT_AUTHORIZED) || LOGIN_REFUSED.contains(e.getErrorCode());
    }

    private void count() {
        try {
            while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                if (countSecond()) {
                    lose("the server's load could not be read for " + END_SECONDS + " s (" + lastFailure() + ")");
                    return;
                }
            }
        } catch (InterruptedException e) {
            // as above
        }
    }

    /** @return whether the watch has been blind for too long */
    private synchronized boolean countSecond() {
        if (!isExcused && ++blindSeconds >= PAUSE_SECONDS) {
            disturbance = Optional.of("the load could not be read for " + blindSeconds + " s");
        }
        return blindSeconds >= END_SECONDS;
    }

    private synchronized String lastFailure() {
        return failure;
    }

    private synchronized void noteFailure(String message) {
        failure = message;
    }

    private synchronized void note(Optional<String> over) {
        blindSeconds = 0;
        failure = "no answer";
        excess = over;
        disturbance = over.or(() -> disturbance);
        notifyAll();
    }

    private void lose(String reason) {
        synchronized (this) {
            if (isExcused || lost.isPresent()) {
                return;
            }
            lost = Optional.of(reason);
            notifyAll();
        }
        alarm.lost(reason);
    }

    /** A time without readings begins that is not the server's fault: its restart by the run, or the run's end. */
    synchronized void excuse() {
        isExcused = true;
    }

    /** Ends what {@link #excuse} began. */
    synchronized void resume() {
        isExcused = false;
        blindSeconds = 0;
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
     * Waits while the load is over the limit or cannot be read, then forgets what has been over it.
     *
     * @param waiting is told the reason, when waiting begins
     * @param check is run every second meanwhile, and may throw
     * @return whether it had to wait
     * @throws WatchLostException if it will not be read again
     */
    synchronized boolean awaitCalm(Consumer<String> waiting, Runnable check) throws InterruptedException {
        boolean waited = false;
        for (Optional<String> why = reasonToWait(); why.isPresent(); why = reasonToWait()) {
            if (!waited) {
                waiting.accept(why.get());
                waited = true;
            }
            check.run();
            wait(PERIOD_MILLIS);
        }
        disturbance = Optional.empty();
        return waited;
    }

    private Optional<String> reasonToWait() {
        lost.ifPresent(reason -> {
            throw new WatchLostException(reason);
        });
        return blindSeconds >= PAUSE_SECONDS
                ? Optional.of("the server's load cannot be read (" + failure + ")")
                : excess;
    }

    /** What has been over the limit, or kept the load from being read, since the last time that all was calm. */
    synchronized Optional<String> disturbance() {
        return disturbance;
    }

    /** Ends the watch; the connection, and its lock with it, goes last. */
    @Override
    public void close() {
        closed.countDown();
        if (!reader.isAlive()) {
            dropConnection();
            return;
        }
        try {
            reader.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
