package dev.blobmark.lab.engine;

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
import dev.blobmark.lab.run.Skew;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Incident;
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
 * The result of a trial in one round: of one process, or of all processes of the trial together.
 *
 * @param operations by operation type; empty if the trial failed
 * @param latency merged over the workers, by operation type and the other names of {@link Sample#histograms}
 * @param openLoop empty in a closed loop, or if the trial failed
 * @param visits the figures of each visit; empty if there was one window
 * @param skew how closely together several processes measured; empty for one process
 */
public record TrialRun(
        Outcome outcome,
        Span span,
        WarmUp warmUp,
        SortedMap<String, Operations> operations,
        SortedMap<String, Histogram> latency,
        Optional<OpenLoop> openLoop,
        Usage usage,
        Optional<Visits> visits,
        Remarks remarks,
        Optional<Skew> skew) {

    /** Of one process. */
    public TrialRun(
            Outcome outcome,
            Span span,
            WarmUp warmUp,
            SortedMap<String, Operations> operations,
            SortedMap<String, Histogram> latency,
            Optional<OpenLoop> openLoop,
            Usage usage,
            Optional<Visits> visits,
            Remarks remarks) {
        this(outcome, span, warmUp, operations, latency, openLoop, usage, visits, remarks, Optional.empty());
    }

    /**
     * The time of the window.
     *
     * @param startedAt start of the first worker's window, to the microsecond if the system has that resolution
     * @param nanos from the start to the end of the last worker's last operation, including verification
     * @param progress operations completed in each of its equal parts
     * @param clockNanos by how much the start may be wrong, because the clock of another host showed it; 0 for the
     *     clock of this machine
     */
    public record Span(Instant startedAt, long nanos, List<Long> progress, long clockNanos) {

        /** By the clock of this machine. */
        public Span(Instant startedAt, long nanos, List<Long> progress) {
            this(startedAt, nanos, progress, 0);
        }
    }

    /**
     * The resources that the window used, for all types of operations together.
     *
     * @param elapsedNanos of the slowest worker, without verification
     * @param operations that CPU time and allocation are divided by: the measured ones, and those that settled visits
     * @param cpuNanos of the measuring processes
     * @param allocatedBytes by the workers' threads
     * @param server what the server did, if this process watched it
     * @param pool settings of each process's connection pool; empty without a pool
     * @param sqlNodes see {@link Resources#sqlNodes}
     */
    public record Usage(
            long elapsedNanos,
            long operations,
            long cpuNanos,
            long allocatedBytes,
            ServerAccount server,
            Garbage garbage,
            SortedMap<String, String> pool,
            List<Double> sqlNodes) {

        static Usage nothing(String reason) {
            return new Usage(0, 0, 0, 0, ServerAccount.unknown(reason), Garbage.NONE, new TreeMap<>(), List.of());
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
                    Optional.of(new Resources.ServerCounters(
                            server.pagesRead(),
                            server.pagesFlushed(),
                            server.roundTrips(),
                            garbage.collections(),
                            garbage.nanos())),
                    pool,
                    sqlNodes);
        }
    }

    /** A run that failed, without figures. */
    public static TrialRun failed(String reason, WarmUp warmUp) {
        return without(new Outcome.Failed(reason), warmUp);
    }

    /** A run that could not begin. */
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
                Usage.nothing(outcome.reason()),
                Optional.empty(),
                Remarks.NONE);
    }

    /**
     * The same, whose start another clock shows.
     *
     * @param clockNanos by how much it may be wrong
     */
    public TrialRun startedAt(Instant time, long clockNanos) {
        return new TrialRun(
                outcome,
                new Span(time, span.nanos, span.progress, clockNanos),
                warmUp,
                operations,
                latency,
                openLoop,
                usage,
                visits,
                remarks);
    }

    /** The same with another event. */
    public TrialRun with(String event) {
        return with(remarks.withEvent(event));
    }

    /** The same with a flag, and an event with the reason. */
    public TrialRun flagged(String flag, String event) {
        return with(remarks.withFlag(flag).withEvent(event));
    }

    /**
     * The same, as a run that was measured in visits.
     *
     * @param begun when the first visit began
     */
    TrialRun visited(Instant begun, Visits visits, List<String> more) {
        Remarks all = remarks;
        for (String event : more) {
            all = all.withEvent(event);
        }
        return new TrialRun(
                new Outcome.Measured(), // a trend that remains after the warm-up is visible in the visits
                new Span(begun, span.nanos, span.progress),
                warmUp,
                operations,
                latency,
                openLoop,
                usage,
                Optional.of(visits),
                all);
    }

    /**
     * The same without the visits that were disturbed.
     *
     * @param all number of visits, including the first ones that have already been left out because they had not
     *     settled
     * @param disturbed the reasons, by number of the visit
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

    /** The same, flagged as disturbed. */
    public TrialRun disturbed(String event) {
        return flagged(Sample.DISTURBED, event);
    }

    /**
     * The same, flagged if a node of the cluster was lost in the window or before it. The number of operations until
     * then is known to the resolution of the window's parts.
     */
    public TrialRun with(Incident incident) {
        if (operations.isEmpty()) {
            return with(incident.what() + " during the trial");
        }
        long until = span.startedAt.until(incident.at(), ChronoUnit.NANOS);
        if (until >= span.nanos) {
            return this; // after the window
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
        return new TrialRun(outcome, span, warmUp, operations, latency, openLoop, usage, visits, others, skew);
    }

    /** The line of this run in the run directory. */
    public Sample toSample(ForkPlan plan, int round, ForkPlan.PlannedTrial planned) {
        boolean measured = !operations.isEmpty();
        DiskSpace disk = planned.place().map(ForkPlan.LoadedTable::disk).orElse(DiskSpace.UNKNOWN);
        SortedMap<String, String> unknown = new TreeMap<>();
        if (measured) {
            unknown.putAll(usage.server.unknown());
            if (operations.values().stream().anyMatch(type -> type.wireBytesIn().isEmpty())) {
                String reason = planned.place().isEmpty() ? "no server" : "the operations do not count their traffic";
                unknown.put("wire_in", reason);
                unknown.put("wire_out", reason);
                unknown.put("time_ns", reason);
            }
            if (disk.allocatedBytes().isEmpty()) {
                unknown.put("disk", planned.place().isEmpty() ? "no table" : "the server does not report it");
            }
        }
        Sample sample = new Sample(
                planned.trial(),
                new Position(plan.block(), plan.fork(), round, span.startedAt.truncatedTo(ChronoUnit.MILLIS)),
                outcome,
                remarks.withUnknown(unknown),
                Optional.of(warmUp),
                operations,
                openLoop,
                measured ? usage.resources(Sample.count(operations)) : Resources.NONE,
                disk,
                visits,
                skew);
        return Workload.contradiction(sample.condition(), sample.counts())
                .map(event -> sample.flagged(Sample.OTHER_MIX, event))
                .orElse(sample);
    }

    static Outcome outcome(Throwable failure) {
        return failure instanceof UnavailableException
                ? new Outcome.Unavailable(failure.getMessage())
                : new Outcome.Failed(reason(failure));
    }

    /** All messages of the chain of causes, each once, after the type of the outermost exception. */
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
