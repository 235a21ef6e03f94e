package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/**
 * Work in a transaction of its own, on a connection of the application's source.
 *
 * <p>Sources can give a thread the connection of the transaction that it is in. So a thread that is not the library's
 * has the work done by another one: neither a roll-back nor a commit reaches what the application does.
 *
 * <p>Pools can return connections in any state: with a transaction that nobody has ended, without auto-commit, at a
 * level that shows what is not committed. So the transaction begins and ends by statements of SQL, whatever the driver
 * believes, and states its level.
 */
final class OwnTransaction {

    /** How long an answer of the server may take, other than that of a long query. */
    private static final int ANSWER_MILLIS = 30_000;

    private static final int NO_LIMIT = 0;

    /** How long others may keep a table locked, such as one that they alter. */
    private static final int LOCK_WAIT_SECONDS = 60;

    private static final int BRIEF_LOCK_WAIT_SECONDS = 2;

    private static final String ALL_ROWS = "18446744073709551615";

    /** How long a caller waits for a connection; more than pools do by default. */
    private static final int CONNECT_MILLIS = 45_000;

    private static final int INTERRUPTED_MILLIS = 5_000;

    private static final Set<String> IS_OFF = Set.of("0", "OFF");

    private OwnTransaction() {}

    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private enum Kind {
        READING("REPEATABLE READ", "START TRANSACTION", "ROLLBACK", ANSWER_MILLIS, false),
        LOOKING("REPEATABLE READ", "START TRANSACTION", "ROLLBACK", ANSWER_MILLIS, true),
        WRITING("REPEATABLE READ", "START TRANSACTION READ WRITE", "COMMIT", ANSWER_MILLIS, false),
        BRIEF("REPEATABLE READ", "START TRANSACTION READ WRITE", "COMMIT", ANSWER_MILLIS, false),
        LOCKING("READ COMMITTED", "START TRANSACTION READ WRITE", "COMMIT", NO_LIMIT, true),
        SNAPSHOT("REPEATABLE READ", "START TRANSACTION READ WRITE", "COMMIT", NO_LIMIT, true);

        private final String isolation;
        private final String start;
        private final String end;
        private final int answerMillis;

        /** Whether SHOW has to list everything. */
        private final boolean isComplete;

        Kind(String isolation, String start, String end, int answerMillis, boolean isComplete) {
            this.isolation = isolation;
            this.start = start;
            this.end = end;
            this.answerMillis = answerMillis;
            this.isComplete = isComplete;
        }
    }

    /** @return what was committed when the work began, or later */
    static <T> T reading(DataSource source, Work<T> work) throws SQLException {
        return reading(source, work, CONNECT_MILLIS);
    }

    /** @param connectMillis how long to wait for a connection */
    static <T> T reading(DataSource source, Work<T> work, int connectMillis) throws SQLException {
        return inOwnThread(new Call<>(source, Kind.READING, work), connectMillis);
    }

    /** As {@link #reading}, whatever the session limits SHOW to. */
    static <T> T looking(DataSource source, Work<T> work) throws SQLException {
        return inOwnThread(source, Kind.LOOKING, work);
    }

    /** Commits the work, or rolls it back if it throws. */
    static <T> T writing(DataSource source, Work<T> work) throws SQLException {
        return inOwnThread(source, Kind.WRITING, work);
    }

    /** As {@link #writing}, and waits for each lock for two seconds only. */
    static <T> T briefly(DataSource source, Work<T> work) throws SQLException {
        return inOwnThread(source, Kind.BRIEF, work);
    }

    /**
     * As {@link #writing}, for work that takes long. Locking reads wait for rows that are not committed, and keep no
     * locks on rows that do not match.
     */
    static <T> T locking(DataSource source, Work<T> work) throws SQLException {
        return inOwnThread(source, Kind.LOCKING, work);
    }

    /** As {@link #writing}, for work that takes long and reads all tables as they were at one time. */
    static <T> T inSnapshot(DataSource source, Work<T> work) throws SQLException {
        return inOwnThread(source, Kind.SNAPSHOT, work);
    }

    /**
     * Requires a server that takes changes. Another one may be a replica, which is behind by any time.
     *
     * @throws SQLException if it is read-only
     */
    static void requireCurrent(Connection connection) throws SQLException {
        if (!isCurrent(connection)) {
            throw new SQLException(
                    "the server is read-only, such as a replica, so it may not have the latest changes: give a source of"
                            + " the server that values are written to");
        }
    }

    /** Whether the server takes changes. */
    static boolean isCurrent(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT @@global.read_only, @@global.innodb_read_only LIMIT 1")) {
            return row.next() && IS_OFF.contains(row.getString(1)) && IS_OFF.contains(row.getString(2));
        }
    }

    /** A query of all rows, whatever limits the session and the driver have. */
    static PreparedStatement complete(Connection connection, String query) throws SQLException {
        return complete(connection, query, "");
    }

    /** @param lock such as {@code FOR UPDATE}, or empty */
    static PreparedStatement complete(Connection connection, String query, String lock) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(query + " LIMIT " + ALL_ROWS + " " + lock);
        statement.setMaxRows(0);
        return statement;
    }

    private static <T> T inOwnThread(DataSource source, Kind kind, Work<T> work) throws SQLException {
        return inOwnThread(new Call<>(source, kind, work), CONNECT_MILLIS);
    }

    private static <T> T inOwnThread(Call<T> call, int connectMillis) throws SQLException {
        FutureTask<T> task = new FutureTask<>(call);
        if (OwnThread.isCurrent()) {
            task.run();
        } else {
            ClassLoader loader = Thread.currentThread().getContextClassLoader(); // pools look for drivers in it
            OwnThread thread = OwnThread.start("blobmark-transaction", loader, task);
            await(thread, call, connectMillis);
        }
        return result(task);
    }

    /**
     * Waits for a connection for some time: the caller may hold a lock that the source needs, such as that of a class
     * whose initializer it is in. One that was interrupted, or is, waits for {@link #INTERRUPTED_MILLIS}, which
     * suffices to say that a reader is gone. After that it waits for the end, whatever interrupts it, so that it knows
     * what was done.
     */
    private static void await(Thread thread, Call<?> call, int connectMillis) throws SQLException {
        boolean isInterrupted = !join(thread, connectMillis);
        if (isInterrupted) {
            join(thread, INTERRUPTED_MILLIS);
        }
        if (thread.isAlive() && call.leave()) {
            thread.interrupt();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
                throw new SQLException("the thread was interrupted while it waited for a connection");
            }
            throw new SQLException("the source gave no connection within " + connectMillis + " ms. If the server"
                    + " answers, the source may need a lock that the caller holds: do not call this in the initializer of"
                    + " a class or of a bean that the source uses");
        }
        while (thread.isAlive()) {
            isInterrupted |= !join(thread, 0);
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return false if it was interrupted */
    private static boolean join(Thread thread, long millis) {
        try {
            thread.join(millis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static <T> T result(FutureTask<T> done) throws SQLException {
        try {
            return done.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException("a task that has ended is not waited for", e);
        } catch (ExecutionException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof SQLException sql) {
                throw sql;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) thrown;
        }
    }

    private enum Caller {
        MAY_LEAVE,
        WAITS,
        HAS_LEFT
    }

    private static final class Call<T> implements Callable<T> {

        private final DataSource source;
        private final Kind kind;
        private final Work<T> work;

        private final AtomicReference<Caller> caller = new AtomicReference<>(Caller.MAY_LEAVE);

        Call(DataSource source, Kind kind, Work<T> work) {
            this.source = source;
            this.kind = kind;
            this.work = work;
        }

        /** @return false if the work has begun */
        boolean leave() {
            return caller.compareAndSet(Caller.MAY_LEAVE, Caller.HAS_LEFT);
        }

        @Override
        public T call() throws SQLException {
            try (Connection connection = source.getConnection()) {
                return run(connection, this, this::requireCaller);
            }
        }

        private void requireCaller() throws SQLException {
            if (!caller.compareAndSet(Caller.MAY_LEAVE, Caller.WAITS)) {
                throw new SQLException("the caller has left");
            }
        }
    }

    private interface Check {
        void run() throws SQLException;
    }

    /** @param answered is called when the server has answered: a source may connect only when a connection is used */
    private static <T> T run(Connection connection, Call<T> call, Check answered) throws SQLException {
        Kind kind = call.kind;
        Work<T> work = call.work;
        Runnable restore = limitAnswers(connection, kind.answerMillis);
        try (Statement statement = connection.createStatement()) {
            end(statement, "ROLLBACK");
            answered.run();
            try {
                statement.execute("SET TRANSACTION ISOLATION LEVEL " + kind.isolation);
                statement.execute(kind.start);
                requireClock(statement);
                T result = kind.isComplete || kind == Kind.BRIEF
                        ? withSettings(statement, kind, () -> work.on(connection))
                        : work.on(connection);
                end(statement, kind.end);
                return result;
            } catch (SQLException | RuntimeException | Error e) { // which also forgets the level
                rollBack(connection, statement, e);
                throw e;
            }
        } finally {
            restore.run();
        }
    }

    private interface WorkWithSettings<T> {
        T run() throws SQLException;
    }

    /**
     * SHOW lists everything, or locks of rows are waited for briefly; and those of tables are not waited for without
     * end. The session has its own settings again afterwards.
     */
    private static <T> T withSettings(Statement statement, Kind kind, WorkWithSettings<T> work) throws SQLException {
        String other = kind.isComplete ? "sql_select_limit" : "innodb_lock_wait_timeout";
        int waitSeconds = kind.isComplete ? LOCK_WAIT_SECONDS : BRIEF_LOCK_WAIT_SECONDS;
        String before;
        String during;
        try (ResultSet row =
                statement.executeQuery("SELECT @@SESSION." + other + ", @@SESSION.lock_wait_timeout LIMIT 1")) {
            row.next();
            String set = "SET SESSION " + other + " = %s, lock_wait_timeout = %d";
            before = set.formatted(row.getString(1), row.getLong(2));
            during = set.formatted(
                    kind.isComplete ? ALL_ROWS : Long.toString(Math.min(row.getLong(1), waitSeconds)),
                    Math.min(row.getLong(2), waitSeconds));
        }
        statement.execute(during);
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                statement.execute(before);
            } catch (SQLException again) { // the connection is of no use any more, and the roll-back shows that
                e.addSuppressed(again);
            }
            throw e;
        }
        statement.execute(before);
        return result;
    }

    /** The time of a session can be set. Then it stands still: else two statements have different times. */
    private static void requireClock(Statement statement) throws SQLException {
        if (time(statement).equals(time(statement))) {
            throw new SQLException("the session has a time of its own: do not SET timestamp on pooled connections");
        }
    }

    private static String time(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT @@timestamp LIMIT 1")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Of a connection that fails in this too, nothing is known: pools are not to give it to anybody. */
    private static void rollBack(Connection connection, Statement statement, Throwable reason) {
        try {
            end(statement, "ROLLBACK");
        } catch (SQLException | RuntimeException | Error e) {
            reason.addSuppressed(e);
            try {
                connection.abort(Runnable::run);
            } catch (SQLException | RuntimeException | Error again) {
                reason.addSuppressed(again);
            }
        }
    }

    /** Whatever {@code completion_type} says. */
    private static void end(Statement statement, String how) throws SQLException {
        statement.execute(how + " AND NO CHAIN NO RELEASE");
    }

    private static Runnable limitAnswers(Connection connection, int millis) throws SQLException {
        if (millis == NO_LIMIT) {
            return () -> {};
        }
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, millis);
            return () -> restore(connection, before);
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) { // then the driver's own limits hold
            return () -> {};
        }
    }

    private static void restore(Connection connection, int before) {
        try {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        } catch (SQLException e) { // the connection is of no use any more, and pools see that
            System.getLogger(OwnTransaction.class.getName())
                    .log(System.Logger.Level.DEBUG, "a time-out could not be restored", e);
        }
    }
}
