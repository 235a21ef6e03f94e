package dev.blobmark.reencode.cutover;

import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.copy.BothTables;
import dev.blobmark.reencode.copy.CopySession;
import dev.blobmark.reencode.copy.ShadowCopy;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** What the course of a copy asks of the server. Each call is of its own, unless it says otherwise. */
public interface CopyServer extends CopyTables.Identities {

    /** The definition of the application's table, without the counter of its numbers. */
    String definition() throws SQLException;

    /** Writes how far the copy has come. */
    void write(State state) throws SQLException;

    /**
     * Removes what a former process may have made before it could write so.
     *
     * @param definition of the application's table when the copy began
     */
    void removeUnknown(String definition) throws SQLException, InterruptedException;

    /** Makes the new table, without rows. */
    void makeFresh() throws SQLException;

    /** Whether the binary log has all changes; otherwise triggers have to write their keys. */
    boolean isByLog() throws SQLException;

    /** Whether transactions become visible in the order of the log. */
    boolean isLogOrdered() throws SQLException;

    LogPlace logNow() throws SQLException;

    /** {@link #logNow} while nobody changes the table. */
    LogPlace lockedLogNow() throws SQLException, InterruptedException;

    void makeTriggers() throws SQLException, InterruptedException;

    /** What distinguishes the triggers of the application's table from others. */
    List<String> triggers() throws SQLException;

    /**
     * Waits until the prepared transactions that exist now have ended.
     *
     * @return those that have not, for the user
     */
    Optional<String> awaitPrepared(long nanos) throws SQLException, InterruptedException;

    /**
     * Why the copy must not be exchanged as the server is now: a cluster, foreign keys, triggers, privileges, a log
     * that is not complete.
     */
    Optional<String> obstacle(boolean isByLog) throws SQLException;

    /** Opens what a copy works with. */
    CopySessions open(State state) throws SQLException;

    /** Compares the tables after the exchange, and brings over what was lost; the change is ended then. */
    State judged(State exchanged) throws SQLException, InterruptedException;

    /** Closes the view that was {@linkplain CopySessions#keepView kept}, if it is open. */
    void closeView() throws SQLException;

    /** Sessions of a copy. */
    interface CopySessions extends AutoCloseable {

        ShadowCopy copy();

        /** For a moment in which both tables have the same rows. */
        ShadowCopy.ExclusiveLock lock() throws SQLException;

        /** Both tables for the comparison before the exchange. */
        BothTables both() throws SQLException;

        TableExchange exchange() throws SQLException;

        /** The session that holds the locks of the exchange. */
        CopySession locked() throws SQLException;

        /** {@link CopyServer#definition} over that session. */
        String definition() throws SQLException;

        /**
         * How the new table differs from the former one over that session, after its next number of AUTO_INCREMENT was
         * set.
         */
        List<String> differences() throws SQLException;

        /** Opens a view of the new table for the comparison after the exchange, or renews it. */
        void keepView() throws SQLException;

        @Override
        void close() throws SQLException;
    }
}
