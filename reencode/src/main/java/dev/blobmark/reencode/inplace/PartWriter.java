package dev.blobmark.reencode.inplace;

import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.throttle.Budget;
import java.io.IOException;
import java.sql.SQLException;

/** Changes the rows of one part of a table after another, within a {@link Budget}. */
public interface PartWriter extends AutoCloseable {

    /** Receives what happens, on the thread that works. */
    interface Listener {

        /** @param counts what was done in the part so far */
        void committed(Counts counts);

        /** A transaction was rolled back, and is made again. */
        void repeated(String reason);
    }

    /** Opens writers; one in each thread that works. */
    interface Opening {
        PartWriter open() throws SQLException, IOException;
    }

    /** Renews the budget. Any thread may call it. */
    void grant(Budget budget);

    /**
     * Changes the rows of a part to its end.
     *
     * @param owner mark of the state of the part
     * @throws StoppedException if the budget ends the work; what was committed stays
     */
    void write(int part, String owner, Listener listener) throws SQLException, IOException;

    /** Lets {@link #write} fail at once. Any thread may call it. */
    void abort();

    @Override
    void close() throws SQLException, IOException;
}
