package dev.blobmark.advice;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.analysis.Prices;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a recommendation costs in a month, less what the present way of storing costs: negative for a saving.
 *
 * @param prices of the user
 * @param operationsPerSecond on average over a month, reads and writes together; 0 if not known
 * @param disk and backups
 * @param traffic of reads
 * @param processor of the application: decoding and encoding
 */
public record Money(
        Prices prices,
        double operationsPerSecond,
        OptionalDouble disk,
        OptionalDouble traffic,
        OptionalDouble processor) {

    private static final double SECONDS_OF_MONTH = Prices.HOURS_OF_MONTH * 3_600;

    /** @param count number of values */
    static Money of(
            Prices prices, double operationsPerSecond, double readShare, long count, Entry recommended, Entry present) {
        double reads = operationsPerSecond * readShare * SECONDS_OF_MONTH;
        double writes = operationsPerSecond * (1 - readShare) * SECONDS_OF_MONTH;
        double seconds = 1e-9
                * (reads * recommended.candidate().figures().decodeNanos()
                        + writes * recommended.candidate().figures().encodeNanos());
        return new Money(
                prices,
                operationsPerSecond,
                prices.storedMonth(count * (recommended.diskBytes() - present.diskBytes())),
                reads == 0 ? OptionalDouble.empty() : prices.traffic(reads * (wire(recommended) - wire(present))),
                reads == 0 ? OptionalDouble.empty() : prices.processor(seconds));
    }

    private static double wire(Entry entry) {
        OptionalDouble wire = entry.raced().map(Raced::wireBytes).orElse(OptionalDouble.empty());
        return wire.orElse(entry.candidate().figures().storedBytes());
    }

    /** All parts with a price together; empty if none has one. */
    public Optional<Double> total() {
        return disk.isEmpty() && traffic.isEmpty() && processor.isEmpty()
                ? Optional.empty()
                : Optional.of(disk.orElse(0) + traffic.orElse(0) + processor.orElse(0));
    }
}
