package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.EncodedValues;
import java.util.Optional;

/**
 * One worker's way to do operations, one after another, blocking until each is done. Confined to the worker's thread.
 * Nothing in it may allocate per operation beyond what driver and codec need.
 */
public interface Operation extends AutoCloseable {

    /**
     * Chooses the type of the next operation; not timed.
     *
     * @param busyNanos time spent so far in operations of each type; not to be changed
     */
    default int nextType(long[] busyNanos) {
        return 0;
    }

    /** Has the server read all that windows read, so that it is in its memory as far as it fits; done by one of all workers. */
    default void readThrough() throws Exception {}

    /** Brings to hand what the next operation works on; not timed. */
    default void prepare(int type, int row) {}

    /**
     * Does one operation, from the raw request or value in hand to the decoded answer; this is what is timed.
     *
     * @param row number of the row or value, from 0; where operations make rows, the number of the operation
     * @return application bytes that were read or written
     */
    long perform(int type, int row) throws Exception;

    /** Bytes in the column of what {@link #perform} just read or wrote; not timed. */
    default long storedBytes(EncodedValues values, int row) {
        return values.storedLength(row);
    }

    /**
     * Checks what {@link #perform} just gave; not timed.
     *
     * @param content whether to compare the content too, not only the length; what was written is read back for it
     * @throws dev.blobmark.lab.store.WrongValueException if it is not what it should be
     */
    void verify(int type, int row, boolean content) throws Exception;

    /** The code of an error that a busy server may give and that may be tried again; empty for any other. */
    default Optional<String> transientCode(Exception error) {
        return Optional.empty();
    }

    /** The bytes on the sockets that operations go over; empty where there are none, or they cannot be counted. Always the same. */
    default Optional<Traffic> traffic() {
        return Optional.empty();
    }

    /** Read-back that is possible only after operations have been done; called once, at the end of the warm-up. */
    default void verifyEffective() throws Exception {}

    /** The warm-up is over, and the window begins with the next operation; not timed. */
    default void beginWindow() throws Exception {}

    /** Completes what operations have left open, such as a transaction. It is the window's last act, and timed with it. */
    default void endWindow() throws Exception {}

    @Override
    void close();
}
