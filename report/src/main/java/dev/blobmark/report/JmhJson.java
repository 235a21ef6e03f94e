package dev.blobmark.report;

import static java.util.stream.Collectors.flatMapping;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Percentile;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.Quantile;
import org.apache.commons.statistics.descriptive.Quantile.EstimationMethod;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rankings in the format of JMH 1.37 with {@code -rf json}, for programs that show JMH's results: a benchmark for
 * each method of each ranking, except rankings of one size class. A fork is a fork, and a round is an iteration.
 *
 * <p>The score is the geometric mean of the rounds, with an interval of 95 % over the forks, or over the rounds if
 * there is one fork. JMH's own intervals have 99.9 %, and treat all iterations as independent. The interval is not
 * symmetric; the error is the distance to its farther end. A missing error or interval is the string {@code NaN}, as in
 * JMH; other unknown values are left out.
 */
final class JmhJson {

    private static final String JMH_VERSION = "1.37";

    /** JMH's word for an iteration that does not end by time. */
    private static final String SINGLE_SHOT = "single-shot";

    private static final double[] PERCENTILES = {0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 100};

    /** JMH's estimator: method 6 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages" (1996). */
    private static final Quantile QUANTILE = Quantile.withDefaults().with(EstimationMethod.HF6);

    private static final Interval NONE = new Interval.None("a median over the rounds has no interval");

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
            .build();

    private JmhJson() {}

    static void write(Analysis report, Appendable out) throws IOException {
        List<Benchmark> benchmarks = report.rankings().stream()
                .filter(ranking -> ranking.sizes().isEmpty())
                .flatMap(ranking -> ranking.rows().stream().map(row -> benchmark(report, ranking, row)))
                .toList();
        out.append(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(benchmarks))
                .append('\n');
    }

    /** The groups are written at one level. */
    private record Benchmark(
            String jmhVersion,
            String benchmark,
            String mode,
            int threads,
            int forks,
            @JsonUnwrapped JmhEntry jvm,
            @JsonUnwrapped Iterations iterations,
            Map<String, String> params,
            Score primaryMetric,
            Map<String, Score> secondaryMetrics) {}

    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record JmhEntry(
            String jvm,
            List<String> jvmArgs,
            Optional<String> jdkVersion,
            Optional<String> vmName,
            Optional<String> vmVersion) {

        static JmhEntry of(Optional<Machine.MeasuringJvm> jvm) {
            return new JmhEntry(
                    "",
                    jvm.map(Machine.MeasuringJvm::flags).orElse(List.of()),
                    jvm.map(known -> known.version().replaceFirst("\\+.*", "")),
                    jvm.map(Machine.MeasuringJvm::vendor),
                    jvm.map(Machine.MeasuringJvm::version));
        }
    }

    private record Iterations(
            int warmupIterations,
            String warmupTime,
            int warmupBatchSize,
            int measurementIterations,
            String measurementTime,
            int measurementBatchSize) {}

    /** @param rawData the figures of the rounds, by fork */
    private record Score(
            double score,
            double scoreError,
            List<Double> scoreConfidence,
            Map<String, Double> scorePercentiles,
            String scoreUnit,
            List<List<Double>> rawData) {}

    private static Benchmark benchmark(Analysis report, Ranking ranking, Row row) {
        Manifest manifest = report.manifest();
        Schedule schedule = manifest.study().schedule();
        Rounds rounds = new Rounds(report.samples(ranking, row.method()), ranking.operation());
        Levels levels = rounds.levels();
        Optional<Machine.MeasuringJvm> jvm = Optional.ofNullable(manifest.machine()
                .jvms()
                .get(levels.find(dev.blobmark.lab.plan.Jvm.FACTOR).orElse("default")));
        Score primary = rounds.score(
                ranking.metric(),
                row.headline().mean().map(Effect::ratio).orElse(row.value().median()),
                row.headline().mean().map(Effect::interval).orElse(NONE));
        return new Benchmark(
                JMH_VERSION,
                "blobmark." + word(manifest.study().name()) + "." + word(ranking.operation()),
                ranking.metric().higherIsBetter() ? "thrpt" : "avgt",
                new Design(levels).get(Threads.FACTOR),
                primary.rawData().size(),
                JmhEntry.of(jvm),
                new Iterations(
                        schedule.warmUp().isZero() ? 0 : 1,
                        time(schedule.warmUp()),
                        1,
                        primary.rawData().stream().mapToInt(List::size).max().orElse(0),
                        Rankings.window(manifest, ranking.condition()) instanceof Window.Time window
                                ? time(window.length())
                                : SINGLE_SHOT,
                        1),
                params(ranking, row),
                primary,
                others(row, rounds));
    }

    /** Names of packages, classes and methods have no hyphens. */
    private static String word(String name) {
        return name.replace('-', '_');
    }

    private static String time(Duration time) {
        long millis = time.toMillis();
        return millis == 0 ? SINGLE_SHOT : millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }

    private static Map<String, String> params(Ranking ranking, Row row) {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("method", row.method());
        params.putAll(ranking.condition().byFactor());
        return params;
    }

    /** Secondary metrics: percentiles of all operations together, CPU, and allocation under JMH's name for it. */
    private static Map<String, Score> others(Row row, Rounds rounds) {
        Map<String, Score> others = new LinkedHashMap<>();
        for (Metric metric : List.of(Metric.P50, Metric.P99, Metric.RESPONSE_P50, Metric.RESPONSE_P99)) {
            Percentile percentile = row.percentiles().get(metric);
            if (percentile != null) {
                others.put(metric.word(), rounds.score(metric, percentile.value(), percentile.interval()));
            }
        }
        row.figures().forEach((metric, figure) -> {
            if (metric.unit().isPerOperation()) {
                others.put(
                        metric == Metric.ALLOCATION ? "gc.alloc.rate.norm" : metric.word(),
                        rounds.score(metric, figure, NONE));
            }
        });
        return others;
    }

    /** The unit in which a metric is written, and its size in the metric's own unit. */
    private record ScoreUnit(String word, double size) {

        static ScoreUnit of(Metric metric) {
            return switch (metric.unit()) {
                case BYTES_PER_SECOND -> new ScoreUnit("MB/s", 1e6);
                case PER_SECOND -> new ScoreUnit("ops/s", 1);
                case NANOS -> metric == Metric.ELAPSED ? new ScoreUnit("ms", 1e6) : new ScoreUnit("us/op", 1e3);
                case NANOS_PER_OPERATION -> new ScoreUnit("us/op", 1e3);
                case BYTES -> new ScoreUnit("B", 1);
                case BYTES_PER_OPERATION -> new ScoreUnit("B/op", 1);
                case PER_OPERATION -> new ScoreUnit("#/op", 1);
                case NONE -> new ScoreUnit("ratio", 1);
            };
        }

        double of(double figure) {
            return JsonRankings.six(figure / size);
        }
    }

    /** The rounds of a method, at least one, by the figures of one type of operation. */
    private record Rounds(List<Sample> samples, String operation) {

        Levels levels() {
            Sample any = samples.get(0);
            return any.levels();
        }

        /** @param value of the metric over all rounds */
        Score score(Metric metric, double value, Interval interval) {
            ScoreUnit unit = ScoreUnit.of(metric);
            List<List<Double>> byFork = byFork(metric, unit);
            Optional<Interval.Range> range = interval instanceof Interval.Range bounds && Double.isFinite(bounds.high())
                    ? Optional.of(bounds)
                    : Optional.empty();
            return new Score(
                    unit.of(value),
                    range.map(bounds -> unit.of(Math.max(bounds.high() - value, value - bounds.low())))
                            .orElse(Double.NaN),
                    range.map(bounds -> List.of(unit.of(bounds.low()), unit.of(bounds.high())))
                            .orElse(List.of(Double.NaN, Double.NaN)),
                    percentiles(byFork),
                    unit.word(),
                    byFork);
        }

        private List<List<Double>> byFork(Metric metric, ScoreUnit unit) {
            return List.copyOf(samples.stream()
                    .collect(groupingBy(
                            sample -> List.of(sample.block(), sample.fork()),
                            LinkedHashMap::new,
                            flatMapping(
                                    sample -> sample.value(metric, operation).stream()
                                            .mapToObj(unit::of),
                                    toList())))
                    .values());
        }

        private static Map<String, Double> percentiles(List<List<Double>> byFork) {
            double[] figures = byFork.stream()
                    .flatMap(Collection::stream)
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            Map<String, Double> percentiles = new LinkedHashMap<>();
            for (double percent : PERCENTILES) {
                percentiles.put(Double.toString(percent), JsonRankings.six(QUANTILE.evaluate(figures, percent / 100)));
            }
            return percentiles;
        }
    }
}
