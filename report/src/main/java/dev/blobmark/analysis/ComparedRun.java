package dev.blobmark.analysis;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredDataset;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Ratios;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * One run of a comparison.
 *
 * @param trials samples by the trial's id
 */
public record ComparedRun(Manifest manifest, Map<String, List<Sample>> trials) {

    public static ComparedRun of(Manifest manifest, Collection<Sample> samples) {
        return new ComparedRun(
                manifest,
                Analysis.asAsked(samples).stream()
                        .collect(groupingBy(sample -> sample.trial().id(), LinkedHashMap::new, toList())));
    }

    /** The run in a directory, or the runs that were merged into it. */
    public static List<ComparedRun> of(RunDirectory directory) {
        Manifest manifest = directory.manifest();
        List<Sample> samples = directory.samples();
        return manifest.sources().isEmpty()
                ? List.of(of(manifest, samples))
                : manifest.sources().stream()
                        .map(source -> of(source.manifest(), manifest.samplesOf(source, samples)))
                        .toList();
    }

    /**
     * The ratios of a trial's figures to those of another trial, paired by round.
     *
     * @param baseline id of the other trial; empty for the figures themselves
     */
    Ratios ratios(String trial, String operation, Metric metric, Optional<String> baseline) {
        List<Figure> figures = figures(trial, operation, metric);
        return Ratios.byRound(
                figures,
                baseline.map(id -> figures(id, operation, metric))
                        .orElseGet(() -> figures.stream()
                                .map(f -> new Figure(f.block(), f.fork(), f.round(), 1))
                                .toList()));
    }

    private List<Figure> figures(String trial, String operation, Metric metric) {
        return samples(trial).stream()
                .flatMap(sample -> sample.figures(metric, operation).stream())
                .toList();
    }

    List<Sample> samples(String trial) {
        return trials.getOrDefault(trial, List.of());
    }

    boolean isBaseline(String trial) {
        return samples(trial).stream()
                .anyMatch(s -> s.method().equals(manifest.study().baseline()));
    }

    /** The baseline's trial under this condition. */
    Optional<String> baseline(Levels condition) {
        return trials.entrySet().stream()
                .filter(trial -> trial.getValue().get(0).condition().equals(condition) && isBaseline(trial.getKey()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The digest of a trial's values. */
    Optional<String> digest(String trial) {
        return samples(trial).stream()
                .limit(1)
                .flatMap(sample -> digest(sample.levels()))
                .findFirst();
    }

    private Stream<String> digest(Levels levels) {
        OptionalLong size = levels.find(Size.FACTOR).stream()
                .mapToLong(level -> Size.parse(level).bytes())
                .findFirst();
        return manifest.datasets().stream()
                .filter(dataset -> MeasuredDataset.idOf(new Design(levels))
                                .filter(dataset.id()::equals)
                                .isPresent()
                        && (dataset.size().isEmpty() || dataset.size().equals(size)))
                .map(MeasuredDataset::digest);
    }
}
