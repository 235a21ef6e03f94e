package dev.blobmark.advice;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What an advice is asked for.
 *
 * @param dataset a level of the factor {@code dataset}
 * @param size of the values, a level of the factor {@code size}; ignored by datasets with sizes of their own
 * @param link a level of the factor {@code link}
 * @param threads operations in flight
 * @param goal what is preferred
 * @param readShare reads among all reads and writes, 0 to 1
 * @param maxEncodeNanos limit of the time to encode a value, on average; empty for no limit
 * @param maxMemoryBytes limit of the memory that a thread needs to encode and decode the largest value, beyond the
 *     caller's buffers; empty for no limit
 * @param mustReadInSql whether the values must be readable by SQL alone
 * @param seed of every random choice
 */
public record Question(
        String dataset,
        String size,
        String link,
        int threads,
        Goal goal,
        double readShare,
        OptionalDouble maxEncodeNanos,
        OptionalLong maxMemoryBytes,
        boolean mustReadInSql,
        long seed) {

    public Question {
        if (threads < 1) {
            throw new IllegalArgumentException("threads: " + threads + " is less than 1");
        }
        if (!(readShare > 0 && readShare <= 1)) {
            throw new IllegalArgumentException(
                    "the share of reads, " + 100 * readShare + " %, is not above 0 and up to 100 %");
        }
    }

    /** Nanoseconds of reads and writes by their shares. */
    double cost(double readNanos, double writeNanos) {
        return readShare * readNanos + (1 - readShare) * writeNanos;
    }
}
