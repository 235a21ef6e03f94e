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
 * Takes a part of one processor from everything else that runs there: a JVM with spinning threads, whose weight leaves a busy thread of
 * nice value 0 the share that was asked for. It ends when it is closed, or with its parent, even if that is killed.
 *
 * <p>A server with several busy threads keeps more, since each has a weight of its own. A share that is not used is lost.
 */
public final class CompetingLoad implements AutoCloseable {

    /** Of a thread by its nice value from 0 up: {@code sched_prio_to_weight} in the kernel's kernel/sched/core.c. */
    private static final int[] WEIGHTS = {
        1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15
    };

    /** Some hundred turns of the scheduler. */
    private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A probe that gets so much more than its share has no rival. */
    private static final double MOST_EXCESS = 1.25;

    private final int cpu;
    private final List<Integer> niceValues;
    private Process process;
    private double share;

    private CompetingLoad(int cpu, List<Integer> niceValues) {
        this.cpu = cpu;
        this.niceValues = niceValues;
        goOn();
    }

    /** Why it cannot be had here; empty where it can. */
    public static Optional<String> unavailable() {
        Optional<CpuList> allowed = SystemTree.HERE.allowed("self");
        if (allowed.isEmpty()) {
            return Optional.of("only Linux lets a server be pinned beside a load");
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
     * On one processor. Returns when a probe beside it has been measured.
     *
     * @param share that one busy thread is to keep, above 0 and below 1
     * @throws MachineException if it cannot be started, or does not take its part
     */
    public static CompetingLoad start(int cpu, double share) {
        CompetingLoad rival = new CompetingLoad(cpu, niceValues(share));
        try {
            rival.share = probe(cpu);
            if (rival.share > MOST_EXCESS * share) {
                throw new MachineException(String.format(
                        Locale.ROOT,
                        "server-cpu: beside a load that leaves %.2f of processor %d, a thread got %.2f; the system weighs"
                                + " threads otherwise (a group of its own for either?): leave the factor out here",
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
     * Takes its part again, after a {@link #rest}.
     *
     * @throws MachineException if it cannot be started
     */
    public void goOn() {
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
            // it says so when all of its threads spin
            String said = process.inputReader().readLine();
            if (!Spinners.READY.equals(said)) {
                rest();
                throw new MachineException("server-cpu: the load did not start: " + said);
            }
        } catch (IOException e) {
            throw new MachineException("server-cpu: cannot start a JVM: " + e.getMessage(), e);
        }
    }

    /** Of threads that together leave a share to one of nice value 0, which weighs 1024. */
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

    /** What a thread gets that wants all. */
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

    /** The share of the processor that a busy thread kept beside it when it had started. */
    public double share() {
        return share;
    }

    /** For people: what was measured, on which processor. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "beside a load on processor %d one busy thread of the server gets %.2f of it", cpu, share);
    }

    @Override
    public void close() {
        rest();
    }

    /** Leaves the processor to others, until {@link #goOn}. */
    public void rest() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, 10, TimeUnit.SECONDS)
                .join();
    }
}
