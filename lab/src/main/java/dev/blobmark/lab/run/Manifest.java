package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What a run was: {@code manifest.json}. Holds no password, and no command line.
 *
 * @param schema of the file; this version writes and reads 1
 * @param blobmark Blobmark's version
 * @param finishedAt empty while the run is running
 * @param study as resolved: one profile, all defaults stated
 * @param jvms those that measured, by their level of the factor {@code jvm}
 * @param quiet what was done and seen against noise; nothing in a manifest from before it was recorded
 * @param libraries version by name, of those that take part in a measurement
 * @param servers by the name that a study gives them
 * @param links as written in the study, those of the codec workload none
 * @param measuredLinks what those that are emulated delivered before anything was measured; nothing in a manifest from before links were
 * @param resumedAt when the run went on after it had stopped, each time
 * @param precision by condition, where the schedule asks for one; those of a block once it has ended
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
        SortedMap<String, Jvm> jvms,
        Quiet quiet,
        SortedMap<String, String> libraries,
        SortedMap<String, MeasuredServer> servers,
        List<String> links,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) SortedMap<String, MeasuredLink> measuredLinks,
        List<MeasuredDataset> datasets,
        List<LoadedStore> stores,
        List<Instant> resumedAt,
        List<ConditionPrecision> precision,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Source> sources) {

    static final int SCHEMA = 1;

    public Manifest {
        Objects.requireNonNull(blobmark, "blobmark");
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(study, "study");
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(host, "host");
        jvms = sorted(jvms);
        quiet = quiet == null ? Quiet.NONE : quiet;
        libraries = sorted(libraries);
        servers = sorted(servers);
        links = List.copyOf(links);
        measuredLinks = measuredLinks == null ? new TreeMap<>() : sorted(measuredLinks);
        datasets = List.copyOf(datasets);
        stores = List.copyOf(stores);
        // not there in what was written before runs could go on
        resumedAt = resumedAt == null ? List.of() : List.copyOf(resumedAt);
        precision = precision == null ? List.of() : List.copyOf(precision);
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
     * @param samples number of samples that a whole run has; more when forks are added for precision
     * @param servers of each block the name of its server in {@link Manifest#servers}; none in a manifest from before a study could
     *     have several
     */
    public record Plan(
            List<String> trials,
            int blocks,
            long samples,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> servers) {

        public Plan {
            trials = List.copyOf(trials);
            servers = servers == null ? List.of() : List.copyOf(servers);
            if (!servers.isEmpty() && servers.size() != blocks) {
                throw new IllegalArgumentException("servers of " + servers.size() + " blocks, of " + blocks);
            }
        }

        /** A plan that does not tell the servers of its blocks. */
        public Plan(List<String> trials, int blocks, long samples) {
            this(trials, blocks, samples, List.of());
        }
    }

    /**
     * A kind of JVM that measured.
     *
     * @param flags as given, with the values of system properties left out
     */
    public record Jvm(String vendor, String version, List<String> flags) {

        public Jvm {
            flags = List.copyOf(flags);
        }

        /** A JVM that measures with those flags, of which no secret is kept. */
        public static Jvm of(String vendor, String version, List<String> flags) {
            return new Jvm(
                    vendor,
                    version,
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
     * What was done against noise, and what of it was seen beforehand.
     *
     * @param pin the processors that the measuring JVMs and the server were held to, as read back
     * @param keptAwake the processors that each had a spinning thread of policy SCHED_IDLE, as read back; empty if none was
     *     asked for
     * @param warnings what disturbed before anything was measured
     */
    public record Quiet(Pin pin, Optional<CpuList> keptAwake, List<Finding> warnings) {

        public static final Quiet NONE = new Quiet(Pin.NONE, Optional.empty(), List.of());

        public Quiet {
            Objects.requireNonNull(pin, "pin");
            Objects.requireNonNull(keptAwake, "keptAwake");
            warnings = List.copyOf(warnings);
        }

        /** What a run that goes on has to do likewise. */
        public Precautions precautions() {
            return new Precautions(pin, keptAwake.isPresent());
        }
    }

    /**
     * A server that was measured, as it described itself.
     *
     * @param kind how it came to be: {@code embedded}, {@code mysqld}, {@code address}
     * @param product {@code MySQL}, {@code MariaDB}
     * @param version as the server says
     * @param comment the server's {@code version_comment}
     * @param variables read back while it ran; only those of {@link ShownVariables}, so that nothing here names the server or its host
     * @param proxy what was recognised between client and server; empty where nothing was
     * @param cluster of an SQL node: see {@link dev.blobmark.lab.server.ServerIdentity#cluster}
     */
    public record MeasuredServer(
            String kind,
            String product,
            String version,
            String comment,
            SortedMap<String, String> variables,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<String> proxy,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) SortedMap<String, String> cluster) {

        public MeasuredServer {
            variables = Collections.unmodifiableSortedMap(ShownVariables.of(variables));
            // a Redis says which program it is by its path
            comment = comment.substring(comment.lastIndexOf('/') + 1);
            proxy = proxy == null ? Optional.empty() : proxy;
            cluster = cluster == null ? new TreeMap<>() : sorted(cluster);
        }

        /** Nothing between client and server. */
        public MeasuredServer(
                String kind, String product, String version, String comment, SortedMap<String, String> variables) {
            this(kind, product, version, comment, variables, Optional.empty(), new TreeMap<>());
        }

        /** The variables that bear on results: all but the version, which is told by itself. */
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
     * @param id as in the study; with {@code rows=50000} after it where so many were asked for
     * @param size length of each in bytes; empty where the sizes are the dataset's own
     * @param digest SHA-256 over the values
     * @param distribution of the sizes in bytes: {@code min}, {@code p50}, {@code max} and so on
     */
    public record MeasuredDataset(
            String id, OptionalLong size, int count, String digest, SortedMap<String, Long> distribution) {

        /** The id of the dataset that a trial with such levels takes its values from, with the rows that it is asked for. */
        public static Optional<String> idOf(Levels levels) {
            String rows = Rows.FACTOR.of(levels).isPresent() ? " rows=" + Rows.FACTOR.levelIn(levels) : "";
            return levels.find("dataset").map(dataset -> dataset + rows);
        }

        public MeasuredDataset {
            distribution = sorted(distribution);
        }
    }

    /**
     * What a table or set was loaded with.
     *
     * @param server by its name among the servers
     * @param table its name
     * @param ddl the statement or commands that made it
     * @param verified what the server reported of it
     */
    public record LoadedStore(
            String server,
            Levels factors,
            String table,
            String ddl,
            SortedMap<String, String> verified,
            @JsonUnwrapped Amount amount,
            @JsonUnwrapped Placement placement) {

        public LoadedStore {
            verified = sorted(verified);
        }
    }

    /**
     * How much a store was loaded with.
     *
     * @param applicationBytes of the values as the application sees them
     * @param storedBytes of the values as encoded
     * @param diskBytes of its file; empty where it has none, or the server does not report it
     * @param diskUsedBytes of the pages of that file that are in use; empty where they cannot be counted
     * @param encodedBytesPerS application bytes that one core encoded in a second of its time, when the values were made; empty
     *     where they are not encoded
     */
    public record Amount(
            long rows,
            long applicationBytes,
            long storedBytes,
            OptionalLong diskBytes,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalLong diskUsedBytes,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalDouble encodedBytesPerS) {

        public Amount {
            diskUsedBytes = diskUsedBytes == null ? OptionalLong.empty() : diskUsedBytes;
            encodedBytesPerS = encodedBytesPerS == null ? OptionalDouble.empty() : encodedBytesPerS;
        }

        /** All of some values. */
        public static Amount of(EncodedValues values, DiskSpace disk) {
            return new Amount(
                    values.count(),
                    values.applicationBytes(),
                    values.storedBytes(),
                    disk.allocatedBytes(),
                    disk.usedBytes(),
                    values.encodedBytesPerSecond());
        }

        /** A table that has no row yet, of those values. */
        public static Amount none(EncodedValues values, DiskSpace disk) {
            return new Amount(0, 0, 0, disk.allocatedBytes(), disk.usedBytes(), values.encodedBytesPerSecond());
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
     * What an emulated link delivered on this machine.
     *
     * @param bytesPerS from the server's side, over one connection
     * @param roundTripNs median of a small request
     * @param loopbackBytesPerS without the link
     * @param loopbackRoundTripNs likewise
     * @param sustained whether both were what the link should have
     */
    public record MeasuredLink(
            double bytesPerS, long roundTripNs, double loopbackBytesPerS, long loopbackRoundTripNs, boolean sustained) {

        static MeasuredLink of(Delivery delivery) {
            return new MeasuredLink(
                    delivery.bytesPerSecond(),
                    delivery.roundTrip().toNanos(),
                    delivery.loopback().bytesPerSecond(),
                    delivery.loopback().roundTrip().toNanos(),
                    delivery.isSustained());
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
            String blobmark,
            Instant startedAt,
            Study study,
            Plan plan,
            Map<String, Jvm> jvms,
            Map<String, String> libraries) {
        return new Manifest(
                SCHEMA,
                blobmark,
                State.RUNNING,
                startedAt,
                Optional.empty(),
                study,
                plan,
                Host.read(),
                new TreeMap<>(jvms),
                Quiet.NONE,
                new TreeMap<>(libraries),
                new TreeMap<>(),
                study.conditions().stream()
                        .flatMap(block -> block.levels().getOrDefault("link", List.of()).stream())
                        .distinct()
                        .toList(),
                new TreeMap<>(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    public Manifest with(String server, MeasuredServer measured) {
        return changed(now -> {
            now.servers = new TreeMap<>(servers);
            now.servers.put(server, measured);
        });
    }

    public Manifest with(Delivery delivery) {
        return changed(now -> {
            now.measuredLinks = new TreeMap<>(measuredLinks);
            now.measuredLinks.put(delivery.link().toString(), MeasuredLink.of(delivery));
        });
    }

    public Manifest with(Quiet how) {
        return changed(now -> now.quiet = how);
    }

    public Manifest with(MeasuredDataset dataset) {
        return changed(now -> now.datasets = plus(datasets, dataset));
    }

    /** A store that a resumed run has loaded once more is there already, and stays as it was. */
    public Manifest with(LoadedStore store) {
        boolean isThere = stores.stream()
                .anyMatch(other ->
                        other.server().equals(store.server()) && other.factors().equals(store.factors()));
        return isThere ? this : changed(now -> now.stores = plus(stores, store));
    }

    /** What has become of the precision under some conditions; replaces what was there of them. */
    public Manifest withPrecision(List<ConditionPrecision> some) {
        Set<Levels> conditions =
                some.stream().map(ConditionPrecision::condition).collect(Collectors.toSet());
        List<ConditionPrecision> all = new ArrayList<>(precision);
        all.removeIf(old -> conditions.contains(old.condition()));
        all.addAll(some);
        return changed(now -> now.precision = all);
    }

    /**
     * A whole run has so many samples.
     *
     * @param longer the study, of which nothing but how long to measure may have changed
     */
    public Manifest planning(Study longer, long samples) {
        return planning(samples).changed(now -> now.study = longer);
    }

    /** A whole run has so many samples. */
    public Manifest planning(long samples) {
        return changed(now -> now.plan = new Plan(plan.trials(), plan.blocks(), samples, plan.servers()));
    }

    /** The run has come to its end, one way or another. */
    public Manifest ended(State how, Instant at) {
        return changed(now -> {
            now.state = how;
            now.finishedAt = Optional.of(at);
        });
    }

    /** A run that had stopped goes on. */
    public Manifest resumed(Instant at) {
        return changed(now -> {
            now.state = State.RUNNING;
            now.finishedAt = Optional.empty();
            now.resumedAt = plus(resumedAt, at);
        });
    }

    /** The store that a sample was taken on, its trial's own before one that others share; none where it had no server. */
    public Optional<LoadedStore> storeOf(Sample sample) {
        Map<String, String> levels = sample.levels().byFactor();
        List<String> its = plan.servers();
        return stores.stream()
                .filter(store -> its.isEmpty()
                        || store.server().equals(StoreKinds.REDIS.word())
                        || store.server().equals(its.get(sample.block())))
                .filter(store ->
                        levels.entrySet().containsAll(store.factors().byFactor().entrySet()))
                .max(Comparator.comparingInt(store -> store.factors().byFactor().size()));
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

    /** This manifest as its file has it. */
    public String toJson() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    /** What changes while a run goes on. */
    private static final class Progress {
        private State state;
        private Optional<Instant> finishedAt;
        private Study study;
        private Plan plan;
        private Quiet quiet;
        private SortedMap<String, MeasuredServer> servers;
        private List<MeasuredDataset> datasets;
        private List<LoadedStore> stores;
        private List<Instant> resumedAt;
        private List<ConditionPrecision> precision;
        private SortedMap<String, MeasuredLink> measuredLinks;
    }

    private Manifest changed(Consumer<Progress> change) {
        Progress now = new Progress();
        now.state = state;
        now.finishedAt = finishedAt;
        now.study = study;
        now.plan = plan;
        now.quiet = quiet;
        now.servers = servers;
        now.measuredLinks = measuredLinks;
        now.datasets = datasets;
        now.stores = stores;
        now.resumedAt = resumedAt;
        now.precision = precision;
        change.accept(now);
        return new Manifest(
                schema,
                blobmark,
                now.state,
                startedAt,
                now.finishedAt,
                now.study,
                now.plan,
                host,
                jvms,
                now.quiet,
                libraries,
                now.servers,
                links,
                now.measuredLinks,
                now.datasets,
                now.stores,
                now.resumedAt,
                now.precision,
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
