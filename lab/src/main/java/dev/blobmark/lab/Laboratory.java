package dev.blobmark.lab;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.SizeDistribution;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.engine.Fork;
import dev.blobmark.lab.engine.ForkPlan;
import dev.blobmark.lab.engine.Jvm;
import dev.blobmark.lab.engine.Launch;
import dev.blobmark.lab.engine.Processes;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.machine.SystemTree;
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
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Runs a study from start to end: a server is started, blocks are encoded, loaded, measured by forks and dropped, and all
 * that was seen is in the run directory as soon as it is known. A run that was stopped goes on from what is there.
 */
public final class Laboratory {

    /** For figures of a run on tables that fit; what does not is the business of the factor that will say so. */
    public static final long BUFFER_POOL_BYTES = 1L << 30;

    /** The name under which a study knows its MySQL server. */
    private static final String MYSQL = "mysql";

    /** The block that trials of none are counted to. */
    private static final int FIRST_BLOCK = 0;

    private final Options options;
    private final Study study;
    private final List<Trial> trials;

    /** Why, for those that this platform has no library for. */
    private final Map<Trial, String> unavailable;

    private final List<Block> blocks;
    private final Costs costs;
    private final Listener listener;

    private SortedMap<String, Manifest.Jvm> jvms;
    private Manifest manifest;
    private RunWriter run;
    private Agenda agenda;
    private boolean anyFailed;
    private boolean anySaturated;
    private Optional<KeepAwake> awake = Optional.empty();

    /** Whether anything has been written: not before the server of a run that goes on has turned out to be the same. */
    private boolean isGoing;

    /** What to tell of the samples that are measured now; empty but in a fork that was stopped before. */
    private Optional<String> restart = Optional.empty();

    private volatile boolean interrupted;
    private volatile Fork fork;

    /**
     * How to run, beside what the study says.
     *
     * @param server where the server comes from
     * @param cache for what outlives runs: encoded values, unpacked servers
     * @param forkMain the class that measuring JVMs start with; see {@link Launch}
     * @param forkFlags flags of the measuring JVMs
     * @param version of Blobmark, for the manifest
     * @param forkPrefix words before the command of a measuring JVM, for what starts it in its own place
     * @param precautions against noise
     */
    public record Options(
            Servers.Source server,
            Path cache,
            String forkMain,
            List<String> forkFlags,
            String version,
            List<String> forkPrefix,
            Precautions precautions) {

        public Options {
            forkFlags = List.copyOf(forkFlags);
            forkPrefix = List.copyOf(forkPrefix);
            Objects.requireNonNull(precautions, "precautions");
        }

        /** Without words before the command, and without precautions. */
        public Options(Servers.Source server, Path cache, String forkMain, List<String> forkFlags, String version) {
            this(server, cache, forkMain, forkFlags, version, List.of(), Precautions.NONE);
        }

        public Options with(Precautions others) {
            return new Options(server, cache, forkMain, forkFlags, version, forkPrefix, others);
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
        return estimate(List.of());
    }

    /** What going on with a run would do and take. */
    public Estimate estimate(RunDirectory directory) {
        return estimate(directory.samples());
    }

    private Estimate estimate(List<Sample> samples) {
        return Estimate.of(trials, blocks, new Agenda(study, blocks, samples), study.schedule(), costs, sharedValues());
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
            begin(writer, List.of());
            manifest = begun();
            run.write(manifest);
            isGoing = true;
            return carryOut();
        }
    }

    /**
     * Goes on with a run of the same study that was stopped, killed or failed: what has been measured is kept, and what is
     * missing is measured by forks of the same numbers. Nothing is done if the run had finished. To be called once.
     *
     * @throws dev.blobmark.lab.run.RunException if plan, server, host, JVM or libraries are not what they were, or another
     *     process writes the run; the run is left as it is then
     * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
     */
    public Ending resume(RunDirectory directory) throws IOException, SQLException, InterruptedException {
        try (RunWriter writer = directory.writer()) {
            Manifest was = directory.manifest();
            begin(writer, directory.samples());
            if (was.state() == Manifest.State.FINISHED) {
                return ending();
            }
            Continuation.requireSame(directory, was, begun());
            manifest = was.planning(planned());
            return carryOut();
        }
    }

    private void begin(RunWriter writer, List<Sample> samples) {
        run = writer;
        agenda = new Agenda(study, blocks, samples);
        anyFailed = samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Failed);
        anySaturated = samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Saturated);
    }

    /** The manifest of a run that begins here and now. */
    private Manifest begun() throws InterruptedException {
        return Manifest.begin(
                options.version(),
                now(),
                study,
                new Manifest.Plan(trials.stream().map(Trial::id).toList(), blocks.size(), planned()),
                jvms(),
                libraries());
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private long planned() {
        return agenda.planned() + unavailable.size();
    }

    private Ending carryOut() throws IOException, SQLException, InterruptedException {
        Manifest.State state = Manifest.State.FAILED;
        try {
            Estimate estimate = estimate(run.directory().samples());
            listener.started(run.directory().path(), estimate.total());
            runBlocks(new Checkup(
                    SystemTree.HERE, options.cache(), run.directory().path(), estimate.need(study.name())));
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
            if (isGoing) {
                run.write(manifest.ended(state, now()));
            }
        }
        if (state == Manifest.State.FINISHED && study.schedule().untilPrecise().isPresent()) {
            listener.precise(manifest.precision());
        }
        return state == Manifest.State.INTERRUPTED ? Ending.INTERRUPTED : ending();
    }

    private Ending ending() {
        return anyFailed ? Ending.TRIAL_FAILED : anySaturated ? Ending.RATE_NOT_REACHED : Ending.COMPLETE;
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

    private void runBlocks(Checkup checkup) throws IOException, SQLException, InterruptedException {
        Checkup.Load load = checkup.load();
        try (KeepAwake started = options.precautions().keepAwake() ? KeepAwake.start() : null) {
            awake = Optional.ofNullable(started);
            manifest = manifest.with(quiet(List.of()));
            if (isGoing) {
                run.write(manifest);
            }
            runBlocks(checkup, load);
        }
    }

    private void runBlocks(Checkup checkup, Checkup.Load load) throws IOException, SQLException, InterruptedException {
        Pin pin = options.precautions().pin();
        boolean tls = trials.stream().anyMatch(t -> Block.usesTable(t) && Tls.FACTOR.of(t.levels()) == Tls.ON);
        listener.doing("starting the server");
        try (Server server = options.server()
                        .open(
                                options.cache(),
                                EmbeddedServer.Options.of(BUFFER_POOL_BYTES)
                                        .withTls(tls)
                                        .withPrefix(pin.serverPrefix()));
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            stopIfInterrupted();
            verifyPlace(server);
            List<Finding> warnings = checkup.beforeRun(load);
            listener.warned(warnings);
            manifest = manifest.with(quiet(warnings));
            meet(server, ServerIdentity.read(connection));
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE `" + Block.SCHEMA + "`");
            }
            listener.done(Costs.SERVER_START_SECONDS);
            unavailable.forEach((trial, reason) -> {
                if (!agenda.has(FIRST_BLOCK, trial, 0)) {
                    record(Sample.notMeasured(trial, FIRST_BLOCK, new Outcome.Unavailable(reason)), Map.of());
                }
            });
            for (Block block : blocks) {
                Block left = block.only(agenda.left(block).rounds().keySet());
                if (!left.trials().isEmpty()) {
                    Map<Block.Encoding, EncodedValues> values = encode(left, server.scratch());
                    Map<Levels, Loaded> stores = load(left, values, server, connection);
                    measure(block, planned(left, values, stores, server), new OwnTables(connection, block, values));
                    for (Loaded loaded : stores.values()) {
                        loaded.table.drop();
                    }
                    EncodedValues.prune(sharedValues());
                }
                manifest = manifest.withPrecision(agenda.precision(block));
            }
        }
    }

    private void verifyPlace(Server server) {
        Pin pin = options.precautions().pin();
        if (server instanceof EmbeddedServer own) {
            pin.verifyServer(own.pid());
        } else if (pin.server().isPresent()) {
            throw new IllegalArgumentException("--pin server=…: Blobmark did not start this server (" + server.kind()
                    + "); pin it where it was started, and leave this out");
        }
    }

    private Manifest.Quiet quiet(List<Finding> warnings) {
        return new Manifest.Quiet(options.precautions().pin(), awake.map(KeepAwake::cpus), warnings);
    }

    /** Takes down which server it is; that of a run that goes on must be the one that it had. */
    private void meet(Server server, ServerIdentity identity) {
        Manifest.MeasuredServer measured = new Manifest.MeasuredServer(
                server.kind(),
                identity.product(),
                identity.version(),
                identity.versionComment(),
                withoutHome(identity.variables()));
        Manifest.MeasuredServer before = manifest.servers().get(MYSQL);
        if (before == null) {
            manifest = manifest.with(MYSQL, measured);
        } else {
            Continuation.requireSame(run.directory(), MYSQL, before, measured);
        }
        if (!isGoing) {
            manifest = manifest.resumed(now());
            isGoing = true;
        }
        run.write(manifest);
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
                note(measured(source, values));
                raw.put(source, done.asValues(values.digest()));
            }
            encoded.put(encoding, done);
        }
        run.write(manifest);
        return encoded;
    }

    /** The values of a run that goes on are made once more, and must be those that it had. */
    private void note(Manifest.MeasuredDataset dataset) {
        Optional<Manifest.MeasuredDataset> before = manifest.datasets().stream()
                .filter(other -> other.id().equals(dataset.id()) && other.size().equals(dataset.size()))
                .findFirst();
        if (before.isEmpty()) {
            manifest = manifest.with(dataset);
        } else {
            Continuation.requireSame(run.directory(), before.get(), dataset);
        }
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
                source.dataset() + (source.rows() == 0 ? "" : " rows=" + source.rows()),
                source.size() == 0 ? OptionalLong.empty() : OptionalLong.of(source.size()),
                values.count(),
                values.digest(),
                distribution);
    }

    private record Loaded(Table table, String name, OptionalLong diskBytes) {}

    /** Makes and fills the tables that trials of a block share. The trials of one that cannot be had are recorded as failed, each once. */
    private Map<Levels, Loaded> load(
            Block block, Map<Block.Encoding, EncodedValues> encoded, Server server, Connection connection)
            throws SQLException {
        Map<Levels, Loaded> loaded = new LinkedHashMap<>();
        for (Levels store : block.shared()) {
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
                Outcome failed = new Outcome.Failed(e.getMessage());
                for (Trial trial : block.trials()) {
                    if (Block.usesTable(trial)
                            && Block.store(trial).equals(store)
                            && !agenda.has(block, trial, failed)) {
                        record(Sample.notMeasured(trial, block.number(), failed), Map.of());
                    }
                }
            }
        }
        run.write(manifest);
        return loaded;
    }

    /** The trials that can be measured: all but those whose table could not be had. */
    private static List<ForkPlan.PlannedTrial> planned(
            Block block, Map<Block.Encoding, EncodedValues> values, Map<Levels, Loaded> stores, Server server) {
        List<ForkPlan.PlannedTrial> planned = new ArrayList<>();
        for (Trial trial : block.trials()) {
            String file = values.get(Block.Encoding.of(trial.levels())).path().toString();
            if (!Block.usesTable(trial)) {
                planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.empty()));
            } else if (Block.hasOwnTable(trial) || stores.containsKey(Block.store(trial))) {
                Loaded loaded = stores.get(Block.store(trial));
                ForkPlan.Place place = new ForkPlan.Place(
                        server.endpoint(),
                        Block.SCHEMA,
                        block.tableName(Block.store(trial)),
                        loaded == null ? OptionalLong.empty() : loaded.diskBytes);
                planned.add(new ForkPlan.PlannedTrial(trial, file, Optional.of(place)));
            }
        }
        return planned;
    }

    /** Runs the forks of a block, as many as turn out to be needed; of one that was stopped, what is left of it. */
    private void measure(Block block, List<ForkPlan.PlannedTrial> planned, OwnTables tables)
            throws IOException, InterruptedException {
        int expected = agenda.forksWanted(block, 0);
        Set<Trial> due;
        for (int fork = 0; !(due = agenda.due(block, fork)).isEmpty(); fork++) {
            Set<Trial> its = due;
            List<Integer> rounds = study.schedule().roundsOf(fork);
            ForkPlan plan = ForkPlan.of(
                    block.number(),
                    fork,
                    study.schedule(),
                    planned,
                    (trial, round) -> its.contains(trial) && !agenda.has(block, trial, round));
            if (plan.rounds().isEmpty()) {
                continue;
            }
            int wanted = agenda.forksWanted(block, fork);
            if (wanted > expected) {
                listener.added((wanted - expected) * expectedSeconds(plan));
                expected = wanted;
            }
            if (fork >= study.schedule().forks() && !agenda.hasBegun(block, fork)) {
                long added = (long) its.size() * rounds.size();
                manifest = manifest.planning(manifest.plan().samples() + added);
                run.write(manifest);
            }
            boolean isPartlyDone = planned.stream()
                    .map(ForkPlan.PlannedTrial::trial)
                    .filter(its::contains)
                    .anyMatch(trial -> rounds.stream().anyMatch(round -> agenda.has(block, trial, round)));
            restart = isPartlyDone ? Optional.of("fork " + fork + " was stopped and restarted") : Optional.empty();
            measure(plan, tables);
            restart = Optional.empty();
        }
    }

    private double expectedSeconds(ForkPlan plan) {
        return forkSeconds(plan)
                + plan.rounds().stream()
                        .flatMap(round -> round.order().stream())
                        .mapToDouble(number ->
                                costs.measuring(plan.trials().get(number).trial()))
                        .sum();
    }

    private static double forkSeconds(ForkPlan plan) {
        return Costs.FORK_SECONDS
                * Processes.startedFor(
                        plan.trials().stream().map(ForkPlan.PlannedTrial::trial).toList());
    }

    private void measure(ForkPlan plan, OwnTables tables) throws IOException, InterruptedException {
        listener.done(forkSeconds(plan));
        Pin pin = options.precautions().pin();
        List<String> prefix = Stream.concat(pin.clientPrefix().stream(), options.forkPrefix().stream())
                .toList();
        Launch launch = new Launch(options.forkMain(), prefix, options.forkFlags());
        try (Fork running = new Fork(plan, launch)) {
            fork = running;
            stopIfInterrupted();
            running.forEach(
                    trial -> {
                        awake.ifPresent(KeepAwake::verifyAlive);
                        prepare(trial, tables);
                        listener.doing("measuring " + trial.method() + " (" + trial.condition() + ")");
                    },
                    (trial, sample, latency) -> {
                        running.pids().forEach(pin::verifyClient);
                        finish(trial, sample, latency, plan, tables);
                        listener.done(costs.measuring(trial));
                    });
        } catch (IOException e) {
            stopIfInterrupted();
            throw e;
        } finally {
            fork = null;
        }
    }

    /** Puts the table that a writing trial begins with in its place. */
    private void prepare(Trial trial, OwnTables tables) {
        if (!Block.hasOwnTable(trial)) {
            return;
        }
        listener.doing("making the table of " + trial.method() + " (" + trial.condition() + ")");
        try {
            Manifest before = manifest;
            manifest = manifest.with(tables.prepare(MYSQL, trial, bytes -> stopIfInterrupted()));
            if (manifest != before) {
                run.write(manifest);
            }
        } catch (DowngradeException | WrongValueException | SQLException e) {
            tables.requireServer(e);
            throw new Fork.NotReadyException(e.getMessage(), e);
        }
    }

    /** Takes down what a trial gave; what a writing one has left is looked through first. */
    private void finish(Trial trial, Sample sample, Map<String, Histogram> latency, ForkPlan plan, OwnTables tables) {
        if (!Block.hasOwnTable(trial)) {
            record(sample, latency);
            return;
        }
        try {
            record(tables.finish(trial, sample, plan.seedOf(trial, sample.round())), latency);
        } catch (WrongValueException | SQLException e) {
            tables.requireServer(e);
            Outcome failed = new Outcome.Failed(e.getMessage());
            record(Sample.notMeasured(trial, sample.block(), sample.fork(), sample.round(), failed), Map.of());
        }
    }

    private void record(Sample measured, Map<String, Histogram> latency) {
        Sample sample = restart.map(measured::withEvent).orElse(measured);
        run.append(sample, latency);
        agenda.add(sample);
        anyFailed |= sample.outcome() instanceof Outcome.Failed;
        anySaturated |= sample.outcome() instanceof Outcome.Saturated;
        listener.measured(sample);
    }

    /**
     * The JVMs that the study measures with, each started once to see that it can be.
     *
     * @throws IllegalArgumentException if one cannot measure, with the reason and the mend
     */
    public SortedMap<String, Manifest.Jvm> jvms() throws InterruptedException {
        if (jvms != null) {
            return jvms;
        }
        SortedMap<String, Manifest.Jvm> found = new TreeMap<>();
        for (Jvm jvm : trials.stream()
                .map(trial -> Jvm.FACTOR.of(trial.levels()))
                .distinct()
                .toList()) {
            found.put(jvm.level(), jvm.inspect(options.forkFlags()));
        }
        jvms = found;
        return found;
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
