package dev.blobmark.report;

import dev.blobmark.lab.run.Host;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.LoadedStore;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Window;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A run, judged: what every form of a report is made of. */
public record Report(Manifest manifest, List<Sample> samples, List<Ranking> rankings) {

    static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    public Report {
        samples = List.copyOf(samples);
        rankings = List.copyOf(rankings);
    }

    public static Report of(Manifest manifest, List<Sample> samples) {
        return new Report(manifest, samples, Ranking.of(manifest, samples));
    }

    /** Of a run that has ended, was killed, or is still going. */
    public static Report of(RunDirectory run) {
        return of(run.manifest(), run.samples());
    }

    /** The answer to the study's question under each condition, one sentence each, in the order of the rankings. */
    public List<String> answers() {
        Set<String> varying =
                Answer.varying(rankings.stream().map(Ranking::condition).toList());
        return rankings.stream().map(ranking -> Answer.of(ranking, varying)).toList();
    }

    /** Whether all samples that were planned are there. */
    public boolean isWhole() {
        return manifest.state() == Manifest.State.FINISHED
                && samples.size() >= manifest.plan().samples();
    }

    /** What every figure rests on, by its name. */
    Map<String, String> facts() {
        var study = manifest.study();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "Study",
                study.name() + (study.profile().isEmpty() ? "" : " (" + study.profile() + ")") + ", "
                        + MINUTE.format(manifest.startedAt()) + ", seed "
                        + study.schedule().seed() + ", Blobmark " + manifest.blobmark());
        facts.put(
                manifest.servers().size() > 1 ? "Servers" : "Server",
                manifest.servers().isEmpty()
                        ? "none"
                        : manifest.servers().values().stream()
                                .map(Report::describe)
                                .collect(Collectors.joining("; ")));
        facts.put("Link", manifest.links().isEmpty() ? "none" : String.join(", ", manifest.links()));
        facts.put("Host", ofAll(m -> describe(m.host())));
        facts.put("JVM", ofAll(m -> m.jvm().vendor() + " " + m.jvm().version()));
        if (!manifest.sources().isEmpty()) {
            facts.put(
                    "Merged",
                    Figures.plural(manifest.sources().size(), "run") + ", started "
                            + ofAll(m -> MINUTE.format(m.startedAt())));
        }
        facts.put(
                "Samples",
                Figures.count(samples.size()) + " of "
                        + Figures.count(manifest.plan().samples()) + " planned, " + counts(samples) + ", windows of "
                        + window(study.schedule().window())
                        + (isWhole() ? "" : "; the run " + howItStands()));
        return facts;
    }

    /** What the run has, or each of the runs that it was merged from. */
    private String ofAll(Function<Manifest, String> of) {
        return manifest.sources().isEmpty()
                ? of.apply(manifest)
                : manifest.sources().stream()
                        .map(source -> of.apply(source.manifest()))
                        .distinct()
                        .collect(Collectors.joining("; "));
    }

    private static String describe(Host host) {
        return host.cpu().map(cpu -> cpu + ", ").orElse("") + Figures.plural(host.cores(), "core")
                + (host.memoryBytes().isPresent()
                        ? ", " + Figures.memory(host.memoryBytes().getAsLong())
                        : "")
                + ", " + host.os() + " " + host.kernel() + " " + host.arch();
    }

    /** Under what, on what and how often a ranking was measured: two short lines. */
    List<String> caption(Ranking ranking) {
        List<Sample> its = samples.stream()
                .filter(s -> s.condition().equals(ranking.condition()))
                .toList();
        String where = its.stream()
                .flatMap(sample -> server(sample).stream())
                .distinct()
                .map(s -> name(s) + (s.isEmbedded() ? " embedded" : ""))
                .collect(Collectors.joining(" and "));
        return List.of(
                ranking.operation() + ": " + String.join(", ", Figures.levels(ranking.condition())),
                (where.isEmpty() ? "no server" : where) + "; " + Figures.plural(its.size(), "sample") + ", "
                        + counts(its));
    }

    /** The server that a sample was taken on; none for codecs alone. */
    Optional<MeasuredServer> server(Sample sample) {
        if (isServerless(sample.condition())) {
            return Optional.empty();
        }
        Optional<String> only =
                manifest.servers().size() == 1 ? Optional.of(manifest.servers().firstKey()) : Optional.empty();
        return manifest.storeOf(sample).map(LoadedStore::server).or(() -> only).map(manifest.servers()::get);
    }

    static String name(MeasuredServer server) {
        return server.product() + " " + server.version().replace("-" + server.product(), "");
    }

    private static String describe(MeasuredServer server) {
        String name = name(server);
        if (server.isEmbedded()) {
            return name + ", embedded" + (server.isMySql() ? "" : ": a stand-in, not MySQL");
        }
        return name + " (" + server.comment() + ")";
    }

    private static boolean isServerless(Levels condition) {
        return condition.find("workload").filter("codec"::equals).isPresent();
    }

    private String howItStands() {
        return switch (manifest.state()) {
            case RUNNING -> "is still going or was killed";
            case FINISHED -> "finished";
            case INTERRUPTED -> "was interrupted";
            case FAILED -> "failed";
        };
    }

    private static String window(Window window) {
        return window instanceof Window.Count count
                ? Figures.plural(count.operations(), "operation")
                : Figures.duration(((Window.Time) window).length());
    }

    private static String counts(Collection<Sample> samples) {
        long rounds = samples.stream()
                .map(s -> List.of(s.block(), s.round()))
                .distinct()
                .count();
        long forks = samples.stream().map(Sample::fork).distinct().count();
        return Figures.plural(rounds, "round") + ", " + Figures.plural(forks, "fork");
    }
}
