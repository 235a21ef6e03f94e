package dev.blobmark.reencode.table;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.admission.AdmissionException;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** How often and how long a lock of a table is waited for that others use. */
public final class TableLock {

    public static final int LOCK_SECONDS = 1;

    public static final int ATTEMPTS = 20;

    private static final int MOST_PAUSE_SECONDS = 8;

    /**
     * ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_CHECKREAD, ER_STATEMENT_TIMEOUT of MariaDB, ER_TABLE_DEF_CHANGED: the
     * transaction is made again.
     */
    private static final Set<Integer> REPEATED = Set.of(1205, 1213, 1020, 1969, 1412);

    private TableLock() {}

    /** Whether a transaction that failed can be made again. */
    public static boolean isRepeated(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && REPEATED.contains(sql.getErrorCode())) {
                return true;
            }
        }
        return false;
    }

    /** A failure after which a lock is tried again. */
    public static SQLException repeated(String reason) {
        return new SQLException(reason, "HY000", 1205);
    }

    /** Others wait while a lock is waited for; so there is more time between two attempts than in them. */
    public static void pause(int attempt, Clock clock) throws InterruptedException {
        clock.sleep(TimeUnit.SECONDS.toNanos(Math.min(attempt, MOST_PAUSE_SECONDS)));
    }

    /** A statement that waits for a lock for {@link #LOCK_SECONDS} at most. */
    public interface LockingStatement {
        void run() throws SQLException, InterruptedException;
    }

    /**
     * Others wait for the lock too, so it is not waited for long at once.
     *
     * @param table for the message
     * @throws AdmissionException if it was never free
     */
    public static void take(String table, Clock clock, LockingStatement lock)
            throws SQLException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                lock.run();
                return;
            } catch (SQLException e) {
                if (!isRepeated(e)) {
                    throw e;
                }
                if (attempt == ATTEMPTS) {
                    throw held(table);
                }
                pause(attempt, clock);
            }
        }
    }

    /** The error where a table was never free. */
    public static AdmissionException held(String table) {
        return new AdmissionException(table + ": others held the table each time that a lock was tried, " + ATTEMPTS
                + " times for " + LOCK_SECONDS + " s; end long transactions; the same command tries again");
    }
}
