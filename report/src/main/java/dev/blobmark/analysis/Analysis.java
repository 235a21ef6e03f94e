package dev.blobmark.analysis;

import dev.blobmark.lab.run.LatencyLogs;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.stats.Margin;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A run with its rankings. All forms of a report are made from it.
 *
 * @param equalWithin the requested difference up to which methods may be called equal; 0.02 for 2 %
 * @param damage a sentence for each file that could not be read whole; the figures leave out its data
 */
public record Analysis(
        Manifest manifest, List<Sample> samples, double equalWithin, List<Ranking> rankings, List<String> damage) {

    /** A difference of 2 % rarely decides a choice, and most runs have too few forks to see it. */
    public static final double USUAL_EQUAL_WITHIN = Margin.USUAL;

    public Analysis {
        samples = List.copyOf(samples);
        rankings = List.copyOf(rankings);
        damage = List.copyOf(damage);
    }

    /** An analysis of a run without damage. */
    public Analysis(Manifest manifest, List<Sample> samples, double equalWithin, List<Ranking> rankings) {
        this(manifest, samples, equalWithin, rankings, List.of());
    }

    /** Analyses samples without their histograms: percentiles over all operations are unknown. */
    public static Analysis of(Manifest manifest, List<Sample> samples) {
        Rankings judge = new Rankings(manifest, (sample, operation) -> Optional.empty(), USUAL_EQUAL_WITHIN);
        List<Sample> judged = asAsked(samples);
        return new Analysis(manifest, judged, USUAL_EQUAL_WITHIN, judge.rankings(judged));
    }

    /** Analyses a run that has ended, was killed, or is still running. */
    public static Analysis of(RunDirectory run) {
        return of(run, USUAL_EQUAL_WITHIN);
    }

    /** @throws IllegalArgumentException if {@code equalWithin} is not between 0 and 1 */
    public static Analysis of(RunDirectory run, double equalWithin) {
        Margin.of(equalWithin);
        Manifest manifest = run.manifest();
        List<Sample> samples = asAsked(run.samples());
        LatencyLogs latencies = run.latencies();
        List<Ranking> rankings = new Rankings(manifest, latencies::find, equalWithin).rankings(samples);
        return new Analysis(manifest, samples, equalWithin, rankings, latencies.damage());
    }

    /**
     * Samples that have done something else than they were asked for have failed, also those of versions that did not
     * look at it.
     */
    static List<Sample> asAsked(Collection<Sample> samples) {
        return samples.stream()
                .map(sample -> Workload.contradiction(sample.condition(), sample.counts())
                        .map(sample::failed)
                        .orElse(sample))
                .toList();
    }

    /**
     * The ranking that concludes each condition: that of all types together, if types of operations compete for one
     * window.
     */
    public List<Ranking> concluding() {
        Set<Levels> mixed = rankings.stream()
                .filter(ranking -> ranking.operation().equals(Sample.MIX))
                .map(Ranking::condition)
                .collect(Collectors.toSet());
        return rankings.stream()
                .filter(ranking -> ranking.operation().equals(Sample.MIX) || !mixed.contains(ranking.condition()))
                .toList();
    }

    /** What would decide the open comparisons; empty if there are none. */
    public Optional<Undecided> undecided() {
        return Undecided.of(concluding(), samples, manifest);
    }

    /** The study's claims with their grades. The control with the largest noise decides what is equal. */
    public List<GradedClaim> claims() {
        double noiseFloor = manifest.study().control().isEmpty()
                ? 0
                : rankings.stream()
                        .filter(ranking -> ranking.sizes().isEmpty())
                        .mapToDouble(ranking -> ranking.margin().noiseFloor())
                        .max()
                        .orElse(Double.POSITIVE_INFINITY);
        return new Claims(Rankings.confidence(manifest), new Margin(equalWithin, noiseFloor))
                .grade(manifest.study(), samples);
    }

    /** Whether the study has no control to show the noise floor. */
    public boolean floorIsUnknown() {
        return manifest.study().control().isEmpty() && !rankings.isEmpty();
    }

    /** Whether the run finished with all planned samples. */
    public boolean isWhole() {
        return manifest.progress().state() == Manifest.State.FINISHED
                && samples.size() >= manifest.plan().samples();
    }

    /**
     * The samples of a method's row, in the order of blocks, forks and rounds; for a size class, reduced to that class.
     */
    public List<Sample> samples(Ranking ranking, String method) {
        return samples.stream()
                .filter(sample ->
                        sample.method().equals(method) && sample.condition().equals(ranking.condition()))
                .flatMap(sample -> ranking.sizes()
                        .map(share -> sample.ofSize(share.size()).stream())
                        .orElse(Stream.of(sample)))
                .filter(sample -> sample.operations().containsKey(ranking.operation()))
                .sorted(Comparator.comparing(Sample::block)
                        .thenComparing(Sample::fork)
                        .thenComparing(Sample::round))
                .toList();
    }

    /** The server of a sample; empty for codecs alone. */
    public Optional<MeasuredServer> server(Sample sample) {
        if (isServerless(sample.condition())) {
            return Optional.empty();
        }
        Optional<String> only =
                manifest.servers().size() == 1 ? Optional.of(manifest.servers().firstKey()) : Optional.empty();
        return manifest.storeOf(sample).map(LoadedStore::server).or(() -> only).map(manifest.servers()::get);
    }

    private static boolean isServerless(Levels condition) {
        return condition.find(Workload.FACTOR).filter("codec"::equals).isPresent();
    }
}
