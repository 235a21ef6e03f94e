package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
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

    /** Brings to hand what the next operation works on; not timed. */
    default void prepare(int type, int row) {}

    /**
     * Does one operation, from the raw request or value in hand to the decoded answer; this is what is timed.
     *
     * @param row number of the value, from 0
     * @return application bytes that were read or written
     */
    int perform(int type, int row) throws Exception;

    /**
     * Checks what {@link #perform} just gave; not timed.
     *
     * @param content whether to compare the content too, not only the length
     * @throws dev.blobmark.lab.store.WrongValueException if it is not what it should be
     */
    void verify(int type, int row, boolean content);

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

    @Override
    void close();
}
