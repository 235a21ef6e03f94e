package dev.blobmark.lab.fork;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * Runs code in a fresh JVM, without measuring it, until the compilers rest. Compiling the driver takes longer than a
 * warm-up, and much longer where client and server share the processors.
 */
final class RunIn {

    /**
     * The share of a processor that the JVM's compilers may use while something is measured. After some seconds they
     * use a tenth of that; while they are busy, they use half a processor or more.
     */
    static final double MAX_COMPILING = 0.05;

    private static final Duration LONGEST = Duration.ofSeconds(3);
    private static final Duration LONGEST_PART = Duration.ofMillis(500);
    private static final int WARM_UPS_OF_PART = 4;

    private final Duration part;

    /** @param warmUp the longest warm-up of a trial; with none, a run-in has one operation */
    RunIn(Duration warmUp) {
        Duration length = warmUp.multipliedBy(WARM_UPS_OF_PART).plusNanos(1);
        part = length.compareTo(LONGEST_PART) < 0 ? length : LONGEST_PART;
    }

    /** Some of the code's operations. */
    interface Burst {
        /** @return the processors that compilers took; empty if the operations have failed */
        OptionalDouble run(Duration length) throws InterruptedException;
    }

    /** Ends when compilers rest, when a part fails, or after 3 s of operations. */
    void run(Burst operations) throws InterruptedException {
        long parts = part.toNanos() == 1 ? 1 : LONGEST.dividedBy(part);
        for (long i = 0; i < parts; i++) {
            OptionalDouble compiling = operations.run(part);
            if (compiling.isEmpty() || compiling.getAsDouble() <= MAX_COMPILING) {
                return;
            }
        }
    }
}
