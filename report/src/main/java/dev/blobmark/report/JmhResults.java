package dev.blobmark.report;

import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Levels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Results that JMH has written with {@code -rf json}, for the page: benchmarks are methods, parameters and threads are
 * the condition, a mode with its unit is the operation. Scores and their errors are JMH's own, of 99.9 %.
 */
final class JmhResults {

    private static final Set<String> TAKEN = Set.of("method", "operation", "values", "run", "threads");

    private static final String MEND = "name a run directory, or a file that JMH has written with -rf json";

    private JmhResults() {}

    /**
     * One entry of the file.
     *
     * @param benchmark the name without the prefix that all names share
     * @param error half of the width of the interval; NaN where JMH has no error
     * @param raw scores by fork and iteration
     */
    record JmhResult(
            String benchmark,
            String mode,
            Levels params,
            double score,
            double error,
            String unit,
            List<List<Double>> raw,
            Map<String, Double> secondary,
            Map<String, String> jvm) {

        boolean higherIsBetter() {
            return mode.equals("thrpt");
        }

        String operation() {
            return mode + ", " + unit;
        }

        boolean meets(JmhResult other) {
            return Double.isNaN(error)
                    || Double.isNaN(other.error)
                    || Math.abs(score - other.score) <= error + other.error;
        }
    }

    /** @throws RunException if the file has another format; it names the place, the reason and the fix */
    static PageRun read(Path file) {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new RunException(file.toString(), "cannot be read", MEND, e);
        } catch (JacksonException e) {
            throw new RunException(file.toString(), "this is not JSON: " + e.getOriginalMessage(), MEND, e);
        }
        if (!root.isArray() || root.isEmpty()) {
            throw new RunException(file.toString(), "this is not a list of benchmarks", MEND);
        }
        List<JsonNode> entries = new ArrayList<>();
        root.forEach(entries::add);
        List<JmhResult> results = new ArrayList<>();
        String shared = sharedPackage(entries.stream()
                .map(entry -> entry.path("benchmark").isString()
                        ? entry.path("benchmark").stringValue()
                        : "")
                .toList());
        for (int i = 0; i < entries.size(); i++) {
            JsonNode entry = entries.get(i);
            JsonNode primary = entry.path("primaryMetric");
            for (String needed : List.of("benchmark", "mode")) {
                if (!entry.path(needed).isString()) {
                    throw new RunException(file + ", entry " + (i + 1), "it has no '" + needed + "'", MEND);
                }
            }
            if (!primary.path("score").isNumber()) {
                throw new RunException(file + ", entry " + (i + 1), "it has no score", MEND);
            }
            try {
                results.add(result(entry, primary, shared));
            } catch (IllegalArgumentException e) {
                throw new RunException(file + ", entry " + (i + 1), e.getMessage(), MEND, e);
            }
        }
        return new JmhPage(file.getFileName().toString(), results).toPage();
    }

    private static JmhResult result(JsonNode entry, JsonNode primary, String shared) {
        Map<String, String> params = new TreeMap<>();
        entry.path("params")
                .properties()
                .forEach(param ->
                        params.put(factor(param.getKey()), text(param.getValue(), "params." + param.getKey(), "")));
        params.put("threads", text(entry.path("threads"), "threads", "1"));
        List<List<Double>> raw = new ArrayList<>();
        for (JsonNode fork : primary.path("rawData")) {
            List<Double> scores = new ArrayList<>();
            for (JsonNode iteration : fork) {
                scores.add(iteration.isNumber() ? iteration.doubleValue() : Double.NaN);
            }
            raw.add(scores);
        }
        Map<String, Double> secondary = new TreeMap<>();
        entry.path("secondaryMetrics").properties().forEach(metric -> {
            if (metric.getValue().path("score").isNumber()) {
                secondary.put(
                        metric.getKey() + ", "
                                + text(
                                        metric.getValue().path("scoreUnit"),
                                        "secondaryMetrics." + metric.getKey() + ".scoreUnit",
                                        ""),
                        metric.getValue().path("score").doubleValue());
            }
        });
        Map<String, String> jvm = new LinkedHashMap<>();
        jvm.put("JVM", text(entry.path("vmName"), "vmName", "") + " " + text(entry.path("vmVersion"), "vmVersion", ""));
        jvm.put("JMH", text(entry.path("jmhVersion"), "jmhVersion", ""));
        return new JmhResult(
                Visible.of(entry.path("benchmark").stringValue().substring(shared.length())),
                Visible.of(entry.path("mode").stringValue()),
                Levels.of(params),
                primary.path("score").doubleValue(),
                primary.path("scoreError").isNumber()
                        ? primary.path("scoreError").doubleValue()
                        : Double.NaN,
                text(primary.path("scoreUnit"), "primaryMetric.scoreUnit", ""),
                raw,
                secondary,
                jvm);
    }

    /**
     * A text or a number without control characters.
     *
     * @param absent the value for a missing field
     */
    private static String text(JsonNode value, String place, String absent) {
        if (value.isMissingNode() || value.isNull()) {
            return absent;
        }
        if (!value.isValueNode()) {
            throw new IllegalArgumentException("'" + place + "' is " + (value.isArray() ? "a list" : "an object")
                    + " and should be a text or a number");
        }
        return Visible.of(value.asString());
    }

    /** The name of a parameter, made different from the columns of the page. */
    private static String factor(String param) {
        return TAKEN.contains(param) ? "param." + param : param;
    }

    /** The prefix that all names share, up to a point. */
    private static String sharedPackage(List<String> names) {
        String shared = names.get(0);
        for (String name : names) {
            while (!name.startsWith(shared)) {
                shared = shared.substring(0, shared.length() - 1);
            }
        }
        return shared.substring(0, shared.lastIndexOf('.') + 1);
    }
}
