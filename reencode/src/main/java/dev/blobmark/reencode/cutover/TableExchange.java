package dev.blobmark.reencode.cutover;

import java.sql.SQLException;

/** How a server locks the tables of a copy and gives them other names. One session holds the locks. */
public interface TableExchange {

    /** Whether the session that holds the locks may rename the tables; otherwise another one waits for the locks. */
    boolean isByHolder();

    /** Whether no table has the name that the former one gets. */
    boolean isFree() throws SQLException;

    /**
     * Locks all tables of the copy for writing. Waits for {@link dev.blobmark.reencode.table.TableLock#LOCK_SECONDS} at
     * most.
     *
     * @param withSentry whether the placeholder is among them
     */
    void lock(boolean withSentry) throws SQLException;

    void unlock() throws SQLException;

    /** Gives the former table and the new one their names, in the session that holds the locks. */
    void rename() throws SQLException;

    /** Makes a placeholder with the name that the former table gets, unless a table has it. */
    void makeSentry() throws SQLException;

    /** Whether the name is that of the placeholder. */
    boolean isSentry() throws SQLException;

    /** The same, asked over the session that holds the locks. */
    boolean isSentryLocked() throws SQLException;

    void dropSentry() throws SQLException;

    /** Begins to rename the tables in another session. */
    Renaming renameBehind() throws SQLException;

    /** A RENAME of another session, which cannot succeed while the placeholder is there. */
    interface Renaming {

        /**
         * Whether it waits for the locks, and nobody who changes a definition or locks a table has waited longer: he
         * would come first when the locks are given back. Looks for some seconds until it waits.
         */
        boolean isWaiting() throws SQLException, InterruptedException;

        /** Ends it. */
        void kill() throws SQLException;

        /** Waits for {@link dev.blobmark.reencode.table.TableLock#LOCK_SECONDS} at most until it has ended. */
        boolean isOver() throws InterruptedException;

        /** Waits until it has ended; whether it was carried out. */
        boolean isDone();

        /** Why it failed. */
        SQLException failure();
    }
}
