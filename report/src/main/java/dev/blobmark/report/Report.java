package dev.blobmark.report;

import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.run.Host;
import dev.blobmark.lab.run.LatencyLogs;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Manifest.LoadedStore;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Window;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A run, judged: what every form of a report is made of.
 *
 * @param equalWithin how far apart methods may be to be called equal, as was wanted; 0.02 for 2 %
 * @param damage what of the run could not be read, a sentence for each file; the figures are without it
 */
public record Report(
        Manifest manifest, List<Sample> samples, double equalWithin, List<Ranking> rankings, List<String> damage) {

    /** A difference of 2 % is seldom worth a choice, and more forks than most runs have are needed to see it. */
    public static final double USUAL_EQUAL_WITHIN = Margin.USUAL;

    static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    public Report {
        samples = List.copyOf(samples);
        rankings = List.copyOf(rankings);
        damage = List.copyOf(damage);
    }

    /** All of the run could be read. */
    Report(Manifest manifest, List<Sample> samples, double equalWithin, List<Ranking> rankings) {
        this(manifest, samples, equalWithin, rankings, List.of());
    }

    /** Of samples without their histograms: percentiles over all operations are not known. */
    static Report of(Manifest manifest, List<Sample> samples) {
        Judge judge = new Judge(manifest, (sample, operation) -> Optional.empty(), USUAL_EQUAL_WITHIN);
        return new Report(manifest, samples, USUAL_EQUAL_WITHIN, judge.rankings(samples));
    }

    /** Of a run that has ended, was killed, or is still going. */
    public static Report of(RunDirectory run) {
        return of(run, USUAL_EQUAL_WITHIN);
    }

    /** @throws IllegalArgumentException if {@code equalWithin} is not between 0 and 1 */
    public static Report of(RunDirectory run, double equalWithin) {
        Margin.of(equalWithin);
        Manifest manifest = run.manifest();
        List<Sample> samples = run.samples();
        LatencyLogs latencies = run.latencies();
        List<Ranking> rankings = new Judge(manifest, latencies::find, equalWithin).rankings(samples);
        return new Report(manifest, samples, equalWithin, rankings, latencies.damage());
    }

    /** The answer to the study's question under each condition, one sentence each, in the order of the rankings. */
    public List<String> answers() {
        Set<String> varying =
                Answer.varying(rankings.stream().map(Ranking::condition).toList());
        return rankings.stream().map(ranking -> Answer.of(ranking, varying)).toList();
    }

    /**
     * The same to end with, for each condition once: of operations of several types that compete for one window, that of all types together, and
     * none of a type alone.
     */
    List<Answer.Conclusion> conclusions() {
        List<String> answers = answers();
        List<Ranking> concluding = concluding();
        return IntStream.range(0, answers.size())
                .filter(i -> concluding.contains(rankings.get(i)))
                .mapToObj(i -> new Answer.Conclusion(answers.get(i), TierText.of(rankings.get(i))))
                .toList();
    }

    private List<Ranking> concluding() {
        Set<Levels> mixed = rankings.stream()
                .filter(ranking -> ranking.operation().equals(Sample.MIX))
                .map(Ranking::condition)
                .collect(Collectors.toSet());
        return rankings.stream()
                .filter(ranking -> ranking.operation().equals(Sample.MIX) || !mixed.contains(ranking.condition()))
                .toList();
    }

    /** What would settle what is left open; empty where nothing is. */
    Optional<Undecided> undecided() {
        return Undecided.of(concluding(), samples, manifest);
    }

    /** The study's claims, each with what the samples say of it; the control that shows most noise bounds what is equal. */
    public List<GradedClaim> claims() {
        double noiseFloor = manifest.study().control().isEmpty()
                ? 0
                : rankings.stream()
                        .filter(ranking -> ranking.sizes().isEmpty())
                        .mapToDouble(ranking -> ranking.margin().noiseFloor())
                        .max()
                        .orElse(Double.POSITIVE_INFINITY);
        return new Claims(Judge.confidence(manifest), new Margin(equalWithin, noiseFloor))
                .grade(manifest.study(), samples);
    }

    /** Whether the study has no control to show the noise floor. */
    boolean floorIsUnknown() {
        return manifest.study().control().isEmpty() && !rankings.isEmpty();
    }

    /** How to read the figures, and what the intervals are. */
    String legend() {
        List<Interval.Range> intervals = rankings.stream()
                .flatMap(ranking -> ranking.anyRange().stream())
                .toList();
        boolean hasPercentiles = rankings.stream()
                .flatMap(ranking -> ranking.rows().stream())
                .anyMatch(row -> !row.percentiles().isEmpty());
        return "Figures are medians over the rounds"
                + (hasPercentiles ? "; p50 and p99 are of all operations together. " : ". ")
                + (intervals.isEmpty()
                        ? "range: from the lowest round to the highest, no confidence interval. "
                        : "to base: the mean ratio to " + manifest.study().baseline()
                                + " in the same round, with an interval; all intervals of a table hold together with "
                                + Figures.percent(intervals.get(0).confidence().level())
                                + intervals.stream()
                                        .map(Interval.Range::unit)
                                        .distinct()
                                        .map(unit -> ", over " + unit.word() + "s: they cover variance " + unit.scope())
                                        .collect(Collectors.joining())
                                + ". equal: nothing beyond noise was seen, and the interval lies within the share that is stated, never less than "
                                + Figures.plusMinus(equalWithin)
                                + " and the noise floor; inconclusive: it reaches farther. tier: methods that share a letter cannot be told apart. ")
                + (rankings.stream().anyMatch(Ranking::isOfSets)
                        ? "disk and memory: bytes a key, of the used pages of the table's file, and in the buffer pool or in Redis."
                        : "ratio: application ÷ stored bytes. disk: the used pages of the table's file, as a share of those of "
                                + manifest.study().baseline()
                                + " for as many application bytes; empty where they were not counted. enc: application bytes that one core"
                                + " encodes in a second.")
                + (rankings.stream().flatMap(ranking -> ranking.rows().stream()).anyMatch(Report::isInCluster)
                        ? " memory: bytes a value, in all data nodes of the cluster together, so that each replica counts."
                        : "")
                + " CPU and alloc: the client's, srv CPU and pages read: the server's, wire: both ways, per operation. most on: what most of an operation's time goes to. MB/s: 10⁶ bytes per second; KB: 1024 bytes."
                + (comparesPools()
                        ? " A connection that its thread keeps (thread-local) is not looked at before it is used, has no time-out, and there"
                                + " are as many as there are threads; nobody notices one that is never given back: that is what a pool is"
                                + " paid for."
                        : "");
    }

    private static boolean isInCluster(Ranking.Row row) {
        return row.stored()
                .placement()
                .flatMap(its -> its.memoryBytes().stream().boxed().findFirst())
                .isPresent();
    }

    /** Whether methods with a pool are beside others without. */
    private boolean comparesPools() {
        Set<Boolean> pooled = manifest.study().methods().stream()
                .flatMap(method -> method.levels().find("connection").stream())
                .map(connection -> connection.startsWith("hikari"))
                .collect(Collectors.toSet());
        return pooled.size() > 1;
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
        List<String> servers = manifest.servers().values().stream()
                .map(Report::describe)
                .distinct()
                .toList();
        facts.put(servers.size() > 1 ? "Servers" : "Server", servers.isEmpty() ? "none" : String.join("; ", servers));
        List<String> clusters = manifest.servers().values().stream()
                .filter(server -> !server.cluster().isEmpty())
                .map(Report::describeCluster)
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
        if (!manifest.links().isEmpty()) {
            facts.put("Link", String.join(", ", manifest.links()));
        }
        facts.put("Host", ofAll(m -> describe(m.host())));
        facts.put(manifest.jvms().size() > 1 ? "JVMs" : "JVM", ofAll(Report::jvms));
        if (!manifest.sources().isEmpty()) {
            facts.put(
                    "Merged",
                    Figures.plural(manifest.sources().size(), "run") + ", started "
                            + ofAll(m -> MINUTE.format(m.startedAt())));
        }
        facts.putAll(quiet());
        facts.put(
                "Samples",
                Figures.count(samples.size()) + " of "
                        + Figures.count(manifest.plan().samples()) + " planned, " + counts(samples) + ", windows of "
                        + window(study.schedule().window())
                        + visits()
                        + (isWhole() ? "" : "; the run " + howItStands()));
        if (!damage.isEmpty()) {
            facts.put("Damaged", String.join("; ", damage));
        }
        return facts;
    }

    /** How windows were measured, where it was not in one piece. */
    private String visits() {
        return manifest.study()
                .schedule()
                .visits()
                .filter(its ->
                        samples.stream().anyMatch(sample -> sample.visits().isPresent()))
                .map(its -> " in visits of " + Figures.duration(its.length()))
                .orElse("");
    }

    /** What was done against noise, and what of it was seen: nothing of what was neither. */
    private Map<String, String> quiet() {
        var quiet = manifest.quiet();
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
        return manifest.jvms().entrySet().stream()
                .map(jvm -> (manifest.jvms().size() > 1 ? jvm.getKey() + ": " : "")
                        + jvm.getValue().vendor() + " "
                        + jvm.getValue().version())
                .collect(Collectors.joining("; "));
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
                .distinct()
                .collect(Collectors.joining(" and "));
        if (ranking.sizes().isPresent()) {
            Ranking.SizeShare sizes = ranking.sizes().get();
            return List.of(
                    ranking.title() + " of values of " + sizes.words() + ": "
                            + Figures.percent(sizes.ofOperations()) + " of the operations, "
                            + Figures.percent(sizes.ofBytes()) + " of the bytes",
                    "rates over the time spent in them");
        }
        return List.of(
                ranking.title() + ": " + String.join(", ", Figures.levels(ranking.condition())),
                (where.isEmpty() ? "no server" : where) + "; " + Figures.plural(its.size(), "sample") + ", "
                        + counts(its)
                        + ranking.anyRange()
                                .map(range -> "; intervals for "
                                        + Figures.plural(range.confidence().comparisons(), "comparison") + " at once")
                                .orElse(""));
    }

    /** What a method's row of a ranking rests on, in the order of blocks, forks and rounds: of a class of sizes, what is known of it alone. */
    List<Sample> samples(Ranking ranking, String method) {
        return samples.stream()
                .filter(sample ->
                        sample.method().equals(method) && sample.condition().equals(ranking.condition()))
                .flatMap(sample -> ranking.sizes()
                        .map(its -> sample.ofSize(its.size()).stream())
                        .orElse(Stream.of(sample)))
                .filter(sample -> sample.operations().containsKey(ranking.operation()))
                .sorted(Comparator.comparing(Sample::block)
                        .thenComparing(Sample::fork)
                        .thenComparing(Sample::round))
                .toList();
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
            return name + ", embedded" + (server.isMySql() || !server.speaksSql() ? "" : ": a stand-in, not MySQL");
        }
        return name + " (" + server.comment() + ")";
    }

    /** What is known of it: {@code 2 data nodes, 2 replicas of each value, data nodes mysql-9.7.4 ndb-9.7.4, DataMemory 1.0 GB each}. */
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
        long forks = samples.stream()
                .map(s -> List.of(s.block(), s.fork()))
                .distinct()
                .count();
        return Figures.plural(rounds, "round") + ", " + Figures.plural(forks, "fork");
    }
}
