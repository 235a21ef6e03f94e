package dev.blobmark.lab.fork;

import dev.blobmark.lab.engine.MergedRuns;
import dev.blobmark.lab.engine.TrialRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The measuring JVMs of one kind in one fork, started when they are first needed: as many as the trial with the most
 * processes needs. They warm up together, wait for each other, and measure at the same time.
 */
final class ProcessGroup implements AutoCloseable {

    private final Launch launch;
    private final Path java;
    private final List<String> valuesDirectories;
    private final Duration patience;
    private final BlockingQueue<WorkerProcess.Received> received = new LinkedBlockingQueue<>();
    private final List<WorkerProcess> children = new ArrayList<>();
    private boolean closed;

    /**
     * @param java the program
     * @param patience how long all processes that must send a message may be silent
     */
    ProcessGroup(Launch launch, Path java, List<String> valuesDirectories, Duration patience) {
        this.launch = launch;
        this.java = java;
        this.valuesDirectories = valuesDirectories;
        this.patience = patience;
    }

    /** A process has ended or had to be killed, and so the whole group is. The message has the reason. */
    static final class CrashException extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean byInterrupt;

        CrashException(String reason, boolean byInterrupt) {
            super(reason);
            this.byInterrupt = byInterrupt;
        }

        /** Whether it was ended by Ctrl-C, which its parent receives as well. */
        boolean isByInterrupt() {
            return byInterrupt;
        }
    }

    /**
     * Measures a trial, with one process for each order.
     *
     * @throws CrashException if a process ends before the trial does; the next trial gets fresh ones
     * @throws IOException if the system cannot start a process
     */
    TrialRun measure(List<ForkOrder.Measure> orders) throws CrashException, IOException, InterruptedException {
        List<WorkerProcess> processes = children(orders.size());
        try {
            return measure(processes, orders);
        } catch (CrashException e) {
            end();
            throw e;
        }
    }

    private TrialRun measure(List<WorkerProcess> processes, List<ForkOrder.Measure> orders)
            throws CrashException, IOException, InterruptedException {
        received.clear(); // messages of processes that have ended since the last trial; hasEnded() covers these
        for (WorkerProcess child : processes) {
            if (child.hasEnded()) {
                throw crash(child);
            }
        }
        for (int i = 0; i < processes.size(); i++) {
            processes.get(i).send(orders.get(i));
        }
        Set<WorkerProcess> silent = new HashSet<>(processes);
        Set<WorkerProcess> ready = new HashSet<>();
        Map<WorkerProcess, TrialRun> finished = new HashMap<>();
        Optional<TrialRun> failed = Optional.empty();
        while (finished.size() < processes.size()) {
            WorkerProcess.Received next = received.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw silent(silent);
            }
            WorkerProcess from = next.from();
            ForkMessage message = next.message().orElse(null);
            if (!processes.contains(from)) {
                continue; // a process that this trial does not use has ended
            } else if (message instanceof ForkMessage.Ready) {
                if (!ready.add(from)) {
                    from.reject("was ready twice");
                    throw crash(from);
                }
                silent.remove(from);
                if (silent.isEmpty()) {
                    processes.forEach(child -> child.send(ForkOrder.Go.NOW));
                    silent.addAll(processes);
                }
            } else if (message instanceof ForkMessage.Finished end) {
                silent.remove(from);
                if (finished.put(from, end.run()) != null) {
                    from.reject("was finished twice");
                    throw crash(from);
                }
                if (failed.isEmpty() && !end.run().outcome().isMeasurement()) {
                    failed = Optional.of(end.run());
                    silent.clear();
                    processes.stream()
                            .filter(child -> !finished.containsKey(child))
                            .forEach(child -> {
                                child.send(new ForkOrder.Stop());
                                silent.add(child);
                            });
                }
            } else {
                throw crash(from);
            }
        }
        return failed.orElseGet(
                () -> merged(processes.stream().map(finished::get).toList(), orders));
    }

    private static TrialRun merged(List<TrialRun> runs, List<ForkOrder.Measure> orders) {
        return orders.get(0).place().isPresent()
                ? MergedRuns.of(
                        runs,
                        orders.stream().map(order -> order.share().count()).toList())
                : MergedRuns.of(runs);
    }

    /**
     * Gives the first process an order about an open trial.
     *
     * @return its answer
     * @throws CrashException if the process ends before it answers; all open trials are lost
     */
    ForkMessage ask(ForkOrder order) throws CrashException, IOException, InterruptedException {
        WorkerProcess child = children(1).get(0);
        try {
            received.clear();
            if (child.hasEnded()) {
                throw crash(child);
            }
            child.send(order);
            for (; ; ) {
                WorkerProcess.Received next = received.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
                if (next == null) {
                    throw silent(Set.of(child));
                } else if (next.from() != child) {
                    continue;
                } else if (next.message().isEmpty()) {
                    throw crash(child);
                }
                return next.message().get();
            }
        } catch (CrashException e) {
            end();
            throw e;
        }
    }

    private static CrashException crash(WorkerProcess child) throws IOException, InterruptedException {
        return new CrashException("the measuring JVM " + child.describeEnd(), child.isInterrupted());
    }

    private CrashException silent(Set<WorkerProcess> silent) throws IOException, InterruptedException {
        WorkerProcess one = silent.iterator().next();
        return new CrashException(
                "the measuring JVM was silent for " + patience.toSeconds() + " s and was ended; " + one.lastErrors(),
                false);
    }

    private synchronized List<WorkerProcess> children(int count) throws IOException {
        while (children.size() < count) {
            if (closed) {
                throw new IOException("the fork has been closed");
            }
            WorkerProcess child = WorkerProcess.start(launch, java, received);
            children.add(child);
            child.send(new ForkOrder.Begin(valuesDirectories));
        }
        return List.copyOf(children.subList(0, count));
    }

    synchronized List<Long> pids() {
        return children.stream().map(WorkerProcess::pid).toList();
    }

    /** Kills all processes; the next trial gets fresh ones. */
    synchronized void end() {
        children.forEach(WorkerProcess::kill); // all at once, before waiting for each
        children.forEach(WorkerProcess::close);
        children.clear();
    }

    /** Kills all processes and starts no more. May be called from any thread. */
    @Override
    public synchronized void close() {
        closed = true;
        end();
    }
}
