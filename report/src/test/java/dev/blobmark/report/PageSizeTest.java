package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A page of many samples can still be sent by mail. {@code bench/page-opening} measures how long it takes to open. */
class PageSizeTest {

    private static final int SAMPLES = 20_000;
    private static final int SIZES = 65;
    private static final int MOST_BYTES = 8_000_000;

    private static final JsonMapper JSON = new JsonMapper();

    private final SplittableRandom random = new SplittableRandom(42);

    @Test
    void twentyThousandSamplesOf130ConditionsAreLessThan8Megabytes(@TempDir Path directory) throws IOException {
        Analysis golden = Analysis.of(GoldenRun.write(directory.resolve("golden")));
        List<Sample> samples = new ArrayList<>();
        for (int copy = 0; samples.size() < SAMPLES; copy++) {
            for (Sample sample : golden.samples()) {
                samples.add(varied(sample, copy % SIZES, copy / SIZES));
            }
        }
        Analysis report = Analysis.of(golden.manifest(), samples.subList(0, SAMPLES));
        StringBuilder page = new StringBuilder();
        Page.of(report).write(page);

        assertThat(report.rankings()).hasSizeGreaterThan(130);
        assertThat(page.toString().getBytes(StandardCharsets.UTF_8).length).isLessThan(MOST_BYTES);
    }

    /** Of another size and in later rounds, with figures that compress no better than measured ones. */
    private Sample varied(Sample sample, int size, int pass) {
        ObjectNode json = (ObjectNode) JSON.readTree(sample.toJson());
        ObjectNode trial = (ObjectNode) json.get("trial");
        ((ObjectNode) trial.get("condition")).put("size", Integer.toString(1000 + 997 * size));
        trial.put("id", trial.get("id").stringValue() + size);
        ((ObjectNode) json.get("position")).put("round", sample.round() + 10 * pass);
        vary(json.get("operations"), 0.97 + 0.06 * random.nextDouble());
        return Sample.ofJson(json.toString());
    }

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
