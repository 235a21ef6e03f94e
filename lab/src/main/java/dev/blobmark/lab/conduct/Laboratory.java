package dev.blobmark.lab.conduct;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.admission.Alarm;
import dev.blobmark.lab.admission.RedisSession;
import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.admission.Terms;
import dev.blobmark.lab.admission.WatchLostException;
import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.SizeDistribution;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.CpuShare;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.fork.Fork;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.CpuRival;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.machine.SystemTree;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.Environments;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.ForkSchedule;
import dev.blobmark.lab.plan.Jvm;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.directory.Scratch;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.DowngradeException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.Table;
import dev.blobmark.lab.store.UnavailableException;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.TrialNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Runs a study from start to end: a server is started, blocks are encoded, loaded, measured by forks and dropped, and all
 * that was seen is in the run directory as soon as it is known. A run that was stopped goes on from what is there.
 */
public final class Laboratory {

    /** The name under which a study knows its MySQL server. */
    private static final String MYSQL = "mysql";

    /** Fewer have no interval worth the name. */
    private static final int LEAST_PASSES = 3;

    /** The block that trials of none are counted to. */
    private static final int FIRST_BLOCK = 0;

    private final Options options;
    private final Study study;
    private final List<Trial> trials;

    /** Why, for those that this platform has no library for. */
    private final Map<Trial, String> unavailable;

    private final List<Block> blocks;
    private final TrialNames names;
    private final CostModel costs;
    private final Listener listener;

    private SortedMap<String, Manifest.Jvm> jvms;
    private Redaction redaction = Redaction.OF_THIS_MACHINE;
    private Manifest manifest;
    private RunWriter run;
    private ForkSchedule agenda;
    private boolean anyFailed;
    private boolean anySaturated;
    private Optional<KeepAwake> awake = Optional.empty();

    /** Whether anything has been written: not before the server of a run that goes on has turned out to be the same. */
    private boolean isGoing;

    /** What to tell of the samples that are measured now; empty but in a fork that was stopped before. */
    private Optional<String> restart = Optional.empty();

    /** The load that shares the server's processor, which its samples tell. */
    private Optional<CpuRival> beside = Optional.empty();

    /** By store: how the operating system contradicts what a server says of its file. */
    private final Map<Levels, String> doubts = new HashMap<>();

    /** By link: what it does not deliver on this machine. */
    private final Map<String, String> unsustained = new HashMap<>();

    /** Of the run, for values of the user's own. */
    private Scratch scratch;

    /** On the server that is running; none between two of them. */
    private ServerSession visit;

    /** On the Redis beside it, where a trial needs one. */
    private Optional<RedisSession> redis = Optional.empty();

    /** Of the block that is measured. */
    private TrialTables tables;

    private volatile boolean interrupted;

    /** For the sake of its server. */
    private volatile Optional<Stop> stop = Optional.empty();

    private volatile Fork fork;

    /** How often trials of the block are visited in a round of visits, those aside that are visited once. */
    private Map<Trial, Integer> visits = Map.of();

    private final Fork.Calm calm = new Fork.Calm() {
        @Override
        public void await(Trial trial) throws InterruptedException {
            awake.ifPresent(Block.writesToDisk(trial) ? KeepAwake::rest : KeepAwake::goOn);
            visit.awaitCalm(Laboratory.this::stopIfInterrupted);
        }

        @Override
        public Optional<String> disturbance() {
            return visit.disturbance();
        }

        @Override
        public List<Incident> incidents() {
            return visit.incidents();
        }

        @Override
        public void visited(List<Trial> open, int n, int rounds) {
            listener.doing("visiting " + open.size() + " trials in turns, round " + n + " of " + rounds);
            open.forEach(trial -> listener.done(costs.windows(trial, visits.getOrDefault(trial, 1)) / rounds));
        }
    };

    /**
     * How to run, beside what the study says.
     *
     * @param server where the server comes from
     * @param cache for what outlives runs: encoded values, unpacked servers
     * @param launch of measuring JVMs
     * @param version of Blobmark, for the manifest
     * @param precautions against noise
     * @param terms of the user for the server
     * @param datasets those that are not found by their names alone, by their ids
     * @param redis where the Redis comes from, if a trial needs one
     */
    public record Options(
            Servers.Source server,
            Path cache,
            Launch launch,
            String version,
            Precautions precautions,
            Terms terms,
            Map<String, Dataset> datasets,
            RedisServers.Source redis) {

        public Options {
            datasets = Map.copyOf(datasets);
            Objects.requireNonNull(redis, "redis");
            Objects.requireNonNull(precautions, "precautions");
            Objects.requireNonNull(terms, "terms");
        }

        /** Without precautions, and on the usual terms. */
        public Options(Servers.Source server, Path cache, Launch launch, String version) {
            this(server, cache, launch, version, Precautions.NONE, Terms.DEFAULT, Map.of(), RedisServers.EMBEDDED_ONE);
        }

        public Options with(Precautions others) {
            return new Options(server, cache, launch, version, others, terms, datasets, redis);
        }

        public Options with(Terms others) {
            return new Options(server, cache, launch, version, precautions, others, datasets, redis);
        }

        /** @param others by their ids */
        public Options with(Map<String, Dataset> others) {
            return new Options(server, cache, launch, version, precautions, terms, others, redis);
        }

        public Options with(RedisServers.Source other) {
            return new Options(server, cache, launch, version, precautions, terms, datasets, other);
        }
    }

    public Laboratory(Study study, Options options, Listener listener) {
        this.study = study;
        this.options = options;
        this.listener = listener;
        trials = study.trials(Factors.VOCABULARY);
        names = TrialNames.of(trials);
        costs = new CostModel(study.schedule(), trials, this::values);
        unavailable = unavailable();
        List<Trial> available =
                trials.stream().filter(trial -> !unavailable.containsKey(trial)).toList();
        blocks = Block.of(available, study.schedule().seed(), this::values);
        requireSuitable();
    }

    private Values values(Block.Source source) {
        Dataset dataset = options.datasets().getOrDefault(source.dataset(), source.kind());
        return source.values(dataset, study.schedule().seed());
    }

    private Map<Trial, String> unavailable() {
        Map<Object, Optional<String>> reasons = new HashMap<>();
        Map<Trial, String> unavailable = new LinkedHashMap<>();
        for (Trial trial : trials) {
            CodecFamily family = Codecs.family(StoredCodec.FACTOR.of(trial.levels()));
            reasons.computeIfAbsent(family.name(), name -> family.unavailable())
                    .or(() -> Block.usesTable(trial)
                            ? reasons.computeIfAbsent(
                                    Storage.FACTOR.of(trial.levels()), storage -> unavailable((Storage) storage))
                            : Optional.empty())
                    .or(() -> Block.isCold(trial)
                                    && (!options.server().isOwn()
                                            || options.server().isCluster())
                            ? Optional.of(
                                    "pool=cold: only a server that Blobmark starts can be started again before each"
                                            + " window; use --server embedded or --server mysqld")
                            : Optional.empty())
                    .or(() -> ClientKind.notApplicable(trial.levels()))
                    .or(() -> Block.usesTable(trial) && Block.isInRedis(trial.levels())
                            ? options.redis().lacking(Tls.FACTOR.of(trial.levels()) != Tls.OFF)
                            : Optional.empty())
                    .or(() -> Block.usesTable(trial)
                                    && !CpuShare.FACTOR.of(trial.levels()).isWhole()
                            ? reasons.computeIfAbsent(CpuShare.FACTOR, factor -> CpuRival.unavailable())
                            : Optional.empty())
                    .ifPresent(reason -> unavailable.put(trial, reason));
        }
        return unavailable;
    }

    /** A place of the user's own choice is there or is a mistake. */
    private Optional<String> unavailable(Storage storage) {
        if (!(storage.place(options.cache(), neededBytes(storage)) instanceof Storage.Place.Nowhere nowhere)) {
            return Optional.empty();
        }
        if (storage instanceof Storage.Directory) {
            throw new IllegalArgumentException("storage " + storage + ": " + nowhere.reason());
        }
        return Optional.of(nowhere.reason());
    }

    private void requireSuitable() {
        if (!options.server().isOwn() || options.server().isCluster()) {
            trials.stream()
                    .map(trial -> Environments.unusual(
                            trial.levels(), options.server().isCluster()))
                    .filter(unusual -> !unusual.isEmpty())
                    .findFirst()
                    .ifPresent(unusual -> {
                        throw new IllegalArgumentException(unusual
                                + ": only a server that Blobmark starts can be made so; use --server embedded or"
                                + " --server mysqld, or take these factors out and set the server up yourself");
                    });
        }
        List<Trial> onTables = trials.stream().filter(Block::usesTable).toList();
        if (options.server().isOwn()
                && !options.server().isCluster()
                && !onTables.isEmpty()
                && onTables.stream()
                        .allMatch(trial -> Layout.FACTOR.of(trial.levels()).isClustered())) {
            throw new IllegalArgumentException(
                    "all trials of " + study.name()
                            + " are on tables of a cluster, and the server is none: start one with --server ndb:DIR, where DIR has"
                            + " bin/ndb_mgmd, bin/ndbmtd and bin/mysqld, or name an SQL node of yours (--server mysql://USER@HOST:PORT/)");
        }
        if (!Block.needPasses(blocks)) {
            return;
        }
        Schedule schedule = study.schedule();
        String why = "the trials need servers of different environments ("
                + blocks.stream()
                        .map(Block::environment)
                        .map(environment -> environment.equals(Environment.USUAL) ? "usual" : environment.toString())
                        .distinct()
                        .limit(3)
                        .collect(Collectors.joining("; "))
                + "), and so are measured in passes, one fork of each in every one";
        if (schedule.forks() < LEAST_PASSES) {
            throw new IllegalArgumentException(why + ": at least " + LEAST_PASSES + " are needed to tell servers from"
                    + " starts of one, but the schedule has " + schedule.forks()
                    + " forks; give it more (--forks " + LEAST_PASSES + " --rounds " + LEAST_PASSES + ")");
        }
        if (schedule.addsForks()) {
            throw new IllegalArgumentException(
                    why + ": how many passes a precision, or a decision, needs is not known while blocks are"
                            + " measured in turns; leave precision and budget out and give more forks, or run each environment by itself");
        }
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
        ForkSchedule then = new ForkSchedule(study, blocks, samples);
        return Estimate.of(
                trials,
                blocks,
                then,
                study.schedule(),
                costs,
                sharedValues(),
                options.terms().schema());
    }

    /**
     * Checks a running server as a run does before it writes anything. Writes nothing to it, and encodes nothing.
     *
     * @param stopped the run that would go on; empty for a new one
     * @return what the user should know of, a line each
     * @throws dev.blobmark.lab.admission.AdmissionException with all that keeps the run from being let in
     * @throws dev.blobmark.lab.server.ServerException if the server cannot be reached
     */
    public List<String> inspect(Optional<RunDirectory> stopped) throws SQLException {
        agenda = new ForkSchedule(
                study, blocks, stopped.map(RunDirectory::samples).orElse(List.of()));
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        try (Server server = options.server().open(options.cache(), OwnServer.Options.smallest());
                Connection connection = Driver.connectForLoading(server.endpoint(), "");
                ServerSession checked = new ServerSession(server, connection, options.terms(), found::add)) {
            requireAllowed(server);
            ServerIdentity identity = ServerIdentity.read(connection);
            List<Block> left = left();
            LoadVolume cargo = costs.cargo(left);
            long longest = longestIn(identity);
            if (cargo.longestValueBytes() <= longest
                    && encodings(left).anyMatch(encoding -> costs.mayExceed(encoding, longest))) {
                found.add(
                        "whether the longest value fits into max_allowed_packet is known when the values are encoded");
            }
            checked.inspect(identity.variables(), cargo.withConnections(connections(server)));
        }
        return found;
    }

    private List<Integer> connections(Server server) {
        return Estimate.connections(
                study.schedule(), blocks, agenda, 1 + server.others().size());
    }

    private List<Block> left() {
        return blocks.stream()
                .map(block -> block.only(agenda.left(block).rounds().keySet()))
                .toList();
    }

    private static Stream<Block.Encoding> encodings(List<Block> left) {
        return left.stream()
                .flatMap(block -> block.used().stream())
                .map(Block.Encoding::of)
                .distinct();
    }

    private static long longestIn(ServerIdentity identity) {
        return Table.longestIn(Long.parseLong(identity.variables().get("max_allowed_packet")));
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
        INTERRUPTED,
        /** The server had more to do than the user's critical load; the samples until then are there. */
        CRITICAL_LOAD,
        /** The server's load, or the run's lock, could no longer be watched; the samples until then are there. */
        WATCH_LOST
    }

    /** Why a run ends before it is done. */
    private record Stop(Ending ending, String note) {}

    /** Ends the run, with what it has. */
    private final class EndOfRun implements Alarm {

        @Override
        public void critical(String excess) {
            end(new Stop(Ending.CRITICAL_LOAD, "ended by --critical-load: " + excess));
        }

        @Override
        public void lost(String reason) {
            end(new Stop(Ending.WATCH_LOST, "ended: " + reason));
        }

        private synchronized void end(Stop why) {
            if (stop.isEmpty()) {
                stop = Optional.of(why);
            }
            endFork();
        }
    }

    private final Alarm alarm = new EndOfRun();

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
     * missing is measured by forks of the same numbers. Nothing is done if the run had finished, unless the study is {@link #longer}. To be
     * called once.
     *
     * @throws dev.blobmark.lab.run.RunException if plan, server, host, JVM or libraries are not what they were, or another
     *     process writes the run; the run is left as it is then
     * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
     */
    public Ending resume(RunDirectory directory) throws IOException, SQLException, InterruptedException {
        try (RunWriter writer = directory.writer()) {
            Manifest was = directory.manifest();
            begin(writer, directory.samples());
            if (was.state() == Manifest.State.FINISHED && was.study().equals(study)) {
                return ending();
            }
            Resumption.requireSame(directory, was, begun());
            manifest = was.planning(study, planned());
            return carryOut();
        }
    }

    /** The study of a run that may be measured for so much longer, until all is decided or precise. */
    public static Study longer(RunDirectory directory, Duration time) {
        Study study = directory.manifest().study();
        Duration all = time.plusSeconds((long) Math.ceil(ForkSchedule.seconds(directory.samples())));
        Schedule schedule = study.schedule();
        return study.with(
                schedule.untilPrecise().isPresent() ? schedule.preciseWithin(all) : schedule.decidingWithin(all));
    }

    private void begin(RunWriter writer, List<Sample> samples) {
        run = writer;
        run.redact(redaction);
        agenda = new ForkSchedule(study, blocks, samples);
        anyFailed = samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Failed);
        anySaturated = samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Saturated);
    }

    /** The manifest of a run that begins here and now. */
    private Manifest begun() throws InterruptedException {
        return Manifest.begin(
                options.version(),
                now(),
                study,
                new Manifest.Plan(
                        trials.stream().map(Trial::id).toList(),
                        blocks.size(),
                        planned(),
                        blocks.stream()
                                .map(block -> serverName(block.environment()))
                                .toList()),
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
            stop.ifPresent(why -> listener.noted(why.note()));
        } catch (WatchLostException e) {
            alarm.lost(e.getMessage()); // which may be under way on the watch's thread
            state = Manifest.State.INTERRUPTED;
            listener.noted(stop.orElseThrow().note());
        } catch (ServerException | SQLException e) {
            // a server that was just starting is stopped by the end of the JVM, and one that hangs ends what waits for
            // it
            if (!interrupted && stop.isEmpty()) {
                throw e;
            }
            state = Manifest.State.INTERRUPTED;
            stop.ifPresent(why -> listener.noted(why.note()));
        } finally {
            if (isGoing) {
                run.write(manifest.ended(state, now()));
            }
        }
        if (state == Manifest.State.FINISHED && study.schedule().untilPrecise().isPresent()) {
            listener.precise(manifest.precision());
        }
        if (state != Manifest.State.INTERRUPTED) {
            return ending();
        }
        return stop.map(Stop::ending).orElse(Ending.INTERRUPTED);
    }

    private Ending ending() {
        return anyFailed ? Ending.TRIAL_FAILED : anySaturated ? Ending.RATE_NOT_REACHED : Ending.COMPLETE;
    }

    /** Makes {@link #run} end soon, with what it has. May be called from any thread, a shutdown hook among them. */
    public void interrupt() {
        interrupted = true;
        endFork();
    }

    private void endFork() {
        Fork running = fork;
        if (running != null) {
            running.close();
        }
    }

    /** Thrown on the run's own thread, to leave whatever it is in when it has been interrupted. */
    private static final class StoppedException extends RuntimeException {}

    private void stopIfInterrupted() {
        if (interrupted || stop.isPresent()) {
            throw new StoppedException();
        }
    }

    private void runBlocks(Checkup checkup) throws IOException, SQLException, InterruptedException {
        Checkup.Load load = checkup.load();
        try (KeepAwake started = options.precautions().keepAwake() ? KeepAwake.start() : null;
                Scratch made = Scratch.make(options.cache())) {
            awake = Optional.ofNullable(started);
            scratch = made;
            manifest = manifest.with(quiet(List.of()));
            if (isGoing) {
                run.write(manifest);
            }
            runBlocks(checkup, load);
        }
    }

    private void runBlocks(Checkup checkup, Checkup.Load load) throws IOException, SQLException, InterruptedException {
        Runnable look = () -> {
            awake.ifPresent(KeepAwake::goOn);
            List<Finding> warnings = checkup.beforeRun(load);
            listener.warned(warnings);
            manifest = manifest.with(quiet(warnings));
            measureLinks();
        };
        if (Block.needPasses(blocks)) {
            runPasses(look);
            return;
        }
        Environment only = blocks.isEmpty() ? Environment.USUAL : blocks.get(0).environment();
        onServer(only, look, server -> {
            for (Block block : blocks) {
                measure(block, agenda.left(block).rounds().keySet(), 0, server, this::measureForks);
                manifest = manifest.withPrecision(agenda.precision(block));
            }
        });
    }

    /** What each emulated link really delivers here, before anything is measured over it. */
    private void measureLinks() {
        for (Link link : trials.stream()
                .filter(Block::usesTable)
                .map(trial -> Link.FACTOR.of(trial.levels()))
                .filter(Link::isEmulated)
                .distinct()
                .toList()) {
            listener.doing("measuring the link " + link);
            try {
                Delivery delivery = Delivery.of(link);
                manifest = manifest.with(delivery);
                delivery.fault().ifPresent(fault -> {
                    unsustained.put(link.toString(), fault);
                    listener.noted("link " + link + ": " + fault + "; its samples are flagged");
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Each pass runs the forks of one number of all blocks, each block on a server that is started and loaded for it: what changes in the
     * course of a run meets all blocks alike, and forks of one number belong together.
     */
    private void runPasses(Runnable lookOnce) throws IOException, SQLException, InterruptedException {
        Runnable look = lookOnce;
        for (int pass = 0; pass < study.schedule().forks(); pass++) {
            int fork = pass;
            for (Block block : Block.inPass(blocks, pass, study.schedule().seed())) {
                Set<Trial> left = agenda.left(block, fork);
                if (!left.isEmpty()) {
                    onServer(
                            block.environment(),
                            look,
                            server -> measure(
                                    block,
                                    left,
                                    fork,
                                    server,
                                    (its, planned) -> measureFork(
                                            its, fork, planned, study.schedule().forks())));
                    look = () -> {};
                }
            }
        }
        if (!isGoing) {
            goOn();
        }
    }

    private interface OnServer {
        void run(Server server) throws IOException, SQLException, InterruptedException;
    }

    /** @param look at the machine, once the server is up */
    private void onServer(Environment environment, Runnable look, OnServer work)
            throws IOException, SQLException, InterruptedException {
        // a server that shares a processor with a load is held to that one
        Pin pin = environment.cpu().isWhole()
                ? options.precautions().pin()
                : options.precautions().pin().withServerOnOne();
        boolean tls = trials.stream().anyMatch(t -> Block.usesTable(t) && Tls.FACTOR.of(t.levels()) != Tls.OFF);
        String name = serverName(environment);
        listener.doing("starting the server" + name.substring(MYSQL.length()));
        awake.ifPresent(KeepAwake::rest);
        Path place = directoryFor(environment.storage());
        Environment here = environment.in(place);
        try (Server server = options.server()
                        .open(
                                options.cache(),
                                OwnServer.Options.of(here)
                                        .withTls(tls)
                                        .withPrefix(pin.serverPrefix())
                                        .withParent(place));
                RedisServer redisServer = needsRedis()
                        ? options.redis()
                                .open(
                                        options.cache(),
                                        options.precautions().pin().serverPrefix())
                        : null;
                // not beside the start of the server, which makes its system tables in seconds of CPU time
                CpuRival rival = environment.cpu().isWhole()
                        ? null
                        : CpuRival.start(
                                pin.server().orElseThrow().cpus().first(),
                                environment.cpu().share().doubleValue());
                Connection connection = Driver.connectForLoading(server.endpoint(), "");
                ServerSession begun = new ServerSession(server, connection, options.terms(), listener::noted)) {
            visit = begun;
            stopIfInterrupted();
            verifyPlace(server, pin);
            requireAllowed(server);
            beside = Optional.ofNullable(rival);
            look.run();
            if (server.isOwn()) {
                environment.setOfLayout(connection);
            }
            ServerIdentity identity = ServerIdentity.read(connection);
            redact(server.endpoint(), identity);
            if (server instanceof OwnServer) {
                here.verify(identity.variables());
            }
            server.notes().forEach(listener::noted);
            meet(name, server.kind(), identity, server.proxy());
            String runName = run.directory().path().getFileName().toString();
            if (redisServer != null) {
                redis = Optional.of(RedisSession.begin(redisServer, runName, alarm));
                ServerIdentity itself = RedisIdentity.read(redisServer.endpoint());
                redact(redisServer.endpoint(), itself);
                meet(StoreKind.REDIS.word(), redisServer.kind(), itself, Optional.empty());
            }
            visit.begin(
                    identity.variables(),
                    cargo(identity).withConnections(connections(server)),
                    options.version(),
                    runName,
                    alarm);
            listener.done(CostModel.SERVER_START_SECONDS);
            unavailable.forEach((trial, reason) -> {
                if (!agenda.has(FIRST_BLOCK, trial, 0)) {
                    record(Sample.notMeasured(trial, FIRST_BLOCK, new Outcome.Unavailable(reason)), Map.of());
                }
            });
            try {
                work.run(server);
            } finally {
                run.keepLogs(server.logs());
            }
        } finally {
            beside = Optional.empty();
            // a Redis of the run's own has gone with all that was in it
            redis.ifPresent(RedisSession::close);
            redis = Optional.empty();
        }
    }

    /** What is still to be loaded. Where only encoding tells whether values fit the server's packets, they are encoded now. */
    private LoadVolume cargo(ServerIdentity identity) throws IOException {
        List<Block> left = left();
        LoadVolume cargo = costs.cargo(left);
        long longest = longestIn(identity);
        for (Block.Encoding encoding : encodings(left).toList()) {
            if (cargo.longestValueBytes() <= longest) {
                OptionalLong stored = costs.longestStored(
                        encoding,
                        longest,
                        encoding.source().directory(sharedValues(), scratch.path()),
                        bytes -> stopIfInterrupted());
                cargo = cargo.withValueOf(stored.orElse(0));
            }
        }
        return cargo;
    }

    private boolean needsRedis() {
        return trials.stream().anyMatch(trial -> Block.usesTable(trial) && Block.isInRedis(trial.levels()));
    }

    /** Under which the manifest has the server of an environment. */
    private String serverName(Environment environment) {
        String unusual = Block.needPasses(blocks) ? environment.toString() : "";
        return unusual.isEmpty() ? MYSQL : MYSQL + " " + unusual;
    }

    /** @throws ServerException if there is none any more */
    private Path directoryFor(Storage storage) {
        Storage.Place place = storage.place(options.cache(), neededBytes(storage));
        if (place instanceof Storage.Place.There there) {
            return there.directory();
        }
        throw new ServerException("storage " + storage + ": " + ((Storage.Place.Nowhere) place).reason());
    }

    /** Of the largest block: tables of several sources share one as long as they fit, those of one source always do. */
    private long neededBytes(Storage storage) {
        Collection<Long> tables = trials.stream()
                .filter(trial -> Block.usesTable(trial)
                        && Storage.FACTOR.of(trial.levels()).equals(storage))
                .map(Block::store)
                .distinct()
                .collect(Collectors.groupingBy(Block.Source::of, Collectors.summingLong(costs::applicationBytes)))
                .values();
        long all = tables.stream().mapToLong(bytes -> bytes).sum();
        long largest = tables.stream().mapToLong(bytes -> bytes).max().orElse(0);
        return Estimate.EMPTY_SERVER_BYTES + Math.max(largest, Math.min(all, Block.MAX_APPLICATION_BYTES));
    }

    private void verifyPlace(Server server, Pin pin) {
        if (server.isOwn()) {
            server.pids().forEach(pin::verifyServer);
        } else if (pin.server().isPresent()) {
            throw new IllegalArgumentException("--pin server=…: Blobmark did not start this server (" + server.kind()
                    + "); pin it where it was started, and leave this out");
        }
    }

    /** Who wants every connection encrypted must not find out later that a study had others. */
    private void requireAllowed(Server server) {
        for (Trial trial : trials) {
            Tls tls = Tls.FACTOR.of(trial.levels());
            if (Block.usesTable(trial) && tls.mode().compareTo(server.leastSsl()) < 0) {
                throw new IllegalArgumentException(
                        "--ssl-mode " + server.leastSsl()
                                + " is for every connection, but the study has trials with tls=" + tls
                                + ". Set the study's by --set tls=verify-identity (or on, verify-ca), or give a lower --ssl-mode.");
            }
        }
    }

    private Manifest.Quiet quiet(List<Finding> warnings) {
        return new Manifest.Quiet(options.precautions().pin(), awake.map(KeepAwake::cpus), warnings);
    }

    /** From now on messages that name this server are written without its name. */
    private void redact(Endpoint endpoint, ServerIdentity identity) {
        redaction = redaction.withServer(endpoint.host(), endpoint.port(), identity.variables());
        run.redact(redaction);
    }

    /** Writes the run without the names of the user's datasets, tables and schema. To be called before it is run. */
    public void redactNames() {
        redaction = redaction.withNames(study, options.terms().schema(), Terms.DEFAULT.schema());
    }

    /** Takes down which server it is; that of a run that goes on must be the one that it had. */
    private void meet(String name, String kind, ServerIdentity identity, Optional<String> proxy) {
        Manifest.MeasuredServer measured = new Manifest.MeasuredServer(
                kind,
                identity.product(),
                identity.version(),
                identity.versionComment(),
                identity.variables(),
                proxy,
                identity.cluster());
        Manifest.MeasuredServer before = manifest.servers().get(name);
        if (before == null) {
            manifest = manifest.with(name, measured);
        } else {
            Resumption.requireSame(run.directory(), name, before, measured);
        }
        if (!isGoing) {
            goOn();
        }
        run.write(manifest);
    }

    private void goOn() {
        manifest = manifest.resumed(now());
        isGoing = true;
    }

    private Path sharedValues() {
        return options.cache().resolve("values");
    }

    /** What loading tells goes into manifest and samples. */
    private final class LoadingBook implements Loading.Book {

        private final int fork;

        private LoadingBook(int fork) {
            this.fork = fork;
        }

        /** The values of a run that goes on are made once more, and must be those that it had. */
        @Override
        public void note(Block.Source source, Values values) {
            Manifest.MeasuredDataset dataset = measured(source, values);
            Optional<Manifest.MeasuredDataset> before = manifest.datasets().stream()
                    .filter(other ->
                            other.id().equals(dataset.id()) && other.size().equals(dataset.size()))
                    .findFirst();
            if (before.isEmpty()) {
                manifest = manifest.with(dataset);
            } else {
                Resumption.requireSame(run.directory(), before.get(), dataset);
            }
        }

        @Override
        public void note(Manifest.LoadedStore store) {
            manifest = manifest.with(store);
        }

        @Override
        public void write() {
            run.write(manifest);
        }

        @Override
        public void doubt(Levels store, String event) {
            doubts.put(store, event);
        }

        /** Each of its trials is recorded, once. */
        @Override
        public void notHad(Block block, Levels store, Outcome why) {
            int round = study.schedule().roundsOf(fork).get(0);
            for (Trial trial : block.trials()) {
                if (Block.usesTable(trial) && Block.store(trial).equals(store) && !agenda.has(block, trial, why)) {
                    record(Sample.notMeasured(trial, block.number(), fork, round, why), Map.of());
                }
            }
        }

        @Override
        public void stopIfInterrupted() {
            Laboratory.this.stopIfInterrupted();
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
        distribution.putAll(values.origin());
        sizes.skipped().forEach((reason, count) -> distribution.put("skipped, " + reason, (long) count));
        return new Manifest.MeasuredDataset(
                source.dataset() + (source.rows() == 0 ? "" : " rows=" + source.rows()),
                source.size() == 0 ? OptionalLong.empty() : OptionalLong.of(source.size()),
                values.count(),
                values.digest(),
                distribution);
    }

    private interface OnBlock {
        void measure(Block block, List<ForkPlan.PlannedTrial> planned) throws IOException, InterruptedException;
    }

    /** Loads what is left of a block, measures it, and drops it. */
    private void measure(Block block, Set<Trial> left, int fork, Server server, OnBlock measuring)
            throws IOException, SQLException, InterruptedException {
        if (left.isEmpty()) {
            return;
        }
        Loading loading = new Loading(
                this::values,
                sharedValues(),
                scratch.path(),
                serverName(block.environment()),
                costs,
                listener,
                new LoadingBook(fork),
                visit,
                redis);
        awake.ifPresent(KeepAwake::rest);
        beside.ifPresent(CpuRival::rest); // as much as a slow processor would need is not to be waited for
        Loading.Loaded loaded = loading.load(block.only(left), server);
        beside.ifPresent(CpuRival::goOn);
        tables = new TrialTables(
                serverName(block.environment()), block, loaded.values(), visit, study.metric() == Metric.DISK);
        measuring.measure(block, loaded.planned());
        try {
            loaded.drop();
        } catch (SQLException e) {
            visit.requireServer("dropping the tables of a block", e);
            throw e;
        }
        EncodedValues.prune(sharedValues());
    }

    /** Runs the forks of a block, as many as turn out to be needed. */
    private void measureForks(Block block, List<ForkPlan.PlannedTrial> planned)
            throws IOException, InterruptedException {
        int expected = agenda.forksWanted(block, 0);
        for (int fork = 0; !agenda.due(block, fork).isEmpty(); fork++) {
            expected = measureFork(block, fork, planned, expected);
        }
    }

    /**
     * Runs a fork; of one that was stopped, what is left of it.
     *
     * @param expected how many forks the listener knows of
     * @return how many it knows of now
     */
    private int measureFork(Block block, int fork, List<ForkPlan.PlannedTrial> planned, int expected)
            throws IOException, InterruptedException {
        Set<Trial> its = agenda.due(block, fork);
        List<Integer> rounds = study.schedule().roundsOf(fork);
        visits = agenda.visits(block, fork);
        ForkPlan plan = ForkPlan.of(
                block.number(),
                fork,
                study.schedule(),
                planned.stream()
                        .map(each -> each.visited(visits.getOrDefault(each.trial(), 1)))
                        .toList(),
                (trial, round) -> its.contains(trial) && !agenda.has(block, trial, round));
        if (plan.rounds().isEmpty()) {
            return expected;
        }
        int wanted = Math.max(expected, agenda.forksWanted(block, fork));
        if (wanted > expected) {
            listener.added((wanted - expected) * expectedSeconds(plan));
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
        measure(plan);
        restart = Optional.empty();
        return wanted;
    }

    private double expectedSeconds(ForkPlan plan) {
        return forkSeconds(plan)
                + plan.rounds().stream()
                        .flatMap(round -> round.order().stream())
                        .mapToDouble(number -> costs.measuring(
                                plan.trials().get(number).trial(),
                                plan.trials().get(number).visits(),
                                1))
                        .sum();
    }

    private static double forkSeconds(ForkPlan plan) {
        return CostModel.FORK_SECONDS
                * Processes.startedFor(
                        plan.trials().stream().map(ForkPlan.PlannedTrial::trial).toList());
    }

    private void measure(ForkPlan plan) throws IOException, InterruptedException {
        listener.done(forkSeconds(plan));
        Pin pin = options.precautions().pin();
        try (Fork running = new Fork(plan, options.launch().prefixedBy(pin.clientPrefix()))) {
            fork = running;
            stopIfInterrupted();
            running.forEach(
                    calm,
                    trial -> {
                        awake.ifPresent(KeepAwake::verifyAlive);
                        prepare(trial, plan.block());
                        running.serverIs(
                                Block.isInRedis(trial.levels())
                                        ? redis.orElseThrow().server().pid().stream()
                                                .boxed()
                                                .toList()
                                        : visit.serverPids());
                        listener.doing("measuring " + names.of(trial));
                        if (costs.isVisited(trial)) {
                            listener.done(costs.opening(trial));
                        }
                    },
                    (trial, sample, latency) -> {
                        if (sample.outcome() instanceof Outcome.Failed) {
                            stopIfInterrupted(); // it is not the trial that has failed
                        }
                        running.pids().forEach(pin::verifyClient);
                        String doubt = doubts.get(Block.store(trial));
                        Sample its = doubt == null ? sample : sample.withEvent(doubt);
                        if (sample.outcome() instanceof Outcome.Failed && !visit.isAlive()) {
                            record(its.withEvent("the server was lost in the middle of it"), latency);
                            throw visit.lost(
                                    "measuring " + names.of(trial),
                                    sample.outcome().reason());
                        }
                        if (sample.outcome() instanceof Outcome.Failed
                                && Block.isInRedis(trial.levels())
                                && !redis.orElseThrow().isAlive()) {
                            its = its.withEvent("Redis was lost in the middle of it");
                        }
                        finish(trial, its, latency, plan);
                        if (sample.visits().isEmpty()) { // else it was told round by round
                            listener.done(costs.measuring(trial, visits.getOrDefault(trial, 1), 1));
                        }
                    });
        } catch (IOException e) {
            stopIfInterrupted();
            throw e;
        } finally {
            fork = null;
        }
    }

    /** Puts the table that a writing trial begins with in its place; for a cold one, takes the server's memory of it away. */
    private void prepare(Trial trial, int block) {
        visit.heal();
        if (Block.isCold(trial)) {
            listener.doing("starting the server again for " + names.of(trial));
            restart(blocks.get(block).environment());
        }
        if (Block.usesTable(trial) && Block.isInRedis(trial.levels())) {
            restoreSet(trial, blocks.get(block));
            return;
        }
        if (!Block.hasOwnTable(trial)) {
            return;
        }
        listener.doing("making the table of " + names.of(trial));
        try {
            Manifest before = manifest;
            manifest = manifest.with(tables.prepare(trial, bytes -> stopIfInterrupted()));
            if (manifest != before) {
                run.write(manifest);
            }
        } catch (UnavailableException e) {
            throw new Fork.NotReadyException(new Outcome.Unavailable(e.getMessage()), e);
        } catch (DowngradeException | WrongValueException | SQLException e) {
            visit.requireServer("making the table of " + names.of(trial), e);
            throw new Fork.NotReadyException(new Outcome.Failed(e.getMessage()), e);
        }
    }

    /** A Redis that was started again has lost what was loaded into it. */
    private void restoreSet(Trial trial, Block block) {
        try {
            if (redis.orElseThrow().restore(block.tableName(Block.store(trial)))) {
                listener.noted("Redis had lost the set of " + trial.method() + "; it has been loaded again");
            }
        } catch (WrongValueException | JedisException e) {
            throw new Fork.NotReadyException(new Outcome.Failed(e.getMessage()), e);
        }
    }

    private void restart(Environment environment) {
        try {
            visit.restart(environment);
        } catch (SQLException e) {
            throw visit.lost("it was started again", e.getMessage());
        }
    }

    /** Takes down what a trial gave; what a writing one has left is looked through first. */
    private void finish(Trial trial, Sample sample, Map<String, Histogram> latency, ForkPlan plan) {
        if (!Block.hasOwnTable(trial)) {
            Sample its = verified(trial, sample, plan);
            record(its, its.operations().isEmpty() ? Map.of() : latency);
            return;
        }
        try {
            record(tables.finish(trial, sample, plan.seedOf(trial, sample.round())), latency);
        } catch (WrongValueException | SQLException e) {
            visit.requireServer("looking through what " + names.of(trial) + " wrote", e);
            Outcome failed = new Outcome.Failed(e.getMessage());
            record(Sample.notMeasured(trial, sample.block(), sample.fork(), sample.round(), failed), Map.of());
        }
    }

    /** Of a table that is only read, all values are read back where a node was lost meanwhile. */
    private Sample verified(Trial trial, Sample sample, ForkPlan plan) {
        if (!sample.flags().contains(Sample.DEGRADED) || !Block.usesTable(trial)) {
            return sample;
        }
        try {
            tables.readBack(trial);
            return sample;
        } catch (WrongValueException | SQLException e) {
            visit.requireServer("reading back what " + trial.method() + " reads", e);
            return Sample.notMeasured(
                    trial, plan.block(), plan.fork(), sample.round(), new Outcome.Failed(e.getMessage()));
        }
    }

    private void record(Sample measured, Map<String, Histogram> latency) {
        String fault = unsustained.get(measured.condition().find("link").orElse(""));
        Sample its = fault == null || !measured.outcome().isMeasurement()
                ? measured
                : measured.flagged(Sample.LINK_NOT_SUSTAINED, fault);
        Sample sample = Stream.of(restart, beside.map(CpuRival::toString))
                .flatMap(Optional::stream)
                .reduce(its, Sample::withEvent, (a, b) -> b);
        run.append(sample, latency);
        agenda.add(sample);
        anyFailed |= sample.outcome() instanceof Outcome.Failed;
        anySaturated |= sample.outcome() instanceof Outcome.Saturated;
        listener.measured(sample);
    }

    /** The programs that the study names, which running it would start: the binaries of its JVMs but the one that runs this. */
    public SortedSet<String> programs() {
        return trials.stream()
                .map(trial -> Jvm.FACTOR.of(trial.levels()))
                .flatMap(jvm -> jvm.program().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What {@link #programs} calls the program of a level of the factor {@code jvm}. */
    public static String programOf(String level) {
        return Jvm.FACTOR.parse(level).program().orElse("");
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
            found.put(jvm.level(), jvm.inspect(options.launch().flags()));
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
