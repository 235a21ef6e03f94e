package dev.blobmark.report;

import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run of 10 rounds in 5 forks with methods of every fate, the same whenever it is made. Its samples are those of
 * {@code run/first-round.jsonl}, with service times that vary as on a shared machine: by what all methods of a round
 * share, by fork, by round.
 *
 * <ul>
 *   <li>{@code zstd} loses a round of fetching to a crash, and has two levels within two of its windows;
 *   <li>{@code brotli-11} is not steady in two rounds of fetching;
 *   <li>{@code lz4hc-12} decodes at two levels, a round here and there;
 *   <li>{@code compressed-table} fails, {@code page-zlib} is unavailable.
 * </ul>
 */
final class GoldenRun {

    private static final int ROUNDS = 10;
    private static final int FORKS = 5;
    private static final int SEED = 42;
    private static final double WINDOW_NANOS = 2e8;
    private static final JsonMapper JSON = new JsonMapper();

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<List<?>, Double> deviations = new HashMap<>();

    private GoldenRun() {}

    static RunDirectory write(Path path) throws IOException {
        new GoldenRun().writeTo(RunDirectory.createAt(path));
        return RunDirectory.open(path);
    }

    /** The first round, with the twin of the baseline that the manifest tells of. */
    private static List<ObjectNode> templates() throws IOException {
        List<ObjectNode> templates = new ArrayList<>();
        for (String line : Files.readAllLines(ReportFormatTest.resource("run/first-round.jsonl"))) {
            ObjectNode template = (ObjectNode) JSON.readTree(line);
            templates.add(template);
            if (method(template).equals("uncompressed")) {
                ObjectNode twin = template.deepCopy();
                ObjectNode trial = (ObjectNode) twin.get("trial");
                trial.put("id", "control=on," + trial.get("id").stringValue()).put("method", "control");
                ((ObjectNode) trial.get("factors")).put("control", "on");
                templates.add(twin);
            }
        }
        return templates;
    }

    private void writeTo(RunDirectory run) throws IOException {
        List<ObjectNode> templates = templates();
        Instant time = Instant.parse("2026-11-21T10:15:12Z");
        try (RunWriter writer = run.writer()) {
            writer.write(RunDirectory.open(ReportFormatTest.resource("run")).manifest());
            for (int round = 0; round < ROUNDS; round++) {
                for (ObjectNode template : templates) {
                    time = time.plusSeconds(2);
                    ObjectNode sample = template.deepCopy();
                    ((ObjectNode) sample.get("position"))
                            .put("fork", round % FORKS)
                            .put("round", round)
                            .put("started_at", time.toString());
                    Map<String, Histogram> latencies = new HashMap<>();
                    if (sample.get("outcome").get("word").stringValue().equals("measured")) {
                        befall(sample, round);
                        for (var operation : sample.get("operations").properties()) {
                            latencies.put(
                                    operation.getKey(),
                                    measure(sample, operation.getKey(), (ObjectNode) operation.getValue(), round));
                        }
                    }
                    writer.append(Sample.ofJson(sample.toString()), latencies);
                }
            }
        }
    }

    private static void befall(ObjectNode sample, int round) {
        boolean isFetch = sample.get("operations").has("fetch");
        if (isFetch && method(sample).equals("zstd") && round == 6) {
            end(sample, "failed", "the measuring JVM ended with exit code 137");
            remarks(sample).putArray("flags").add("crashed");
            sample.putObject("operations");
        } else if (isFetch && method(sample).equals("zstd") && round % 8 == 1) {
            remarks(sample).putArray("flags").add("bimodal");
            remarks(sample)
                    .putArray("events")
                    .add("fetch ran at two levels: 101 µs an operation in 59 % of the window, 213 µs in 41 %");
        } else if (isFetch && method(sample).equals("brotli-11") && round >= 8) {
            end(sample, "unsteady", "the last windows still rose by 6 % when the cap of 1 s was reached");
            sample.putObject("warmup").put("seconds", 1.0).put("steady", false);
        }
    }

    private static void end(ObjectNode sample, String word, String reason) {
        sample.putObject("outcome").put("word", word).put("reason", reason);
    }

    private static ObjectNode remarks(ObjectNode sample) {
        return (ObjectNode) sample.get("remarks");
    }

    /** Puts figures in place of the template's, and returns the histogram that they are from. */
    private Histogram measure(ObjectNode sample, String operation, ObjectNode figures, int round) {
        int fork = round % FORKS;
        String method = method(sample);
        double meanNanos = 1e9
                / figures.get("operations_per_s").doubleValue()
                * StrictMath.exp(0.05 * deviation(round)
                        + 0.006 * deviation(method, operation, fork)
                        + 0.006 * deviation(method, operation, round, "round"));
        if (method.equals("lz4hc-12") && operation.equals("decode") && round % 3 == 1) {
            meanNanos *= 1.9;
        }
        int count = (int) StrictMath.max(2, WINDOW_NANOS / meanNanos / (operation.equals("fetch") ? 1 : 2));
        Histogram latency = new Histogram(3_600_000_000_000L, 3);
        for (int i = 0; i < count; i++) {
            latency.recordValue((long) (meanNanos * StrictMath.exp(0.2 * gaussian() - 0.02)));
        }
        double perSecond = 1e9 / latency.getMean();
        long bytes = (long) count * Size.FACTOR.parse("64KB").bytes();
        ObjectNode amounts = (ObjectNode) figures.get("bytes");
        double stored =
                amounts.get("stored").doubleValue() / amounts.get("application").doubleValue();
        double times = count / figures.get("count").doubleValue();
        for (String wire : List.of("wire_in", "wire_out")) {
            if (amounts.get(wire).isNumber()) {
                amounts.put(wire, StrictMath.round(amounts.get(wire).doubleValue() * times));
            }
        }
        double longer =
                latency.getMean() / figures.get("latency_ns").get("mean").doubleValue();
        if (figures.get("time_ns").isObject()) {
            ObjectNode time = (ObjectNode) figures.get("time_ns");
            for (String part : List.copyOf(time.propertyNames())) {
                time.put(part, StrictMath.rint(time.get(part).doubleValue() * longer * 10) / 10);
            }
        }
        Latency nanos = Latency.of(latency);
        amounts.put("application", bytes).put("stored", StrictMath.round(bytes * stored));
        figures.put("count", count)
                .put("throughput_bytes_per_s", StrictMath.rint(perSecond * bytes / count))
                .put("operations_per_s", StrictMath.rint(perSecond * 100) / 100)
                .putObject("latency_ns")
                .put("mean", StrictMath.rint(nanos.mean() * 10) / 10)
                .put("p50", nanos.p50())
                .put("p90", nanos.p90())
                .put("p95", nanos.p95())
                .put("p99", nanos.p99())
                .put("p999", nanos.p999())
                .put("max", nanos.max());
        return latency;
    }

    /** Standard normal, the same for the same cause. */
    private double deviation(Object... cause) {
        return deviations.computeIfAbsent(List.of(cause), c -> gaussian());
    }

    /** By Box and Muller, with functions that are the same on every platform. */
    private double gaussian() {
        return StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
    }

    private static String method(ObjectNode sample) {
        return sample.get("trial").get("method").stringValue();
    }
}
