package dev.blobmark.lab.workload;

/**
 * A client that keeps several operations in flight without blocking a thread for each. Each operation has a slot,
 * numbered from 0, which keeps its data until the operation ends. All methods with a slot are called on the one thread
 * on which the client reports completions.
 */
public interface AsyncOperation extends AutoCloseable {

    /** Receives the end of an operation, once. */
    @FunctionalInterface
    interface Completion {
        /** @param failure null if the operation succeeded */
        void complete(int slot, Throwable failure);
    }

    /** Runs a task on the client's thread, asynchronously. */
    void execute(Runnable task);

    /** Prepares the input of a slot's next operation; not timed. */
    void prepare(int slot, int row);

    /** Starts the operation. Its completion is reported on the client's thread, possibly before this method returns. */
    void start(int slot, Completion completion);

    /** Application bytes of the slot's last operation. */
    long bytes(int slot);

    /**
     * Checks the result of the slot's last operation; not timed.
     *
     * @param content whether to check the content too, not only the count
     */
    void verify(int slot, boolean content);

    /** Makes the server read everything that windows read. Blocks; called before all other methods. */
    default void readThrough() throws Exception {}

    /** Called between the warm-up and the first operation of the window, while no operation is in flight; not timed. */
    default void beginWindow() {}

    @Override
    void close();
}
