package dev.blobmark.value;

/** Called for each value that is encoded or decoded, by the thread that does it. Must be fast. */
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
}
