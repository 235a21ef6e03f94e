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
 * The measuring JVMs of one kind in one fork: as many as the trial with most processes takes, started when they are first
 * needed. They warm up together, wait for each other, and measure at the same time.
 */
final class ProcessGroup implements AutoCloseable {

    private final Launch launch;
    private final Path java;
    private final List<String> valuesDirectories;
    private final Duration patience;
    private final BlockingQueue<WorkerProcess.Heard> heard = new LinkedBlockingQueue<>();
    private final List<WorkerProcess> children = new ArrayList<>();
    private boolean closed;

    /**
     * @param java the program of its JVMs
     * @param patience how long those who owe a message may all be silent
     */
    ProcessGroup(Launch launch, Path java, List<String> valuesDirectories, Duration patience) {
        this.launch = launch;
        this.java = java;
        this.valuesDirectories = valuesDirectories;
        this.patience = patience;
    }

    /** A child has ended or had to be ended; the message says why. All others of its crew are ended too. */
    static final class CrashException extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean byInterrupt;

        CrashException(String reason, boolean byInterrupt) {
            super(reason);
            this.byInterrupt = byInterrupt;
        }

        /** Whether it ended as Ctrl-C ends a process; if so, its parent hears of that too. */
        boolean isByInterrupt() {
            return byInterrupt;
        }
    }

    /**
     * Measures a trial, each order by a process of its own.
     *
     * @throws CrashException if one of them does not live to its end; the next trial has fresh ones
     * @throws IOException if the system cannot start a process
     */
    TrialRun measure(List<ForkOrder.Measure> orders) throws CrashException, IOException, InterruptedException {
        List<WorkerProcess> crew = children(orders.size());
        try {
            return measure(crew, orders);
        } catch (CrashException e) {
            end();
            throw e;
        }
    }

    private TrialRun measure(List<WorkerProcess> crew, List<ForkOrder.Measure> orders)
            throws CrashException, IOException, InterruptedException {
        heard.clear(); // of those that ended since the last trial, who say so themselves
        for (WorkerProcess child : crew) {
            if (child.hasEnded()) {
                throw crash(child);
            }
        }
        for (int i = 0; i < crew.size(); i++) {
            crew.get(i).say(orders.get(i));
        }
        Set<WorkerProcess> silent = new HashSet<>(crew);
        Map<WorkerProcess, TrialRun> finished = new HashMap<>();
        Optional<TrialRun> failed = Optional.empty();
        while (finished.size() < crew.size()) {
            WorkerProcess.Heard next = heard.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw silent(silent);
            }
            WorkerProcess from = next.from();
            ForkMessage message = next.message().orElse(null);
            if (!crew.contains(from)) {
                continue; // ended while another trial is measured
            } else if (message instanceof ForkMessage.Ready) {
                silent.remove(from);
                if (silent.isEmpty()) {
                    crew.forEach(child -> child.say(new ForkOrder.Go()));
                    silent.addAll(crew);
                }
            } else if (message instanceof ForkMessage.Finished end) {
                silent.remove(from);
                finished.put(from, end.run());
                if (failed.isEmpty() && !end.run().outcome().isMeasurement()) {
                    failed = Optional.of(end.run());
                    silent.clear();
                    crew.stream().filter(child -> !finished.containsKey(child)).forEach(child -> {
                        child.say(new ForkOrder.Stop());
                        silent.add(child);
                    });
                }
            } else {
                throw crash(from);
            }
        }
        return failed.orElseGet(
                () -> MergedRuns.of(crew.stream().map(finished::get).toList()));
    }

    /**
     * Has its first process do one thing with an open trial, or begin one.
     *
     * @return what it says when it has
     * @throws CrashException if the process does not live to the end of it; with it all open trials are gone
     */
    ForkMessage ask(ForkOrder order) throws CrashException, IOException, InterruptedException {
        WorkerProcess child = children(1).get(0);
        try {
            heard.clear();
            if (child.hasEnded()) {
                throw crash(child);
            }
            child.say(order);
            for (; ; ) {
                WorkerProcess.Heard next = heard.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
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
        return new CrashException("the measuring JVM " + child.howItEnded(), child.isInterrupted());
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
                throw new IOException("the fork has been ended");
            }
            WorkerProcess child = WorkerProcess.start(launch, java, heard);
            children.add(child);
            child.say(new ForkOrder.Begin(valuesDirectories));
        }
        return List.copyOf(children.subList(0, count));
    }

    synchronized List<Long> pids() {
        return children.stream().map(WorkerProcess::pid).toList();
    }

    /** Ends all there are; what is measured next has fresh ones. */
    synchronized void end() {
        children.forEach(WorkerProcess::kill); // all at once, then each is waited for
        children.forEach(WorkerProcess::close);
        children.clear();
    }

    /** Ends all there are, and starts no more. May be called from any thread. */
    @Override
    public synchronized void close() {
        closed = true;
        end();
    }
}
