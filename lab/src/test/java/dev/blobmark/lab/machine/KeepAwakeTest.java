package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real spinners, seen from outside; and the machines that cannot have them. */
@Timeout(180)
class KeepAwakeTest {

    /** Much more than a process needs to end on a busy machine. */
    private static final int PATIENCE_SECONDS = 60;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static void assumePossible() {
        try {
            KeepAwake.check(SystemTree.HERE);
        } catch (MachineException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    /** A JVM leaves a signal ignored that it finds so, and its children inherit it. */
    private static boolean ignoresInterrupts() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 0b10) != 0);
    }

    private static Stream<ProcessStat> threads(long pid) {
        return SystemTree.HERE.names("proc/" + pid + "/task", "*").stream()
                .flatMap(thread -> ProcessStat.read(SystemTree.HERE, pid + "/task/" + thread).stream());
    }

    private static List<ProcessStat> spinners(long pid) {
        return threads(pid).filter(stat -> stat.command().startsWith("awake-")).toList();
    }

    /** One that runs on every core. A thread that a spinner starts to be placed bears its name for a moment. */
    private static List<ProcessStat> awaitSpinners(KeepAwake awake) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        List<ProcessStat> spinners = spinners(awake.pid());
        while (spinners.size() != awake.cpus().size() || spinners.stream().anyMatch(stat -> stat.state() != 'R')) {
            assertThat(System.nanoTime()).as("%s", spinners).isLessThan(deadline);
            LockSupport.parkNanos(POLL_NANOS);
            spinners = spinners(awake.pid());
        }
        return spinners;
    }

    @Test
    void everyCoreHasOneSpinnerThatGivesWay() throws Exception {
        assumePossible();
        ProcessHandle process;
        try (KeepAwake awake = KeepAwake.start()) {
            process = ProcessHandle.of(awake.pid()).orElseThrow();
            assertThat(awake.cpus()).isEqualTo(SystemTree.HERE.allowed("self").orElseThrow());
            assertThat(awaitSpinners(awake)).isNotEmpty().allMatch(stat -> stat.policy() == 5);
            awake.verifyAlive();
        }
        assertThat(process.isAlive()).isFalse();
    }

    /** So that a thread of the kernel that the scheduler passes over gets the core. */
    @Test
    void theySleepNowAndThen() throws IOException {
        assumePossible();
        try (KeepAwake awake = KeepAwake.start()) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            for (ProcessStat spinner : awaitSpinners(awake)) {
                long before = sleeps(awake, spinner);
                while (sleeps(awake, spinner) < before + 10) {
                    assertThat(System.nanoTime()).as("%s", spinner).isLessThan(deadline);
                    LockSupport.parkNanos(POLL_NANOS);
                }
            }
        }
    }

    /** How often a thread has given its processor up by itself. */
    private static long sleeps(KeepAwake awake, ProcessStat spinner) throws IOException {
        Path tasks = Path.of("/proc", Long.toString(awake.pid()), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).strip().equals(spinner.command())) {
                    return Files.readAllLines(thread.resolve("status")).stream()
                            .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .findFirst()
                            .orElseThrow();
                }
            }
        }
        throw new IOException("no thread " + spinner.command());
    }

    @Test
    void theyRestAndGoOn() {
        assumePossible();
        try (KeepAwake awake = KeepAwake.start()) {
            for (int turn = 0; turn < 3; turn++) {
                awake.rest();
                awake.rest();
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (spinners(awake.pid()).stream().anyMatch(stat -> stat.state() == 'R')) {
                    assertThat(System.nanoTime()).as("rests").isLessThan(deadline);
                    LockSupport.parkNanos(POLL_NANOS);
                }
                awake.resume();
                awaitSpinners(awake);
            }
        }
    }

    /** A terminal sends it to the whole group; a run then ends in its own time. */
    @Test
    void theyOutliveAnInterruptOfTheirParent() throws Exception {
        assumePossible();
        assumeFalse(ignoresInterrupts(), "SIGINT is ignored here, as by what a script starts in the background");
        try (KeepAwake awake = KeepAwake.start()) {
            assertThat(new ProcessBuilder("kill", "-INT", Long.toString(awake.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            // the JVM has heard it when its shutdown waits for the parent
            while (threads(awake.pid()).noneMatch(stat -> stat.command().equals("await-parent"))) {
                awake.verifyAlive();
                LockSupport.parkNanos(POLL_NANOS);
            }
            awaitSpinners(awake);
        }
    }

    @Test
    void spinnersThatEndedAreNoticed() throws Exception {
        assumePossible();
        try (KeepAwake awake = KeepAwake.start()) {
            ProcessHandle process = ProcessHandle.of(awake.pid()).orElseThrow();
            process.destroyForcibly();
            process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThatThrownBy(awake::verifyAlive)
                    .isInstanceOf(MachineException.class)
                    .hasMessageStartingWith("--keep-awake: the spinning JVM ended during the run (exit status 137)");
        }
    }

    @Test
    void theyEndWithAParentThatIsKilled() throws Exception {
        assumePossible();
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SpinnersOwner.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ProcessHandle spinning =
                ProcessHandle.of(Long.parseLong(owner.inputReader().readLine())).orElseThrow();
        try {
            assertThat(spinning.isAlive()).isTrue();
            owner.destroyForcibly();
            assertThat(owner.waitFor()).isEqualTo(128 + 9);
            spinning.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(spinning.isAlive()).isFalse();
        } finally {
            spinning.destroyForcibly();
            owner.destroyForcibly();
        }
    }

    @Test
    void aProcessorThatCannotBeHadEndsThemWithTheReason() {
        assumePossible();
        assertThatThrownBy(() -> Spinners.main(new String[] {"8191"}))
                .hasCauseInstanceOf(MachineException.class)
                .hasMessageContaining("taskset -cp 8191");
    }

    @Test
    void aContainersQuotaIsNotUsedUp(@TempDir Path root) throws IOException {
        SystemTree container = Trees.unpack("container", root);
        assertThatThrownBy(() -> KeepAwake.start(container))
                .isInstanceOf(MachineException.class)
                .hasMessage("--keep-awake would use up the CPU quota of this container (1.5 of 9 cores) and stop the"
                        + " measurement; lift the quota, or leave it out");
    }

    @Test
    void aSystemWithoutThePolicyIsNamed(@TempDir Path nothing) {
        assertThatThrownBy(() -> KeepAwake.start(new SystemTree(nothing)))
                .isInstanceOf(MachineException.class)
                .hasMessageStartingWith("--keep-awake requires Linux")
                .hasMessageEndingWith("leave it out here");
    }
}
