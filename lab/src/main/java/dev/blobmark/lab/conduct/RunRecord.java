package dev.blobmark.lab.conduct;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.SizeDistribution;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.ForkSchedule;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.proxy.HaProxy;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The record of a run: the manifest, the samples, and the forks that remain. It is written to the run directory as soon
 * as it changes. Events that were noticed during a sample are added here. Confined to the thread of the run.
 */
final class RunRecord {

    /** Block number recorded for trials that cannot be measured, and so have no block. */
    private static final int FIRST_BLOCK = 0;

    private final StudyPlan plan;
    private final RunWriter writer;
    private final ForkSchedule schedule;
    private final Listener listener;

    private Manifest manifest;
    private Redaction redaction;

    /** How the run ends, by the samples so far. */
    private Ending ending;

    /** Whether the run may be written. A resumed run may not, until its server is known to be the same. */
    private boolean mayBeWritten;

    /** Event added to the samples of a resumed fork. */
    private Optional<String> restart = Optional.empty();

    /** Event added to samples whose server shares a processor with a load. */
    private Optional<String> rival = Optional.empty();

    /** By store, an event: the operating system's figures contradict the server's about its file. */
    private final Map<StoreDesign, String> contradictions = new HashMap<>();

    /** By link, what differs from its specification on this machine. */
    private final Map<String, String> unsustained = new HashMap<>();

    /** @param samples the existing samples of the run */
    private RunRecord(StudyPlan plan, RunWriter writer, Redaction redaction, List<Sample> samples, Listener listener) {
        this.plan = plan;
        this.writer = writer;
        this.listener = listener;
        this.redaction = redaction;
        writer.redact(redaction);
        schedule = plan.schedule(samples);
        ending = ending(samples);
    }

    /** The record of a new run. */
    static RunRecord begun(
            StudyPlan plan,
            RunWriter writer,
            Redaction redaction,
            SortedMap<String, Machine.MeasuringJvm> jvms,
            Listener listener) {
        RunRecord begun = new RunRecord(plan, writer, redaction, List.of(), listener);
        begun.manifest = begun.newManifest(jvms);
        begun.write();
        begun.mayBeWritten = true;
        return begun;
    }

    /**
     * The record of a resumed run. Nothing is written before {@link #addServer}.
     *
     * @throws dev.blobmark.lab.run.RunException if plan, host, JVM or libraries have changed
     */
    static RunRecord resumed(
            StudyPlan plan,
            RunWriter writer,
            Redaction redaction,
            SortedMap<String, Machine.MeasuringJvm> jvms,
            Listener listener) {
        RunDirectory directory = writer.directory();
        RunRecord resumed = new RunRecord(plan, writer, redaction, directory.samples(), listener);
        Manifest previous = directory.manifest();
        Resumption.requireSame(directory, previous, resumed.newManifest(jvms));
        resumed.manifest = previous.with(plan.study()).planning(resumed.planned());
        return resumed;
    }

    /** The manifest of a run that begins now. */
    private Manifest newManifest(SortedMap<String, Machine.MeasuringJvm> jvms) {
        Manifest manifest = Manifest.begin(
                plan.options().program(),
                now(),
                plan.study(),
                new Manifest.PlannedSamples(
                        plan.trials().stream().map(Trial::id).toList(),
                        plan.blocks().size(),
                        planned(),
                        plan.blocks().stream()
                                .map(block -> plan.serverName(block.environment()))
                                .toList()),
                jvms,
                libraries());
        return manifest.with(manifest.machine().with(hosts()));
    }

    private List<Machine.MeasuringHost> hosts() {
        try {
            return plan.options().launch().hosts();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Versions of the libraries and programs that affect measurements. */
    private Map<String, String> libraries() {
        Map<String, String> versions = new TreeMap<>();
        if (plan.trials().stream().anyMatch(StartedProxies::areUsedBy)
                && HaProxy.unavailable().isEmpty()) {
            versions.put("proxy haproxy", HaProxy.version());
        }
        Codecs.all().forEach(codec -> versions.put("codec " + codec.name(), codec.library()));
        for (Driver driver : Driver.values()) {
            versions.put("driver " + driver, driver.jdbc().version());
        }
        return versions;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private long planned() {
        return schedule.planned() + plan.unavailable().size();
    }

    RunDirectory directory() {
        return writer.directory();
    }

    /** The name of the run. */
    String name() {
        return directory().path().getFileName().toString();
    }

    ForkSchedule schedule() {
        return schedule;
    }

    Manifest manifest() {
        return manifest;
    }

    /** Changes the manifest in memory; {@link #write} writes it. */
    void update(UnaryOperator<Manifest> change) {
        manifest = change.apply(manifest);
    }

    /** Writes the manifest. */
    void write() {
        writer.write(manifest);
    }

    void writeIfAllowed() {
        if (mayBeWritten) {
            write();
        }
    }

    /** Marks the run as resumed now; does nothing if it may be written already. */
    void markResumed() {
        if (!mayBeWritten) {
            manifest = manifest.resumed(now(), plan.options().program());
            mayBeWritten = true;
        }
    }

    /** To be called when all servers of the run have been recorded, also if there are none. */
    void markServersKnown() {
        markResumed();
        write();
    }

    void end(Manifest.State state) {
        if (mayBeWritten) {
            writer.write(manifest.ended(state, now()));
        }
    }

    /** How a run with all its samples ends. */
    Ending ending() {
        return ending;
    }

    /** How a run ends that has these samples and needs no further ones. */
    static Ending ending(List<Sample> samples) {
        return samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Failed)
                ? Ending.TRIAL_FAILED
                : samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Saturated)
                        ? Ending.RATE_NOT_REACHED
                        : Ending.COMPLETE;
    }

    /** Records a server. The server of a resumed run must be the same as before. */
    void addServer(String name, Server server, ServerIdentity identity) {
        server.notes().forEach(listener::noticeIssued);
        addServer(name, server.kind(), server.endpoint(), identity, server.proxy());
    }

    /**
     * Like {@link #addServer(String, Server, ServerIdentity)}, for a server of any kind. From now on, the server's
     * address is redacted in messages.
     *
     * @param proxy what is between the server and the client
     */
    void addServer(String name, String kind, Endpoint endpoint, ServerIdentity identity, Optional<String> proxy) {
        redaction = redaction.withServer(endpoint.host(), endpoint.port(), identity.variables());
        writer.redact(redaction);
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
            Resumption.requireSame(directory(), name, before, measured);
        }
        markServersKnown();
    }

    /** Records values. Those of a resumed run are generated or read again, and must be the same as before. */
    void addValues(ValuesSource source, Values values) {
        Manifest.MeasuredDataset dataset = measured(source, values);
        Optional<Manifest.MeasuredDataset> before = manifest.datasets().stream()
                .filter(other -> other.id().equals(dataset.id()) && other.size().equals(dataset.size()))
                .findFirst();
        if (before.isEmpty()) {
            manifest = manifest.with(dataset);
        } else {
            Resumption.requireSame(directory(), before.get(), dataset);
        }
    }

    private static Manifest.MeasuredDataset measured(ValuesSource source, Values values) {
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
                distribution,
                values.whole());
    }

    /** Records what a link delivers. If it is not as specified, its samples are flagged. */
    void addLink(Delivery delivery) {
        manifest = manifest.with(delivery);
        delivery.fault().ifPresent(fault -> {
            unsustained.put(delivery.link().toString(), fault);
            listener.noticeIssued("link " + delivery.link() + ": " + fault + "; its samples are flagged");
        });
    }

    /**
     * Adds an event to all samples of a table: the operating system's figures contradict the server's about its files.
     */
    void addContradiction(StoreDesign store, String event) {
        contradictions.put(store, event);
    }

    /** @param load event about the load that shares the server's processor; empty for none */
    void setRival(Optional<String> load) {
        rival = load;
    }

    /** @param event added to the samples of the current fork; empty for none */
    void setRestartEvent(Optional<String> event) {
        restart = event;
    }

    void keepLogs(Map<String, Path> logs) {
        writer.keepLogs(logs);
    }

    /** Records the trials that cannot be measured here, once per run. */
    void addUnavailable() {
        plan.unavailable().forEach((trial, reason) -> {
            if (!schedule.has(FIRST_BLOCK, trial, 0)) {
                add(Sample.notMeasured(trial, FIRST_BLOCK, new Outcome.Unavailable(reason)), Map.of());
            }
        });
    }

    /** Records the trials of a table that could not be loaded, unless they are recorded already. */
    void addNotLoaded(Block block, StoreDesign store, int round, int fork, Outcome why) {
        for (Trial trial : block.trials()) {
            if (StoreDesign.isUsedBy(trial)
                    && StoreDesign.of(trial).equals(store)
                    && !schedule.has(block, trial, why)) {
                add(Sample.notMeasured(trial, block.number(), fork, round, why), Map.of());
            }
        }
    }

    /** The sample with the event of its table, if there is one. */
    Sample withContradiction(Trial trial, Sample sample) {
        String contradiction = contradictions.get(StoreDesign.of(trial));
        return contradiction == null ? sample : sample.withEvent(contradiction);
    }

    /** Adds a sample. @param latency by operation type, in nanoseconds */
    void add(Sample measured, Map<String, Histogram> latency) {
        String fault = unsustained.get(measured.condition().find(Link.FACTOR).orElse(""));
        Sample flagged = fault == null || !measured.outcome().isMeasurement()
                ? measured
                : measured.flagged(Sample.LINK_NOT_SUSTAINED, fault);
        Sample sample =
                Stream.of(restart, rival).flatMap(Optional::stream).reduce(flagged, Sample::withEvent, (a, b) -> b);
        writer.append(sample, latency);
        schedule.add(sample);
        Ending with = ending(List.of(sample));
        if (with == Ending.TRIAL_FAILED || ending == Ending.COMPLETE) {
            ending = with;
        }
        listener.sampleRecorded(sample);
    }
}
