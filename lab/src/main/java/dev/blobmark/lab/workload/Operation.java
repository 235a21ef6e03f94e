package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.EncodedValues;
import java.util.Optional;

/**
 * Does one worker's operations, one after another, blocking until each is done. Confined to the worker's thread.
 * Allocates nothing per operation beyond what the driver and the codec need.
 */
public interface Operation extends AutoCloseable {

    /**
     * Chooses the type of the next operation; not timed. Only called if there are several.
     *
     * @param turn number of the operation among those of all workers of the process, from 0 in the window, and from 0
     *     before it
     * @param busyNanos time spent so far in operations of each type; must not be changed
     */
    default int nextType(long turn, long[] busyNanos) {
        return 0;
    }

    /**
     * Makes the server read everything that windows read, so that it is cached as far as it fits. Called for one worker
     * of a trial.
     */
    default void readThrough() throws Exception {}

    /** Prepares the input of the next operation; not timed. */
    default void prepare(int type, int row) {}

    /**
     * Does one operation, from the prepared input to the decoded answer. This method is what is timed.
     *
     * @param row number of the row or value, from 0; the number of the operation if operations create rows
     * @return application bytes that were read or written
     */
    long perform(int type, int row) throws Exception;

    /** Bytes of the column that the last {@link #perform} read or wrote; not timed. */
    default long storedBytes(EncodedValues values, int row) {
        return values.storedLength(row);
    }

    /**
     * Checks the result of the last {@link #perform}; not timed.
     *
     * @param content whether to compare the content too, not only the length; written values are read back for this
     * @throws dev.blobmark.lab.store.WrongValueException if the result is wrong
     */
    void verify(int type, int row, boolean content) throws Exception;

    /** The code of an error of a busy server after which the operation may be retried; empty for any other error. */
    default Optional<String> transientCode(Exception error) {
        return Optional.empty();
    }

    /**
     * The traffic of the sockets that operations use; empty if there are none, or they cannot be counted. Always the
     * same object.
     */
    default Optional<Traffic> traffic() {
        return Optional.empty();
    }

    /** Verifies settings that can only be read back after operations; called once, at the end of the warm-up. */
    default void verifyEffective() throws Exception {}

    /** Called between the warm-up and the first operation of the window; not timed. */
    default void beginWindow() throws Exception {}

    /** Completes what operations have left open, such as a transaction. Called within the window, at its end. */
    default void endWindow() throws Exception {}

    @Override
    void close();
}
