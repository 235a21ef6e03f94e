package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.dataset.Whole;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.measurement.Amounts;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
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
 * What a run measured, and on what: {@code manifest.json}. Holds no password and no address.
 *
 * @param schema of the file; this version writes and reads 1
 * @param blobmark the program that began the run
 * @param study as resolved: one profile, all defaults stated
 * @param servers by the name that a study gives them
 * @param sources the runs that this one was merged from, in the order of their blocks; none in a run that was measured
 */
public record Manifest(
        int schema,
        Program blobmark,
        Progress progress,
        Study study,
        Plan plan,
        Machine machine,
        SortedMap<String, MeasuredServer> servers,
        List<MeasuredDataset> datasets,
        List<LoadedStore> stores,
        List<Source> sources) {

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
     * What was to be measured.
     *
     * @param trials canonical ids
     * @param blocks number of blocks
     * @param samples number of samples that a whole run has; more when forks are added for precision
     * @param servers the name of each block's server in {@link Manifest#servers}; none of a merged run where it is not known
     */
    public record Plan(List<String> trials, int blocks, long samples, List<String> servers) {

        public Plan {
            trials = List.copyOf(trials);
            servers = List.copyOf(servers);
            if (!servers.isEmpty() && servers.size() != blocks) {
                throw new IllegalArgumentException("servers of " + servers.size() + " blocks, of " + blocks);
            }
        }

        /** A plan without the servers of its blocks. */
        public Plan(List<String> trials, int blocks, long samples) {
            this(trials, blocks, samples, List.of());
        }
    }

    /**
     * A server that was measured, as it described itself.
     *
     * @param kind how it came to be: {@code embedded}, {@code mysqld}, {@code address}
     * @param product {@code MySQL}, {@code MariaDB}
     * @param version as the server says
     * @param comment the server's {@code version_comment}
     * @param variables read back while it ran; only those of {@link ShownVariables}, so that nothing here names the
     *     server or its host
     * @param proxy what was recognised between client and server; empty where nothing was
     * @param cluster of an SQL node: see {@link dev.blobmark.lab.server.ServerIdentity#cluster}
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
            // a Redis says which program it is by its path
            comment = comment.substring(comment.lastIndexOf('/') + 1);
            Objects.requireNonNull(proxy, "proxy");
            cluster = Amounts.sorted(cluster);
        }

        /** Nothing between client and server. */
        public MeasuredServer(
                String kind, String product, String version, String comment, SortedMap<String, String> variables) {
            this(kind, product, version, comment, variables, Optional.empty(), new TreeMap<>());
        }

        /** The variables that bear on results: all but the version, which has a field of its own. */
        public SortedMap<String, String> settings() {
            SortedMap<String, String> settings = new TreeMap<>(variables);
            settings.keySet().removeIf(name -> name.startsWith("version"));
            cluster.forEach((name, value) -> settings.put("cluster." + name, value));
            return settings;
        }

        /** Started by Blobmark from binaries of its own, as a stand-in for a server of the user's. */
        public boolean isEmbedded() {
            return kind.equals("embedded");
        }

        public boolean isMySql() {
            return product.equalsIgnoreCase("MySQL");
        }

        /** Whether it stands where a MySQL may: a Redis does not. */
        public boolean speaksSql() {
            return isMySql() || product.equalsIgnoreCase("MariaDB");
        }
    }

    /**
     * Values that were stored or encoded.
     *
     * @param id as in the study; followed by {@code rows=50000} where a number of rows was asked for
     * @param size length of each in bytes; empty where the sizes are the dataset's own
     * @param digest SHA-256 over the values
     * @param distribution of the sizes in bytes: {@code min}, {@code p50}, {@code max} and so on
     * @param whole all that the source has, of which these are a sample; empty for generated values
     */
    public record MeasuredDataset(
            String id,
            OptionalLong size,
            int count,
            String digest,
            SortedMap<String, Long> distribution,
            Optional<Whole> whole) {

        /** The id of the dataset that a trial with these levels takes its values from, with the rows that it asks for. */
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
     * How narrow the intervals under a condition have become.
     *
     * @param forks JVMs that measured it
     * @param halfWidth of the widest interval of a method's ratio to the baseline: 0.01 for ± 1 %; empty where there is none
     * @param reached whether every method's interval is as narrow as the schedule asks
     * @param reason why not; empty where reached
     */
    public record ConditionPrecision(
            Levels condition, int forks, OptionalDouble halfWidth, boolean reached, String reason) {

        public ConditionPrecision {
            if (reached != reason.isEmpty()) {
                throw new IllegalArgumentException("a precision that was not reached has a reason, and only that has");
            }
        }
    }

    /**
     * A run that was merged into another, with its whole manifest.
     *
     * @param firstBlock number of its block 0 in the merged run; its other blocks follow
     */
    public record Source(int firstBlock, Manifest manifest) {}

    /** A run that begins now, on this machine. Servers, datasets and stores are added as they are made. */
    public static Manifest begin(
            Program blobmark,
            Instant startedAt,
            Study study,
            Plan plan,
            Map<String, Machine.Jvm> jvms,
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

    /** The levels of the factor {@code link} in the study's conditions; none where only codecs are measured. */
    public List<String> links() {
        return study.conditions().stream()
                .flatMap(block -> block.levels().getOrDefault("link", List.of()).stream())
                .distinct()
                .toList();
    }

    public Manifest with(Progress progress) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(Study study) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest with(Plan plan) {
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
        return withDatasets(plus(datasets, dataset));
    }

    public Manifest withDatasets(List<MeasuredDataset> datasets) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    /** Adds a store. One that a resumed run has loaded again is there already, and stays as it was. */
    public Manifest with(LoadedStore store) {
        boolean isThere = stores.stream()
                .anyMatch(other ->
                        other.server().equals(store.server()) && other.factors().equals(store.factors()));
        return isThere ? this : withStores(plus(stores, store));
    }

    public Manifest withStores(List<LoadedStore> stores) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    public Manifest withSources(List<Source> sources) {
        return new Manifest(schema, blobmark, progress, study, plan, machine, servers, datasets, stores, sources);
    }

    /** Replaces the precision that was reached under these conditions. */
    public Manifest withPrecision(List<ConditionPrecision> reached) {
        return with(progress.with(reached));
    }

    /** Sets the number of samples of a whole run. */
    public Manifest planning(long samples) {
        return with(new Plan(plan.trials(), plan.blocks(), samples, plan.servers()));
    }

    /** The run has come to its end, one way or another. */
    public Manifest ended(State how, Instant at) {
        return with(progress.ended(how, at));
    }

    /** A run that had stopped goes on, by a command of this program. */
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

    /** The store that a sample was taken on, its trial's own before a shared one; empty where it had no server. */
    public Optional<LoadedStore> storeOf(Sample sample) {
        Map<String, String> levels = sample.levels().byFactor();
        List<String> ofBlocks = plan.servers();
        String mysql = StoreKinds.MYSQL.word();
        String kind = sample.levels().find(StoreKinds.FACTOR).orElse(mysql);
        return stores.stream()
                .filter(store -> ofBlocks.isEmpty()
                        || store.server().equals(kind.equals(mysql) ? ofBlocks.get(sample.block()) : kind))
                .filter(store ->
                        levels.entrySet().containsAll(store.factors().byFactor().entrySet()))
                .max(Comparator.comparingInt(store -> store.factors().byFactor().size()));
    }

    /** The samples of a merged run that came from a source. */
    public List<Sample> samplesOf(Source source, List<Sample> samples) {
        int next = sources.stream()
                .mapToInt(Source::firstBlock)
                .filter(first -> first > source.firstBlock())
                .min()
                .orElse(Integer.MAX_VALUE);
        return samples.stream()
                .filter(sample -> source.firstBlock() <= sample.block() && sample.block() < next)
                .toList();
    }

    /** This manifest as its file has it. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    private static <T> List<T> plus(List<T> list, T element) {
        return Stream.concat(list.stream(), Stream.of(element)).toList();
    }
}
