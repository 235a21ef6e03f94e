package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.SystemTree;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.ForkSchedule;
import dev.blobmark.lab.plan.Jvm;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.directory.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Runs a study from start to end: starts a server, encodes and loads blocks, measures them in forks, and drops them.
 * All results are written to the run directory as soon as they are known. A run that was stopped can be resumed from
 * there.
 *
 * <p>The steps of a run: {@link #run} or {@link #resume} opens its {@link RunRecord}; {@link StartedServers} starts the
 * servers of each environment; a {@link BlockRun} loads a block and measures it in {@link ForkRun}s.
 */
public final class Laboratory {

    private final StudyPlan plan;
    private final Study study;
    private final RunOptions options;
    private final Listener listener;
    private final StopSignal stop = new StopSignal();
    private SortedMap<String, Machine.MeasuringJvm> jvms;
    private Redaction redaction = Redaction.OF_THIS_MACHINE;

    /** @throws IllegalArgumentException if the study cannot be run with the options; the message says what to change */
    public Laboratory(Study study, RunOptions options, Listener listener) {
        this.study = study;
        this.options = options;
        this.listener = listener;
        plan = new StudyPlan(study, options);
    }

    /** What a run would do, and how long it would take. Only a few values are generated, to try the codecs. */
    public Estimate estimate() {
        return plan.estimate(List.of());
    }

    /** What resuming a run would do, and how long it would take. */
    public Estimate estimate(RunDirectory directory) {
        return plan.estimate(Resumption.samples(directory));
    }

    /** Whether a run starts the MySQL of its options, or connects to it. */
    public boolean usesMySql() {
        return plan.needs(StoreKinds.MYSQL);
    }

    /**
     * A running server, as a run would find it.
     *
     * @param bufferPoolBytes size of its InnoDB buffer pool
     * @param notes messages for the user, one line each
     * @param refusal all reasons why it does not admit the run; empty if it does
     */
    public record ServerInspection(long bufferPoolBytes, List<String> notes, Optional<AdmissionException> refusal) {}

    /**
     * Checks a running server as a run does before it writes anything. Writes nothing to the server, and encodes
     * nothing.
     *
     * @param stopped the run to resume; empty for a new one
     * @throws dev.blobmark.mysql.server.ServerException if the server cannot be reached
     */
    public ServerInspection inspect(Optional<RunDirectory> stopped) throws SQLException {
        ForkSchedule schedule = plan.schedule(stopped.map(Resumption::samples).orElse(List.of()));
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        try (Server server = options.server().open(options.cache());
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession checked = new ServerSession(server, connection, options.terms(), found::add)) {
            new Suitability(plan).requireEncryption(server);
            ServerIdentity identity = ServerIdentity.read(connection);
            LoadVolume volume = plan.volume(schedule, server);
            if (plan.packetsAreUncertain(schedule, volume, identity)) {
                found.add(
                        "whether the longest value fits into max_allowed_packet is not known before the values are encoded");
            }
            long pool = Long.parseLong(identity.variables().get("innodb_buffer_pool_size"));
            try {
                checked.inspect(identity.variables(), volume);
            } catch (AdmissionException e) {
                return new ServerInspection(pool, found, Optional.of(e));
            }
            return new ServerInspection(pool, found, Optional.empty());
        }
    }

    /**
     * Runs the study into an empty run directory. Can be called once.
     *
     * @throws dev.blobmark.mysql.server.ServerException if a server cannot be started or reached
     */
    public Ending run(RunDirectory directory) throws IOException, SQLException, InterruptedException {
        try (RunWriter writer = directory.writer()) {
            return carryOut(RunRecord.begun(plan, writer, redaction, jvms(), listener));
        }
    }

    /**
     * Resumes a run of the same study that was stopped, killed or failed. Existing samples are kept, and missing ones
     * are measured in forks with the same numbers. If the run has finished, nothing is done unless the study is
     * {@link #extended}. Can be called once.
     *
     * @throws dev.blobmark.lab.run.RunException if plan, server, host, JVM or libraries have changed, a sample cannot
     *     be one of the run, or another process writes it; the run is not changed then
     * @throws dev.blobmark.mysql.server.ServerException if a server cannot be started or reached
     */
    public Ending resume(RunDirectory directory) throws IOException, SQLException, InterruptedException {
        try (RunWriter writer = directory.writer()) {
            List<Sample> samples = Resumption.samples(directory);
            Manifest previous = directory.manifest();
            if (previous.progress().state() == Manifest.State.FINISHED
                    && previous.study().equals(study)) {
                return RunRecord.ending(samples);
            }
            return carryOut(RunRecord.resumed(plan, writer, redaction, jvms(), listener));
        }
    }

    /** The study of a run with more measuring time, until all comparisons are decided or precise. */
    public static Study extended(RunDirectory directory, Duration time) {
        Study study = directory.manifest().study();
        Duration all = time.plusSeconds((long) Math.ceil(ForkSchedule.seconds(directory.samples())));
        Schedule schedule = study.schedule();
        return study.with(
                schedule.untilPrecise().isPresent() ? schedule.preciseWithin(all) : schedule.decidingWithin(all));
    }

    private Ending carryOut(RunRecord record) throws IOException, SQLException, InterruptedException {
        Manifest.State state = Manifest.State.FAILED;
        try {
            Estimate estimate = estimate(record.directory());
            listener.runStarted(record.directory().path(), estimate.total());
            runBlocks(
                    record,
                    new Checkup(
                            SystemTree.HERE, options.cache(), record.directory().path(), estimate.need(study.name())));
            state = Manifest.State.FINISHED;
        } catch (StopSignal.RunStoppedException e) {
            state = Manifest.State.INTERRUPTED;
        } catch (WatchLostException e) {
            stop.lost(e.getMessage()); // the watch's thread may report it too
            state = Manifest.State.INTERRUPTED;
        } catch (ServerException | AdmissionException | SQLException | JedisException e) {
            // when the JVM ends, a server that is starting is stopped, and a server that hangs is given up
            if (!stop.isSet()) {
                throw e;
            }
            state = Manifest.State.INTERRUPTED;
        } finally {
            record.end(state);
        }
        if (state == Manifest.State.INTERRUPTED) {
            stop.note().ifPresent(listener::noticeIssued);
            return stop.ending();
        }
        if (study.schedule().untilPrecise().isPresent()) {
            listener.precisionReported(record.manifest().progress().precision());
        }
        return record.ending();
    }

    private void runBlocks(RunRecord record, Checkup checkup) throws IOException, SQLException, InterruptedException {
        Checkup.ProcessorLoad load = checkup.load();
        try (KeepAwake started = options.precautions().keepAwake() ? KeepAwake.start() : null;
                Scratch scratch = Scratch.make(options.cache())) {
            Optional<KeepAwake> awake = Optional.ofNullable(started);
            RunContext run = new RunContext(plan, record, stop, listener, awake, scratch.path());
            record.update(manifest -> manifest.with(quiet(awake, List.of())));
            record.writeIfAllowed();
            Runnable checkMachine = () -> {
                awake.ifPresent(KeepAwake::resume);
                List<Finding> warnings = checkup.beforeRun(load);
                listener.noiseFound(warnings);
                record.update(manifest -> manifest.with(quiet(awake, warnings)));
                measureLinks(record);
            };
            if (Block.needPasses(plan.blocks())) {
                runPasses(run, checkMachine);
            } else {
                runOnce(run, checkMachine);
            }
        }
    }

    private Machine.Quiet quiet(Optional<KeepAwake> awake, List<Finding> warnings) {
        return new Machine.Quiet(options.precautions().pin(), awake.map(KeepAwake::cpus), warnings);
    }

    /** Measures what each emulated link delivers on this machine, before trials use it. */
    private void measureLinks(RunRecord record) {
        Set<Link> links = plan.trials().stream()
                .filter(StoreDesign::isUsedBy)
                .map(trial -> trial.design().get(Link.FACTOR))
                .filter(Link::isEmulated)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        for (Link link : links) {
            listener.stepStarted("measuring the link " + link);
            try {
                record.addLink(Delivery.of(link));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Measures all blocks, one after another, on one start of the servers. */
    private void runOnce(RunContext run, Runnable checkMachine) throws IOException, SQLException, InterruptedException {
        Environment only = plan.blocks().isEmpty()
                ? Environment.DEFAULT
                : plan.blocks().get(0).environment();
        StartedServers.with(run, only, checkMachine, servers -> {
            for (Block block : plan.blocks()) {
                BlockRun.all(run, servers, block);
            }
        });
    }

    /**
     * In each pass, one fork of every block is measured on a server that is started and loaded for it. So changes
     * during the run affect all blocks alike, and forks with the same number can be paired.
     */
    private void runPasses(RunContext run, Runnable checkOnce) throws IOException, SQLException, InterruptedException {
        Runnable checkMachine = checkOnce;
        for (int pass = 0; pass < study.schedule().forks(); pass++) {
            int fork = pass;
            for (Block block :
                    Block.inPass(plan.blocks(), pass, study.schedule().seed())) {
                if (!run.record().schedule().remaining(block, fork).isEmpty()) {
                    StartedServers.with(
                            run,
                            block.environment(),
                            checkMachine,
                            servers -> BlockRun.fork(run, servers, block, fork));
                    checkMachine = () -> {};
                }
            }
        }
        run.record().markResumed();
    }

    /**
     * Makes {@link #run} end soon, with the samples so far. May be called from any thread, including a shutdown hook.
     */
    public void interrupt() {
        stop.interrupt();
    }

    /** Leaves the names of the user's datasets, tables and schema out of the run. To be called before the run. */
    public void redactNames() {
        redaction = redaction.withNames(study, options.terms().schema(), RunLimits.DEFAULT.schema());
    }

    /**
     * The programs named in the study that a run would start: the binaries of its JVMs, except the JVM that runs this.
     */
    public SortedSet<String> programs() {
        return plan.trials().stream()
                .map(trial -> trial.design().get(Jvm.FACTOR))
                .flatMap(jvm -> jvm.program().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The levels of the factor {@code jvm} that stand for other JVMs than the one that runs this. */
    public SortedSet<String> otherJvms() {
        return plan.trials().stream()
                .map(trial -> trial.design().get(Jvm.FACTOR))
                .filter(jvm -> !jvm.isDefault())
                .map(Jvm::level)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The program of a level of the factor {@code jvm}, as in {@link #programs}; empty if it names none. */
    public static String programOf(String level) {
        return Jvm.FACTOR.parse(level).program().orElse("");
    }

    /**
     * The JVMs with which the study measures. Each is started once as a check.
     *
     * @throws IllegalArgumentException if one cannot measure, with the reason and what to do
     */
    public SortedMap<String, Machine.MeasuringJvm> jvms() throws InterruptedException {
        if (jvms == null) {
            SortedMap<String, Machine.MeasuringJvm> found = new TreeMap<>();
            for (Jvm jvm : plan.trials().stream()
                    .filter(trial -> !plan.unavailable().containsKey(trial))
                    .map(trial -> trial.design().get(Jvm.FACTOR))
                    .distinct()
                    .toList()) {
                found.put(jvm.level(), jvm.inspect(options.launch().flags()));
            }
            jvms = found;
        }
        return jvms;
    }
}
