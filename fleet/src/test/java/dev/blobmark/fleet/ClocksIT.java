package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts with wrong clocks, made by libfaketime: what is measured is right, or the sample says what is not. */
class ClocksIT {

    private static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: operations
            baseline: plain
            methods:
              plain: {codec: none}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, rows: 100, link: loopback, tls: off, threads: 4}
            schedule: {rounds: ROUNDS, forks: 1, window: 300ms, warm-up: 100ms, seed: 1}
            """;

    private static final int ROUNDS = 4;

    /** The library alone, whose file of the time is changed while it is used. */
    private static final List<Path> LIBRARIES = Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")
            .map(directory -> Path.of(directory, "faketime", "libfaketimeMT.so.1"))
            .toList();

    private static final int SECONDS = 10;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void write() throws IOException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/faketime")),
                "there is no faketime; it is in Debian's package of that name");
        Files.writeString(directory.resolve("short.yaml"), STUDY.replace("ROUNDS", "" + ROUNDS));
        Files.writeString(directory.resolve("long.yaml"), STUDY.replace("ROUNDS", "40"));
    }

    private static FleetCommand start(LocalCluster cluster, String study, String out) throws IOException {
        return FleetCommand.start(
                directory, Map.of(), "run", study, "--on", cluster.master(), "--hosts", "2", "--out", out);
    }

    private static List<Sample> samples(String out) {
        return RunDirectory.open(directory.resolve(out)).samples();
    }

    private static boolean isFlagged(Sample sample) {
        return sample.flags().contains(Sample.DISTURBED);
    }

    /**
     * The clocks of both are compared, so that a wrong one does not matter: an hour ahead, and 200 microseconds more
     * each second.
     */
    @Test
    void aWrongClockDoesNotMoveAWindow() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, with("+3600x1.0002"))) {
            FleetCommand command = start(cluster, "short.yaml", "ahead");
            assertThat(command.exitCode()).as(command.printed()).isZero();
        }
        // without the comparison, all would be apart by the difference
        assertThat(samples("ahead"))
                .hasSize(ROUNDS)
                .allMatch(sample -> sample.outcome().isMeasurement())
                .allMatch(sample -> sample.skew().orElseThrow().startsMs() < 60_000)
                .anyMatch(sample -> sample.skew().orElseThrow().startsMs() < 250 && !isFlagged(sample));
    }

    /** @param clock as faketime has it */
    private static Map<String, String> with(String clock) {
        return Map.of("WORKER_2_ENV", "/usr/bin/faketime -f " + clock);
    }

    /** Three seconds for two: when a window begins is not known by less than many milliseconds. */
    @Test
    void aClockThatRunsTooFastIsReported() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, with("+3600x1.5"))) {
            FleetCommand command = start(cluster, "short.yaml", "fast");
            assertThat(command.exitCode()).as(command.printed()).isIn(0, 4);
        }
        assertThat(samples("fast"))
                .hasSize(ROUNDS)
                .allSatisfy(sample -> assertThat(isFlagged(sample) || sample.isCrashed())
                        .as("%s", sample.outcome())
                        .isTrue());
    }

    /** A virtual machine that is suspended: nothing of it runs, and its clock goes on where it was. */
    @Test
    void aHostThatStopsWithItsClock() throws Exception {
        Path library = LIBRARIES.stream().filter(Files::exists).findFirst().orElse(null);
        assumeTrue(library != null, "there is none of " + LIBRARIES);
        Path time = Files.writeString(directory.resolve("time"), "+0");
        String preload =
                "env LD_PRELOAD=" + library + " FAKETIME_TIMESTAMP_FILE=" + time + " FAKETIME_CACHE_DURATION=1";
        Path lines = directory.resolve("suspended/samples.jsonl");
        int before;
        try (LocalCluster cluster = LocalCluster.start(2, Map.of("WORKER_2_ENV", preload))) {
            FleetCommand command = start(cluster, "long.yaml", "suspended");
            while (!Files.exists(lines) || Files.size(lines) == 0) {
                assertThat(command.process().isAlive()).as(command.printed()).isTrue();
                Thread.sleep(50);
            }
            before = Files.readAllLines(lines).size();
            List<String> processes = Stream.concat(cluster.executors(2).stream(), cluster.measuring(2))
                    .map(process -> Long.toString(process.pid()))
                    .toList();
            signal("-STOP", processes);
            TimeUnit.SECONDS.sleep(SECONDS);
            Files.writeString(time, "-" + SECONDS);
            signal("-CONT", processes);
            assertThat(command.exitCode()).as(command.printed()).isIn(0, 4);
        }
        List<Sample> samples = samples("suspended");
        assertThat(samples).hasSize(40);
        // it shows in the sample that was measured, if one was, and in no other one
        assertThat(samples.subList(0, before)).noneMatch(ClocksIT::isStopped);
        assertThat(samples.subList(before + 2, samples.size())).noneMatch(ClocksIT::isStopped);
        // and the windows after it begin together again
        assertThat(samples.subList(before + 2, samples.size()))
                .allMatch(sample -> sample.skew().orElseThrow().startsMs() < SECONDS * 500);
        assertThat(samples.subList(before, before + 2))
                .allMatch(sample ->
                        isStopped(sample) || sample.skew().orElseThrow().startsMs() < SECONDS * 500);
    }

    private static boolean isStopped(Sample sample) {
        return sample.isCrashed() || isFlagged(sample) || sample.outcome() instanceof Outcome.Failed;
    }

    private static void signal(String signal, List<String> pids) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("kill", signal));
        words.addAll(pids);
        assertThat(new ProcessBuilder(words).start().waitFor()).isZero();
    }
}
