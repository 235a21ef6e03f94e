package dev.blobmark.value.integration;

/** The table {@code orders} with a number and a payload, as a library writes and reads it. */
interface Orders extends AutoCloseable {

    void insert(int id, byte[] payload);

    byte[] payload(int id);

    @Override
    default void close() {}
}
