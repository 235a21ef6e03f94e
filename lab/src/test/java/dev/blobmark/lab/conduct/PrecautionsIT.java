package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.MachineException;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole run with its processes where they were asked to be, seen from outside while it measures. */
@Tag("long")
@Timeout(180)
class PrecautionsIT {

    @TempDir
    private Path directory;

    private static final Study STUDY = new StudyReader(Factors.VOCABULARY).read("""
                    study: small
                    metric: throughput
                    baseline: plain
                    methods: {plain: {}}
                    conditions: [{workload: [fetch, insert], dataset: "random:62", size: 4KB, threads: 1}]
                    schedule: {rounds: 3, forks: 1, window: 200ms, warm-up: 100ms, seed: 42}
                    """, "small.yaml", Optional.empty());

    private static Laboratory laboratory(Precautions precautions, List<String> forkPrefix, Listener listener) {
        return new Laboratory(
                STUDY,
                new RunOptions(
                                Servers.parse("embedded"),
                                OneServer.CACHE,
                                new JvmLaunch(TestFork.class.getName(), forkPrefix, TestFork.FLAGS),
                                "test")
                        .with(precautions),
                listener);
    }

    /** Empty if it has ended. */
    private static Optional<String> status(ProcessHandle process, String field) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith(field + ":"))
                    .map(line -> line.substring(field.length() + 1).strip())
                    .findFirst();
        } catch (IOException | UncheckedIOException ended) {
            return Optional.empty();
        }
    }

    private static CpuList allowed() {
        return CpuList.parse(
                status(ProcessHandle.current(), "Cpus_allowed_list").orElseThrow());
    }

    /** A processor each, where there are two. */
    private static Precautions precautions(boolean keepAwake) {
        Path self = Path.of("/proc/self/status");
        assumeTrue(Files.exists(self), "only Linux lets processes be pinned from outside");
        CpuList allowed = allowed();
        assumeTrue(allowed.size() > 1, "client and server cannot be told apart on one core");
        Pin pin = Pin.parse(
                "client=" + allowed.cpus().last() + ",server=" + allowed.cpus().first());
        Precautions precautions = new Precautions(pin, keepAwake);
        try {
            precautions.check();
        } catch (MachineException e) {
            assumeTrue(false, e.getMessage());
        }
        return precautions;
    }

    @Test
    void aRunIsPinnedAndKeptAwakeAndTellsSo() throws Exception {
        Precautions asked = precautions(true);
        List<ProcessHandle> before = children();
        Map<String, Set<String>> places = new TreeMap<>();
        List<Finding> warned = new ArrayList<>();
        Set<String> spinning = new TreeSet<>();
        Laboratory laboratory = laboratory(asked, List.of(), new QuietListener() {
            @Override
            public void stepStarted(String what) {
                if (what.startsWith("measuring")) {
                    awaitSpinners(what.contains("fetch"));
                    spinning.add(what);
                    children().stream()
                            .filter(child -> !before.contains(child))
                            .forEach(child -> status(child, "Cpus_allowed_list")
                                    .ifPresent(cpus -> places.computeIfAbsent(
                                                    status(child, "Name").orElse("ended"), name -> new TreeSet<>())
                                            .add(cpus)));
                }
            }

            @Override
            public void noiseFound(List<Finding> warnings) {
                warned.addAll(warnings);
            }
        });
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);

        CpuList all = allowed();
        assertThat(spinning).hasSize(2);
        assertThat(places.get("mariadbd"))
                .containsExactly(asked.pin().server().orElseThrow().toString());
        // the measuring JVM, and that of the spinners, whose threads alone are pinned
        assertThat(places.get("java"))
                .containsExactlyInAnyOrder(asked.pin().client().orElseThrow().toString(), all.toString());
        assertThat(run.manifest().machine().quiet())
                .isEqualTo(new Machine.Quiet(asked.pin(), Optional.of(all), warned));
        assertThat(warned).allMatch(Finding::isWarning);
        assertThat(children()).containsExactlyInAnyOrderElementsOf(before);
    }

    /** Waits until the spinners run, as they do while a trial reads, or rest, as they do while one writes. */
    private static void awaitSpinners(boolean run) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!children().stream()
                .flatMap(child -> spinners(child.pid()))
                .collect(Collectors.toSet())
                .equals(Set.of(run))) {
            assertThat(System.nanoTime()).as("spinners run: %s", run).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Whether each spinner of a process runs. */
    private static Stream<Boolean> spinners(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            List<String> stats = new ArrayList<>();
            for (Path thread : threads.toList()) {
                stats.add(Files.readString(thread.resolve("stat")));
            }
            return stats.stream().filter(stat -> stat.contains("(awake-")).map(stat -> stat.contains(") R "));
        } catch (IOException | UncheckedIOException ended) {
            return Stream.empty();
        }
    }

    /** Those of other tests among them: a server is kept for many. */
    private static List<ProcessHandle> children() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .toList();
    }

    @Test
    void aForkThatIsMovedElsewhereEndsTheRun() throws Exception {
        Precautions asked = precautions(false);
        String elsewhere = asked.pin().server().orElseThrow().toString();
        Laboratory laboratory = laboratory(asked, List.of("taskset", "-c", elsewhere), new QuietListener());
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThatThrownBy(() -> laboratory.run(run))
                .isInstanceOf(MachineException.class)
                .hasMessageContaining(
                        "was pinned to " + asked.pin().client().orElseThrow() + " but may run on " + elsewhere);
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FAILED);
        assertThat(run.samples()).isEmpty();
    }
}
