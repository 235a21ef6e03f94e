package dev.blobmark.bench.report;

import dev.blobmark.lab.run.LatencyLogs;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates a run with a given number of samples from those of a smaller run, with more sizes and more rounds. Figures
 * are varied by a few percent, so that they compress no better than measured ones. Only for {@code bench/page-opening}:
 * the figures are not measurements.
 *
 * <pre>bench/run dev.blobmark.bench.report.ManySamples RUN NEW-RUN 20000</pre>
 */
public final class ManySamples {

    /** The number of conditions that each condition becomes, with different sizes. */
    private static final int CONDITIONS = 10;

    private static final double DEVIATION = 0.03;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final SplittableRandom random = new SplittableRandom(42);

    public static void main(String[] args) {
        RunDirectory few = RunDirectory.open(Path.of(args[0]));
        RunDirectory many = RunDirectory.createAt(Path.of(args[1]));
        new ManySamples().write(few, many, Integer.parseInt(args[2]));
    }

    private void write(RunDirectory few, RunDirectory many, int count) {
        Manifest manifest = few.manifest();
        List<Sample> samples = few.samples();
        int rounds = 1 + samples.stream().mapToInt(Sample::round).max().orElseThrow();
        LatencyLogs latencies = few.latencies();
        int written = 0;
        try (RunWriter writer = many.writer()) {
            writer.write(manifest.planning(count));
            for (int copy = 0; written < count; copy++) {
                for (Sample sample : samples.subList(0, Math.min(samples.size(), count - written))) {
                    Map<String, Histogram> histograms = new HashMap<>();
                    sample.histograms()
                            .forEach(name -> latencies
                                    .find(sample, name)
                                    .ifPresent(histogram -> histograms.put(name, histogram)));
                    writer.append(varied(sample, copy % CONDITIONS, copy / CONDITIONS * rounds), histograms);
                    written++;
                }
            }
        }
    }

    private Sample varied(Sample sample, int condition, int firstRound) {
        ObjectNode json = (ObjectNode) JSON.readTree(sample.toJson());
        ((ObjectNode) json.get("position")).put("round", sample.round() + firstRound);
        if (condition > 0) {
            ObjectNode trial = (ObjectNode) json.get("trial");
            trial.put("id", trial.get("id").stringValue() + ",copy=" + condition);
            ((ObjectNode) trial.get("condition"))
                    .put(
                            "size",
                            condition * 10_007 + sample.condition().byFactor().hashCode() % 97 + "");
        }
        double factor = 1 + DEVIATION * (2 * random.nextDouble() - 1);
        vary(json.get("operations"), factor);
        return Sample.ofJson(json.toString());
    }

    /** Multiplies all rates and times by a factor, but no counts. */
    private static void vary(JsonNode node, double factor) {
        if (node instanceof ObjectNode object) {
            for (String name : List.copyOf(object.propertyNames())) {
                JsonNode field = object.get(name);
                if (field.isFloatingPointNumber()) {
                    object.put(name, field.doubleValue() * factor);
                } else if (field.isIntegralNumber() && object.has("p50")) {
                    object.put(name, Math.round(field.longValue() * factor));
                } else {
                    vary(field, factor);
                }
            }
        }
    }
}
