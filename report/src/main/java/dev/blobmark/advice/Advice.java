package dev.blobmark.advice;

import dev.blobmark.lab.probe.ServerLink;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * An answer to an {@link AdviceQuestion}, with all that it was decided by. The JSON of {@code advice.json}.
 *
 * @param schema version of this form
 * @param forecast of the server that was measured
 * @param entries all candidates: the recommended one first, then those that were raced, by their time
 * @param worth of the recommendation
 * @param notes sentences about what was left open
 */
public record Advice(
        int schema,
        Origin origin,
        AdviceQuestion question,
        AdvisedValues values,
        TimeForecast forecast,
        List<Entry> entries,
        Worth worth,
        Reach reach,
        List<String> notes) {

    /** The version of the form that this program writes and reads. */
    public static final int SCHEMA = 2;

    /**
     * Where and when an advice was given.
     *
     * @param program name and version
     * @param server product and version
     * @param network between a running server and this machine, as measured; empty if other hosts fetched
     */
    public record Origin(String program, Instant time, String server, Optional<ServerLink> network) {}

    /**
     * What a recommendation is worth.
     *
     * @param next the candidate that would be recommended without it; empty if there is none
     * @param worst factor by which its reads may be slower than those of another raced candidate: 1.08 for 8 %; empty
     *     if nothing was raced
     * @param money in a month; empty without prices
     */
    public record Worth(Optional<String> next, OptionalDouble worst, Optional<Money> money) {}

    /**
     * Where the recommendation changes, by forecast.
     *
     * @param links by bandwidth in bytes per second, from the slowest. The recommendation gives way only where it is
     *     worse by more than the forecast may err.
     * @param surelyByLink bandwidths where it is the best by the forecast as it stands. Between these and the ends of
     *     its segment the forecast cannot decide.
     * @param threads by the number of threads, from that of the question
     * @param surelyByThreads the same for threads
     * @param sizes for the values of each size class alone, from the smallest; empty if the time of the recommended
     *     candidate cannot be predicted
     * @param threshold below which values are better stored as they are; empty if there is none, or readers could not
     *     distinguish such values from encoded ones
     */
    public record Reach(
            List<Segment> links,
            Range surelyByLink,
            List<Segment> threads,
            Range surelyByThreads,
            List<SizeSegment> sizes,
            Optional<Threshold> threshold) {}

    /** Bandwidths in bytes per second, or numbers of threads, with both ends. */
    public record Range(double from, double to) {}

    /**
     * The size from which on encoding pays.
     *
     * @param bytes length of the shortest value that is encoded
     * @param shorter share of the values that are shorter, 0 to 1
     */
    public record Threshold(int bytes, double shorter) {

        /** The end of the sizes for which {@code as-is} is recommended, if larger ones are better encoded. */
        static Optional<Threshold> of(Candidate recommended, List<SizeSegment> sizes) {
            boolean isAbove = sizes.size() > 1
                    && recommended.isFramed()
                    && sizes.get(0).candidate().equals(Candidate.AS_IS);
            return isAbove
                    ? Optional.of(new Threshold(sizes.get(1).low(), sizes.get(0).share()))
                    : Optional.empty();
        }
    }

    /** What became of a candidate. */
    public enum Standing {
        RECOMMENDED,
        /** It was measured, and another one is better. */
        RACED,
        /** The forecast excluded it, or too many others were better. */
        NOT_RACED,
        /** It does not meet a requirement of the question. */
        EXCLUDED,
        /** It could not be measured on this server. */
        UNAVAILABLE
    }

    /**
     * A candidate with its figures.
     *
     * @param forecastNanos of a fetch
     * @param writeNanos that a write takes beyond what all candidates need
     * @param raced empty if it was not measured
     * @param reason for the standing, in words
     */
    public record Entry(
            Candidate candidate,
            double forecastNanos,
            double writeNanos,
            Optional<Raced> raced,
            Standing standing,
            String reason) {

        public String id() {
            return candidate.id();
        }

        /** The same with other figures of a race. */
        Entry with(Raced other) {
            return new Entry(candidate, forecastNanos, writeNanos, Optional.of(other), standing, reason);
        }

        /** As measured, otherwise as predicted. */
        public double readNanos() {
            return raced.map(Raced::readNanos).orElse(forecastNanos);
        }

        /** Bytes of a value on disk as measured, otherwise those of the encoded value. */
        public double diskBytes() {
            OptionalDouble disk = raced.map(Raced::diskBytes).orElse(OptionalDouble.empty());
            return disk.orElse(candidate.figures().storedBytes());
        }
    }

    /** The candidate that is recommended between two bandwidths in bytes per second, or numbers of threads. */
    public record Segment(double from, double to, String candidate) {}

    /** The candidate that is recommended for values of a size class alone, and the class's share of all values. */
    public record SizeSegment(int low, int high, double share, String candidate) {}

    public Entry recommended() {
        return entries.get(0);
    }

    public Optional<Entry> find(String id) {
        return entries.stream().filter(entry -> entry.id().equals(id)).findFirst();
    }

    public Entry present() {
        return find(Candidate.AS_IS).orElseThrow();
    }
}
