package dev.blobmark.lab.engine;

/** Where times come from. */
@FunctionalInterface
public interface Clock {

    /** The machine's monotonic clock. */
    Clock SYSTEM = System::nanoTime;

    /** Nanoseconds since some fixed moment. */
    long nanoTime();
}
