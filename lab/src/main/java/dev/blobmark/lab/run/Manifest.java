package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a run was: {@code manifest.json}. Holds no password, and no command line.
 *
 * @param schema of the file; this version writes and reads 1
 * @param blobmark Blobmark's version
 * @param finishedAt empty while the run is running
 * @param study as resolved: one profile, all defaults stated
 * @param libraries version by name, of those that take part in a measurement
 * @param servers by the name that a study gives them
 * @param links as written in the study, those of the codec workload none
 * @param sources the runs that this one was merged from, in the order of their blocks; none in a run that was measured
 */
public record Manifest(
        int schema,
        String blobmark,
        State state,
        Instant startedAt,
        Optional<Instant> finishedAt,
        Study study,
        Plan plan,
        Host host,
        Jvm jvm,
        SortedMap<String, String> libraries,
        SortedMap<String, MeasuredServer> servers,
        List<String> links,
        List<MeasuredDataset> datasets,
        List<LoadedStore> stores,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Source> sources) {

    static final int SCHEMA = 1;

    public Manifest {
        Objects.requireNonNull(blobmark, "blobmark");
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(study, "study");
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(jvm, "jvm");
        libraries = sorted(libraries);
        servers = sorted(servers);
        links = List.copyOf(links);
        datasets = List.copyOf(datasets);
        stores = List.copyOf(stores);
        // a manifest of before there was merging has none
        sources = sources == null ? List.of() : List.copyOf(sources);
        if (finishedAt.isPresent() == (state == State.RUNNING)) {
            throw new IllegalArgumentException("a run has the time of its end when it is not running any more");
        }
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
     * @param samples number of samples that a whole run has
     */
    public record Plan(List<String> trials, int blocks, long samples) {

        public Plan {
            trials = List.copyOf(trials);
        }
    }

    /**
     * The JVM that measured: each fork is one.
     *
     * @param flags as given, with the values of system properties left out
     */
    public record Jvm(String vendor, String version, List<String> flags) {

        public Jvm {
            flags = List.copyOf(flags);
        }

        /** A JVM of the kind that this code runs in, started with those flags. */
        public static Jvm like(List<String> flags) {
            return new Jvm(
                    System.getProperty("java.vendor"),
                    System.getProperty("java.runtime.version"),
                    flags.stream()
                            .map(flag -> withoutSecrets(flag, System.getProperty("user.home")))
                            .toList());
        }

        /** A system property may hold a password, any flag the path of the user's home. */
        static String withoutSecrets(String flag, String home) {
            return flag.startsWith("-D") ? flag.replaceFirst("=.*", "=…") : flag.replace(home, "~");
        }
    }

    /**
     * A server that was measured, as it described itself.
     *
     * @param kind how it came to be: {@code embedded}
     * @param product {@code MySQL}, {@code MariaDB}
     * @param version as the server says
     * @param comment the server's {@code version_comment}
     * @param variables read back while it ran, those that bear on a result
     */
    public record MeasuredServer(
            String kind, String product, String version, String comment, SortedMap<String, String> variables) {

        public MeasuredServer {
            variables = sorted(variables);
        }

        /** Started by Blobmark from binaries of its own, as a stand-in for a server of the user's. */
        public boolean isEmbedded() {
            return kind.equals("embedded");
        }

        public boolean isMySql() {
            return product.equalsIgnoreCase("MySQL");
        }
    }

    /**
     * Values that were stored or encoded.
     *
     * @param size length of each in bytes; empty where the sizes are the dataset's own
     * @param digest SHA-256 over the values
     * @param distribution of the sizes in bytes: {@code min}, {@code p50}, {@code max} and so on
     */
    public record MeasuredDataset(
            String id, OptionalLong size, int count, String digest, SortedMap<String, Long> distribution) {

        public MeasuredDataset {
            distribution = sorted(distribution);
        }
    }

    /**
     * A table or its like, loaded and read back.
     *
     * @param server its name in {@link Manifest#servers}
     * @param factors those levels of a trial that decide what lies in it
     * @param verified what the server said of it after it was made: row format, warnings
     * @param rows values in it
     * @param applicationBytes of all values, decoded
     * @param storedBytes of all values, as in the column
     * @param diskBytes allocated by the table's files; empty where the server does not tell
     */
    public record LoadedStore(
            String server,
            Levels factors,
            String table,
            String ddl,
            SortedMap<String, String> verified,
            long rows,
            long applicationBytes,
            long storedBytes,
            OptionalLong diskBytes) {

        public LoadedStore {
            verified = sorted(verified);
        }
    }

    /**
     * A run that was merged into another: all that its manifest said.
     *
     * @param firstBlock what its block 0 is called in the merged run; its other blocks follow
     */
    public record Source(int firstBlock, Manifest manifest) {}

    /** A run that begins now, on this machine. Servers, datasets and stores come as they are made. */
    public static Manifest begin(
            String blobmark, Instant startedAt, Study study, Plan plan, Jvm jvm, Map<String, String> libraries) {
        return new Manifest(
                SCHEMA,
                blobmark,
                State.RUNNING,
                startedAt,
                Optional.empty(),
                study,
                plan,
                Host.read(),
                jvm,
                new TreeMap<>(libraries),
                new TreeMap<>(),
                study.conditions().stream()
                        .flatMap(block -> block.levels().getOrDefault("link", List.of()).stream())
                        .distinct()
                        .toList(),
                List.of(),
                List.of(),
                List.of());
    }

    public Manifest with(String server, MeasuredServer measured) {
        SortedMap<String, MeasuredServer> more = new TreeMap<>(servers);
        more.put(server, measured);
        return copy(state, finishedAt, more, datasets, stores);
    }

    public Manifest with(MeasuredDataset dataset) {
        return copy(state, finishedAt, servers, plus(datasets, dataset), stores);
    }

    public Manifest with(LoadedStore store) {
        return copy(state, finishedAt, servers, datasets, plus(stores, store));
    }

    /** The run has come to its end, one way or another. */
    public Manifest ended(State how, Instant at) {
        return copy(how, Optional.of(at), servers, datasets, stores);
    }

    /** A run that had stopped goes on. */
    public Manifest resumed() {
        return copy(State.RUNNING, Optional.empty(), servers, datasets, stores);
    }

    /** The store that a sample was taken on; none where it had no server. */
    public Optional<LoadedStore> storeOf(Sample sample) {
        Map<String, String> levels =
                sample.methodLevels().with(sample.condition()).byFactor();
        return stores.stream()
                .filter(store ->
                        levels.entrySet().containsAll(store.factors().byFactor().entrySet()))
                .findFirst();
    }

    /** Those samples of a merged run that came from one of its sources. */
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

    private Manifest copy(
            State state,
            Optional<Instant> finishedAt,
            SortedMap<String, MeasuredServer> servers,
            List<MeasuredDataset> datasets,
            List<LoadedStore> stores) {
        return new Manifest(
                schema,
                blobmark,
                state,
                startedAt,
                finishedAt,
                study,
                plan,
                host,
                jvm,
                libraries,
                servers,
                links,
                datasets,
                stores,
                sources);
    }

    private static <T> List<T> plus(List<T> some, T another) {
        List<T> more = new ArrayList<>(some);
        more.add(another);
        return more;
    }

    private static <V> SortedMap<String, V> sorted(SortedMap<String, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
