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
import dev.blobmark.lab.server.Incident;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.lab.workload.Workload;
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
 * The JVMs that measure one fork's rounds, seen from their parent: for each {@link Jvm} that the methods ask for, as many as
 * the {@link Processes} of a trial, started when they are first needed and kept over the rounds. Closing it ends them all.
 *
 * <p>A JVM that crashes costs the trial that it was in; a fresh one goes on. The thread that calls {@link #forEach} does all
 * the work; any other may close.
 */
public final class Fork implements AutoCloseable {

    /** After so many crashes the trials that are left to a kind of JVM would most likely end in another one. */
    private static final int MOST_CRASHES = 3;

    /** Ctrl-C reaches all processes at once, and a JVM that is just starting ends before this one closes. */
    private static final long INTERRUPT_PATIENCE_SECONDS = 5;

    private final ForkPlan plan;
    private final Launch launch;
    private final Duration patience;
    private final Map<Jvm, ProcessGroup> crews = new HashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private List<Long> serverPids = List.of();

    public Fork(ForkPlan plan, Launch launch) {
        this(plan, launch, patience(plan));
    }

    /** @param patience how long a JVM may say nothing before it is ended */
    Fork(ForkPlan plan, Launch launch, Duration patience) {
        this.plan = plan;
        this.launch = launch;
        this.patience = patience;
    }

    /** How long a JVM may say nothing: much longer than any trial may take. */
    private static Duration patience(ForkPlan plan) {
        Duration window = plan.trials().stream()
                .map(planned -> planned.trial().design())
                // whatever number of rows there are
                .map(design -> design.get(Workload.FACTOR).window(design, plan.window(), Integer.MAX_VALUE))
                .map(each -> each instanceof Window.Time time ? time.length() : Duration.ofHours(1))
                .max(naturalOrder())
                .orElse(Duration.ZERO);
        return window.plus(plan.warmUp()).plusMinutes(5);
    }

    /** Tells the processes that the server of all tables is, where they are of this machine and we started them; again when that has changed. */
    public void serverIs(List<Long> pids) {
        serverPids = pids;
    }

    /** So many times a trial is measured at most where each was disturbed. */
    static final int MOST_ATTEMPTS = 3;

    /** What happens outside a trial and may disturb it. */
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

        /** What has disturbed since {@link #await} returned. */
        Optional<String> disturbance();

        /** A round of visits to trials that are open together is over, the nth of so many. */
        default void visited(List<Trial> trials, int n, int rounds) {}

        /** What has happened to the server since then, or is still so. */
        default List<Incident> incidents() {
            return List.of();
        }
    }

    /** Why a trial cannot be measured in this round, told by the one who hears that it begins. */
    public static final class NotReadyException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Outcome outcome;

        /** @param outcome of the sample: failed, or unavailable */
        public NotReadyException(Outcome outcome, Throwable cause) {
            super(outcome.reason(), cause);
            this.outcome = outcome;
        }
    }

    /** Takes what a trial gave: the sample, and its latencies in nanoseconds by operation type. */
    public interface Measured {
        void accept(Trial trial, Sample sample, Map<String, Histogram> latency);
    }

    /**
     * Measures all that is planned. Each trial of each round gives one sample; one whose JVM crashed gives one that failed,
     * with the flag {@link Sample#CRASHED}.
     *
     * @param started is told of each trial that begins, and may prepare what it works on; a {@link NotReadyException} of it
     *     makes a sample that failed
     * @throws IOException if the system cannot start a JVM, or this has been closed
     */
    public void forEach(Consumer<Trial> started, Measured measured) throws IOException, InterruptedException {
        forEach(Interference.NONE, started, measured);
    }

    /**
     * The same; a trial that was disturbed is measured again, {@link #MOST_ATTEMPTS} times at most, of which the last counts, with the
     * flag {@link Sample#DISTURBED}. It is begun anew each time.
     */
    public void forEach(Interference calm, Consumer<Trial> started, Measured measured)
            throws IOException, InterruptedException {
        Scene scene = new Scene(calm, started, measured);
        Set<Integer> visited = new HashSet<>();
        for (List<Integer> group : plan.groups()) {
            new VisitedRounds(plan, this, scene).measure(group);
            visited.addAll(group);
        }
        for (ForkPlan.PlannedRound round : plan.rounds()) {
            for (int number : round.order()) {
                if (!visited.contains(number)) {
                    measure(scene, round.round(), plan.trials().get(number));
                }
            }
        }
    }

    /** Those who prepare a trial and take what it gave, and what has become of the JVMs so far. */
    final class Scene {

        private final Interference calm;
        private final Consumer<Trial> started;
        private final Measured measured;
        private final Map<Jvm, List<String>> crashes = new HashMap<>();

        private Scene(Interference calm, Consumer<Trial> started, Measured measured) {
            this.calm = calm;
            this.started = started;
            this.measured = measured;
        }

        Interference calm() {
            return calm;
        }

        /** Prepares what a trial works on. */
        void start(Trial trial) {
            started.accept(trial);
        }

        /** Why a trial is not to be tried, since JVMs of its kind have crashed too often. */
        Optional<String> hopeless(Trial trial) {
            List<String> past = past(trial);
            return past.size() < MOST_CRASHES
                    ? Optional.empty()
                    : Optional.of("not measured, since " + MOST_CRASHES
                            + " measuring JVMs had crashed before in this fork; the last: "
                            + past.get(MOST_CRASHES - 1));
        }

        private List<String> past(Trial trial) {
            return crashes.computeIfAbsent(trial.design().get(Jvm.FACTOR), jvm -> new ArrayList<>());
        }

        /** Takes what a trial gave in a round. */
        void finish(ForkPlan.PlannedTrial planned, int round, TrialRun run) {
            TrialRun trialRun = past(planned.trial()).isEmpty()
                    ? run
                    : run.with("measured by a fresh JVM, since the one before had crashed");
            measured.accept(planned.trial(), trialRun.toSample(plan, round, planned), trialRun.latency());
        }

        /** A trial of which there is nothing. */
        void lose(Trial trial, int round, String reason) {
            measured.accept(trial, Sample.crashed(trial, plan.block(), plan.fork(), round, reason), Map.of());
        }

        /** A trial that could not be prepared. */
        void skip(Trial trial, int round, NotReadyException e) {
            measured.accept(trial, Sample.notMeasured(trial, plan.block(), plan.fork(), round, e.outcome), Map.of());
        }

        /**
         * The JVM has crashed that measured a trial.
         *
         * @throws IOException if that is because the fork has been closed
         */
        void crashed(Trial trial, int round, ProcessGroup.CrashException e) throws IOException, InterruptedException {
            if (closed.await(e.isByInterrupt() ? INTERRUPT_PATIENCE_SECONDS : 0, TimeUnit.SECONDS)) {
                throw new IOException("the fork has been ended", e);
            }
            past(trial).add(e.getMessage());
            lose(trial, round, e.getMessage());
        }
    }

    /** A trial with a window in one piece. */
    private void measure(Scene scene, int round, ForkPlan.PlannedTrial planned)
            throws IOException, InterruptedException {
        Trial trial = planned.trial();
        Optional<String> hopeless = scene.hopeless(trial);
        if (hopeless.isPresent()) {
            scene.lose(trial, round, hopeless.get());
            return;
        }
        try {
            scene.finish(planned, round, measure(scene.calm, scene.started, round, planned));
        } catch (NotReadyException e) {
            scene.skip(trial, round, e);
        } catch (ProcessGroup.CrashException e) {
            scene.crashed(trial, round, e);
        }
    }

    private TrialRun measure(Interference calm, Consumer<Trial> started, int round, ForkPlan.PlannedTrial planned)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            calm.await(planned.trial());
            started.accept(planned.trial());
            TrialRun run = measure(round, planned);
            for (Incident incident : calm.incidents()) {
                run = run.with(incident);
            }
            Optional<String> disturbance = calm.disturbance();
            if (run.outcome() instanceof Outcome.Failed) {
                return run;
            } else if (disturbance.isEmpty()) {
                return attempt == 1 ? run : run.with("measured again, since it was disturbed before");
            } else if (attempt == MOST_ATTEMPTS) {
                return run.disturbed("disturbed each of " + attempt + " times: " + disturbance.get());
            }
        }
    }

    private TrialRun measure(int round, ForkPlan.PlannedTrial planned)
            throws ProcessGroup.CrashException, IOException, InterruptedException {
        Design design = planned.trial().design();
        Jvm jvm = design.get(Jvm.FACTOR);
        if (design.get(Processes.FACTOR) == 1 || !design.get(Link.FACTOR).isEmulated()) {
            return crew(jvm).measure(orders(round, planned, Optional.empty()));
        }
        Path link = Files.createTempFile("blobmark-link-", "");
        try {
            SharedLink.writeFile(link);
            return crew(jvm).measure(orders(round, planned, Optional.of(link.toString())));
        } finally {
            Files.delete(link);
        }
    }

    /** The orders to the processes of a trial: equal but for the share of each. */
    private List<ForkOrder.Measure> orders(int round, ForkPlan.PlannedTrial planned, Optional<String> linkFile) {
        Trial trial = planned.trial();
        Design design = trial.design();
        Optional<ForkPlan.Place> place = planned.place().map(server -> server.withServerPids(serverPids));
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
                        plan.warmUp(),
                        seed))
                .toList();
    }

    /** The JVM that a trial is visited in. */
    ProcessGroup crew(ForkPlan.PlannedTrial planned) throws IOException {
        return crew(planned.trial().design().get(Jvm.FACTOR));
    }

    /** The order to open a trial that is visited. */
    ForkOrder.Open opening(int number, int round) {
        return new ForkOrder.Open(
                number,
                orders(round, plan.trials().get(number), Optional.empty()).get(0));
    }

    /** Ends all JVMs, and what is open in them; what is measured next has fresh ones. */
    synchronized void restart() {
        crews.values().forEach(ProcessGroup::end);
    }

    private synchronized ProcessGroup crew(Jvm jvm) throws IOException {
        if (closed.getCount() == 0) {
            throw new IOException("the fork has been ended");
        }
        return crews.computeIfAbsent(
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

    /** The processes that measure, at this moment. */
    public synchronized List<Long> pids() {
        return crews.values().stream().flatMap(crew -> crew.pids().stream()).toList();
    }

    @Override
    public synchronized void close() {
        closed.countDown();
        crews.values().forEach(ProcessGroup::close);
    }
}
