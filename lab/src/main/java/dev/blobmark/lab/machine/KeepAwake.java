package dev.blobmark.lab.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps processors out of idle states, so that no operation waits for a processor to wake up. A JVM runs one spinning
 * thread on each processor with the policy SCHED_IDLE, which yields at once to any other thread of its control group
 * and session. It ends when it is closed or when its parent ends, even if the parent is killed.
 *
 * <p>Commits that wait for a disk take many times longer while spinners run, probably because threads of the kernel are
 * in other groups and do not get the core at once (ADR 39). Therefore spinners {@link #rest} during trials that write
 * to disk.
 */
public final class KeepAwake implements AutoCloseable {

    /** Much longer than a JVM needs to start on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Process process;
    private final CpuList cpus;
    private boolean resting;

    private KeepAwake(Process process, CpuList cpus) {
        this.process = process;
        this.cpus = cpus;
    }

    /**
     * Starts a spinner on each processor that this process may use. Returns when each spinner has been seen running on
     * its processor with its policy.
     *
     * @throws MachineException if that is not possible here: the message has the reason and the remedy
     */
    public static KeepAwake start() {
        return start(SystemTree.HERE);
    }

    /**
     * Checks whether spinners could be started here.
     *
     * @throws MachineException if not: the message has the reason and the remedy
     */
    static CpuList check(SystemTree tree) {
        CpuList cpus = tree.allowed("self")
                .orElseThrow(
                        () -> new MachineException(
                                "--keep-awake requires Linux, because it uses threads with the policy SCHED_IDLE; leave it out here"));
        OptionalDouble quota = new ControlGroups(tree).quotaCores();
        if (quota.isPresent() && quota.getAsDouble() < cpus.size()) {
            throw new MachineException(
                    "--keep-awake would use up the CPU quota of this container (" + quota.getAsDouble() + " of "
                            + cpus.size() + " cores) and stop the measurement; lift the quota, or leave it out");
        }
        ThisThread.run(List.of("taskset", "--version"));
        ThisThread.run(List.of("chrt", "--version"));
        return cpus;
    }

    /**
     * Whether keeping processors awake pays here: it is possible, and waking an idle core takes so long that chance
     * decides the duration of a fetch. Measures for a third of a second.
     */
    public static boolean pays() {
        try {
            CpuList cpus = check(SystemTree.HERE);
            OptionalInt first = OptionalInt.of(cpus.cpus().first());
            OptionalInt last = OptionalInt.of(cpus.cpus().last());
            return cpus.size() > 1 && WakeCost.measure(first, last).isSlowerThan(WakeCost.measure(first, first));
        } catch (MachineException e) {
            return false;
        }
    }

    static KeepAwake start(SystemTree tree) {
        CpuList cpus = check(tree);
        Process process;
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
                            cpus.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new MachineException("--keep-awake: cannot start a JVM: " + e.getMessage(), e);
        }
        KeepAwake awake = new KeepAwake(process, cpus);
        try {
            awake.verify(tree);
            return awake;
        } catch (RuntimeException e) {
            awake.close();
            throw e;
        }
    }

    private void verify(SystemTree tree) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!cpus.cpus().stream().allMatch(cpu -> isSpinning(tree, cpu))) {
            if (!process.isAlive()) {
                throw new MachineException("--keep-awake: the spinning JVM ended: " + lastOutput());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new MachineException("--keep-awake: within 60 s not every core of " + cpus
                        + " had a thread of policy SCHED_IDLE; leave it out here");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Policy and processor are read from the thread, because the process also has other threads, which sleep. */
    private boolean isSpinning(SystemTree tree, int cpu) {
        String threads = process.pid() + "/task";
        return tree.names("proc/" + threads, "*").stream()
                .map(thread -> threads + "/" + thread)
                .anyMatch(thread -> ProcessStat.read(tree, thread)
                                .filter(stat -> stat.command().equals(Spinners.NAME + cpu)
                                        && stat.policy() == ProcessStat.SCHED_IDLE
                                        && stat.state() == ProcessStat.RUNNABLE)
                                .isPresent()
                        && tree.allowed(thread).equals(Optional.of(CpuList.of(cpu))));
    }

    private String lastOutput() {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains("Exception") || line.contains("rror"))
                    .findFirst()
                    .orElse("exit status " + process.exitValue());
        } catch (IOException e) {
            return "exit status " + process.exitValue();
        }
    }

    /** Stops spinning, until {@link #resume}. */
    public void rest() {
        send(true);
    }

    /** Spins again, after a {@link #rest}. */
    public void resume() {
        send(false);
    }

    private void send(boolean rest) {
        if (resting == rest) {
            return;
        }
        resting = rest;
        try {
            process.getOutputStream().write(rest ? Spinners.REST : Spinners.RESUME);
            process.getOutputStream().flush();
        } catch (IOException e) {
            verifyAlive();
            throw new MachineException("--keep-awake: cannot reach the spinning JVM: " + e.getMessage(), e);
        }
    }

    /** The processors that are kept awake. */
    public CpuList cpus() {
        return cpus;
    }

    public long pid() {
        return process.pid();
    }

    /** @throws MachineException if the spinners have ended */
    public void verifyAlive() {
        if (!process.isAlive()) {
            throw new MachineException("--keep-awake: the spinning JVM ended during the run (" + lastOutput()
                    + "); samples since then are not comparable: start the run again");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly()
                .onExit()
                .completeOnTimeout(process, 10, TimeUnit.SECONDS)
                .join();
    }
}
