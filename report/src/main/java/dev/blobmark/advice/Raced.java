package dev.blobmark.advice;

import dev.blobmark.analysis.LinkModel;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a race found of one candidate.
 *
 * @param readNanos of a fetch over the link of the question: threads ÷ operations per second; in an advice, weighed
 *     with the forecast, see {@link Weighing}
 * @param diskBytes of a value in the used pages of the table; empty if they were not counted
 * @param wireBytes of a fetch, in both directions; empty if not counted
 * @param decodeNanos of a fetch
 * @param toOthers read time ÷ that of another candidate, by its id
 * @param parts of the time on the machine's own network, from which the time over other links follows; empty if it was
 *     measured over an emulated link
 */
public record Raced(
        double readNanos,
        OptionalDouble diskBytes,
        OptionalDouble wireBytes,
        double decodeNanos,
        Map<String, RacedRatio> toOthers,
        Optional<LinkModel> parts) {

    /**
     * A ratio with the ends of its interval.
     *
     * @param level of the interval: 0.9 for 90 %
     */
    public record RacedRatio(double ratio, double low, double high, double level) {

        public boolean contains(double other) {
            return low <= other && other <= high;
        }
    }

    Raced withReadNanos(double nanos) {
        return new Raced(nanos, diskBytes, wireBytes, decodeNanos, toOthers, parts);
    }

    /** The largest factor by which it may be slower than one of the others, at least 1; empty if not known. */
    public OptionalDouble worst() {
        return toOthers.values().stream()
                .mapToDouble(ratio -> Math.max(1, ratio.high()))
                .max();
    }
}
