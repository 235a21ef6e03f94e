package dev.blobmark.lab.fork;

import static java.util.Comparator.naturalOrder;

import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Jvm;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.server.Incident;
import dev.blobmark.stats.SteadyState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * The JVMs that measure the rounds of one fork, seen from their parent. For each {@link Jvm} of the methods there are
 * as many as the {@link Processes} of a trial. They are started when they are first needed, and kept over the rounds.
 * Closing it kills them all.
 *
 * <p>If a JVM crashes, the current trial is lost, and a fresh JVM continues. The thread that calls {@link #forEach}
 * does all the work; any thread may close.
 */
public final class Fork implements AutoCloseable {

    /**
     * After this many crashes of one kind of JVM, its remaining trials would most likely crash too, and are not
     * measured.
     */
    private static final int MAX_CRASHES = 3;

    /**
     * Ctrl-C reaches all processes at once, and a JVM that is just starting can end before the parent closes the fork.
     */
    private static final long INTERRUPT_PATIENCE_SECONDS = 5;

    private final ForkPlan plan;
    private final Launch launch;
    private final Duration patience;
    private final Map<Jvm, ProcessGroup> groups = new HashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private List<Long> serverPids = List.of();

    public Fork(ForkPlan plan, Launch launch) {
        this(plan, launch, patience(plan));
    }

    /** @param patience how long a JVM may be silent before it is killed */
    Fork(ForkPlan plan, Launch launch, Duration patience) {
        this.plan = plan;
        this.launch = launch;
        this.patience = patience;
    }

    /** How long a JVM may be silent: five minutes longer than any trial may take. */
    private static Duration patience(ForkPlan plan) {
        Duration window = plan.trials().stream()
                .map(planned -> planned.trial().design())
                // for any number of rows
                .map(design -> design.get(Workload.FACTOR).window(design, plan.window(), Integer.MAX_VALUE))
                .map(each -> each instanceof Window.Time time ? time.length() : Duration.ofHours(1))
                .max(naturalOrder())
                .orElse(Duration.ZERO);
        return window.plus(plan.warmUp()).plusMinutes(5);
    }

    /**
     * Sets the processes of the tables' server, if we started it on this machine. To be called again when they change.
     */
    public void setServerPids(List<Long> pids) {
        serverPids = pids;
    }

    /** How often a disturbed trial is measured at most. */
    static final int MAX_ATTEMPTS = 3;

    /** What may disturb a trial from outside. */
    public interface Interference {

        Interference NONE = new Interference() {
            @Override
            public void await(Trial trial) {}

            @Override
            public Optional<String> disturbance() {
                return Optional.empty();
            }
        };

        /** Returns when a trial may begin. */
        void await(Trial trial) throws InterruptedException;

        /** What has disturbed the trial since {@link #await} returned. */
        Optional<String> disturbance();

        /** Called after round {@code n} of {@code rounds} rounds of visits to trials that are open together. */
        default void visited(List<Trial> trials, int n, int rounds) {}

        /** Incidents at the server since {@link #await} returned, and those that continue. */
        default List<Incident> incidents() {
            return List.of();
        }
    }

    /** Thrown by the callback before a trial: the trial cannot be measured in this round. */
    public static final class NotReadyException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Outcome outcome;

        /** @param outcome of the sample: failed, or unavailable */
        public NotReadyException(Outcome outcome, Throwable cause) {
            super(outcome.reason(), cause);
            this.outcome = outcome;
        }
    }

    /** Receives the results of a trial: the sample, and its latencies in nanoseconds by operation type. */
    public interface SampleReceiver {
        void accept(Trial trial, Sample sample, Map<String, Histogram> latency);
    }

    /**
     * Measures all that is planned. Each trial of each round gives one sample. If its JVM crashed, it is a failed one
     * with the flag {@link Sample#CRASHED}.
     *
     * @param started is called before each trial, and may prepare its table; a {@link NotReadyException} becomes a
     *     failed sample
     * @throws IOException if the system cannot start a JVM, or this has been closed
     */
    public void forEach(Consumer<Trial> started, SampleReceiver measured) throws IOException, InterruptedException {
        forEach(Interference.NONE, started, measured);
    }

    /**
     * The same; a disturbed trial is started again and measured up to {@link #MAX_ATTEMPTS} times. If each was
     * disturbed, the last counts, with the flag {@link Sample#DISTURBED}.
     */
    public void forEach(Interference interference, Consumer<Trial> started, SampleReceiver measured)
            throws IOException, InterruptedException {
        Callbacks callbacks = new Callbacks(interference, started, measured);
        Set<Integer> visited = new HashSet<>();
        for (List<Integer> group : plan.groups()) {
            new VisitedRounds(plan, this, callbacks).measure(group);
            visited.addAll(group);
        }
        for (ForkPlan.PlannedRound round : plan.rounds()) {
            for (int number : round.order()) {
                if (!visited.contains(number)) {
                    measure(callbacks, round.round(), plan.trials().get(number));
                }
            }
        }
    }

    /** The callbacks of {@link #forEach}, and the crashes so far. */
    final class Callbacks {

        private final Interference interference;
        private final Consumer<Trial> started;
        private final SampleReceiver measured;
        private final Map<Jvm, List<String>> crashes = new HashMap<>();

        private Callbacks(Interference interference, Consumer<Trial> started, SampleReceiver measured) {
            this.interference = interference;
            this.started = started;
            this.measured = measured;
        }

        Interference interference() {
            return interference;
        }

        /** Prepares a trial's table. */
        void start(Trial trial) {
            started.accept(trial);
        }

        /** The reason not to measure a trial, if JVMs of its kind have crashed too often. */
        Optional<String> refusal(Trial trial) {
            List<String> reasons = crashesOf(trial);
            return reasons.size() < MAX_CRASHES
                    ? Optional.empty()
                    : Optional.of("not measured, because " + MAX_CRASHES
                            + " measuring JVMs had crashed before in this fork; the last: "
                            + reasons.get(MAX_CRASHES - 1));
        }

        private List<String> crashesOf(Trial trial) {
            return crashes.computeIfAbsent(trial.design().get(Jvm.FACTOR), jvm -> new ArrayList<>());
        }

        /** Passes on the result of a trial in a round. */
        void finish(ForkPlan.PlannedTrial planned, int round, TrialRun run) {
            TrialRun trialRun = crashesOf(planned.trial()).isEmpty()
                    ? run
                    : run.with("measured by a fresh JVM, because the previous one crashed");
            measured.accept(planned.trial(), trialRun.toSample(plan, round, planned), trialRun.latency());
        }

        /** Records a trial without a result. */
        void recordLost(Trial trial, int round, String reason) {
            measured.accept(trial, Sample.crashed(trial, plan.block(), plan.fork(), round, reason), Map.of());
        }

        /** Records a trial that could not be prepared. */
        void recordNotMeasured(Trial trial, int round, NotReadyException e) {
            measured.accept(trial, Sample.notMeasured(trial, plan.block(), plan.fork(), round, e.outcome), Map.of());
        }

        /**
         * Records a trial whose JVM has crashed.
         *
         * @throws IOException if it crashed because the fork has been closed
         */
        void crashed(Trial trial, int round, ProcessGroup.CrashException e) throws IOException, InterruptedException {
            if (closed.await(e.isByInterrupt() ? INTERRUPT_PATIENCE_SECONDS : 0, TimeUnit.SECONDS)) {
                throw new IOException("the fork has been closed", e);
            }
            crashesOf(trial).add(e.getMessage());
            recordLost(trial, round, e.getMessage());
        }
    }

    /** A trial with a window in one piece. */
    private void measure(Callbacks callbacks, int round, ForkPlan.PlannedTrial planned)
            throws IOException, InterruptedException {
        Trial trial = planned.trial();
        Optional<String> refusal = callbacks.refusal(trial);
        if (refusal.isPresent()) {
            callbacks.recordLost(trial, round, refusal.get());
            return;
        }
        try {
            callbacks.finish(planned, round, measure(callbacks.interference, callbacks.started, round, planned));
        } catch (NotReadyException e) {
            callbacks.recordNotMeasured(trial, round, e);
        } catch (ProcessGroup.CrashException e) {
            callbacks.crashed(trial, round, e);
        }
    }

    private TrialRun measure(
            Interference interference, Consumer<Trial> started, int round, ForkPlan.PlannedTrial planned)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            interference.await(planned.trial());
            started.accept(planned.trial());
            TrialRun run = measure(round, planned);
            for (Incident incident : interference.incidents()) {
                run = run.with(incident);
            }
            Optional<String> disturbance = interference.disturbance();
            if (run.outcome() instanceof Outcome.Failed) {
                return run;
            } else if (disturbance.isEmpty()) {
                return attempt == 1 ? run : run.with("measured again, because it was disturbed before");
            } else if (attempt == MAX_ATTEMPTS) {
                return run.disturbed("disturbed in each of " + attempt + " attempts; the last: " + disturbance.get());
            }
        }
    }

    private TrialRun measure(int round, ForkPlan.PlannedTrial planned)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        Design design = planned.trial().design();
        Jvm jvm = design.get(Jvm.FACTOR);
        if (design.get(Processes.FACTOR) == 1 || !design.get(Link.FACTOR).isEmulated()) {
            return group(jvm).measure(orders(round, planned, Optional.empty(), warmUp()));
        }
        Path link = Files.createTempFile("blobmark-link-", "");
        try {
            SharedLink.writeFile(link);
            return group(jvm).measure(orders(round, planned, Optional.of(link.toString()), warmUp()));
        } finally {
            Files.delete(link);
        }
    }

    private Duration warmUp() {
        return plan.visits().isPresent() ? SteadyState.warmUp(plan.warmUp()) : plan.warmUp();
    }

    /** The orders to the processes of a trial, which differ only in the share. */
    private List<ForkOrder.Measure> orders(
            int round, ForkPlan.PlannedTrial planned, Optional<String> linkFile, Duration warmUp) {
        Trial trial = planned.trial();
        Design design = trial.design();
        Optional<ForkPlan.LoadedTable> place = planned.place().map(server -> server.withServerPids(serverPids));
        long seed = plan.seedOf(trial, round);
        return Share.distribute(design.get(Threads.FACTOR), design.get(Processes.FACTOR)).stream()
                .map(share -> new ForkOrder.Measure(
                        trial,
                        planned.values(),
                        place,
                        share,
                        linkFile,
                        Factors.codePath(trial),
                        plan.window(),
                        warmUp,
                        seed))
                .toList();
    }

    /** The processes that visit a trial. */
    ProcessGroup group(ForkPlan.PlannedTrial planned) throws IOException {
        return group(planned.trial().design().get(Jvm.FACTOR));
    }

    /** The order to open a trial that is visited. */
    ForkOrder.Open opening(int number, int round) {
        return new ForkOrder.Open(
                number,
                orders(round, plan.trials().get(number), Optional.empty(), plan.warmUp())
                        .get(0));
    }

    /** Kills all JVMs with their open trials; the next trial gets fresh ones. */
    synchronized void restart() {
        groups.values().forEach(ProcessGroup::end);
    }

    private synchronized ProcessGroup group(Jvm jvm) throws IOException {
        if (closed.getCount() == 0) {
            throw new IOException("the fork has been closed");
        }
        return groups.computeIfAbsent(
                jvm,
                key -> new ProcessGroup(
                        launch,
                        jvm.java(),
                        plan.trials().stream()
                                .map(ForkPlan.PlannedTrial::valuesDirectory)
                                .distinct()
                                .toList(),
                        patience));
    }

    /** The numbers of the measuring processes at this moment. */
    public synchronized List<Long> pids() {
        return groups.values().stream().flatMap(group -> group.pids().stream()).toList();
    }

    @Override
    public synchronized void close() {
        closed.countDown();
        groups.values().forEach(ProcessGroup::close);
    }
}
