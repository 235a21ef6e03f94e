package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.UnavailableException;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.server.Incident;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * What a trial gave in one round: in one process, or in all processes of the trial together.
 *
 * @param operations by operation type; empty where the trial failed
 * @param latency merged over the workers, by operation type and the other names of {@link Sample#histograms}
 * @param openLoop empty in a closed loop, or where the trial failed
 * @param visits the figures of each visit; empty where there was one window
 */
public record TrialRun(
        Outcome outcome,
        Span span,
        WarmUp warmUp,
        SortedMap<String, Operations> operations,
        SortedMap<String, Histogram> latency,
        Optional<OpenLoop> openLoop,
        Taken taken,
        Optional<Visits> visits,
        Remarks remarks) {

    /**
     * When the window was.
     *
     * @param startedAt start of the first worker's window, to the microsecond where the system has that
     * @param nanos from there to the end of the last worker's last operation, verification included
     * @param progress operations that were completed in each of some equal parts of it
     */
    public record Span(Instant startedAt, long nanos, List<Long> progress) {}

    /**
     * What the window took, of all types of operations together.
     *
     * @param elapsedNanos of the slowest worker, verification taken off
     * @param operations that CPU time and allocation are of: those that were measured, and those before the windows of visits
     * @param cpuNanos of the measuring processes
     * @param allocatedBytes by the workers' threads
     * @param server what the server did, where this process watched it
     * @param pool settings of the connection pool, of each process; none without
     * @param sqlNodes see {@link Resources#sqlNodes}
     */
    public record Taken(
            long elapsedNanos,
            long operations,
            long cpuNanos,
            long allocatedBytes,
            ServerAccount server,
            Garbage garbage,
            SortedMap<String, String> pool,
            List<Double> sqlNodes) {

        static Taken nothing(String reason) {
            return new Taken(0, 0, 0, 0, ServerAccount.unknown(reason), Garbage.NONE, new TreeMap<>(), List.of());
        }

        public double cpuNanosPerOp() {
            return (double) cpuNanos / operations;
        }

        public double allocatedBytesPerOp() {
            return (double) allocatedBytes / operations;
        }

        /** @param measured operations that were measured */
        Resources resources(long measured) {
            return new Resources(
                    OptionalLong.of(elapsedNanos),
                    OptionalDouble.of(cpuNanosPerOp()),
                    ServerAccount.perOperation(server.cpuNanos(), measured),
                    ServerAccount.perOperation(server.pagesRead(), measured),
                    OptionalDouble.of(allocatedBytesPerOp()),
                    Optional.of(new Resources.Counters(
                            server.pagesRead(),
                            server.pagesFlushed(),
                            server.roundTrips(),
                            garbage.collections(),
                            garbage.nanos())),
                    pool,
                    sqlNodes);
        }
    }

    /** One that failed, and has no figures to show. */
    public static TrialRun failed(String reason, WarmUp warmUp) {
        return without(new Outcome.Failed(reason), warmUp);
    }

    /** One that could not begin. */
    public static TrialRun failed(Exception failure) {
        return without(outcome(failure), new WarmUp(0, false));
    }

    static TrialRun without(Outcome outcome, WarmUp warmUp) {
        return new TrialRun(
                outcome,
                new Span(Instant.now(), 0, List.of()),
                warmUp,
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Taken.nothing(outcome.reason()),
                Optional.empty(),
                Remarks.NONE);
    }

    /** The same, with one more thing that happened. */
    public TrialRun with(String event) {
        return with(remarks.withEvent(event));
    }

    /** The same, flagged, with the event that says why. */
    public TrialRun flagged(String flag, String event) {
        return with(remarks.withFlag(flag).withEvent(event));
    }

    /**
     * The same, as one that was measured in visits.
     *
     * @param begun when the first of them began
     */
    TrialRun visited(Instant begun, Visits visits, List<String> more) {
        Remarks all = remarks;
        for (String event : more) {
            all = all.withEvent(event);
        }
        return new TrialRun(
                new Outcome.Measured(), // a trend that a warm-up has left is one of its visits
                new Span(begun, span.nanos, span.progress),
                warmUp,
                operations,
                latency,
                openLoop,
                taken,
                Optional.of(visits),
                all);
    }

    /**
     * The same without some of its visits, in which others had a part.
     *
     * @param all how many visits there were; those that were left out for another reason are the first ones
     * @param disturbed why, by the numbers of the visits
     */
    public TrialRun without(int all, Map<Integer, String> disturbed) {
        if (disturbed.isEmpty() || visits.isEmpty()) {
            return this;
        }
        int before = all - visits.get().count();
        Visits left = visits.get()
                .without(
                        disturbed.keySet().stream().map(visit -> visit - before).collect(Collectors.toSet()));
        String why = String.join("; ", new TreeSet<>(disturbed.values()));
        if (left.count() == 0) {
            return disturbed("disturbed in each of its visits: " + why);
        }
        return visited(
                span.startedAt,
                left,
                List.of("disturbed in " + disturbed.size() + " of " + all + " visits, which are left out: " + why));
    }

    /** The same, flagged as one that others had a part in. */
    public TrialRun disturbed(String event) {
        return flagged(Sample.DISTURBED, event);
    }

    /**
     * The same, flagged where a node of the cluster was lost in the window or before it. How many operations were completed until then
     * is known to a part of the window.
     */
    public TrialRun with(Incident incident) {
        if (operations.isEmpty()) {
            return with(incident.what() + " in the course of it");
        }
        long until = span.startedAt.until(incident.at(), ChronoUnit.NANOS);
        if (until >= span.nanos) {
            return this; // it was over
        }
        Remarks flagged = remarks.flags().contains(Sample.DEGRADED) ? remarks : remarks.withFlag(Sample.DEGRADED);
        if (until < 0 || span.progress.isEmpty()) {
            return with(flagged.withEvent(incident.what() + " before the window"));
        }
        int parts = (int) Math.min(span.progress.size() - 1, span.progress.size() * until / Math.max(1, span.nanos));
        return with(flagged.withEvent(String.format(
                Locale.ROOT,
                "%s %.2f s into a window of %.2f s; at least %d operations were completed before, and %d after",
                incident.what(),
                until / 1e9,
                span.nanos / 1e9,
                span.progress.stream().limit(parts).mapToLong(n -> n).sum(),
                span.progress.stream().skip(parts + 1L).mapToLong(n -> n).sum())));
    }

    private TrialRun with(Remarks others) {
        return new TrialRun(outcome, span, warmUp, operations, latency, openLoop, taken, visits, others);
    }

    /** The line of this run in the run directory. */
    public Sample toSample(ForkPlan plan, int round, ForkPlan.PlannedTrial planned) {
        boolean measured = !operations.isEmpty();
        DiskSpace disk = planned.place().map(ForkPlan.Place::disk).orElse(DiskSpace.UNKNOWN);
        SortedMap<String, String> unknown = new TreeMap<>();
        if (measured) {
            unknown.putAll(taken.server.unknown());
            if (operations.values().stream().anyMatch(type -> type.wireBytesIn().isEmpty())) {
                String reason = planned.place().isEmpty() ? "no server" : "the operations do not tell their traffic";
                unknown.put("wire_in", reason);
                unknown.put("wire_out", reason);
                unknown.put("time_ns", reason);
            }
            if (disk.allocatedBytes().isEmpty()) {
                unknown.put("disk", planned.place().isEmpty() ? "no table" : "the server does not tell");
            }
        }
        return new Sample(
                planned.trial(),
                new Position(plan.block(), plan.fork(), round, span.startedAt.truncatedTo(ChronoUnit.MILLIS)),
                outcome,
                remarks.withUnknown(unknown),
                Optional.of(warmUp),
                operations,
                openLoop,
                measured ? taken.resources(Sample.count(operations)) : Resources.NONE,
                disk,
                visits);
    }

    static Outcome outcome(Throwable failure) {
        return failure instanceof UnavailableException
                ? new Outcome.Unavailable(failure.getMessage())
                : new Outcome.Failed(reason(failure));
    }

    /** The innermost message says what went wrong; the types around it where. */
    private static String reason(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable e = failure; e != null && e != e.getCause(); e = e.getCause()) {
            String message = e.getMessage() == null
                    ? e.getClass().getSimpleName()
                    : e.getMessage().strip();
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ")
                        .append(message.lines().findFirst().orElse(""));
            }
        }
        return failure.getClass().getSimpleName() + ": " + text;
    }
}
