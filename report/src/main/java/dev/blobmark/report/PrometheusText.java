package dev.blobmark.report;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Longest;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Interval;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A report in version 0.0.4 of Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats): gauges in
 * base units. {@code docs/report.md} describes them. They have no timestamps: a Pushgateway and the node exporter's
 * textfile collector refuse them. Unknown values are left out.
 */
final class PrometheusText {

    private PrometheusText() {}

    static void write(Analysis report, Appendable out) throws IOException {
        List<Family> families = new ArrayList<>(ofRun(report));
        families.add(outcomes(report));
        families.addAll(ofRankings(report));
        for (Family family : families) {
            family.write(out);
        }
    }

    /** Names and their values, in the order in which they are written. */
    private record Labels(Map<String, String> byName) {

        static Labels of(Analysis report, Collection<Sample> samples) {
            Labels study =
                    new Labels(Map.of()).with("study", report.manifest().study().name());
            String servers = samples.stream()
                    .flatMap(sample -> report.server(sample).stream())
                    .distinct()
                    .map(Captions::server)
                    .distinct()
                    .collect(joining(" and "));
            return servers.isEmpty() ? study : study.with("server", servers);
        }

        /** Replaces characters that a label name must not have; a name that exists already gets a suffix. */
        Labels with(String name, String value) {
            String label = name.replaceAll("[^a-zA-Z0-9_]|^[0-9]", "_");
            while (byName.containsKey(label)) {
                label += "_";
            }
            Map<String, String> more = new LinkedHashMap<>(byName);
            more.put(label, value);
            return new Labels(more);
        }

        Labels with(Levels condition) {
            Labels labels = this;
            for (Map.Entry<String, String> level : condition.byFactor().entrySet()) {
                labels = labels.with(level.getKey(), level.getValue());
            }
            return labels;
        }

        Labels with(Ranking ranking) {
            Labels operation = with("operation", ranking.operation());
            return ranking.sizes()
                    .map(share -> operation.with("values", share.size().toString()))
                    .orElse(operation)
                    .with(ranking.condition());
        }

        @Override
        public String toString() {
            return byName.entrySet().stream()
                    .map(label -> label.getKey() + "=\"" + escaped(label.getValue()) + '"')
                    .collect(joining(",", "{", "}"));
        }

        private static String escaped(String value) {
            return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        }
    }

    private record MetricPoint(Labels labels, double value) {

        /** A number without an exponent, with all digits of the value. */
        @Override
        public String toString() {
            return labels + " "
                    + (Double.isInfinite(value)
                            ? "+Inf"
                            : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString());
        }
    }

    /** All points of one name, which the format requires to be together. A family without points is not written. */
    private record Family(String name, String help, List<MetricPoint> points) {

        void write(Appendable out) throws IOException {
            if (points.isEmpty()) {
                return;
            }
            out.append("# HELP " + name + " " + help + "\n");
            out.append("# TYPE " + name + " gauge\n");
            for (MetricPoint point : points) {
                out.append(name + point + "\n");
            }
        }
    }

    private static List<Family> ofRun(Analysis report) {
        Manifest manifest = report.manifest();
        Labels study = Labels.of(report, List.of());
        return List.of(
                new Family(
                        "blobmark_run_finished",
                        "1 for a finished run; 0 for a run that is still running, was killed or interrupted, or failed.",
                        List.of(new MetricPoint(
                                study, manifest.progress().state() == Manifest.State.FINISHED ? 1 : 0))),
                new Family(
                        "blobmark_run_started_timestamp_seconds",
                        "When the run began.",
                        List.of(new MetricPoint(
                                study, seconds(manifest.progress().startedAt())))),
                new Family(
                        "blobmark_run_ended_timestamp_seconds",
                        "When the run ended.",
                        manifest.progress().finishedAt().stream()
                                .map(at -> new MetricPoint(study, seconds(at)))
                                .toList()),
                new Family(
                        "blobmark_run_planned_samples",
                        "How many samples a whole run has.",
                        List.of(new MetricPoint(study, manifest.plan().samples()))));
    }

    private static double seconds(Instant instant) {
        return instant.toEpochMilli() / 1e3;
    }

    private static Family outcomes(Analysis report) {
        List<MetricPoint> points = new ArrayList<>();
        report.samples().stream()
                .collect(groupingBy(
                        sample -> List.of(sample.condition(), sample.method()), LinkedHashMap::new, toList()))
                .forEach((trial, samples) -> {
                    Sample any = samples.get(0);
                    Labels labels = Labels.of(report, samples).with("method", any.method());
                    samples.stream()
                            .collect(groupingBy(sample -> sample.outcome().word(), TreeMap::new, counting()))
                            .forEach((outcome, count) -> points.add(new MetricPoint(
                                    labels.with("outcome", outcome).with(any.condition()), count)));
                });
        return new Family("blobmark_samples", "Samples by how they ended.", points);
    }

    /** A row of a ranking. */
    private record RankedRow(Ranking ranking, Row row, List<Sample> samples, Labels labels) {

        static Stream<RankedRow> of(Analysis report, Ranking ranking) {
            return ranking.rows().stream().map(row -> {
                List<Sample> samples = report.samples(ranking, row.method());
                return new RankedRow(
                        ranking,
                        row,
                        samples,
                        Labels.of(report, samples).with("method", row.method()).with(ranking));
            });
        }

        /** @param isResponse whether times are counted from the intended start */
        Stream<MetricPoint> quantiles(boolean isResponse) {
            return row.percentiles().entrySet().stream()
                    .filter(percentile -> percentile.getKey().isResponse() == isResponse)
                    .map(percentile -> new MetricPoint(
                            labels.with("quantile", quantile(percentile.getKey())),
                            figure(percentile.getValue().value() / 1e9)));
        }

        /** {@code 0.999} for the percentile 99.9. */
        private static String quantile(Metric metric) {
            return BigDecimal.valueOf(metric.percentile().orElseThrow())
                    .movePointLeft(2)
                    .stripTrailingZeros()
                    .toPlainString();
        }

        Stream<MetricPoint> longest() {
            return row.latencies().longest().map(Longest::nanos).stream()
                    .map(nanos -> new MetricPoint(labels.with("quantile", "1"), figure(nanos / 1e9)));
        }

        Stream<MetricPoint> effect(Function<Judgement, Optional<Double>> of) {
            return row.toBaseline().flatMap(of).stream()
                    .map(ratio -> new MetricPoint(
                            labels.with("metric", ranking.metric().word()).with("baseline", ranking.baseline()),
                            figure(ratio)));
        }
    }

    private static List<Family> ofRankings(Analysis report) {
        List<RankedRow> places = report.rankings().stream()
                .flatMap(ranking -> RankedRow.of(report, ranking))
                .toList();
        List<Family> families = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            if (!isOfLatencies(metric)) {
                families.add(family(name(metric), help(metric), places, place -> median(metric, place)));
            }
        }
        families.addAll(List.of(
                family(
                        "blobmark_latency_seconds",
                        "Service times of all operations of all rounds together; the quantile 1 is the longest.",
                        places,
                        place -> Stream.concat(place.quantiles(false), place.longest())),
                family(
                        "blobmark_response_seconds",
                        "Response times in an open loop, from the intended start, of all operations of all rounds together.",
                        places,
                        place -> place.quantiles(true)),
                family(
                        "blobmark_effect_ratio",
                        "The mean ratio of a metric to the baseline's in the same round.",
                        places,
                        place -> place.effect(
                                judgement -> Optional.of(judgement.effect().ratio()))),
                family(
                        "blobmark_effect_ratio_low",
                        "The lower end of the interval of blobmark_effect_ratio.",
                        places,
                        place -> place.effect(judgement -> judgement.range().map(Interval.Range::low))),
                family(
                        "blobmark_effect_ratio_high",
                        "The upper end of the interval of blobmark_effect_ratio.",
                        places,
                        place -> place.effect(judgement -> judgement.range().map(Interval.Range::high))),
                noiseFloor(report, places),
                known(
                        "blobmark_disk_share_ratio",
                        "Used bytes for as many application bytes, divided by those of the baseline.",
                        places,
                        place -> place.ranking().diskShare(place.row())),
                known(
                        "blobmark_encoding_bytes_per_second",
                        "Application bytes that one core encoded in a second of its CPU time.",
                        places,
                        place -> place.row().stored().encodedBytesPerSecond())));
        return families;
    }

    /** Percentiles and the maximum: quantiles of all rounds together, in families of their own. */
    private static boolean isOfLatencies(Metric metric) {
        return metric.percentile().isPresent() || metric == Metric.MAX;
    }

    /** {@code blobmark_client_cpu_seconds_per_operation}: the base unit is written in full. */
    static String name(Metric metric) {
        return "blobmark_"
                + metric.field()
                        .replaceFirst("_ns(?=_|$)", "_seconds")
                        .replaceFirst("_per_s$", "_per_second")
                        .replaceFirst("_per_op$", "_per_operation");
    }

    private static String help(Metric metric) {
        String noun = metric.noun();
        return Character.toUpperCase(noun.charAt(0)) + noun.substring(1)
                + (metric.unit().isPerOperation() ? " per operation" : "") + ", the median over the rounds.";
    }

    /** A median in base units; counts are not rounded. */
    private static Stream<MetricPoint> median(Metric metric, RankedRow place) {
        double unit = metric.unit().isTime() ? 1e9 : 1;
        return place.row().median(metric).stream()
                .mapToObj(figure -> new MetricPoint(
                        place.labels(), metric.unit() == Metric.MetricUnit.BYTES ? figure : figure(figure / unit)));
    }

    private static Family known(
            String name, String help, List<RankedRow> places, Function<RankedRow, OptionalDouble> figure) {
        return family(
                name,
                help,
                places,
                place ->
                        figure.apply(place).stream().mapToObj(value -> new MetricPoint(place.labels(), figure(value))));
    }

    private static Family family(
            String name, String help, List<RankedRow> places, Function<RankedRow, Stream<MetricPoint>> points) {
        return new Family(name, help, places.stream().flatMap(points).toList());
    }

    private static Family noiseFloor(Analysis report, List<RankedRow> places) {
        return new Family(
                "blobmark_noise_floor_ratio",
                "The farthest that the interval of the control, a twin of the baseline, reaches from 1.",
                report.rankings().stream()
                        .filter(ranking -> ranking.control().isPresent()
                                && Double.isFinite(ranking.margin().noiseFloor()))
                        .map(ranking -> new MetricPoint(
                                Labels.of(report, samples(places, ranking))
                                        .with(ranking)
                                        .with("metric", ranking.metric().word()),
                                figure(ranking.margin().noiseFloor())))
                        .toList());
    }

    private static List<Sample> samples(List<RankedRow> places, Ranking ranking) {
        return places.stream()
                .filter(place -> place.ranking() == ranking)
                .flatMap(place -> place.samples().stream())
                .toList();
    }

    /** Six digits; infinite values stay. */
    private static double figure(double value) {
        return Double.isFinite(value) ? JsonRankings.six(value) : value;
    }
}
