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
 * Keeps processors out of idle, so that no operation waits for one to wake up: a JVM with one spinning thread on each, of
 * policy SCHED_IDLE, which gives way at once to any other thread of its control group and session. It ends when it is closed, or with its parent, even if that
 * is killed.
 *
 * <p>Commits that wait for a disk take many times longer while spinners run, probably since the kernel's own threads are in other groups and do not
 * get the core at once (ADR 39). So spinners {@link #rest} while something is written to disk.
 */
public final class KeepAwake implements AutoCloseable {

    /** Much more than a JVM needs to start on a busy machine. */
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
     * On all processors that this process may use. Returns when each spinner has been seen to run on its own with its policy.
     *
     * @throws MachineException if that cannot be done here: the message says why, and what to do
     */
    public static KeepAwake start() {
        return start(SystemTree.HERE);
    }

    /**
     * Whether it could be started here.
     *
     * @throws MachineException if not: the message says why, and what to do
     */
    static CpuList check(SystemTree tree) {
        CpuList cpus = tree.allowed("self")
                .orElseThrow(
                        () -> new MachineException(
                                "--keep-awake needs Linux: it keeps cores busy with threads of the policy SCHED_IDLE; leave it out here"));
        OptionalDouble quota = new ControlGroups(tree).quotaCores();
        if (quota.isPresent() && quota.getAsDouble() < cpus.size()) {
            throw new MachineException(
                    "--keep-awake would use up the CPU quota of this container (" + quota.getAsDouble() + " of "
                            + cpus.size() + " cores), and stop what is measured; lift the quota, or leave it out");
        }
        ThisThread.run(List.of("taskset", "--version"));
        ThisThread.run(List.of("chrt", "--version"));
        return cpus;
    }

    /**
     * Whether it is worth it here: it could be started, and waking an idle core takes so long that it is chance what a fetch takes. Tries
     * that for a third of a second.
     */
    public static boolean pays() {
        try {
            CpuList cpus = check(SystemTree.HERE);
            OptionalInt one = OptionalInt.of(cpus.cpus().first());
            OptionalInt other = OptionalInt.of(cpus.cpus().last());
            return cpus.size() > 1 && WakeCost.measure(one, other).isDearerThan(WakeCost.measure(one, one));
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
                throw new MachineException("--keep-awake: the spinning JVM ended: " + said());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new MachineException("--keep-awake: within 60 s not every core of " + cpus
                        + " had a thread of policy SCHED_IDLE; leave it out here");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Policy and place are read back of the thread: the process also has others, which sleep. */
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

    private String said() {
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

    /** Leaves the processors to others, until {@link #goOn}. */
    public void rest() {
        tell(true);
    }

    /** Keeps the processors awake, as it does from the start on. */
    public void goOn() {
        tell(false);
    }

    private void tell(boolean rest) {
        if (resting == rest) {
            return;
        }
        resting = rest;
        try {
            process.getOutputStream().write(rest ? Spinners.REST : Spinners.GO_ON);
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

    /** @throws MachineException if the spinners have ended meanwhile */
    public void verifyAlive() {
        if (!process.isAlive()) {
            throw new MachineException("--keep-awake: the spinning JVM ended during the run (" + said()
                    + "); what was measured since is not comparable: start again");
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
