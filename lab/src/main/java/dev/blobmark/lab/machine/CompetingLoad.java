package dev.blobmark.lab.machine;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Competes for one processor. A JVM runs spinning threads with nice values that leave a busy thread of nice value 0 the
 * requested share. It ends when it is closed or when its parent ends, even if the parent is killed.
 *
 * <p>A server with several busy threads keeps more, because each thread has its own weight. An unused share is lost.
 */
public final class CompetingLoad implements AutoCloseable {

    /**
     * Weight of a thread by nice value, from 0 up: {@code sched_prio_to_weight} in the kernel's kernel/sched/core.c.
     */
    private static final int[] WEIGHTS = {
        1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15
    };

    /** A few hundred time slices of the scheduler. */
    private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The load does not compete if a probe gets this many times its share. */
    private static final double MOST_EXCESS = 1.25;

    private final int cpu;
    private final List<Integer> niceValues;
    private Process process;
    private double share;

    private CompetingLoad(int cpu, List<Integer> niceValues) {
        this.cpu = cpu;
        this.niceValues = niceValues;
        resume();
    }

    /** Returns why the load is not available here, or empty if it is. */
    public static Optional<String> unavailable() {
        Optional<CpuList> allowed = SystemTree.HERE.allowed("self");
        if (allowed.isEmpty()) {
            return Optional.of("pinning a server next to a load requires Linux");
        }
        OptionalDouble quota = new ControlGroups(SystemTree.HERE).quotaCores();
        if (quota.isPresent() && quota.getAsDouble() < allowed.get().size()) {
            return Optional.of("the load would use up the CPU quota of this container (" + quota.getAsDouble() + " of "
                    + allowed.get().size() + " cores)");
        }
        try {
            ThisThread.run(List.of("taskset", "--version"));
            ThisThread.run(List.of("renice", "--version"));
            return Optional.empty();
        } catch (MachineException e) {
            return Optional.of(e.getMessage());
        }
    }

    /**
     * Starts the load. Returns when a probe on the same processor has been measured.
     *
     * @param share of the processor for one busy thread of the server, above 0 and below 1
     * @throws MachineException if the load cannot be started, or a probe gets more than the share
     */
    public static CompetingLoad start(int cpu, double share) {
        CompetingLoad rival = new CompetingLoad(cpu, niceValues(share));
        try {
            rival.share = probe(cpu);
            if (rival.share > MOST_EXCESS * share) {
                throw new MachineException(String.format(
                        Locale.ROOT,
                        "server-cpu: next to a load that leaves %.2f of processor %d, a thread got %.2f; the system schedules"
                                + " threads in another way (perhaps by control group): leave the factor out here",
                        share,
                        cpu,
                        rival.share));
            }
            return rival;
        } catch (RuntimeException e) {
            rival.close();
            throw e;
        }
    }

    /**
     * Competes again, after a {@link #rest}.
     *
     * @throws MachineException if it cannot be started
     */
    public void resume() {
        try {
            process = Subprocess.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-XX:-UsePerfData",
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx16m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Spinners.class.getName(),
                            Integer.toString(cpu),
                            niceValues.stream().map(Object::toString).collect(Collectors.joining(",")))
                    .redirectErrorStream(true)
                    .start();
            // it prints READY when all of its threads spin
            String line = process.inputReader().readLine();
            if (!Spinners.READY.equals(line)) {
                rest();
                throw new MachineException("server-cpu: the load did not start: " + line);
            }
        } catch (IOException e) {
            throw new MachineException("server-cpu: cannot start a JVM: " + e.getMessage(), e);
        }
    }

    /** Nice values of threads that together leave a share to a thread of nice value 0, whose weight is 1024. */
    static List<Integer> niceValues(double share) {
        double weight = WEIGHTS[0] * (1 - share) / share;
        List<Integer> values = new ArrayList<>();
        while (weight >= WEIGHTS[0]) {
            values.add(0);
            weight -= WEIGHTS[0];
        }
        int nearest = 0;
        for (int nice = 1; nice < WEIGHTS.length; nice++) {
            nearest = Math.abs(WEIGHTS[nice] - weight) < Math.abs(WEIGHTS[nearest] - weight) ? nice : nearest;
        }
        if (Math.abs(WEIGHTS[nearest] - weight) < weight) {
            values.add(nearest);
        }
        return values;
    }

    /** The share that a busy thread gets. */
    private static double probe(int cpu) {
        CompletableFuture<Double> kept = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        ThisThread.pin(cpu);
                        var threads = ManagementFactory.getThreadMXBean();
                        long start = System.nanoTime();
                        long cpuStart = threads.getCurrentThreadCpuTime();
                        long now = start;
                        while (now - start < PROBE_NANOS) {
                            now = System.nanoTime();
                        }
                        kept.complete((threads.getCurrentThreadCpuTime() - cpuStart) / (double) (now - start));
                    } catch (RuntimeException e) {
                        kept.completeExceptionally(e);
                    }
                },
                "rival-probe");
        thread.setDaemon(true);
        thread.start();
        try {
            return kept.join();
        } catch (CompletionException e) {
            throw new MachineException("server-cpu: " + e.getCause().getMessage(), e);
        }
    }

    /** The share of the processor that a busy thread kept when the load had started. */
    public double share() {
        return share;
    }

    /** The measured share and the processor, for people. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "next to a load on processor %d one busy thread of the server gets %.2f of it",
                cpu,
                share);
    }

    @Override
    public void close() {
        rest();
    }

    /** Stops competing, until {@link #resume}. */
    public void rest() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, 10, TimeUnit.SECONDS)
                .join();
    }
}
