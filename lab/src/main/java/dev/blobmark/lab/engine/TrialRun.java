package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.TimeAccount;
import dev.blobmark.lab.client.UnavailableException;
import dev.blobmark.lab.run.Latency;
import dev.blobmark.lab.run.OpenLoop;
import dev.blobmark.lab.run.Operations;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Resources;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.TimeSpent;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.run.WarmUp;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.store.DiskSpace;
import dev.blobmark.lab.study.SizeClass;
import dev.blobmark.lab.study.Window;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * One trial in one round: N workers warm up until the means of their service times are steady, then measure a window. What
 * one process measured, or all processes of the trial together.
 *
 * @param startedAt start of the first worker's window, to the microsecond where the system tells it
 * @param windowNanos from there to the end of the last worker's last operation, verification included
 * @param operations by operation type; empty where the trial failed
 * @param openLoop empty in a closed loop, or where the trial failed
 * @param latency merged over the workers, by operation type and the other names of {@link Sample#histograms}
 * @param elapsedNanos of the slowest worker, verification taken off
 * @param server what the server did in the window, where this process watched it
 * @param garbage what was collected in the window, by all its processes
 * @param pool settings of the connection pool, of each process; none without
 * @param sqlNodes see {@link Resources#sqlNodes}
 * @param progress operations that were completed in each of so many equal parts of the window
 * @param visits the figures of each visit; empty where there was one window
 * @param flags observations that weaken the figures
 * @param events what happened meanwhile
 */
public record TrialRun(
        Outcome outcome,
        Instant startedAt,
        long windowNanos,
        WarmUp warmUp,
        long elapsedNanos,
        SortedMap<String, Operations> operations,
        Optional<OpenLoop> openLoop,
        SortedMap<String, Histogram> latency,
        SortedMap<String, Long> errors,
        double clientCpuNanosPerOp,
        double allocatedBytesPerOp,
        ServerAccount server,
        Garbage garbage,
        SortedMap<String, String> pool,
        List<Double> sqlNodes,
        List<Long> progress,
        Optional<Visits> visits,
        List<String> flags,
        List<String> events) {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Parts of a trial's seed. */
    private static final long WARM_UP_ARRIVALS = 1;

    private static final long WINDOW_ARRIVALS = 2;

    /** A rate at which less than this share of the operations offered was done has not been reached. */
    static final double REACHED = 0.99;

    /** Arrivals that are started later than this, though a thread was free, are not at the rate asked for. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Runs a trial that has this process to itself; what goes wrong in it becomes its outcome. */
    public static TrialRun of(TrialSpec spec) throws InterruptedException {
        Phase phase = new Phase(spec.workers());
        phase.go();
        return of(spec, phase, () -> {}, ServerWatch.none("not watched"));
    }

    /**
     * Runs one process's share of a trial.
     *
     * @param phase of this share alone: the window begins when it is told to go
     * @param ready is run when the share has warmed up, which goes on until then; not if it has failed before
     */
    static TrialRun of(TrialSpec spec, Phase phase, Runnable ready, ServerWatch watch) throws InterruptedException {
        Optional<BlockingWorker.Timetable> timetable = timetable(spec);
        long begin = spec.clock().nanoTime();
        List<Worker> workers = start(spec, phase, timetable, Optional.empty());
        WarmUp warmUp;
        Instant go;
        long goNanos;
        long cpu;
        ServerAccount server;
        Garbage garbage;
        try {
            phase.awaitSwept();
            boolean steady = SteadyWatch.await(
                    phase,
                    workers.stream().map(Worker::warmUpSubWindows).toList(),
                    spec.workload().operationTypes().size());
            if (!phase.hasFailed()) {
                ready.run();
            }
            phase.awaitGo();
            watch.begin();
            go = Instant.now();
            goNanos = spec.clock().nanoTime();
            warmUp = new WarmUp((goNanos - begin) / 1e9, steady);
            garbage = Garbage.sinceStart();
            cpu = -PROCESS.getProcessCpuTime();
            phase.endWarmUp();
            phase.awaitEnded();
            cpu += PROCESS.getProcessCpuTime();
            garbage = Garbage.sinceStart().since(garbage);
            server = watch.end();
        } catch (InterruptedException e) {
            phase.fail(e);
            throw e;
        }
        return phase.hasFailed()
                ? without(outcome(phase.failure()), warmUp)
                : account(
                        spec,
                        workers,
                        timetable.map(BlockingWorker.Timetable::window),
                        warmUp,
                        go,
                        goNanos,
                        cpu,
                        server,
                        garbage);
    }

    /** The workers of a share, each on a thread of its own. */
    static List<Worker> start(
            TrialSpec spec, Phase phase, Optional<BlockingWorker.Timetable> timetable, Optional<Turns> turns) {
        SplittableRandom seeds = new SplittableRandom(spec.seed());
        seeds.longs(spec.share().first()).forEach(those -> {}); // of workers that others run
        BlockingWorker.Numbering numbering = BlockingWorker.Numbering.of(spec);
        List<Worker> workers = new ArrayList<>();
        if (spec.isAsync()) {
            workers.add(new AsyncWorker(spec, phase, turns, seeds.nextLong()));
        }
        for (int i = workers.size(); i < spec.workers(); i++) {
            workers.add(new BlockingWorker(
                    spec, spec.share().first() + i, phase, timetable, turns, numbering, seeds.nextLong()));
        }
        for (int i = 0; i < workers.size(); i++) {
            Thread thread = new Thread(workers.get(i), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return workers;
    }

    /** One that failed, and has no figures to show. */
    static TrialRun failed(String reason, WarmUp warmUp) {
        return without(new Outcome.Failed(reason), warmUp);
    }

    /** One that could not begin. */
    static TrialRun failed(Exception failure) {
        return without(outcome(failure), new WarmUp(0, false));
    }

    static TrialRun without(Outcome outcome, WarmUp warmUp) {
        return new TrialRun(
                outcome,
                Instant.now(),
                0,
                warmUp,
                0,
                new TreeMap<>(),
                Optional.empty(),
                new TreeMap<>(),
                new TreeMap<>(),
                0,
                0,
                ServerAccount.unknown(outcome.reason()),
                Garbage.NONE,
                new TreeMap<>(),
                List.of(),
                List.of(),
                Optional.empty(),
                List.of(),
                List.of());
    }

    /** Of the arrivals at all processes each has its share. */
    private static Optional<BlockingWorker.Timetable> timetable(TrialSpec spec) {
        Share share = spec.share();
        Window window = spec.window() instanceof Window.Count count
                ? new Window.Count(Math.max(1, count.operations() * share.count() / share.all()))
                : spec.window();
        return spec.load().share(share.count(), share.all()) instanceof Load.Open open
                ? Optional.of(new BlockingWorker.Timetable(
                        Arrivals.endless(open, Seeds.mix(spec.seed(), WARM_UP_ARRIVALS, share.first())),
                        Arrivals.in(window, open, Seeds.mix(spec.seed(), WINDOW_ARRIVALS, share.first()))))
                : Optional.empty();
    }

    /** What the workers of a share did, in its window or in all of its visits. */
    static TrialRun account(
            TrialSpec spec,
            List<Worker> workers,
            Optional<Arrivals> arrivals,
            WarmUp warmUp,
            Instant go,
            long goNanos,
            long cpuNanos,
            ServerAccount server,
            Garbage garbage) {
        List<String> types = spec.workload().operationTypes();
        List<Account> accounts = workers.stream().map(Worker::account).toList();
        SortedMap<String, Operations> operations = new TreeMap<>();
        SortedMap<String, Histogram> latency = new TreeMap<>();
        SortedMap<String, Long> errors = new TreeMap<>();
        List<String> events = new ArrayList<>();
        boolean countsWire = accounts.stream().allMatch(account -> account.countsWire);
        long elapsed = 0;
        long total = 0;
        long settling = workers.stream().mapToLong(Worker::settlingOperations).sum();
        long allocated = 0;
        long start = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        for (Account account : accounts) {
            start = Math.min(start, account.startNanos);
            end = Math.max(end, account.endNanos);
            elapsed = Math.max(elapsed, account.elapsedNanos);
            total += account.operations;
            allocated += account.allocatedBytes;
            account.errors.forEach((code, count) -> errors.merge(code, count, Long::sum));
        }
        if (total == 0 && arrivals.isPresent()) {
            return failed(
                    "no operation arrived at " + spec.load() + " in a window of " + spec.window()
                            + "; give a longer window or a higher rate",
                    warmUp);
        }
        arrivals.ifPresent(Arrivals::end);
        for (int number = 0; number < types.size(); number++) {
            int type = number;
            String word = types.get(type);
            long count = 0;
            long applicationBytes = 0;
            long storedBytes = 0;
            long wireBytesIn = 0;
            long wireBytesOut = 0;
            double bytesPerSecond = 0;
            double operationsPerSecond = 0;
            for (Account account : accounts) {
                count += account.count[type];
                applicationBytes += account.applicationBytes[type];
                storedBytes += account.storedBytes[type];
                wireBytesIn += account.wireBytesIn[type];
                wireBytesOut += account.wireBytesOut[type];
                // in an open loop a worker's last operation says nothing of how long it was ready for more
                long nanos = arrivals.isPresent()
                        ? Math.max(elapsed, arrivals.get().spanNanos())
                        : spec.workload().typesApart() ? account.busyNanos[type] : account.elapsedNanos;
                if (account.count[type] > 0) {
                    bytesPerSecond += account.applicationBytes[type] / (nanos / 1e9);
                    operationsPerSecond += account.count[type] / (nanos / 1e9);
                }
            }
            if (count > 0) {
                latency.put(word, merged(accounts, account -> account.latency[type]));
                if (arrivals.isPresent()) {
                    latency.put(Sample.responseOf(word), merged(accounts, account -> account.response[type]));
                }
                operations.put(
                        word,
                        new Operations(
                                count,
                                bytesPerSecond,
                                operationsPerSecond,
                                Latency.of(latency.get(word)),
                                new Operations.Bytes(
                                        applicationBytes,
                                        countsWire ? OptionalLong.of(wireBytesIn) : OptionalLong.empty(),
                                        countsWire ? OptionalLong.of(wireBytesOut) : OptionalLong.empty(),
                                        OptionalLong.of(storedBytes)),
                                Optional.ofNullable(latency.get(Sample.responseOf(word)))
                                        .map(Latency::of),
                                countsWire ? Optional.of(spent(accounts, type, count)) : Optional.empty(),
                                bySize(accounts, type, word, latency)));
                if (!spec.setup().isCold()) { // else they are the pages that are read at first, and not later
                    TwoLevels.find(
                                    accounts.stream()
                                            .map(account -> account.subWindows)
                                            .toList(),
                                    type,
                                    word)
                            .ifPresent(events::add);
                }
            }
        }
        if (arrivals.isEmpty()) {
            TwoLevels.betweenWorkers(accounts).ifPresent(events::add);
        }
        if (operations.size() > 1 && !spec.workload().typesApart()) {
            operations.put(Sample.MIX, CrewRun.together(operations, latency));
        }
        Optional<OpenLoop> openLoop = Optional.empty();
        if (arrivals.isPresent()) {
            latency.put(Sample.SCHEDULE_LAG, merged(accounts, account -> account.lag));
            openLoop = Optional.of(new OpenLoop(
                    arrivals.get().perSecond(),
                    arrivals.get().offered(),
                    arrivals.get().offered() - arrivals.get().dropped(),
                    total,
                    arrivals.get().dropped(),
                    Latency.of(latency.get(Sample.SCHEDULE_LAG))));
        }
        return new TrialRun(
                openLoop.flatMap(TrialRun::saturated).orElseGet(() -> outcome(spec, warmUp)),
                go.plusNanos(start - goNanos),
                end - start,
                warmUp,
                elapsed,
                operations,
                openLoop,
                latency,
                errors,
                // a count that is less than the workers leaves some of them, and so perhaps all of these, without
                (double) cpuNanos / Math.max(1, total + settling),
                (double) allocated / Math.max(1, total + settling),
                server,
                garbage,
                spec.setup().pool().map(ConnectionPool::effective).orElseGet(TreeMap::new),
                sqlNodes(spec, accounts),
                SubWindows.operations(
                        accounts.stream().map(account -> account.subWindows).toList()),
                Optional.empty(),
                events.isEmpty() ? List.of() : List.of(Sample.BIMODAL),
                events);
    }

    /** Operations per second over each server that workers are spread over; none where there is but one, or a pool deals them out. */
    private static List<Double> sqlNodes(TrialSpec spec, List<Account> accounts) {
        int nodes = spec.setup().nodes();
        if (nodes == 1 || spec.setup().pool().isPresent()) {
            return List.of();
        }
        double[] perSecond = new double[nodes];
        for (int i = 0; i < accounts.size(); i++) {
            Account account = accounts.get(i);
            if (account.operations > 0) {
                perSecond[(spec.share().first() + i) % nodes] += account.operations / (account.elapsedNanos / 1e9);
            }
        }
        return Arrays.stream(perSecond).boxed().toList();
    }

    /** Where the time of so many operations went. */
    private static TimeSpent spent(List<Account> accounts, int type, long count) {
        long[] parts = new long[TimeAccount.Part.values().length];
        long busy = 0;
        long link = 0;
        for (Account account : accounts) {
            for (int part = 0; part < parts.length; part++) {
                parts[part] += account.partNanos[type][part];
            }
            busy += account.busyNanos[type];
            link += account.linkNanos[type];
        }
        return new TimeSpent(
                (double) parts[TimeAccount.Part.WAITING.ordinal()] / count,
                (double) parts[TimeAccount.Part.TRANSFER.ordinal()] / count,
                (double) parts[TimeAccount.Part.CLIENT.ordinal()] / count,
                (double) parts[TimeAccount.Part.DECODE.ordinal()] / count,
                (double) parts[TimeAccount.Part.POOL.ordinal()] / count,
                (double) (busy - LongStream.of(parts).sum()) / count,
                (double) link / count);
    }

    /**
     * The operations of a type by size class; their latencies are put beside the others. Classes share a window and its workers, so
     * that their rates are over the time spent in each.
     */
    private static SortedMap<SizeClass, Operations> bySize(
            List<Account> accounts, int type, String word, SortedMap<String, Histogram> latency) {
        SortedMap<SizeClass, Operations> bySize = new TreeMap<>();
        for (SizeClass size : SizeClass.values()) {
            int number = size.ordinal();
            List<SizeAccount> its = accounts.stream()
                    .map(account -> account.sizes)
                    .filter(sizes ->
                            sizes.latency[type][number] != null && sizes.latency[type][number].getTotalCount() > 0)
                    .toList();
            if (its.isEmpty()) {
                continue;
            }
            Histogram merged = Latencies.newHistogram();
            double bytesPerSecond = 0;
            double operationsPerSecond = 0;
            for (SizeAccount one : its) {
                double seconds = Math.max(1, one.busyNanos[type][number]) / 1e9;
                merged.add(one.latency[type][number]);
                bytesPerSecond += one.applicationBytes[type][number] / seconds;
                operationsPerSecond += one.latency[type][number].getTotalCount() / seconds;
            }
            latency.put(Sample.ofSize(word, size), merged);
            bySize.put(
                    size,
                    new Operations(
                            merged.getTotalCount(),
                            bytesPerSecond,
                            operationsPerSecond,
                            Latency.of(merged),
                            new Operations.Bytes(
                                    its.stream()
                                            .mapToLong(one -> one.applicationBytes[type][number])
                                            .sum(),
                                    OptionalLong.empty(),
                                    OptionalLong.empty(),
                                    OptionalLong.of(its.stream()
                                            .mapToLong(one -> one.storedBytes[type][number])
                                            .sum()))));
        }
        return bySize;
    }

    private static Outcome outcome(TrialSpec spec, WarmUp warmUp) {
        return warmUp.steady()
                ? new Outcome.Measured()
                : new Outcome.Unsteady("still changing after " + spec.warmUp().toMillis()
                        + " ms of warm-up; a longer --warm-up or a quieter machine helps");
    }

    /** An open loop whose rate was not reached. */
    static Optional<Outcome> saturated(OpenLoop open) {
        if (open.completed() < REACHED * open.offered()) {
            return Optional.of(new Outcome.Saturated(String.format(
                    Locale.ROOT,
                    "completed %,.0f of %,.0f offered per second; dropped %,d of %,d; lower the --rate, or add --threads"
                            + " if the server has room for more at once",
                    open.ratePerSecond() * open.completed() / open.offered(),
                    open.ratePerSecond(),
                    open.dropped(),
                    open.offered())));
        }
        if (open.scheduleLag().p99() > LATE_NANOS) {
            return Optional.of(new Outcome.Saturated(String.format(
                    Locale.ROOT,
                    "one operation in a hundred began %.0f ms late or more though a thread was free; lower the --rate, or"
                            + " take a quieter machine or one with more cores",
                    open.scheduleLag().p99() / 1e6)));
        }
        return Optional.empty();
    }

    private static Histogram merged(List<Account> accounts, Function<Account, Histogram> histogram) {
        Histogram merged = Latencies.newHistogram();
        accounts.forEach(account -> merged.add(histogram.apply(account)));
        return merged;
    }

    /** The same, with one more thing that happened. */
    TrialRun with(String event) {
        return with(flags, event);
    }

    /** The same, flagged, with the event that says why. */
    TrialRun flagged(String flag, String event) {
        return with(Stream.concat(flags.stream(), Stream.of(flag)).toList(), event);
    }

    /**
     * The same, as one that was measured in visits.
     *
     * @param begun when the first of them began
     */
    TrialRun visited(Instant begun, Visits visits, List<String> more) {
        // a trend that a warm-up has left is one of its visits
        return copy(new Outcome.Measured(), begun, Optional.of(visits), flags, more);
    }

    /**
     * The same without some of its visits, in which others had a part.
     *
     * @param all how many visits there were; those that were left out for another reason are the first ones
     * @param disturbed why, by the numbers of the visits
     */
    TrialRun without(int all, Map<Integer, String> disturbed) {
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
                startedAt,
                left,
                List.of("disturbed in " + disturbed.size() + " of " + all + " visits, which are left out: " + why));
    }

    /** The same, flagged as one that others had a part in. */
    TrialRun disturbed(String event) {
        return flagged(Sample.DISTURBED, event);
    }

    /**
     * The same, flagged where a node of the cluster was lost in the window or before it. How many operations were completed until then
     * is told to a part of the window.
     */
    TrialRun with(Incident incident) {
        if (operations.isEmpty()) {
            return with(flags, incident.what() + " in the course of it");
        }
        long until = startedAt.until(incident.at(), ChronoUnit.NANOS);
        if (until >= windowNanos) {
            return this; // it was over
        }
        List<String> flagged = Stream.concat(flags.stream(), Stream.of(Sample.DEGRADED))
                .distinct()
                .toList();
        if (until < 0 || progress.isEmpty()) {
            return with(flagged, incident.what() + " before the window");
        }
        int parts = (int) Math.min(progress.size() - 1, progress.size() * until / Math.max(1, windowNanos));
        return with(
                flagged,
                String.format(
                        Locale.ROOT,
                        "%s %.2f s into a window of %.2f s; at least %d operations were completed before, and %d after",
                        incident.what(),
                        until / 1e9,
                        windowNanos / 1e9,
                        progress.stream().limit(parts).mapToLong(n -> n).sum(),
                        progress.stream().skip(parts + 1L).mapToLong(n -> n).sum()));
    }

    private TrialRun with(List<String> flags, String event) {
        return copy(outcome, startedAt, visits, flags, List.of(event));
    }

    private TrialRun copy(
            Outcome outcome, Instant startedAt, Optional<Visits> visits, List<String> flags, List<String> more) {
        return new TrialRun(
                outcome,
                startedAt,
                windowNanos,
                warmUp,
                elapsedNanos,
                operations,
                openLoop,
                latency,
                errors,
                clientCpuNanosPerOp,
                allocatedBytesPerOp,
                server,
                garbage,
                pool,
                sqlNodes,
                progress,
                visits,
                flags,
                Stream.concat(events.stream(), more.stream()).toList());
    }

    /** The line of this run in the run directory. */
    Sample toSample(ForkPlan plan, int round, ForkPlan.PlannedTrial planned) {
        boolean measured = !operations.isEmpty();
        DiskSpace disk = planned.place().map(ForkPlan.Place::disk).orElse(DiskSpace.UNKNOWN);
        SortedMap<String, String> unknown = new TreeMap<>();
        if (measured) {
            unknown.putAll(server.unknown());
            if (operations.values().stream().anyMatch(its -> its.wireBytesIn().isEmpty())) {
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
                new Position(plan.block(), plan.fork(), round, startedAt.truncatedTo(ChronoUnit.MILLIS)),
                outcome,
                new Remarks(flags, events, errors, unknown),
                Optional.of(warmUp),
                operations,
                openLoop,
                measured ? resources() : Resources.NONE,
                disk,
                visits);
    }

    private Resources resources() {
        long count = Sample.count(operations);
        return new Resources(
                OptionalLong.of(elapsedNanos),
                OptionalDouble.of(clientCpuNanosPerOp),
                ServerAccount.perOperation(server.cpuNanos(), count),
                ServerAccount.perOperation(server.pagesRead(), count),
                OptionalDouble.of(allocatedBytesPerOp),
                Optional.of(new Resources.Counters(
                        server.pagesRead(),
                        server.pagesFlushed(),
                        server.roundTrips(),
                        garbage.collections(),
                        garbage.nanos())),
                pool,
                sqlNodes);
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
