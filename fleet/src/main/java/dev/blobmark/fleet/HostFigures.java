package dev.blobmark.fleet;

import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** Whether the figures of a host can be true together. */
final class HostFigures {

    /** CPU time is counted in ticks. */
    private static final double CPU_TOLERANCE = 1.1;

    /** And longer than the window: from the order on, which is up to 50 ms and some for each host before it. */
    private static final long CPU_TOLERANCE_NANOS = 200_000_000;

    /** A window can only have been between the order and the answer. */
    private static final Duration TIME_TOLERANCE = Duration.ofMillis(50);

    /** Rates are added up over workers of different speed and time, so they are not count ÷ time exactly. */
    private static final double RATE_TOLERANCE = 1.05;

    /** Times are counted with three digits. */
    private static final double TIMES_TOLERANCE = 1.05;

    /** An operation that began in the window may end after it. */
    private static final double LATE_NANOS = 50_000_000;

    /** Rounding of a mean. */
    private static final double MEAN_TOLERANCE = 1e-6;

    /** The most by which clocks that are corrected run apart: 500 ppm (adjtimex(2)). */
    private static final double MOST_DRIFT = 5e-4;

    private static final long LEAST_DRIFT_NANOS = 1_000_000;

    private HostFigures() {}

    /**
     * Why the figures cannot be true; empty if they can.
     *
     * @param run by the clock of this machine
     * @param threads of the host's process
     * @param from when the host was asked to begin, by the clock of this machine
     * @param to when its answer arrived
     */
    static Optional<String> contradiction(TrialRun run, HostFacts host, int threads, Instant from, Instant to) {
        if (run.operations().isEmpty()) {
            return Optional.empty(); // it failed, with a reason
        }
        TrialRun.Usage usage = run.usage();
        long nanos = run.span().nanos();
        Duration tolerance = TIME_TOLERANCE.plusNanos(run.span().clockNanos());
        if (nanos <= 0
                || run.span().startedAt().isBefore(from.minus(tolerance))
                || run.span().startedAt().plusNanos(nanos).isAfter(to.plus(tolerance))) {
            return Optional.of("a window of " + nanos + " ns from " + run.span().startedAt()
                    + " on, which was measured between " + from + " and " + to);
        }
        if (usage.elapsedNanos() <= 0 || usage.elapsedNanos() > nanos) {
            return Optional.of("operations within " + usage.elapsedNanos() + " ns of a window of " + nanos + " ns");
        }
        double mostCpu = CPU_TOLERANCE * host.machineProcessors() * ((double) nanos + CPU_TOLERANCE_NANOS);
        if (usage.cpuNanos() < 0 || usage.cpuNanos() > mostCpu) {
            return Optional.of(usage.cpuNanos() + " ns of CPU time of " + host.machineProcessors()
                    + " processors within " + nanos + " ns");
        }
        long count = Sample.count(run.operations());
        if (usage.operations() < count || usage.allocatedBytes() < 0) {
            return Optional.of(count + " operations, of " + usage.operations() + " in all, which allocated "
                    + usage.allocatedBytes() + " bytes");
        }
        if (run.span().progress().stream().anyMatch(part -> part < 0 || part > usage.operations())) {
            return Optional.of("parts of a window with other numbers of operations than the window");
        }
        for (Map.Entry<String, Operations> type : run.operations().entrySet()) {
            Optional<String> problem = contradiction(type.getKey(), type.getValue(), threads, run);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> contradiction(String type, Operations of, int threads, TrialRun run) {
        Histogram times = run.latency().get(type);
        if (times == null || times.getTotalCount() != of.count()) {
            return Optional.of(of.count() + " operations " + type + " with the times of "
                    + (times == null ? 0 : times.getTotalCount()));
        }
        if (!isOf(of.latency(), times)) {
            return Optional.of("percentiles of " + type + " that are not those of its times");
        }
        long nanos = run.span().nanos();
        // workers end with their last operation; where types are timed separately, by the time of the operations alone
        double most = RATE_TOLERANCE
                * 1e9
                * Math.max(
                        of.count() / Math.max(nanos - 2.0 * times.getMaxValue(), nanos / 10.0),
                        (double) threads / Math.max(1, times.getMinValue()));
        double least = of.count() * 1e9 / (RATE_TOLERANCE * nanos);
        // in an open loop, a window continues after its last operation
        boolean isFilled = run.visits().isEmpty() && run.openLoop().isEmpty();
        if (isFilled && of.operationsPerSecond() < least || of.operationsPerSecond() > most) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%d operations %s within %d ns, and a rate of %.3g/s",
                    of.count(),
                    type,
                    nanos,
                    of.operationsPerSecond()));
        }
        if (run.visits().isEmpty()) {
            // a worker has one operation at a time, and ends with its last one
            double busy = of.count() * times.getMean();
            double room = TIMES_TOLERANCE * threads * (nanos + 2.0 * times.getMaxValue());
            if (busy > room
                    || times.lowestEquivalentValue(times.getMaxValue()) > TIMES_TOLERANCE * nanos + LATE_NANOS) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        "%d operations %s that took %.0f ns on average and %d at most, in %d threads within %d ns",
                        of.count(),
                        type,
                        times.getMean(),
                        times.getMaxValue(),
                        threads,
                        nanos));
            }
        }
        double bytesOfAll = of.throughputBytesPerSecond() * of.count();
        boolean hasBytes = of.applicationBytes() > 0;
        if (hasBytes != bytesOfAll > 0 || of.throughputBytesPerSecond() > (double) of.applicationBytes() * most) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%d bytes of %d operations %s, and %.3g bytes/s",
                    of.applicationBytes(),
                    of.count(),
                    type,
                    of.throughputBytesPerSecond()));
        }
        return Optional.empty();
    }

    private static boolean isOf(Latency figures, Histogram times) {
        Latency exact = Latency.of(times);
        return Math.abs(figures.mean() - exact.mean()) <= MEAN_TOLERANCE * exact.mean()
                && figures.p50() == exact.p50()
                && figures.p90() == exact.p90()
                && figures.p95() == exact.p95()
                && figures.p99() == exact.p99()
                && figures.p999() == exact.p999()
                && figures.max() == exact.max();
    }

    /** By how much a clock may have moved between two comparisons. */
    static long mostDriftNanos(HostClock before, HostClock after, Duration between) {
        return Math.round(before.boundNanos() + after.boundNanos() + MOST_DRIFT * between.toNanos())
                + LEAST_DRIFT_NANOS;
    }
}
