package dev.blobmark.evidence.fleet;

import dev.blobmark.lab.engine.MergedRuns;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Skew;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How 10, 100 and 1,000 hosts would begin together, and what merging their results costs:
 * {@code bench/evidence/fleet-simulation RUN…} with runs of {@code bench/evidence/fleet-skew}, one of 2 hosts among
 * them. The model of starts follows from that run alone. It is compared with the other runs, whose hosts share the
 * processors of one machine. The cost of merging is measured, not simulated: with results of a real size, as many as
 * there would be hosts.
 */
public final class FleetSimulation {

    private static final int[] HOSTS = {10, 100, 1_000};
    private static final double WINDOW_MILLIS = 1_000;
    private static final int OPERATIONS = 100_000;
    private static final int REPEATS = 5;

    private FleetSimulation() {}

    public static void main(String[] arguments) {
        SortedMap<Integer, double[]> measured = new TreeMap<>();
        double clock = 0;
        for (String run : arguments) {
            List<Skew> skews = RunDirectory.open(Path.of(run)).samples().stream()
                    .map(Sample::skew)
                    .flatMap(Optional::stream)
                    .toList();
            measured.put(
                    skews.get(0).processes(),
                    skews.stream().mapToDouble(Skew::startsMs).toArray());
            clock = Math.max(
                    clock,
                    StartModel.quantile(
                            skews.stream()
                                    .mapToDouble(skew -> skew.clockMs().orElse(0))
                                    .toArray(),
                            0.5));
        }
        if (!measured.containsKey(2)) {
            throw new IllegalArgumentException(
                    "name a run with 2 hosts: bench/evidence/fleet-skew --out DIR keeps them");
        }
        StartModel model = StartModel.of(measured.get(2));
        int processors = Runtime.getRuntime().availableProcessors();
        print(
                "A host waits up to %.2f ms for its turn; in %.0f %% of the windows of two hosts, one is late by %.1f ms besides%n%n",
                model.turn(), 100 * model.late(), model.lateness());
        print("Hosts that share %d processors%n", processors);
        measured.forEach((hosts, apart) -> {
            double[] simulated = model.apart(hosts, processors, 7);
            print(
                    "  %5d hosts: starts apart by %.2f ms (median) and %.2f (p90) in %d windows; by the model %.2f and %.2f: %s%n",
                    hosts,
                    StartModel.quantile(apart, 0.5),
                    StartModel.quantile(apart, 0.9),
                    apart.length,
                    StartModel.quantile(simulated, 0.5),
                    StartModel.quantile(simulated, 0.9),
                    ratio(StartModel.quantile(simulated, 0.5) / StartModel.quantile(apart, 0.5)));
        });
        print("%nHosts with processors of their own, clocks compared to ± %.3f ms, windows of 1 s%n", clock);
        for (int hosts : HOSTS) {
            double[] simulated = model.apart(hosts, 7, clock);
            print(
                    "  %5d hosts: starts apart by %.2f ms (median), %.2f (p99); in common %.1f %% (median), %.1f %% (p1)%n",
                    hosts,
                    StartModel.quantile(simulated, 0.5),
                    StartModel.quantile(simulated, 0.99),
                    100 - 100 * StartModel.quantile(simulated, 0.5) / WINDOW_MILLIS,
                    100 - 100 * StartModel.quantile(simulated, 0.99) / WINDOW_MILLIS);
        }
        print("%nReading and merging results of %,d operations each (measured, without a network)%n", OPERATIONS);
        String line = new ForkMessage.Finished(run()).toLine();
        for (int hosts : new int[] {2, 4, 8, 10, 100, 1_000}) {
            printMerge(line, hosts);
        }
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.2f of what was measured", ratio);
    }

    private static void printMerge(String line, int hosts) {
        double[] millis = new double[REPEATS];
        long bytes = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            long before = usedBytes();
            long begin = System.nanoTime();
            List<TrialRun> runs = new ArrayList<>();
            for (int i = 0; i < hosts; i++) {
                runs.add(((ForkMessage.Finished) ForkMessage.ofLine(line)).run());
            }
            TrialRun merged = MergedRuns.of(runs);
            millis[repeat] = (System.nanoTime() - begin) / 1e6;
            bytes = usedBytes() - before;
            if (merged.latency().get("fetch").getTotalCount() != (long) hosts * OPERATIONS) {
                throw new IllegalStateException("operations were lost");
            }
        }
        Arrays.sort(millis);
        print(
                "  %5d hosts: %.1f ms, %.0f MB of heap, lines of %.1f KB%n",
                hosts, millis[REPEATS / 2], bytes / 1e6, line.length() / 1024.0);
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The result of a process, with latencies around 200 µs and a long tail. */
    private static TrialRun run() {
        SplittableRandom random = new SplittableRandom(1);
        Histogram latency = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
        for (int i = 0; i < OPERATIONS; i++) {
            latency.recordValue(Math.round(200_000 * Math.exp(0.5 * random.nextGaussian())));
        }
        Operations fetch = new Operations(
                OPERATIONS,
                1e9,
                1e5,
                Latency.of(latency),
                new Operations.ByteCounts(
                        1L << 30, OptionalLong.of(1 << 30), OptionalLong.of(1 << 20), OptionalLong.of(1 << 30)));
        return new TrialRun(
                new Outcome.Measured(),
                new TrialRun.Span(Instant.EPOCH, 1_000_000_000, List.of()),
                new WarmUp(1, true),
                new TreeMap<>(Map.of("fetch", fetch)),
                new TreeMap<>(Map.of("fetch", latency)),
                Optional.empty(),
                TrialRun.failed("-", new WarmUp(0, true)).usage(),
                Optional.empty(),
                Remarks.NONE);
    }

    private static void print(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }
}
