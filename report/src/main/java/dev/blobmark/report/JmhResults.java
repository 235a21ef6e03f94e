package dev.blobmark.report;

import dev.blobmark.analysis.Summary;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Levels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Results that JMH has written with {@code -rf json}, for the page: benchmarks are the methods, parameters and threads the condition, a mode
 * with its unit the operation. Scores and their errors are JMH's own, of 99.9 %.
 */
final class JmhResults {

    private static final double LEVEL = 0.999;

    private static final String SCORE = "score";

    private static final Set<String> TAKEN = Set.of("method", "operation", "values", "run", "threads");

    private static final String MEND = "name a run directory, or a file that JMH has written with -rf json";

    private final Path file;
    private final List<Result> results;

    private JmhResults(Path file, List<Result> results) {
        this.file = file;
        this.results = results;
    }

    /**
     * One entry of the file.
     *
     * @param benchmark its name without what all names begin with
     * @param error half of the width of the interval; NaN where JMH has none
     * @param raw scores by fork, and in it by iteration
     */
    private record Result(
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

        boolean meets(Result other) {
            return Double.isNaN(error)
                    || Double.isNaN(other.error)
                    || Math.abs(score - other.score) <= error + other.error;
        }
    }

    /** @throws RunException if this is no such file; it names the place, the reason and the mend */
    static PageRun read(Path file) {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new RunException(file.toString(), "cannot be read", MEND, e);
        } catch (JacksonException e) {
            throw new RunException(file.toString(), "this is no JSON: " + e.getOriginalMessage(), MEND, e);
        }
        if (!root.isArray() || root.isEmpty()) {
            throw new RunException(file.toString(), "this is no list of benchmarks", MEND);
        }
        List<JsonNode> entries = new ArrayList<>();
        root.forEach(entries::add);
        List<Result> results = new ArrayList<>();
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
        return new JmhResults(file, results).toPage();
    }

    private static Result result(JsonNode entry, JsonNode primary, String shared) {
        Map<String, String> params = new TreeMap<>();
        entry.path("params")
                .properties()
                .forEach(param ->
                        params.put(factor(param.getKey()), text(param.getValue(), "params." + param.getKey(), "")));
        params.put("threads", text(entry.path("threads"), "threads", "1"));
        List<List<Double>> raw = new ArrayList<>();
        for (JsonNode fork : primary.path("rawData")) {
            List<Double> its = new ArrayList<>();
            for (JsonNode one : fork) {
                its.add(one.isNumber() ? one.doubleValue() : Double.NaN);
            }
            raw.add(its);
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
        return new Result(
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
     * A text or a number as it may be shown.
     *
     * @param absent what stands for one that is not there
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

    /** A parameter by a name that the page has no other use for. */
    private static String factor(String param) {
        return TAKEN.contains(param) ? "param." + param : param;
    }

    /** Three significant digits, however small: scores may be operations per nanosecond. */
    private static String number(double score) {
        return score != 0 && Math.abs(score) < 1e-3 ? String.format(Locale.ROOT, "%.2e", score) : Figures.number(score);
    }

    /** What all names begin with, up to a point. */
    private static String sharedPackage(List<String> names) {
        String shared = names.get(0);
        for (String name : names) {
            while (!name.startsWith(shared)) {
                shared = shared.substring(0, shared.length() - 1);
            }
        }
        return shared.substring(0, shared.lastIndexOf('.') + 1);
    }

    private PageRun toPage() {
        Map<List<Object>, List<Result>> groups = results.stream()
                .collect(Collectors.groupingBy(
                        result -> List.of(result.params, result.operation()), LinkedHashMap::new, Collectors.toList()));
        List<JsonRankings.RankingForm> rankings = new ArrayList<>();
        List<PageRun.Beside> beside = new ArrayList<>();
        groups.values().forEach(group -> {
            List<Result> sorted = sorted(group);
            rankings.add(ranking(sorted));
            beside.add(beside(sorted));
        });
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Read from", file.getFileName().toString());
        results.get(0)
                .jvm
                .forEach((what, text) -> facts.put(
                        what,
                        results.stream()
                                .map(result -> result.jvm.get(what))
                                .distinct()
                                .collect(Collectors.joining("; "))));
        List<Map<String, String>> rows = rows();
        return new PageRun(
                file.getFileName().toString(),
                "Which benchmark has the best score?",
                headline(rankings),
                facts,
                "Scores and intervals are those that JMH has computed: a t interval of 99.9 % over all iterations of all forks. Where"
                        + " two intervals meet, the two are not told apart.",
                List.of(),
                new JsonRankings.ReportForm(
                        JsonRankings.SCHEMA,
                        "",
                        file.getFileName().toString(),
                        "",
                        SCORE,
                        results.get(0).higherIsBetter(),
                        "",
                        Optional.empty(),
                        "finished",
                        rows.size(),
                        rows.size(),
                        0,
                        rankings,
                        List.of()),
                beside,
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                scores(),
                null,
                PackedRows.of(rows));
    }

    private static List<Result> sorted(List<Result> group) {
        Comparator<Result> rising = Comparator.comparingDouble(Result::score);
        return group.stream()
                .sorted(group.get(0).higherIsBetter() ? rising.reversed() : rising)
                .toList();
    }

    private static String headline(List<JsonRankings.RankingForm> rankings) {
        if (rankings.size() == 1) {
            return rankings.get(0).answer();
        }
        Map<String, Long> wins = rankings.stream()
                .collect(Collectors.groupingBy(
                        ranking -> ranking.best().orElseThrow(), LinkedHashMap::new, Collectors.counting()));
        String leader = wins.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        long more = rankings.stream()
                .filter(ranking -> ranking.notToldFromBest().contains(leader))
                .count();
        return leader + " has the best score under " + wins.get(leader) + " of " + rankings.size() + " conditions"
                + (more == 0 ? "" : ", and cannot be told from what has under " + more + " more") + ".";
    }

    private static JsonRankings.RankingForm ranking(List<Result> sorted) {
        Result best = sorted.get(0);
        List<String> ties = sorted.stream()
                .skip(1)
                .filter(best::meets)
                .map(Result::benchmark)
                .toList();
        String place = best.params.byFactor().size() > 1
                ? " (" + best.params.toString().replace(",", ", ") + ")"
                : "";
        return new JsonRankings.RankingForm(
                best.params,
                best.operation(),
                SCORE,
                Optional.empty(),
                Optional.empty(),
                best.benchmark + " has the best score" + place + ": " + figure(best)
                        + (ties.isEmpty() ? "" : "; statistically tied with " + Figures.enumerate(ties)) + ".",
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                Optional.of(best.benchmark),
                ties,
                List.of(), // its scores are compared with the best alone
                sorted.stream().map(JmhResults::method).toList(),
                List.of());
    }

    private static JsonRankings.MethodForm method(Result result) {
        List<Double> all = result.raw.stream()
                .flatMap(List::stream)
                .filter(Double::isFinite)
                .toList();
        Summary spread = all.isEmpty() ? new Summary(result.score, result.score, result.score, 1) : Summary.of(all);
        boolean hasError = !Double.isNaN(result.error);
        return JsonRankings.MethodForm.ofScore(
                result.benchmark,
                result.score,
                new JsonRankings.SpreadForm(spread.rounds(), spread.median(), spread.min(), spread.max()),
                new JsonRankings.EstimateForm(
                        result.score,
                        hasError
                                ? Optional.of(new JsonRankings.IntervalForm(
                                        result.score - result.error,
                                        result.score + result.error,
                                        LEVEL,
                                        1,
                                        "iteration",
                                        all.size()))
                                : Optional.empty(),
                        hasError ? "" : "JMH has none"));
    }

    private static String figure(Result result) {
        return number(result.score) + (Double.isNaN(result.error) ? "" : " ± " + number(result.error)) + " "
                + result.unit;
    }

    private static PageRun.Beside beside(List<Result> sorted) {
        String name = sorted.get(0).operation() + ": "
                + sorted.get(0).params.toString().replace(",", ", ");
        return new PageRun.Beside(
                name,
                List.of(name),
                Optional.empty(),
                List.of(
                        new Column(
                                "benchmark",
                                "",
                                sorted.stream().map(Result::benchmark).toList(),
                                false),
                        new Column(
                                SCORE,
                                sorted.get(0).unit,
                                sorted.stream()
                                        .map(result -> number(result.score))
                                        .toList(),
                                true),
                        new Column(
                                "± 99.9 %",
                                sorted.get(0).unit,
                                sorted.stream()
                                        .map(result -> Double.isNaN(result.error) ? "" : number(result.error))
                                        .toList(),
                                true)),
                List.of(),
                List.of(),
                Map.of(),
                false,
                sorted.get(0).higherIsBetter());
    }

    private List<Map<String, String>> rows() {
        Set<String> params = new LinkedHashSet<>();
        Set<String> secondary = new LinkedHashSet<>();
        results.forEach(result -> {
            params.addAll(result.params.byFactor().keySet());
            secondary.addAll(result.secondary.keySet());
        });
        List<Map<String, String>> rows = new ArrayList<>();
        for (Result result : results) {
            List<List<Double>> raw = result.raw.isEmpty() ? List.of(List.of(result.score)) : result.raw;
            for (int fork = 0; fork < raw.size(); fork++) {
                for (int round = 0; round < raw.get(fork).size(); round++) {
                    Map<String, String> row = new LinkedHashMap<>();
                    row.put("method", result.benchmark);
                    params.forEach(param ->
                            row.put("factor." + param, result.params.find(param).orElse("")));
                    row.put("operation", result.operation());
                    row.put("values", "");
                    row.put("outcome", "measured");
                    row.put("reason", "");
                    row.put("fork", Integer.toString(fork));
                    row.put("round", Integer.toString(round));
                    row.put("count", "1");
                    double score = raw.get(fork).get(round);
                    row.put(SCORE, Double.isFinite(score) ? Double.toString(score) : "");
                    secondary.forEach(name -> row.put(
                            name,
                            Optional.ofNullable(result.secondary.get(name))
                                    .filter(Double::isFinite)
                                    .map(value -> Double.toString(value))
                                    .orElse("")));
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private List<PageRun.MetricForm> scores() {
        List<PageRun.MetricForm> scores = new ArrayList<>();
        List<String> units = results.stream().map(Result::unit).distinct().toList();
        scores.add(PageRun.MetricForm.ofScore(
                SCORE,
                SCORE,
                units.size() == 1 ? units.get(0) : "",
                results.get(0).higherIsBetter()));
        results.stream()
                .flatMap(result -> result.secondary.keySet().stream())
                .distinct()
                .forEach(name -> scores.add(PageRun.MetricForm.ofScore(name, name, "", false)));
        return scores;
    }
}
