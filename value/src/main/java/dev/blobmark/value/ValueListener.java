package dev.blobmark.value;

/**
 * Called for each value that is encoded or decoded, by the thread that does it. Must be fast. Whatever it throws,
 * errors included, is logged once for each listener, and has no effect on the value.
 */
public interface ValueListener {

    /**
     * A value was written.
     *
     * @param rawBytes its length
     * @param storedBytes what is stored for it, header included; equal if it stays raw
     * @param nanos that it took
     */
    void encoded(int rawBytes, int storedBytes, long nanos);

    /**
     * A value was read.
     *
     * @param rawBytes its length
     * @param storedBytes what was stored for it
     * @param nanos that it took
     */
    void decoded(int rawBytes, int storedBytes, long nanos);

    /**
     * A value of a row that the application named was written; without this method, the key is left out.
     *
     * @param key as {@link ValueFormat#encode(byte[], long)} got it: a key, or its hash
     */
    default void encoded(int rawBytes, int storedBytes, long nanos, long key) {
        encoded(rawBytes, storedBytes, nanos);
    }

    /**
     * A value of a row that the application named was read; without this method, the key is left out.
     *
     * @param key as {@link ValueFormat#decode(byte[], long)} got it: a key, or its hash
     */
    default void decoded(int rawBytes, int storedBytes, long nanos, long key) {
        decoded(rawBytes, storedBytes, nanos);
    }

    /**
     * A value was stored in the legacy way although its format writes: a reader cannot read what would be written, or
     * the readers or the dictionary could not be asked for.
     *
     * @param rawBytes its length
     */
    default void prevented(int rawBytes) {}

    /** A stored value could not be read. */
    default void unreadable(FrameException.Reason reason) {}
}
