package dev.blobmark.report;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.run.Host;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Window;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Facts about a run: its study, servers, host, JVMs and samples. */
final class RunFacts {

    /** As it is called in its own directory. */
    private static final String PROGRAM = "./blobmark";

    private final Analysis run;
    private final Manifest manifest;
    private final List<Sample> samples;

    private RunFacts(Analysis run) {
        this.run = run;
        manifest = run.manifest();
        samples = run.samples();
    }

    /** All facts, by name. */
    static Map<String, String> of(Analysis run) {
        return new RunFacts(run).facts();
    }

    /**
     * Where and when a run was measured, in a line: {@code MySQL 9.7.4 · loopback · AMD EPYC, 2 cores · 2026-11-25
     * 12:39 UTC}.
     */
    static String setting(Analysis run) {
        return Stream.of(
                        place(run),
                        Figures.minute(run.manifest().progress().startedAt()),
                        "Blobmark " + run.manifest().blobmark().name())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" · "));
    }

    /** Where a run was measured: {@code MySQL 9.7.4 · loopback · AMD EPYC, 2 cores}. */
    static String place(Analysis run) {
        return Stream.of(
                        Captions.servers(run.manifest().servers().values().stream()),
                        String.join(", ", run.manifest().links()),
                        new RunFacts(run)
                                .ofAll(manifest -> manifest.machine()
                                                .host()
                                                .cpu()
                                                .orElse("unknown processor") + ", "
                                        + Figures.plural(
                                                manifest.machine().host().cores(), "core")),
                        clients(run.manifest()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" · "));
    }

    /** The number of hosts of a fleet. */
    private static String clients(Manifest manifest) {
        int hosts = manifest.machine().hosts().size();
        return hosts == 0 ? "" : "measured from " + Figures.plural(hosts, "host");
    }

    /** How much was measured, and when: {@code 10 rounds, 5 forks, windows of 150 ms · 2026-11-25 12:39 UTC}. */
    static String extent(Analysis run) {
        RunFacts facts = new RunFacts(run);
        int merged = run.manifest().sources().size();
        return (merged < 2 ? "" : Figures.plural(merged, "run") + " merged, ")
                + (run.isWhole() ? facts.windows() : facts.facts().get("Samples")) + " · "
                + Figures.minute(run.manifest().progress().startedAt());
    }

    /** The command that measures the same again, and those that resumed the run; empty if they are not known. */
    static Optional<String> reproduction(Analysis run) {
        String commands = new RunFacts(run)
                .ofAll(manifest -> manifest.blobmark().commands().stream()
                        .map(command -> PROGRAM + " " + command)
                        .collect(Collectors.joining("; ")));
        return Optional.of(commands).filter(text -> !text.isEmpty());
    }

    private Map<String, String> facts() {
        var study = manifest.study();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "Study",
                study.name() + (study.profile().isEmpty() ? "" : " (" + study.profile() + ")") + ", "
                        + Figures.minute(manifest.progress().startedAt()) + ", seed "
                        + study.schedule().seed() + ", Blobmark "
                        + manifest.blobmark().name());
        List<String> servers = manifest.servers().values().stream()
                .map(RunFacts::describe)
                .distinct()
                .toList();
        facts.put(servers.size() > 1 ? "Servers" : "Server", servers.isEmpty() ? "none" : String.join("; ", servers));
        List<String> clusters = manifest.servers().values().stream()
                .filter(server -> !server.cluster().isEmpty())
                .map(RunFacts::describeCluster)
                .distinct()
                .toList();
        if (!clusters.isEmpty()) {
            facts.put("Cluster", String.join("; ", clusters));
        }
        if (manifest.plan().servers().stream().distinct().count() > 1) {
            facts.put(
                    "Started",
                    manifest.plan().servers().stream()
                            .distinct()
                            .map(name -> name.contains(" ") ? name.replaceFirst("\\S+ ", "") : "usual")
                            .sorted()
                            .collect(Collectors.joining("; ")));
        }
        facts.putAll(ValueFacts.of(manifest));
        if (!manifest.links().isEmpty()) {
            facts.put("Link", String.join(", ", manifest.links()));
        }
        facts.put("Host", ofAll(m -> describe(m.machine().host())));
        Map<String, Long> hosts = manifest.machine().hosts().stream()
                .collect(groupingBy(host -> host.inWords(), LinkedHashMap::new, counting()));
        if (!hosts.isEmpty()) {
            facts.put(
                    "Clients",
                    hosts.entrySet().stream()
                            .map(alike -> alike.getValue() + (alike.getValue() == 1 ? " host" : " hosts") + " with "
                                    + alike.getKey())
                            .collect(Collectors.joining("; ")));
        }
        facts.put(manifest.machine().jvms().size() > 1 ? "JVMs" : "JVM", ofAll(RunFacts::jvms));
        if (!manifest.sources().isEmpty()) {
            facts.put(
                    "Merged",
                    Figures.plural(manifest.sources().size(), "run") + ", started "
                            + ofAll(m -> Figures.minute(m.progress().startedAt())));
        }
        facts.putAll(quiet());
        facts.put(
                "Samples",
                Figures.count(samples.size()) + " of "
                        + Figures.count(manifest.plan().samples()) + " planned, " + windows()
                        + (run.isWhole() ? "" : "; the run " + howItStands()));
        if (!run.damage().isEmpty()) {
            facts.put("Damaged", String.join("; ", run.damage()));
        }
        return facts;
    }

    private String windows() {
        return counts(samples) + ", windows of "
                + window(manifest.study().schedule().window()) + visits();
    }

    /** The length of visits, if windows were measured in visits. */
    private String visits() {
        return manifest.study()
                .schedule()
                .visits()
                .filter(visits ->
                        samples.stream().anyMatch(sample -> sample.visits().isPresent()))
                .map(visits -> " in visits of " + Figures.duration(visits.length()))
                .orElse("");
    }

    /** Precautions against noise, and noise that was observed. */
    private Map<String, String> quiet() {
        var quiet = manifest.machine().quiet();
        List<String> pinned = new ArrayList<>();
        quiet.pin().client().ifPresent(cpus -> pinned.add("client to " + cores(cpus)));
        quiet.pin().server().ifPresent(cpus -> pinned.add("server to " + cores(cpus)));
        Map<String, String> facts = new LinkedHashMap<>();
        if (!pinned.isEmpty()) {
            facts.put("Pinned", String.join(", ", pinned));
        }
        quiet.keptAwake()
                .ifPresent(cpus -> facts.put("Awake", cores(cpus) + " kept out of idle by SCHED_IDLE spinners"));
        if (!quiet.warnings().isEmpty()) {
            facts.put(
                    "Noise",
                    quiet.warnings().stream()
                            .map(warning -> warning.what() + ": " + warning.observed())
                            .collect(Collectors.joining("; ")));
        }
        return facts;
    }

    private static String cores(CpuList cpus) {
        return (cpus.size() == 1 ? "core " : "cores ") + cpus;
    }

    private static String jvms(Manifest manifest) {
        return manifest.machine().jvms().entrySet().stream()
                .map(jvm -> (manifest.machine().jvms().size() > 1 ? jvm.getKey() + ": " : "")
                        + jvm.getValue().vendor() + " "
                        + jvm.getValue().version())
                .collect(Collectors.joining("; "));
    }

    /** A fact of the run, or of each run that it was merged from. */
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

    private static String describe(MeasuredServer server) {
        String name = Captions.server(server);
        if (server.isEmbedded()) {
            return name + ", embedded" + (server.isMySql() || !server.speaksSql() ? "" : ": a stand-in, not MySQL");
        }
        return name + " (" + server.comment() + ")";
    }

    /**
     * The known facts of a cluster: {@code 2 data nodes, 2 replicas of each value, data nodes mysql-9.7.4 ndb-9.7.4,
     * DataMemory 1.0 GB each}.
     */
    private static String describeCluster(MeasuredServer server) {
        SortedMap<String, String> cluster = server.cluster();
        List<String> parts = new ArrayList<>();
        amount(cluster, "data_nodes").ifPresent(nodes -> parts.add(Figures.plural(nodes, "data node")));
        amount(cluster, "replicas").ifPresent(replicas -> parts.add(Figures.plural(replicas, "replica")));
        Optional.ofNullable(cluster.get("data_node_version"))
                .ifPresent(version -> parts.add("data nodes of " + version));
        Optional.ofNullable(cluster.get("sql_node_version"))
                .filter(version -> !version.equals(cluster.get("data_node_version")))
                .ifPresent(version -> parts.add("SQL nodes of " + version));
        amount(cluster, "DataMemory").ifPresent(bytes -> parts.add("DataMemory " + Figures.memory(bytes)));
        return String.join(", ", parts);
    }

    private static Optional<Long> amount(SortedMap<String, String> facts, String name) {
        return Optional.ofNullable(facts.get(name))
                .filter(text -> text.matches("\\d{1,18}"))
                .map(Long::valueOf);
    }

    private String howItStands() {
        return switch (manifest.progress().state()) {
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

    /** How often each trial was measured: {@code 10 rounds, 5 forks}. */
    static String counts(Collection<Sample> samples) {
        Collection<List<Sample>> trials = samples.stream()
                .collect(Collectors.groupingBy(sample -> sample.trial().id()))
                .values();
        return range(trials, s -> List.of(s.block(), s.round()), "round") + ", "
                + range(trials, s -> List.of(s.block(), s.fork()), "fork");
    }

    private static String range(Collection<List<Sample>> trials, Function<Sample, List<Integer>> what, String noun) {
        LongSummaryStatistics numbers = trials.stream()
                .mapToLong(samples -> samples.stream().map(what).distinct().count())
                .summaryStatistics();
        long least = trials.isEmpty() ? 0 : numbers.getMin();
        long most = trials.isEmpty() ? 0 : numbers.getMax();
        return (least == most ? "" : least + " to ") + Figures.plural(most, noun);
    }
}
