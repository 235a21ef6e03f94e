package dev.blobmark.lab.workload;

/**
 * A client that has several operations in flight at once and blocks no thread for them. Each has a slot, numbered from 0; what a slot
 * works on stays its own until the operation has ended. All of it is confined to the one thread on which the client tells of
 * answers, but for {@link #open} of its workload and {@link #close}.
 */
public interface AsyncOperation extends AutoCloseable {

    /** What is told of an operation, once. */
    @FunctionalInterface
    interface Ended {
        /** @param failure null if there is none */
        void ended(int slot, Throwable failure);
    }

    /** Has something done on the client's thread, soon. */
    void execute(Runnable task);

    /** Brings to hand what a slot's next operation works on; not timed. */
    void prepare(int slot, int row);

    /** Begins the operation; its end is told on the client's thread, perhaps before this returns. */
    void start(int slot, Ended ended);

    /** Application bytes of the operation that has just ended. */
    long bytes(int slot);

    /** Checks what it gave; not timed. */
    void verify(int slot, boolean content);

    /** Has the server read all that windows read; blocks, and is called before anything else. */
    default void readThrough() throws Exception {}

    @Override
    void close();
}
