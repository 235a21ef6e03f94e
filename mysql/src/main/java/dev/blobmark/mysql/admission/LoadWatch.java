package dev.blobmark.mysql.admission;

import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
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
 * Reads a server's status about once a second, on a separate connection and thread, and compares it with limits. The
 * run's connections, which are those in its schema, and this one are subtracted from {@code Threads_running} and
 * {@code Threads_connected}. An excess between two readings is not seen.
 *
 * <p>If the load cannot be read, the run must stop. A second thread counts seconds without a reading, because a reading
 * may hang. After {@value #PAUSE_SECONDS} of them nothing new starts; after {@value #END_SECONDS} the alarm is raised.
 * The seconds are counted instead of read from a clock, so that the time in which the process is suspended does not
 * count.
 */
public final class LoadWatch implements AutoCloseable {

    /** Seconds without a reading after which nothing new starts, and measurements of this time do not count. */
    static final int PAUSE_SECONDS = 3;

    /** Seconds without a reading after which the run ends. A restart of a server's network takes less time. */
    public static final int END_SECONDS = 30;

    public static final String CONTINUING = "continuing: the load can be read and is below --max-load";

    private static final long SECOND_MILLIS = 1_000;

    /**
     * Refused logins without the SQLSTATE for that: locked accounts of MySQL and of MariaDB, and
     * ER_NOT_SUPPORTED_AUTH_MODE, because MySQL 9.7.4 requests an arbitrary method of authentication for an unknown
     * account. There is no second attempt, because each one counts towards the account's FAILED_LOGIN_ATTEMPTS.
     */
    private static final Set<Integer> LOGIN_REFUSED = Set.of(3118, 4151, 1251);

    /** SQLSTATE class of a refused login. */
    private static final String NOT_AUTHORIZED = "28";

    private final WatchOpening opening;
    private final String schema;
    private final ServerCheck serverCheck;
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
    private int secondsUnread;
    private boolean isSuspended;
    private long periodMillis = SECOND_MILLIS;

    /**
     * Opens the watch's connection, and a new one when it is lost. A {@link WatchLostException} ends the watch; after
     * any other exception there are further attempts.
     */
    public interface WatchOpening {
        Connection open() throws SQLException;
    }

    /** A further check of the server, once a second. */
    public interface ServerCheck {
        /** @return why the run must end; empty if it may continue */
        Optional<String> reasonToEnd(Connection connection) throws SQLException;
    }

    /**
     * @param schema the schema whose connections belong to the run
     * @param serverCheck made in addition to that of the status
     * @param alarm called on a thread of the watch
     * @throws AdmissionException if the server does not have a status variable of the limits
     */
    public LoadWatch(
            WatchOpening opening,
            String schema,
            ServerCheck serverCheck,
            LoadLimits max,
            LoadLimits critical,
            Alarm alarm)
            throws SQLException {
        this(opening, schema, 0, serverCheck, max, critical, alarm);
    }

    /** @param own id of another connection of the run; 0 for none */
    public LoadWatch(
            WatchOpening opening,
            String schema,
            long own,
            ServerCheck serverCheck,
            LoadLimits max,
            LoadLimits critical,
            Alarm alarm)
            throws SQLException {
        this.own = own;
        this.serverCheck = serverCheck;
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
            for (String name : limits.largest().keySet()) {
                if (!status.containsKey(name)) {
                    throw new AdmissionException("the server has no numeric status variable " + name
                            + ": use variables of SHOW GLOBAL STATUS in --max-load and --critical-load");
                }
            }
        }
    }

    public LoadWatch start() {
        return start(SECOND_MILLIS);
    }

    /** @param periodMillis how long what is counted as a second takes; tests shorten it */
    public LoadWatch start(long periodMillis) {
        this.periodMillis = periodMillis;
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
                    Optional<String> reasonToEnd = serverCheck.reasonToEnd(connection);
                    if (reasonToEnd.isPresent()) {
                        lose(reasonToEnd.get());
                        return;
                    }
                    recordReading(max.excess(status));
                    Optional<String> criticalExcess = critical.excess(status);
                    if (!isCritical && criticalExcess.isPresent()) {
                        isCritical = true;
                        alarm.critical(criticalExcess.get());
                    }
                } catch (WatchLostException e) {
                    lose(e.getMessage());
                    return;
                } catch (SQLException | RuntimeException e) {
                    dropConnection();
                    recordFailure(String.valueOf(e.getMessage()));
                    if (e instanceof SQLException refusal && isLoginRefused(refusal)) {
                        lose("the server refuses the login of the watch (" + e.getMessage() + ")");
                        return;
                    }
                }
            } while (!closed.await(periodMillis, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // the JVM ends
        } finally {
            dropConnection();
        }
    }

    private static boolean isLoginRefused(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith(NOT_AUTHORIZED) || LOGIN_REFUSED.contains(e.getErrorCode());
    }

    private void count() {
        try {
            while (!closed.await(periodMillis, TimeUnit.MILLISECONDS)) {
                if (countSecond()) {
                    lose("the server's load could not be read for " + END_SECONDS + " s (" + lastFailure() + ")");
                    return;
                }
            }
        } catch (InterruptedException e) {
            // the JVM ends
        }
    }

    /** @return whether the alarm is due */
    private synchronized boolean countSecond() {
        if (!isSuspended && ++secondsUnread >= PAUSE_SECONDS) {
            disturbance = Optional.of("the load could not be read for " + secondsUnread + " s");
        }
        return secondsUnread >= END_SECONDS;
    }

    private synchronized String lastFailure() {
        return failure;
    }

    private synchronized void recordFailure(String message) {
        failure = message;
    }

    private synchronized void recordReading(Optional<String> excess) {
        secondsUnread = 0;
        failure = "no answer";
        this.excess = excess;
        disturbance = excess.or(() -> disturbance);
        notifyAll();
    }

    private void lose(String reason) {
        synchronized (this) {
            if (isSuspended || lost.isPresent()) {
                return;
            }
            lost = Optional.of(reason);
            notifyAll();
        }
        alarm.lost(reason);
    }

    /** Ignores missing readings until {@link #resume}: the run restarts the server, or ends. */
    public synchronized void suspend() {
        isSuspended = true;
    }

    public synchronized void resume() {
        isSuspended = false;
        secondsUnread = 0;
    }

    private void dropConnection() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // the connection is unusable in any case
        }
        connection = null;
    }

    /** The variables that have limits, without the run's share. */
    private Map<String, Long> status() throws SQLException {
        TreeSet<String> names = new TreeSet<>(max.largest().keySet());
        names.addAll(critical.largest().keySet());
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
        long watching =
                Long.parseLong(Sql.strings(connection, "SELECT CONNECTION_ID()").get(0));
        List<Session> ofRun = Session.list(connection).stream()
                .filter(session -> session.schema().equals(schema) || session.id() == own || session.id() == watching)
                .toList();
        long running = ofRun.stream().filter(session -> !session.isIdle()).count();
        status.computeIfPresent("threads_connected", (name, all) -> all - ofRun.size());
        status.computeIfPresent("threads_running", (name, all) -> all - running);
        return status;
    }

    /**
     * Waits while the load exceeds the limit or cannot be read, then clears {@link #disturbance}.
     *
     * @param waiting receives the reason when waiting starts
     * @param check runs every second of the wait, and may throw
     * @return whether it had to wait
     * @throws WatchLostException if the watch has ended
     */
    public synchronized boolean awaitLowLoad(Consumer<String> waiting, Runnable check) throws InterruptedException {
        boolean waited = false;
        for (Optional<String> reason = reasonToWait(); reason.isPresent(); reason = reasonToWait()) {
            if (!waited) {
                waiting.accept(reason.get());
                waited = true;
            }
            check.run();
            wait(periodMillis);
        }
        disturbance = Optional.empty();
        return waited;
    }

    /**
     * Why nothing should start now.
     *
     * @throws WatchLostException if the watch has ended
     */
    synchronized Optional<String> reasonToWait() {
        lost.ifPresent(reason -> {
            throw new WatchLostException(reason);
        });
        return secondsUnread >= PAUSE_SECONDS
                ? Optional.of("the server's load cannot be read (" + failure + ")")
                : excess;
    }

    /** The last excess or failure to read the load since the last {@link #awaitLowLoad}. */
    public synchronized Optional<String> disturbance() {
        return disturbance;
    }

    /** Ends the watch. The connection, which holds the lock, is closed last. */
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
