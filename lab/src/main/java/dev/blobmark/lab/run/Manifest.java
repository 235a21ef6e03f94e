package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Amounts;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.Whole;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The description of a run: {@code manifest.json}. It has no passwords and no addresses.
 *
 * @param schema of the file; this version writes and reads 1
 * @param blobmark the program that began the run
 * @param study with one profile, and with all defaults stated
 * @param servers by the name that the study gives them
 * @param sources the runs that were merged into this one, in the order of their blocks; empty if it was measured
 */
public record Manifest(
        int schema,
        Program blobmark,
        Progress progress,
        Study study,
        PlannedSamples plan,
        Machine machine,
        SortedMap<String, MeasuredServer> servers,
        List<MeasuredDataset> datasets,
        List<LoadedStore> stores,
        List<MergedRun> sources) {

    static final int SCHEMA = 1;

    public Manifest {
        Objects.requireNonNull(blobmark, "blobmark");
        Objects.requireNonNull(progress, "progress");
        Objects.requireNonNull(study, "study");
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(machine, "machine");
        servers = Amounts.sorted(servers);
        datasets = List.copyOf(datasets);
        stores = List.copyOf(stores);
        sources = List.copyOf(sources);
    }

    /** How far the run got. A run whose process was killed stays {@code running}. */
    public enum State {
        RUNNING,
        FINISHED,
        INTERRUPTED,
        FAILED;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the run was planned to measure.
     *
     * @param trials canonical ids
     * @param blocks number of blocks
     * @param samples number of samples of a complete run; it grows when forks are added
     * @param servers the name of each block's server in {@link Manifest#servers}; may be empty in a merged run
     */
    public record PlannedSamples(List<String> trials, int blocks, long samples, List<String> servers) {

        public PlannedSamples {
            trials = List.copyOf(trials);
            servers = List.copyOf(servers);
            if (!servers.isEmpty() && servers.size() != blocks) {
                throw new IllegalArgumentException(
                        "plan: servers of " + servers.size() + " blocks, but there are " + blocks + " blocks");
            }
        }

        /** A plan without the servers of its blocks. */
        public PlannedSamples(List<String> trials, int blocks, long samples) {
            this(trials, blocks, samples, List.of());
        }
    }

    /**
     * A server that was measured.
     *
     * @param kind how it was started or found, see {@link Server#kind}
     * @param product {@code MySQL}, {@code MariaDB}
     * @param version as reported by the server
     * @param comment the server's {@code version_comment}
     * @param variables as read back; only those of {@link ShownVariables}, which do not identify the server or its host
     * @param proxy the proxy that was found between client and server; empty if none was found
     * @param cluster facts of an SQL node, see {@link dev.blobmark.mysql.server.ServerIdentity#cluster}
     */
    public record MeasuredServer(
            String kind,
            String product,
            String version,
            String comment,
            SortedMap<String, String> variables,
            Optional<String> proxy,
            SortedMap<String, String> cluster) {

        public MeasuredServer {
            variables = Collections.unmodifiableSortedMap(ShownVariables.of(variables));
            // Redis reports the path of its program
            comment = comment.substring(comment.lastIndexOf('/') + 1);
            Objects.requireNonNull(proxy, "proxy");
            cluster = Amounts.sorted(cluster);
        }

        /** A server without proxy and cluster. */
        public MeasuredServer(
                String kind, String product, String version, String comment, SortedMap<String, String> variables) {
            this(kind, product, version, comment, variables, Optional.empty(), new TreeMap<>());
        }

        /** The variables that affect results: all except the version, which has a field of its own. */
        public SortedMap<String, String> settings() {
            SortedMap<String, String> settings = new TreeMap<>(variables);
            settings.keySet().removeIf(name -> name.startsWith("version"));
            cluster.forEach((name, value) -> settings.put("cluster." + name, value));
            return settings;
        }

        /** Whether Blobmark started the server from its own binaries. */
        public boolean isEmbedded() {
            return kind.equals("embedded");
        }

        /** Whether it is on another host. */
        public boolean isRemote() {
            return kind.equals(Server.REMOTE);
        }

        public boolean isMySql() {
            return product.equalsIgnoreCase("MySQL");
        }

        /** Whether it is MySQL or MariaDB. */
        public boolean speaksSql() {
            return isMySql() || product.equalsIgnoreCase("MariaDB");
        }
    }

    /**
     * Values that were stored or encoded.
     *
     * @param id as in the study, followed by {@code rows=50000} if the study states a number of rows
     * @param size length of each value in bytes; empty if the dataset decides the sizes
     * @param digest SHA-256 over the values
     * @param distribution of the sizes in bytes: {@code min}, {@code p50}, {@code max} and so on
     * @param whole all values of the source, if these values are a sample of them; empty for generated values
     */
    public record MeasuredDataset(
            String id,
            OptionalLong size,
            int count,
            String digest,
            SortedMap<String, Long> distribution,
            Optional<Whole> whole) {

        /** The id of the dataset of a trial, including its number of rows if it states one. */
        public static Optional<String> idOf(Design design) {
            String rows = design.get(Rows.FACTOR).isPresent() ? " rows=" + design.level(Rows.FACTOR) : "";
            return design.levels().find(Datasets.FACTOR).map(dataset -> dataset + rows);
        }

        public MeasuredDataset {
            distribution = Amounts.sorted(distribution);
            Objects.requireNonNull(whole, "whole");
        }

        /** Generated values. */
        public MeasuredDataset(
                String id, OptionalLong size, int count, String digest, SortedMap<String, Long> distribution) {
            this(id, size, count, digest, distribution, Optional.empty());
        }
    }

    /**
     * The precision that was reached under a condition.
     *
     * @param forks number of forks that measured it
     * @param halfWidth of the widest interval of a method's ratio to the baseline: 0.01 for ± 1 %; empty if there is
     *     none
     * @param reached whether the intervals of all methods are as narrow as the schedule requires
     * @param reason why it was not reached; empty if it was
     */
    public record ConditionPrecision(
            Levels condition, int forks, OptionalDouble halfWidth, boolean reached, String reason) {

        public ConditionPrecision {
            if (reached != reason.isEmpty()) {
                throw new IllegalArgumentException(
                        "precision: there must be a reason if it was not reached, and only then");
            }
        }
    }

    /**
     * A run that was merged into another, with its complete manifest.
     *
     * @param firstBlock the number in the merged run of the source's block 0; its other blocks follow
     */
    public record MergedRun(int firstBlock, Manifest manifest) {}

    /** A new run on this machine. Servers, datasets and stores are added when they have been created. */
    public static Manifest begin(
            Program blobmark,
            Instant startedAt,
            Study study,
            PlannedSamples plan,
            Map<String, Machine.MeasuringJvm> jvms,
            Map<String, String> libraries) {
        return new Manifest(
                SCHEMA,
                blobmark,
                Progress.startedAt(startedAt),
                study,
                plan,
                new Machine(
                        Host.read(),
                        new TreeMap<>(jvms),
                        new TreeMap<>(libraries),
                        Machine.Quiet.NONE,
                        new TreeMap<>()),
                new TreeMap<>(),
                List.of(),
                List.of(),
                List.of());
    }

    /** The links of the study's conditions, in words; empty if only codecs are measured. */
    public List<String> links() {
        return study.conditions().stream()
                .flatMap(block -> block.levels().getOrDefault("link", List.of()).stream())
                .map(level -> Link.inWords(level, isRemote()))
                .distinct()
                .toList();
    }

    /** Whether a server is on another host. */
    public boolean isRemote() {
        return servers.values().stream().anyMatch(MeasuredServer::isRemote);
    }

    public Manifest with(Progress progress) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(Study study) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(PlannedSamples plan) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(Machine machine) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(Machine.Quiet quiet) {
        return with(machine.with(quiet));
    }

    public Manifest with(Delivery delivery) {
        return with(machine.with(delivery));
    }

    public Manifest with(String name, MeasuredServer server) {
        SortedMap<String, MeasuredServer> servers = new TreeMap<>(this.servers);
        servers.put(name, server);
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(MeasuredDataset dataset) {
        return withDatasets(append(datasets, dataset));
    }

    public Manifest withDatasets(List<MeasuredDataset> datasets) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    /** Adds a store. One that a resumed run has loaded again is there already, and stays as it was. */
    public Manifest with(LoadedStore store) {
        boolean isThere = stores.stream()
                .anyMatch(other ->
                        other.server().equals(store.server()) && other.factors().equals(store.factors()));
        return isThere ? this : withStores(append(stores, store));
    }

    public Manifest withStores(List<LoadedStore> stores) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest withSources(List<MergedRun> sources) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    /** Replaces the precision that was reached under these conditions. */
    public Manifest withPrecision(List<ConditionPrecision> reached) {
        return with(progress.with(reached));
    }

    /** Sets the number of samples of a whole run. */
    public Manifest planning(long samples) {
        return with(new PlannedSamples(plan.trials(), plan.blocks(), samples, plan.servers()));
    }

    /** The same after the end of the run. */
    public Manifest ended(State state, Instant at) {
        return with(progress.ended(state, at));
    }

    /** The same after this program resumed the run. */
    public Manifest resumed(Instant at, Program program) {
        return new Manifest(
                schema,
                program.resuming(blobmark),
                progress.resumed(at),
                study,
                plan,
                machine,
                servers,
                datasets,
                stores,
                sources);
    }

    /** The store of a sample; a store of the trial's own takes precedence over a shared one. Empty without a store. */
    public Optional<LoadedStore> storeOf(Sample sample) {
        Map<String, String> levels = sample.levels().byFactor();
        List<String> serverOfBlock = plan.servers();
        String mysql = StoreKinds.MYSQL.word();
        String kind = sample.levels().find(StoreKinds.FACTOR).orElse(mysql);
        return stores.stream()
                .filter(store -> serverOfBlock.isEmpty()
                        || store.server().equals(kind.equals(mysql) ? serverOfBlock.get(sample.block()) : kind))
                .filter(store ->
                        levels.entrySet().containsAll(store.factors().byFactor().entrySet()))
                .max(Comparator.comparingInt(store -> store.factors().byFactor().size()));
    }

    /** The samples of one source of a merged run. */
    public List<Sample> samplesOf(MergedRun source, List<Sample> samples) {
        int next = sources.stream()
                .mapToInt(MergedRun::firstBlock)
                .filter(first -> first > source.firstBlock())
                .min()
                .orElse(Integer.MAX_VALUE);
        return samples.stream()
                .filter(sample -> source.firstBlock() <= sample.block() && sample.block() < next)
                .toList();
    }

    /** The content of the file. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    private static <T> List<T> append(List<T> list, T element) {
        return Stream.concat(list.stream(), Stream.of(element)).toList();
    }
}
