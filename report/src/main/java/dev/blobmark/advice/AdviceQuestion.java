package dev.blobmark.advice;

import dev.blobmark.lab.link.Link;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What an advice is asked for.
 *
 * @param dataset a level of the factor {@code dataset}
 * @param size of the values, a level of the factor {@code size}; ignored by datasets with sizes of their own
 * @param link a level of the factor {@code link}
 * @param threads operations in flight
 * @param hosts of a cluster that fetch, each from one process with its part of the threads; empty for this machine
 * @param goal what is preferred
 * @param readShare reads among all reads and writes, 0 to 1
 * @param maxEncodeNanos limit of the time to encode a value, on average; empty for no limit
 * @param maxMemoryBytes limit of the memory that a thread needs to encode and decode the largest value, beyond the
 *     caller's buffers; empty for no limit
 * @param mustReadInSql whether the values must be readable by SQL alone
 * @param seed of every random choice
 */
public record AdviceQuestion(
        String dataset,
        String size,
        String link,
        int threads,
        OptionalInt hosts,
        Goal goal,
        double readShare,
        OptionalDouble maxEncodeNanos,
        OptionalLong maxMemoryBytes,
        boolean mustReadInSql,
        long seed) {

    public AdviceQuestion {
        if (threads < 1) {
            throw new IllegalArgumentException("threads: " + threads + " is less than 1");
        }
        int processes = hosts.orElse(1);
        if (processes > threads) {
            throw new IllegalArgumentException("hosts is " + processes + ", but threads " + threads
                    + ", and each process needs one; set threads to " + processes + " or more, or hosts to " + threads);
        }
        if (!(readShare > 0 && readShare <= 1)) {
            throw new IllegalArgumentException(
                    "the share of reads, " + 100 * readShare + " %, is not above 0 and up to 100 %");
        }
    }

    /** The number of measuring processes of a trial. */
    int processes() {
        return hosts.orElse(1);
    }

    TimeForecast.ForecastLoad load() {
        return load(Link.parse(link), threads);
    }

    /** The load of the same hosts over another link, or with another number of threads. */
    TimeForecast.ForecastLoad load(Link link, int threads) {
        return new TimeForecast.ForecastLoad(link, threads, processes());
    }

    /** Nanoseconds of reads and writes by their shares. */
    double cost(double readNanos, double writeNanos) {
        return readShare * readNanos + (1 - readShare) * writeNanos;
    }
}
