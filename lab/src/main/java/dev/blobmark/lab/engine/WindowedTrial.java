package dev.blobmark.lab.engine;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Seeds;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.study.Window;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A trial that is measured in one window. Its workers warm up until their mean service times are steady, and then
 * continue through the window.
 */
public final class WindowedTrial {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Parts of a trial's seed. */
    private static final long WARM_UP_ARRIVALS = 1;

    private static final long WINDOW_ARRIVALS = 2;

    /** How long before an agreed instant the server's counters are read, which takes about a millisecond. */
    private static final long WATCH_NANOS = 5_000_000;

    private WindowedTrial() {}

    /** Runs a trial in this process alone. A failure becomes its outcome. */
    public static TrialRun run(TrialSpec spec) throws InterruptedException {
        TrialPhase phase = new TrialPhase(spec.workers());
        phase.go();
        return run(spec, phase, () -> {}, ServerWatch.none("not watched"));
    }

    /**
     * Runs one process's share of a trial.
     *
     * @param phase of this share only; the window begins after {@link TrialPhase#go}
     * @param ready is run when the share has warmed up, unless it has failed; the warm-up continues until the window
     *     begins
     */
    public static TrialRun run(TrialSpec spec, TrialPhase phase, Runnable ready, ServerWatch watch)
            throws InterruptedException {
        Optional<BlockingWorker.Timetable> timetable = timetable(spec);
        long begin = spec.clock().nanoTime();
        List<Worker> workers = start(spec, phase, timetable, Optional.empty());
        WarmUp warmUp;
        Instant go;
        long goNanos;
        long cpu;
        ServerAccount server;
        Garbage garbage;
        try {
            phase.awaitSwept();
            boolean steady = SteadyWatch.await(
                    phase,
                    workers.stream().map(Worker::warmUpSubWindows).toList(),
                    spec.workload().operationTypes().size());
            if (!phase.hasFailed()) {
                ready.run();
            }
            phase.awaitGo();
            phase.awaitBegin(WATCH_NANOS);
            watch.begin();
            phase.awaitBegin(0);
            go = Instant.now();
            goNanos = spec.clock().nanoTime();
            warmUp = new WarmUp((goNanos - begin) / 1e9, steady);
            garbage = Garbage.sinceStart();
            cpu = -PROCESS.getProcessCpuTime();
            phase.endWarmUp();
            phase.awaitEnded();
            cpu += PROCESS.getProcessCpuTime();
            garbage = Garbage.sinceStart().since(garbage);
            server = watch.end();
        } catch (InterruptedException e) {
            phase.fail(e);
            throw e;
        }
        return phase.hasFailed()
                ? TrialRun.without(TrialRun.outcome(phase.failure()), warmUp)
                : new Tally(spec, workers, timetable.map(BlockingWorker.Timetable::window))
                        .run(warmUp, go, goNanos, cpu, server, garbage);
    }

    /** Starts the workers of a share, each on its own thread. */
    static List<Worker> start(
            TrialSpec trial,
            TrialPhase phase,
            Optional<BlockingWorker.Timetable> timetable,
            Optional<VisitQueues> visitQueues) {
        TrialSpec spec = trial.forProcess();
        SplittableRandom seeds = new SplittableRandom(spec.seed());
        seeds.longs(spec.share().first()).forEach(seed -> {}); // skips the seeds of workers in other processes
        RowOrder.Shared numbering = RowOrder.Shared.of(spec);
        List<Worker> workers = new ArrayList<>();
        if (spec.isAsync()) {
            workers.add(new AsyncWorker(spec, phase, visitQueues, seeds.nextLong()));
        }
        for (int i = workers.size(); i < spec.workers(); i++) {
            workers.add(new BlockingWorker(
                    spec, spec.share().first() + i, phase, timetable, visitQueues, numbering, seeds.nextLong()));
        }
        for (int i = 0; i < workers.size(); i++) {
            Thread thread = new Thread(workers.get(i), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return workers;
    }

    /** The timetable of this process's share of all arrivals; empty in a closed loop. */
    private static Optional<BlockingWorker.Timetable> timetable(TrialSpec spec) {
        Share share = spec.share();
        Window window = spec.window() instanceof Window.Count count
                ? new Window.Count(Math.max(1, count.operations() * share.count() / share.total()))
                : spec.window();
        return spec.load().share(share.count(), share.total()) instanceof Load.Open open
                ? Optional.of(new BlockingWorker.Timetable(
                        Arrivals.endless(open, Seeds.mix(spec.seed(), WARM_UP_ARRIVALS, share.first())),
                        Arrivals.in(window, open, Seeds.mix(spec.seed(), WINDOW_ARRIVALS, share.first()))))
                : Optional.empty();
    }
}
