package dev.blobmark.analysis;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Ratios;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A published chart or table next to what a run measured under the same condition. The figures are in
 * {@code published.csv}, with their study and condition.
 *
 * @param title what the figures are of
 * @param base the method that others are compared with, here and there
 * @param unit of the figures, {@code MB/s}; {@code x} if only ratios were published
 * @param condition of the run
 */
public record Published(String title, String base, String unit, Levels condition, List<PublishedMethod> rows) {

    public Published {
        rows = List.copyOf(rows);
    }

    /**
     * A method.
     *
     * @param published in the unit
     * @param error the error of reading the figure from a chart, as a share: 0.05
     * @param ratio to the base, published; empty if the base has no figure
     * @param ours in the unit, the median over the rounds; empty if it was not measured
     * @param effect our ratio to the base in the same round, with its own interval; empty for the base
     */
    public record PublishedMethod(
            String method,
            double published,
            double error,
            OptionalDouble ratio,
            OptionalDouble ours,
            Optional<Effect> effect) {

        /** Whether our interval has the published ratio, within the error of reading both figures. */
        public Likeness likeness() {
            if (ratio.isEmpty() || effect.isEmpty() || !(effect.get().interval() instanceof Interval.Range range)) {
                return Likeness.UNKNOWN;
            }
            double reading = (1 + error) * (1 + error);
            if (range.low() > ratio.getAsDouble() * reading) {
                return Likeness.HIGHER;
            }
            return range.high() < ratio.getAsDouble() / reading ? Likeness.LOWER : Likeness.ALIKE;
        }
    }

    /** How our ratio compares with the published one. */
    public enum Likeness {
        ALIKE,
        HIGHER,
        LOWER,
        UNKNOWN
    }

    /** The published figures of the run's study whose condition the run has, in the order of the texts. */
    public static List<Published> of(Analysis run) {
        Map<List<String>, List<NamedCsvRecord>> figures = new LinkedHashMap<>();
        for (NamedCsvRecord line : lines()) {
            if (line.getField("study").equals(run.manifest().study().name())) {
                figures.computeIfAbsent(
                                List.of(line.getField("figure"), line.getField("condition")), key -> new ArrayList<>())
                        .add(line);
            }
        }
        List<Published> all = new ArrayList<>();
        for (List<NamedCsvRecord> lines : figures.values()) {
            Selection condition = selection(lines.get(0).getField("condition"));
            run.samples().stream()
                    .filter(sample ->
                            condition.accepts(sample.method(), sample.trial().levels()))
                    .collect(Collectors.groupingBy(Sample::condition, LinkedHashMap::new, Collectors.toList()))
                    .forEach((of, samples) -> all.add(published(lines, of, samples)));
        }
        return all;
    }

    /** All published figures, for a test of their form. */
    static List<NamedCsvRecord> lines() {
        try (InputStream in = Published.class.getResourceAsStream("published.csv");
                Reader text = new InputStreamReader(in, StandardCharsets.UTF_8);
                CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(text)) {
            return csv.stream().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code dataset=sites;size=4287156}. */
    static Selection selection(String condition) {
        Map<String, List<String>> levels = new TreeMap<>();
        for (String level : condition.split(";")) {
            String factor = level.substring(0, level.indexOf('='));
            levels.put(
                    factor,
                    List.of(Factors.VOCABULARY
                            .find(factor)
                            .orElseThrow()
                            .canonical(level.substring(factor.length() + 1))));
        }
        return Selection.of(levels);
    }

    private static Published published(List<NamedCsvRecord> lines, Levels condition, List<Sample> samples) {
        NamedCsvRecord first = lines.get(0);
        Metric metric = Metric.find(first.getField("metric")).orElseThrow();
        String operation = first.getField("operation");
        String base = first.getField("base");
        String unit = first.getField("unit");
        OptionalDouble ofBase = lines.stream()
                .filter(line -> line.getField("method").equals(base))
                .mapToDouble(line -> Double.parseDouble(line.getField("published")))
                .findFirst();
        List<PublishedMethod> rows = new ArrayList<>();
        for (NamedCsvRecord line : lines) {
            String method = line.getField("method");
            double published = Double.parseDouble(line.getField("published"));
            List<Sample> measured = of(method, samples);
            OptionalDouble ours = Summary.median(measured, sample -> sample.value(metric, operation));
            Optional<Effect> effect = Optional.of(Ratios.byRound(
                            figures(measured, metric, operation), figures(of(base, samples), metric, operation)))
                    .filter(ratios -> ratios.units() > 0 && !method.equals(base))
                    .map(ratios -> Effect.of(ratios, Confidence.USUAL));
            rows.add(new PublishedMethod(
                    method,
                    published,
                    Double.parseDouble(line.getField("error_percent")) / 100,
                    ofBase.isPresent() ? OptionalDouble.of(published / ofBase.getAsDouble()) : ofBase,
                    ours.isPresent() ? OptionalDouble.of(ours.getAsDouble() / scale(unit)) : ours,
                    effect));
        }
        return new Published(first.getField("figure"), base, unit, condition, rows);
    }

    private static List<Sample> of(String method, List<Sample> samples) {
        return samples.stream().filter(sample -> sample.method().equals(method)).toList();
    }

    private static List<Figure> figures(List<Sample> samples, Metric metric, String operation) {
        return samples.stream()
                .flatMap(sample -> sample.figures(metric, operation).stream())
                .toList();
    }

    /** What a unit is in that of its metric. */
    private static double scale(String unit) {
        return switch (unit) {
            case "MB/s" -> 1e6;
            case "us" -> 1e3;
            case "s" -> 1e9;
            case "KiB" -> 1024;
            case "x" -> 1;
            default -> throw new IllegalArgumentException("published.csv: unknown unit '" + unit + "'");
        };
    }
}
