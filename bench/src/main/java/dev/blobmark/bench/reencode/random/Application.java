package dev.blobmark.bench.reencode.random;

import static dev.blobmark.bench.reencode.random.Table.quoted;

import dev.blobmark.bench.reencode.random.Scenario.Act;
import dev.blobmark.bench.reencode.random.Scenario.Step;
import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes the steps of a scenario, one after the other, each on the table and then on its twin. What failed on the table
 * because others had locked it is left out for the twin; what failed otherwise must fail there in the same way.
 *
 * <p>Phases keep the steps in time with the change: it calls {@link #called} from within its listener, which waits for
 * steps. So a change is disturbed where a scenario says so, however fast the machine is.
 */
final class Application implements AutoCloseable {

    /**
     * ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_CHECKREAD, ER_TABLE_DEF_CHANGED, ER_STATEMENT_TIMEOUT of MariaDB,
     * ER_QUERY_TIMEOUT of MySQL.
     */
    private static final Set<Integer> LOCKED = Set.of(1205, 1213, 1020, 1412, 1969, 3024);

    /** ER_XA_RBROLLBACK, which MariaDB may answer where a transaction has changed nothing. */
    private static final int ROLLED_BACK = 1402;

    private static final long PATIENCE_MILLIS = 60;
    private static final long LATE_MILLIS = 120;
    private static final long HOLD_MILLIS = 150;
    private static final long PHASE_MILLIS = 15_000;
    private static final long CALL_MILLIS = 4_000;
    private static final int ENDINGS = 10;

    private final Stage stage;
    private final Scenario scenario;
    private final String main;
    private final String twin;
    private final Path directory;
    private final Log log;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "statement");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<Integer, Pair> pairs = new HashMap<>();
    private final List<Connection> holders = new ArrayList<>();
    private final Set<Integer> aborted = new HashSet<>();
    private final List<String> differences = new ArrayList<>();
    private Connection asking;
    private long mostGiven;
    private int executed;

    // guarded by this
    private int calls;
    private int done;
    private boolean isBlocked;
    private boolean isEnded;
    private boolean isOver;

    /** What else a step does to the change. */
    interface Disturbance {
        void disturb(Step step) throws SQLException;
    }

    /** Connections of a session. */
    private record Pair(Connection main, Connection twin) {}

    /** The twin could not do what the table did, for a reason of the trial itself. */
    static final class UndecidedException extends Exception {
        UndecidedException(String reason) {
            super(reason);
        }
    }

    Application(Stage stage, Scenario scenario, String main, String twin, Path directory, Log log) {
        this.stage = stage;
        this.scenario = scenario;
        this.main = main;
        this.twin = twin;
        this.directory = directory;
        this.log = log;
    }

    int executed() {
        return executed;
    }

    /** The largest number that an AUTO_INCREMENT column of the twin ever had in a committed row. */
    long mostGiven() {
        return mostGiven;
    }

    private long given() throws SQLException {
        if (scenario.table().numbered().isEmpty()) {
            return 0;
        }
        if (asking == null) {
            asking = stage.connect();
        }
        try {
            String column = quoted(scenario.table().numbered().get());
            String sql = "SELECT MAX(" + column + ") FROM " + quoted(twin) + "."
                    + quoted(scenario.table().name());
            String most = Sql.strings(asking, sql).get(0);
            return most == null ? 0 : Long.parseLong(most);
        } catch (SQLException e) {
            return 0; // the table has another name or form now
        }
    }

    /** What a session of the application saw that it would not have seen without a change. */
    List<String> differences() {
        return differences;
    }

    /** The change is about to do something. Waits for the steps that must come before. */
    synchronized void called() {
        int phase = calls++;
        notifyAll();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CALL_MILLIS);
        int awaited = 0;
        for (int i = 0; i < scenario.steps().size(); i++) {
            Step step = scenario.steps().get(i);
            if (step.phase() < phase || step.phase() == phase && step.isAwaited()) {
                awaited = i + 1;
            }
        }
        while (done < awaited && !isBlocked && !isOver && System.nanoTime() < end) {
            waitFor(end);
        }
    }

    /** The change has ended, in one way or another. */
    synchronized void ended() {
        isEnded = true;
        notifyAll();
    }

    private void waitFor(long endNanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, endNanos - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Makes all steps. */
    void run(Disturbance disturbance) throws SQLException, UndecidedException, InterruptedException, IOException {
        try {
            mostGiven = given();
            for (Step step : scenario.steps()) {
                await(step);
                if (!aborted.contains(step.group())) {
                    make(step, disturbance);
                    mostGiven = Math.max(mostGiven, given());
                }
                synchronized (this) {
                    done++;
                    notifyAll();
                }
            }
        } finally {
            synchronized (this) {
                isOver = true;
                notifyAll();
            }
            release();
        }
    }

    /**
     * Waits until a step may begin. If that takes long, the change may be waiting for those who hold the table, or for
     * a transaction that ends later.
     */
    private synchronized void await(Step step) throws SQLException {
        long last = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PHASE_MILLIS);
        while (calls <= step.phase() && !isEnded && System.nanoTime() < last) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HOLD_MILLIS);
            while (calls <= step.phase() && !isEnded && System.nanoTime() < end) {
                waitFor(end);
            }
            release();
        }
        if (calls <= step.phase() && !isEnded) {
            log.add("the change does not call: what is left is done without it");
            calls = Integer.MAX_VALUE / 2;
        }
        int before = calls;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS);
        while (step.isLate() && calls == before && !isEnded && System.nanoTime() < end) {
            waitFor(end);
        }
    }

    private void make(Step step, Disturbance disturbance)
            throws SQLException, UndecidedException, InterruptedException, IOException {
        switch (step.act()) {
            case EXECUTE -> execute(step);
            case HOLD -> hold(step.statement().main());
            case DISCONNECT -> disconnect(step.session());
            case KILL, INTERRUPT, ADMINISTER -> {
                log.add(step.act() + " " + step.statement().main());
                disturbance.disturb(step);
            }
        }
    }

    private void hold(String sql) throws SQLException {
        Connection connection = stage.connect();
        Sql.execute(connection, "USE " + quoted(main));
        Sql.execute(connection, "SET SESSION lock_wait_timeout = 1");
        Sql.execute(connection, "START TRANSACTION");
        try {
            Sql.strings(connection, sql);
            holders.add(connection);
            log.add("hold");
        } catch (SQLException e) {
            connection.close();
        }
    }

    private void release() throws SQLException {
        for (Connection holder : holders) {
            Sql.execute(holder, "COMMIT");
            holder.close();
        }
        holders.clear();
    }

    private void disconnect(int session) throws SQLException, InterruptedException {
        Pair pair = pairs.remove(session);
        if (pair != null) {
            stage.closeAndWait(pair.main());
            stage.closeAndWait(pair.twin());
        }
    }

    private Pair pair(int session) throws SQLException {
        Pair known = pairs.get(session);
        if (known == null) {
            known = new Pair(connect(session, main), connect(session, twin));
            pairs.put(session, known);
        }
        return known;
    }

    private Connection connect(int session, String schema) throws SQLException {
        Connection connection = stage.connectAsUser();
        Sql.execute(connection, "USE " + quoted(schema));
        // how long it waits is the trial's own affair
        Sql.execute(
                connection,
                "SET SESSION completion_type = 0, sql_safe_updates = 0, sql_big_selects = 1, lock_wait_timeout = 2,"
                        + " innodb_lock_wait_timeout = 1, "
                        + (stage.seat.isMySql ? "max_execution_time" : "max_statement_time") + " = 0");
        for (String setting : scenario.sessions().get(session)) {
            attempt(connection, "SET SESSION " + setting);
        }
        return connection;
    }

    /** Executes a statement; the error that it had, if any. */
    private static Optional<SQLException> attempt(Connection connection, String sql) {
        try {
            Sql.execute(connection, sql);
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.of(e);
        }
    }

    /** Rows that a statement changed, or its error. */
    private record Answer(int rows, Optional<SQLException> error) {

        boolean isLocked() {
            return error.filter(e -> LOCKED.contains(e.getErrorCode())).isPresent();
        }

        String text() {
            return error.map(e -> e.getErrorCode() + " " + e.getMessage()).orElse(rows + " rows");
        }
    }

    private Answer answer(Connection connection, String sql) throws IOException {
        String file = "@file(";
        String complete = sql;
        if (sql.contains(file)) {
            int from = sql.indexOf(file);
            int to = sql.indexOf(')', from);
            Path path = Files.writeString(
                    directory.resolve(Integer.toHexString(sql.hashCode())), sql.substring(from + file.length(), to));
            complete = sql.substring(0, from) + path + sql.substring(to + 1);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(complete);
            return new Answer(statement.getUpdateCount(), Optional.empty());
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("08")) {
                throw new IllegalStateException("the connection is lost: " + complete, e);
            }
            return new Answer(0, Optional.of(e));
        }
    }

    /** While it waits for locks, those who hold the table end. */
    private Answer patiently(Connection connection, String sql) throws InterruptedException, SQLException {
        Future<Answer> answer = executor.submit(() -> answer(connection, sql));
        try {
            return answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            blocked(true);
            release();
            try {
                return answer.get();
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure.getCause());
            } finally {
                blocked(false);
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private synchronized void blocked(boolean isNow) {
        isBlocked = isNow;
        notifyAll();
    }

    private void execute(Step step) throws SQLException, UndecidedException, InterruptedException, IOException {
        Pair pair = pair(step.session());
        String sql = step.statement().main();
        boolean isEnding = sql.matches("(XA )?(COMMIT|ROLLBACK)( '.*)?");
        if (!sql.startsWith("XA")) {
            String now = "SET timestamp = " + (1_700_000_000 + done);
            attempt(pair.main(), now);
            attempt(pair.twin(), now);
        }
        Answer here = patiently(pair.main(), sql);
        for (int i = 0; i < ENDINGS && isEnding && here.isLocked(); i++) {
            here = patiently(pair.main(), sql);
        }
        log.add("session " + step.session() + ": " + sql + "  -- " + here.text());
        if (here.isLocked()) {
            abort(step, pair);
            return;
        }
        Answer there = answer(pair.twin(), step.statement().twin());
        if (there.isLocked()) {
            throw new UndecidedException("the twin is locked: " + there.text() + " for " + sql);
        }
        executed += here.error().isEmpty() ? 1 : 0;
        int code = here.error().map(SQLException::getErrorCode).orElse(0);
        int twins = there.error().map(SQLException::getErrorCode).orElse(0);
        boolean isCounted = sql.startsWith("UPDATE") || sql.startsWith("DELETE");
        boolean isEmpty = code == ROLLED_BACK && twins == 0 || code == 0 && twins == ROLLED_BACK;
        if (code != twins && !isEmpty || isCounted && here.rows() != there.rows()) {
            differences.add("answer: " + here.text() + ", and " + there.text() + " without a change: " + sql);
        }
    }

    /** Both sides forget the transaction. */
    private void abort(Step step, Pair pair) {
        aborted.add(step.group());
        scenario.steps().stream()
                .filter(each -> each.group() == step.group()
                        && each.act() == Act.EXECUTE
                        && each.statement().main().startsWith("XA START"))
                .findFirst()
                .ifPresent(begin -> {
                    for (String verb : List.of("XA END ", "XA ROLLBACK ")) {
                        attempt(pair.main(), begin.statement().main().replace("XA START ", verb));
                        attempt(pair.twin(), begin.statement().twin().replace("XA START ", verb));
                    }
                });
        attempt(pair.main(), "ROLLBACK");
        attempt(pair.twin(), "ROLLBACK");
    }

    @Override
    public void close() throws SQLException {
        executor.shutdownNow();
        if (asking != null) {
            asking.close();
        }
        try {
            release();
            for (int session : Set.copyOf(pairs.keySet())) {
                disconnect(session);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
