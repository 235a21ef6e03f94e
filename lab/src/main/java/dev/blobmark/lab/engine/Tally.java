package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.TimeAccount;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.stats.SteadyState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/** Adds up the results of a process's workers, in its window or in all visits. */
final class Tally {

    /** A rate has not been reached if less than this share of the offered operations was completed. */
    static final double REACHED = 0.99;

    /** A rate has not been kept if arrivals are started later than this although a thread was free. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final TrialSpec spec;
    private final List<Account> accounts;
    private final Optional<Arrivals> arrivals;
    private final boolean countsWire;

    /** Measured operations of all types. */
    private final long total;

    /** The same, including those that settled visits. */
    private final long all;

    private final long elapsedNanos;
    private final SortedMap<String, Operations> operations = new TreeMap<>();
    private final SortedMap<String, Histogram> latency = new TreeMap<>();

    /** @param arrivals of the window, in an open loop */
    Tally(TrialSpec spec, List<Worker> workers, Optional<Arrivals> arrivals) {
        this.spec = spec;
        this.arrivals = arrivals;
        accounts = workers.stream().map(Worker::account).toList();
        countsWire = accounts.stream().allMatch(account -> account.countsWire);
        total = accounts.stream().mapToLong(account -> account.operations).sum();
        all = total + workers.stream().mapToLong(Worker::settlingOperations).sum();
        elapsedNanos = accounts.stream()
                .mapToLong(account -> account.elapsedNanos)
                .max()
                .orElse(0);
    }

    /**
     * @param go when the window began
     * @param goNanos the same, by the clock of the workers
     * @param cpuNanos CPU time of this process since then
     */
    TrialRun run(WarmUp warmUp, Instant go, long goNanos, long cpuNanos, ServerAccount server, Garbage garbage) {
        if (total == 0 && arrivals.isPresent()) {
            return TrialRun.failed(
                    "no operation arrived at " + spec.load() + " in a window of " + spec.window()
                            + "; give a longer window or a higher rate",
                    warmUp);
        }
        arrivals.ifPresent(Arrivals::end);
        List<String> types = spec.workload().operationTypes();
        List<String> levels = new ArrayList<>();
        for (int type = 0; type < types.size(); type++) {
            if (count(type) > 0) {
                operations.put(types.get(type), operations(type, types.get(type)));
                if (!spec.setup()
                        .isCold()) { // in a cold pool, two levels only mean that pages are read at first, and not later
                    TwoLevels.find(subWindows(), type, types.get(type)).ifPresent(levels::add);
                }
            }
        }
        if (arrivals.isEmpty()) {
            TwoLevels.betweenWorkers(accounts).ifPresent(levels::add);
        }
        if (operations.size() > 1 && !spec.workload().timesTypesSeparately()) {
            operations.put(Sample.MIX, MergedRuns.allTypes(operations, latency));
        }
        Optional<OpenLoop> openLoop = arrivals.map(this::openLoop);
        long start =
                accounts.stream().mapToLong(account -> account.startNanos).min().orElse(goNanos);
        long end =
                accounts.stream().mapToLong(account -> account.endNanos).max().orElse(goNanos);
        SortedMap<String, Long> errors = new TreeMap<>();
        accounts.forEach(account -> account.errors.forEach((code, count) -> errors.merge(code, count, Long::sum)));
        return new TrialRun(
                openLoop.flatMap(Tally::saturated).orElseGet(() -> outcome(spec, warmUp)),
                new TrialRun.Span(go.plusNanos(start - goNanos), end - start, SubWindows.operations(subWindows())),
                warmUp,
                operations,
                latency,
                openLoop,
                new TrialRun.Usage(
                        elapsedNanos,
                        // with fewer operations than workers in all, a process may have none
                        Math.max(1, all),
                        cpuNanos,
                        accounts.stream()
                                .mapToLong(account -> account.allocatedBytes)
                                .sum(),
                        server,
                        garbage,
                        spec.setup().pool().map(ConnectionPool::effective).orElseGet(TreeMap::new),
                        sqlNodes()),
                Optional.empty(),
                new Remarks(levels.isEmpty() ? List.of() : List.of(Sample.BIMODAL), levels, errors, new TreeMap<>()));
    }

    private List<SubWindows> subWindows() {
        return accounts.stream().map(account -> account.subWindows).toList();
    }

    private long count(int type) {
        return sum(account -> account.count[type]);
    }

    private long sum(ToLongFunction<Account> amount) {
        return accounts.stream().mapToLong(amount).sum();
    }

    /** The operations of a type that occurred. Adds their latencies to {@link #latency}. */
    private Operations operations(int type, String word) {
        double bytesPerSecond = 0;
        double operationsPerSecond = 0;
        for (Account account : accounts) {
            // in an open loop, a worker may be idle after its last operation
            long nanos = arrivals.isPresent()
                    ? Math.max(elapsedNanos, arrivals.get().spanNanos())
                    : spec.workload().timesTypesSeparately() ? account.busyNanos[type] : account.elapsedNanos;
            if (account.count[type] > 0) {
                bytesPerSecond += account.applicationBytes[type] / (nanos / 1e9);
                operationsPerSecond += account.count[type] / (nanos / 1e9);
            }
        }
        latency.put(word, merged(account -> account.latency[type]));
        if (arrivals.isPresent()) {
            latency.put(Sample.responseOf(word), merged(account -> account.response[type]));
        }
        return new Operations(
                count(type),
                bytesPerSecond,
                operationsPerSecond,
                Latency.of(latency.get(word)),
                new Operations.ByteCounts(
                        sum(account -> account.applicationBytes[type]),
                        wire(account -> account.wireBytesIn[type]),
                        wire(account -> account.wireBytesOut[type]),
                        OptionalLong.of(sum(account -> account.storedBytes[type]))),
                Optional.ofNullable(latency.get(Sample.responseOf(word))).map(Latency::of),
                countsWire ? Optional.of(spent(type)) : Optional.empty(),
                bySize(type, word));
    }

    private OptionalLong wire(ToLongFunction<Account> bytes) {
        return countsWire ? OptionalLong.of(sum(bytes)) : OptionalLong.empty();
    }

    private OpenLoop openLoop(Arrivals arrivals) {
        latency.put(Sample.SCHEDULE_LAG, merged(account -> account.lag));
        return new OpenLoop(
                arrivals.perSecond(),
                arrivals.offered(),
                arrivals.offered() - arrivals.dropped(),
                total,
                arrivals.dropped(),
                Latency.of(latency.get(Sample.SCHEDULE_LAG)));
    }

    /**
     * Operations per second at each of the servers among which workers are distributed; empty if there is one server,
     * or a pool chooses connections.
     */
    private List<Double> sqlNodes() {
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

    /** Where the time of the operations of a type went. */
    private TimeSpent spent(int type) {
        double count = count(type);
        long[] parts = new long[TimeAccount.TimedPart.values().length];
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
                parts[TimeAccount.TimedPart.WAITING.ordinal()] / count,
                parts[TimeAccount.TimedPart.TRANSFER.ordinal()] / count,
                parts[TimeAccount.TimedPart.CLIENT.ordinal()] / count,
                parts[TimeAccount.TimedPart.DECODE.ordinal()] / count,
                parts[TimeAccount.TimedPart.POOL.ordinal()] / count,
                (busy - LongStream.of(parts).sum()) / count,
                link / count);
    }

    /**
     * The operations of a type by size class. Adds their latencies to {@link #latency}. Classes share the window and
     * its workers, so the rate of each is over the time spent in it.
     */
    private SortedMap<SizeClass, Operations> bySize(int type, String word) {
        SortedMap<SizeClass, Operations> bySize = new TreeMap<>();
        for (SizeClass size : SizeClass.values()) {
            int number = size.ordinal();
            List<SizeAccount> ofOperation = accounts.stream()
                    .map(account -> account.sizes)
                    .filter(sizes ->
                            sizes.latency[type][number] != null && sizes.latency[type][number].getTotalCount() > 0)
                    .toList();
            if (ofOperation.isEmpty()) {
                continue;
            }
            Histogram merged = Latencies.newHistogram();
            double bytesPerSecond = 0;
            double operationsPerSecond = 0;
            for (SizeAccount one : ofOperation) {
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
                            new Operations.ByteCounts(
                                    ofOperation.stream()
                                            .mapToLong(one -> one.applicationBytes[type][number])
                                            .sum(),
                                    OptionalLong.empty(),
                                    OptionalLong.empty(),
                                    OptionalLong.of(ofOperation.stream()
                                            .mapToLong(one -> one.storedBytes[type][number])
                                            .sum()))));
        }
        return bySize;
    }

    private static Outcome outcome(TrialSpec spec, WarmUp warmUp) {
        return warmUp.steady()
                ? new Outcome.Measured()
                : new Outcome.Unsteady(
                        SteadyWatch.judges(spec.warmUp())
                                ? "still changing after " + spec.warmUp().toMillis()
                                        + " ms of warm-up; a longer --warm-up or a quieter machine helps"
                                : spec.warmUp().toMillis()
                                        + " ms of warm-up are too short to be judged; give a --warm-up of "
                                        + SteadyState.WARM_UP.toMillis() + " ms or more");
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
                    "1 %% of the operations began %.0f ms late or more although a thread was free; lower the --rate, or use"
                            + " a quieter machine or one with more cores",
                    open.scheduleLag().p99() / 1e6)));
        }
        return Optional.empty();
    }

    private Histogram merged(Function<Account, Histogram> histogram) {
        Histogram merged = Latencies.newHistogram();
        accounts.forEach(account -> merged.add(histogram.apply(account)));
        return merged;
    }
}
