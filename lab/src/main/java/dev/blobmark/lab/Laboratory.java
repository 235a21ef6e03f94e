package dev.blobmark.lab;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.SizeDistribution;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.engine.Fork;
import dev.blobmark.lab.engine.ForkPlan;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.Servers;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Table;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Runs a study from start to end: a server is started, blocks are encoded, loaded, measured by forks and dropped, and all
 * that was seen is in the run directory as soon as it is known.
 */
public final class Laboratory {

    /** For figures of a run on tables that fit; what does not is the business of the factor that will say so. */
    public static final long BUFFER_POOL_BYTES = 1L << 30;

    /** The name under which a study knows its MySQL server. */
    private static final String MYSQL = "mysql";

    private final Options options;
    private final Study study;
    private final List<Trial> trials;

    /** Why, for those that this platform has no library for. */
    private final Map<Trial, String> unavailable;

    private final List<Block> blocks;
    private final Costs costs;
    private final Listener listener;

    private Manifest manifest;
    private RunWriter run;
    private boolean anyFailed;
    private boolean anySaturated;
    private volatile boolean interrupted;
    private volatile Fork fork;

    /**
     * How to run, beside what the study says.
     *
     * @param server where the server comes from
     * @param cache for what outlives runs: encoded values, unpacked servers
     * @param forkMain the class that measuring JVMs start with; see {@link Fork#start}
     * @param forkFlags flags of the measuring JVMs
     * @param version of Blobmark, for the manifest
     */
    public record Options(Servers.Source server, Path cache, String forkMain, List<String> forkFlags, String version) {

        public Options {
            forkFlags = List.copyOf(forkFlags);
        }
    }

    public Laboratory(Study study, Options options, Listener listener) {
        this.study = study;
        this.options = options;
        this.listener = listener;
        trials = study.trials(Factors.VOCABULARY);
        unavailable = unavailable(trials);
        List<Trial> available =
                trials.stream().filter(trial -> !unavailable.containsKey(trial)).toList();
        blocks = Block.of(available, study.schedule().seed());
        costs = new Costs(study.schedule());
    }

    private static Map<Trial, String> unavailable(List<Trial> trials) {
        Map<String, Optional<String>> reasons = new HashMap<>();
        Map<Trial, String> unavailable = new LinkedHashMap<>();
        for (Trial trial : trials) {
            CodecFamily family = Codecs.family(StoredCodec.FACTOR.of(trial.levels()));
            reasons.computeIfAbsent(family.name(), name -> family.unavailable())
                    .ifPresent(reason -> unavailable.put(trial, reason));
        }
        return unavailable;
    }

    /** What running would do and take. Makes nothing but a few values to try the codecs on. */
    public Estimate estimate() {
        return Estimate.of(trials, blocks, study.schedule(), costs, sharedValues());
    }

    /** How a run ended. */
    public enum Ending {
        /** Every trial has its samples, or is not available here. */
        COMPLETE,
        /** At least one trial failed; the others have their samples. */
        TRIAL_FAILED,
        /** No trial failed, but at least one was offered more operations than could be done in time. */
        RATE_NOT_REACHED,
        /** {@link #interrupt} was called; the samples until then are there. */
        INTERRUPTED
    }

    /**
     * Runs the study into an empty run directory. To be called once.
     *
     * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
     */
    public Ending run(RunDirectory directory) throws IOException, SQLException, InterruptedException {
        try (RunWriter writer = directory.writer()) {
            run = writer;
            Manifest.State state = Manifest.State.FAILED;
            manifest = Manifest.begin(
                    options.version(),
                    Instant.now().truncatedTo(ChronoUnit.MILLIS),
                    study,
                    new Manifest.Plan(
                            trials.stream().map(Trial::id).toList(),
                            blocks.size(),
                            (long) (trials.size() - unavailable.size())
                                            * study.schedule().rounds()
                                    + unavailable.size()),
                    Manifest.Jvm.like(options.forkFlags()),
                    libraries());
            run.write(manifest);
            try {
                listener.started(directory.path(), estimate().total());
                runBlocks();
                state = Manifest.State.FINISHED;
            } catch (StoppedException e) {
                state = Manifest.State.INTERRUPTED;
            } catch (ServerException e) {
                // a server that was just starting is stopped by the end of the JVM
                if (!interrupted) {
                    throw e;
                }
                state = Manifest.State.INTERRUPTED;
            } finally {
                run.write(manifest.ended(state, Instant.now().truncatedTo(ChronoUnit.MILLIS)));
            }
            return state == Manifest.State.INTERRUPTED
                    ? Ending.INTERRUPTED
                    : anyFailed ? Ending.TRIAL_FAILED : anySaturated ? Ending.RATE_NOT_REACHED : Ending.COMPLETE;
        }
    }

    /** Makes {@link #run} end soon, with what it has. May be called from any thread, a shutdown hook among them. */
    public void interrupt() {
        interrupted = true;
        Fork running = fork;
        if (running != null) {
            running.close();
        }
    }

    /** Thrown on the run's own thread, to leave whatever it is in when it has been interrupted. */
    private static final class StoppedException extends RuntimeException {}

    private void stopIfInterrupted() {
        if (interrupted) {
            throw new StoppedException();
        }
    }

    private void runBlocks() throws IOException, SQLException, InterruptedException {
        boolean tls = trials.stream().anyMatch(t -> Block.usesTable(t) && Tls.FACTOR.of(t.levels()) == Tls.ON);
        listener.doing("starting the server");
        try (Server server = options.server()
                        .open(
                                options.cache(),
                                EmbeddedServer.Options.of(BUFFER_POOL_BYTES).withTls(tls));
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            stopIfInterrupted();
            ServerIdentity identity = ServerIdentity.read(connection);
            manifest = manifest.with(
                    MYSQL,
                    new Manifest.MeasuredServer(
                            server.kind(),
                            identity.product(),
                            identity.version(),
                            identity.versionComment(),
                            withoutHome(identity.variables())));
            run.write(manifest);
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE `" + Block.SCHEMA + "`");
            }
            listener.done(Costs.SERVER_START_SECONDS);
            unavailable.forEach(
                    (trial, reason) -> record(Sample.notMeasured(trial, 0, new Outcome.Unavailable(reason)), Map.of()));
            for (Block block : blocks) {
                Map<Block.Encoding, EncodedValues> values = encode(block, server.scratch());
                Map<Levels, Loaded> stores = load(block, values, server, connection);
                measure(block, values, stores, server);
                for (Loaded loaded : stores.values()) {
                    loaded.table.drop();
                }
                EncodedValues.prune(sharedValues());
            }
        }
    }

    /** A manifest is for showing around: it does not tell the paths of the user's home, which hold a name. */
    private static SortedMap<String, String> withoutHome(Map<String, String> variables) {
        String home = System.getProperty("user.home");
        TreeMap<String, String> shown = new TreeMap<>(variables);
        shown.replaceAll((name, value) -> value.startsWith(home + "/") ? "~" + value.substring(home.length()) : value);
        return shown;
    }

    private Path sharedValues() {
        return options.cache().resolve("values");
    }

    private Map<Block.Encoding, EncodedValues> encode(Block block, Path scratch) throws IOException {
        Map<Block.Source, Values> raw = new HashMap<>();
        Map<Block.Encoding, EncodedValues> encoded = new HashMap<>();
        for (Block.Encoding encoding : block.encodings()) {
            Block.Source source = encoding.source();
            // no copy of a user's own values outlives the run
            Path directory = source.kind().isPrivate() ? scratch : sharedValues();
            double expected = costs.encoding(encoding, directory);
            listener.doing("encoding " + encoding);
            Values values =
                    raw.computeIfAbsent(source, s -> s.values(study.schedule().seed()));
            EncodedValues done =
                    EncodedValues.of(values, StoredCodec.FACTOR.parse(encoding.codec()), directory, bytes -> {
                        stopIfInterrupted();
                        listener.done(expected * bytes / Math.max(1, values.totalLength()));
                    });
            if (encoding.isRaw()) {
                manifest = manifest.with(measured(source, values));
                raw.put(source, done.asValues(values.digest()));
            }
            encoded.put(encoding, done);
        }
        run.write(manifest);
        return encoded;
    }

    private static Manifest.MeasuredDataset measured(Block.Source source, Values values) {
        SizeDistribution sizes = values.sizes();
        TreeMap<String, Long> distribution = new TreeMap<>(Map.of(
                "min", (long) sizes.min(),
                "p10", (long) sizes.p10(),
                "p50", (long) sizes.median(),
                "p90", (long) sizes.p90(),
                "max", (long) sizes.max(),
                "total", sizes.total()));
        sizes.skipped().forEach((reason, count) -> distribution.put("skipped, " + reason, (long) count));
        return new Manifest.MeasuredDataset(
                source.dataset(),
                source.size() == 0 ? OptionalLong.empty() : OptionalLong.of(source.size()),
                values.count(),
                values.digest(),
                distribution);
    }

    private record Loaded(Table table, String name, OptionalLong diskBytes) {}

    /** Makes and fills the tables of a block. The trials of one that cannot be had are recorded as failed. */
    private Map<Levels, Loaded> load(
            Block block, Map<Block.Encoding, EncodedValues> encoded, Server server, Connection connection)
            throws SQLException {
        Map<Levels, Loaded> loaded = new LinkedHashMap<>();
        for (Levels store : block.stores()) {
            listener.doing("loading " + Block.Encoding.of(store) + " into a table, "
                    + Layout.FACTOR.of(store).id());
            String name = block.tableName(store);
            EncodedValues values = encoded.get(Block.Encoding.of(store));
            Table table = new Table(connection, Block.SCHEMA, name, Layout.FACTOR.of(store), Column.FACTOR.of(store));
            double expected = costs.loading(store);
            try {
                Map<String, String> verified = table.create();
                table.load(values, bytes -> {
                    stopIfInterrupted();
                    listener.done(expected * bytes / Math.max(1, values.storedBytes()));
                });
                OptionalLong diskBytes = OptionalLong.of(table.flushedDiskBytes());
                table.readBack(values);
                manifest = manifest.with(new Manifest.LoadedStore(
                        MYSQL,
                        store,
                        name,
                        block.ddl(store),
                        new TreeMap<>(verified),
                        values.count(),
                        values.applicationBytes(),
                        values.storedBytes(),
                        diskBytes));
                loaded.put(store, new Loaded(table, name, diskBytes));
            } catch (DowngradeException | WrongValueException | SQLException e) {
                if (!connection.isValid(5)) {
                    throw e;
                }
                table.drop();
                for (Trial trial : block.trials()) {
                    if (Block.usesTable(trial) && Block.store(trial).equals(store)) {
                        record(Sample.notMeasured(trial, block.number(), new Outcome.Failed(e.getMessage())), Map.of());
                    }
                }
            }
        }
        run.write(manifest);
        return loaded;
    }

    private void measure(
            Block block, Map<Block.Encoding, EncodedValues> values, Map<Levels, Loaded> stores, Server server)
            throws IOException, InterruptedException {
        List<ForkPlan.PlannedTrial> planned = new ArrayList<>();
        for (Trial trial : block.trials()) {
            String file = values.get(Block.Encoding.of(trial.levels())).path().toString();
            if (!Block.usesTable(trial)) {
                planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.empty()));
            } else if (stores.containsKey(Block.store(trial))) {
                Loaded loaded = stores.get(Block.store(trial));
                ForkPlan.Place place =
                        new ForkPlan.Place(server.endpoint(), Block.SCHEMA, loaded.name, loaded.diskBytes);
                planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.of(place)));
            }
        }
        if (planned.isEmpty()) {
            return;
        }
        for (ForkPlan plan : ForkPlan.spread(block.number(), study.schedule(), planned)) {
            measure(plan);
        }
    }

    private void measure(ForkPlan plan) throws IOException, InterruptedException {
        listener.done(Costs.FORK_SECONDS);
        Path errors = Files.createTempFile("blobmark-fork-", ".log");
        try (Fork running = Fork.start(plan, options.forkMain(), options.forkFlags(), errors)) {
            fork = running;
            stopIfInterrupted();
            running.forEach(
                    trial -> listener.doing("measuring " + trial.method() + " (" + trial.condition() + ")"),
                    (trial, sample, latency) -> {
                        record(sample, latency);
                        listener.done(costs.measuring(trial));
                    });
        } catch (IOException e) {
            stopIfInterrupted();
            throw e;
        } finally {
            fork = null;
            Files.deleteIfExists(errors);
        }
    }

    private void record(Sample sample, Map<String, Histogram> latency) {
        run.append(sample, latency);
        anyFailed |= sample.outcome() instanceof Outcome.Failed;
        anySaturated |= sample.outcome() instanceof Outcome.Saturated;
        listener.measured(sample);
    }

    /** Versions of what takes part in a measurement. */
    private static Map<String, String> libraries() {
        Map<String, String> versions = new TreeMap<>();
        Codecs.all().forEach(codec -> versions.put("codec " + codec.name(), codec.library()));
        for (Driver driver : Driver.values()) {
            versions.put("driver " + driver, driver.version());
        }
        return versions;
    }
}
