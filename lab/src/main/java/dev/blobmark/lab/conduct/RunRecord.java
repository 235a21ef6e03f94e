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
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.study.Trial;
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
 * What a run knows of itself: the manifest, the samples, and which forks are left. All of it is written to the run directory as soon as it
 * is known. What was noticed while a sample was measured is added to it here. Confined to the thread of the run.
 */
final class RunRecord {

    /** The block of trials that belong to none, since they cannot be measured. */
    private static final int FIRST_BLOCK = 0;

    private final StudyPlan plan;
    private final RunWriter writer;
    private final ForkSchedule schedule;
    private final Listener listener;

    private Manifest manifest;
    private Redaction redaction;

    /** How the run ends if nothing happens any more. */
    private Ending ending;

    /** Whether anything has been written: not before the server of a run that goes on has turned out to be the same. */
    private boolean isGoing;

    /** Added to samples of a fork that was stopped before. */
    private Optional<String> restart = Optional.empty();

    /** Added to samples whose server shares a processor with a load. */
    private Optional<String> rival = Optional.empty();

    /** By store: how the operating system contradicts what a server says of its file. */
    private final Map<StoreDesign, String> doubts = new HashMap<>();

    /** By link: what it does not deliver on this machine. */
    private final Map<String, String> unsustained = new HashMap<>();

    /** @param samples that the run has already */
    private RunRecord(StudyPlan plan, RunWriter writer, Redaction redaction, List<Sample> samples, Listener listener) {
        this.plan = plan;
        this.writer = writer;
        this.listener = listener;
        this.redaction = redaction;
        writer.redact(redaction);
        schedule = plan.schedule(samples);
        ending = ending(samples);
    }

    /** Of a run that begins here and now. */
    static RunRecord begun(
            StudyPlan plan,
            RunWriter writer,
            Redaction redaction,
            SortedMap<String, Machine.Jvm> jvms,
            Listener listener) {
        RunRecord begun = new RunRecord(plan, writer, redaction, List.of(), listener);
        begun.manifest = begun.here(jvms);
        begun.write();
        begun.isGoing = true;
        return begun;
    }

    /**
     * Of a run that goes on. Nothing is written before {@link #meet}.
     *
     * @throws dev.blobmark.lab.run.RunException if plan, host, JVM or libraries are not what they were
     */
    static RunRecord resumed(
            StudyPlan plan,
            RunWriter writer,
            Redaction redaction,
            SortedMap<String, Machine.Jvm> jvms,
            Listener listener) {
        RunDirectory directory = writer.directory();
        RunRecord resumed = new RunRecord(plan, writer, redaction, directory.samples(), listener);
        Manifest was = directory.manifest();
        Resumption.requireSame(directory, was, resumed.here(jvms));
        resumed.manifest = was.with(plan.study()).planning(resumed.planned());
        return resumed;
    }

    /** The manifest that a run has which begins here and now. */
    private Manifest here(SortedMap<String, Machine.Jvm> jvms) {
        return Manifest.begin(
                plan.options().program(),
                now(),
                plan.study(),
                new Manifest.Plan(
                        plan.trials().stream().map(Trial::id).toList(),
                        plan.blocks().size(),
                        planned(),
                        plan.blocks().stream()
                                .map(block -> plan.serverName(block.environment()))
                                .toList()),
                jvms,
                libraries());
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

    /** Changes the manifest, which is written by {@link #write}. */
    void update(UnaryOperator<Manifest> change) {
        manifest = change.apply(manifest);
    }

    /** Writes the manifest, if the run writes already. */
    void write() {
        writer.write(manifest);
    }

    void writeIfGoing() {
        if (isGoing) {
            write();
        }
    }

    /** The run goes on, from here and now. Nothing if it has been going already. */
    void goOn() {
        if (!isGoing) {
            manifest = manifest.resumed(now(), plan.options().program());
            isGoing = true;
        }
    }

    void end(Manifest.State state) {
        if (isGoing) {
            writer.write(manifest.ended(state, now()));
        }
    }

    /** How a run ends that has all its samples. */
    Ending ending() {
        return ending;
    }

    /** How a run ends that has these samples and needs no more. */
    static Ending ending(List<Sample> samples) {
        return samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Failed)
                ? Ending.TRIAL_FAILED
                : samples.stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Saturated)
                        ? Ending.RATE_NOT_REACHED
                        : Ending.COMPLETE;
    }

    /** Takes down which server it is; that of a run that goes on must be the one that it had. */
    void meet(String name, Server server, ServerIdentity identity) {
        server.notes().forEach(listener::noticeIssued);
        meet(name, server.kind(), server.endpoint(), identity, server.proxy());
    }

    /**
     * {@link #meet(String, Server, ServerIdentity)} of any server. From now on messages that name the server are written without its name.
     *
     * @param proxy what lies between it and the client
     */
    void meet(String name, String kind, Endpoint endpoint, ServerIdentity identity, Optional<String> proxy) {
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
        goOn();
        write();
    }

    /** The values of a run that goes on are made once more, and must be those that it had. */
    void values(ValuesSource source, Values values) {
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

    /** What a link delivers here; samples over one that does not deliver what it should are flagged. */
    void link(Delivery delivery) {
        manifest = manifest.with(delivery);
        delivery.fault().ifPresent(fault -> {
            unsustained.put(delivery.link().toString(), fault);
            listener.noticeIssued("link " + delivery.link() + ": " + fault + "; its samples are flagged");
        });
    }

    /** The operating system contradicts what the server says of a table's files; samples of the table say so. */
    void doubt(StoreDesign store, String event) {
        doubts.put(store, event);
    }

    /** @param load that shares the server's processor, as samples name it; empty if none does */
    void rival(Optional<String> load) {
        rival = load;
    }

    /** @param event added to the samples of the fork that is measured; empty for none */
    void restart(Optional<String> event) {
        restart = event;
    }

    void keepLogs(Map<String, Path> logs) {
        writer.keepLogs(logs);
    }

    /** Records the trials that cannot be measured here, once. */
    void unavailable() {
        plan.unavailable().forEach((trial, reason) -> {
            if (!schedule.has(FIRST_BLOCK, trial, 0)) {
                add(Sample.notMeasured(trial, FIRST_BLOCK, new Outcome.Unavailable(reason)), Map.of());
            }
        });
    }

    /** Records the trials of a table that cannot be had, once in a round. */
    void notHad(Block block, StoreDesign store, int round, int fork, Outcome why) {
        for (Trial trial : block.trials()) {
            if (StoreDesign.isUsedBy(trial)
                    && StoreDesign.of(trial).equals(store)
                    && !schedule.has(block, trial, why)) {
                add(Sample.notMeasured(trial, block.number(), fork, round, why), Map.of());
            }
        }
    }

    /** The sample with what is doubted of the table that it was measured on. */
    Sample doubted(Trial trial, Sample sample) {
        String doubt = doubts.get(StoreDesign.of(trial));
        return doubt == null ? sample : sample.withEvent(doubt);
    }

    /** @param latency by operation type, in nanoseconds */
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
