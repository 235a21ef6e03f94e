package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.AdviceFile;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs on a Spark cluster with a master and two workers, as a user would start them. */
class FleetIT {

    private static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: operations
            baseline: plain
            methods:
              plain: {codec: none}
              packed: {codec: "zstd:3"}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, rows: 100, link: loopback, tls: off, threads: 4}
            schedule: {rounds: 2, forks: 1, window: WINDOW, warm-up: 100ms, seed: 1}
            """;

    private static final int SAMPLES = 4;

    private static LocalCluster cluster;

    private static final String NOT_DECIDED = "nothing can be decided: " + Rankings.LIMITED_BY_CLIENTS;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws IOException {
        cluster = LocalCluster.start(2, Map.of());
        Files.writeString(directory.resolve("short.yaml"), STUDY.replace("WINDOW", "200ms"));
        Files.writeString(directory.resolve("long.yaml"), STUDY.replace("WINDOW", "1500ms"));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FleetCommand.PATIENCE_SECONDS);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    private static RunDirectory run(String name) {
        return RunDirectory.open(directory.resolve(name));
    }

    @Test
    void theSameTrialsAreMeasuredAsOnOneMachine() throws Exception {
        FleetCommand alone =
                FleetCommand.start(directory, Map.of(), "run", "short.yaml", "--set", "processes=2", "--out", "alone");
        assertThat(alone.exitCode()).as(alone.printed()).isZero();
        FleetCommand fleet = FleetCommand.start(
                directory, Map.of(), "run", "short.yaml", "--on", cluster.master(), "--hosts", "2", "--out", "fleet");
        assertThat(fleet.exitCode()).as(fleet.printed()).isZero();

        List<Sample> samples = run("fleet").samples();
        assertThat(samples)
                .extracting(sample -> sample.trial().id())
                .containsExactlyInAnyOrderElementsOf(run("alone").samples().stream()
                        .map(sample -> sample.trial().id())
                        .toList());
        assertThat(samples).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.skew().orElseThrow().processes()).isEqualTo(2);
            assertThat(sample.skew().orElseThrow().clockMs()).isPresent();
        });
        assertThat(run("alone").samples())
                .allSatisfy(sample ->
                        assertThat(sample.skew().orElseThrow().clockMs()).isEmpty());
        assertThat(run("fleet").manifest().machine().hosts()).hasSize(2);
        assertThat(fleet.printed()).contains("measured from 2 hosts");
        assertThat(Files.readString(directory.resolve("fleet/manifest.json"))).doesNotContain(cluster.master());
    }

    /** Trials of one process are open together, and are measured in turns. */
    @Test
    void trialsAreVisitedOnAHost() throws Exception {
        Files.writeString(
                directory.resolve("visits.yaml"), STUDY.replace("window: WINDOW", "window: 400ms, visit: 50ms"));
        FleetCommand command = FleetCommand.start(
                directory,
                Map.of(),
                "run",
                "visits.yaml",
                "--on",
                cluster.master(),
                "--hosts",
                "1",
                "--out",
                "visited");
        assertThat(command.exitCode()).as(command.printed()).isZero();

        assertThat(run("visited").samples()).hasSize(SAMPLES).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement())
                    .as("%s", sample.outcome())
                    .isTrue();
            assertThat(sample.visits()).isPresent();
        });
    }

    @Test
    void aHostThatIsLostCostsTheSampleInWhichItWasAndNoOther() throws Exception {
        FleetCommand command = FleetCommand.start(
                directory, Map.of(), "run", "long.yaml", "--on", cluster.master(), "--hosts", "2", "--out", "killed");
        Path lines = directory.resolve("killed/samples.jsonl");
        await("a sample", () -> Files.exists(lines) && Files.size(lines) > 0);
        cluster.executors(1).forEach(ProcessHandle::destroyForcibly);

        assertThat(command.exitCode()).as(command.printed()).isIn(0, 4);
        List<Sample> samples = run("killed").samples();
        assertThat(samples).hasSize(SAMPLES);
        assertThat(samples).filteredOn(Sample::isCrashed).hasSizeLessThanOrEqualTo(1);
        assertThat(samples)
                .filteredOn(sample -> !sample.isCrashed())
                .allSatisfy(
                        sample -> assertThat(sample.outcome().isMeasurement()).isTrue());
        assertThat(samples)
                .filteredOn(Sample::isCrashed)
                .allSatisfy(sample -> assertThat(((Outcome.Failed) sample.outcome()).reason())
                        .startsWith("the measuring JVM was lost: host "));
    }

    @Test
    void hostsEndWithBlobmarkAndTheRunIsResumed() throws Exception {
        FleetCommand command = FleetCommand.start(
                directory, Map.of(), "run", "long.yaml", "--on", cluster.master(), "--hosts", "2", "--out", "ended");
        Path samples = directory.resolve("ended/samples.jsonl");
        await("a sample", () -> Files.exists(samples) && Files.size(samples) > 0);
        command.process().destroyForcibly();
        await(
                "the ends of the executors",
                () -> cluster.executors(1).isEmpty() && cluster.executors(2).isEmpty());

        FleetCommand resumed = FleetCommand.start(
                directory, Map.of(), "run", "--resume", "ended", "--on", cluster.master(), "--hosts", "2");
        assertThat(resumed.exitCode()).as(resumed.printed()).isZero();
        assertThat(run("ended").samples()).hasSize(SAMPLES);
    }

    /** A host that gets a third of the time of the other's processor. */
    @Test
    void aSlowHostIsSeenAndNoVerdictIsGiven() throws Exception {
        FleetCommand command = FleetCommand.start(
                directory, Map.of(), "run", "long.yaml", "--on", cluster.master(), "--hosts", "2", "--out", "slow");
        while (!command.process().waitFor(5, TimeUnit.MILLISECONDS)) {
            // stopped for two thirds of the time; one that has just ended is not there
            List<String> pids = cluster.measuring(2)
                    .map(process -> Long.toString(process.pid()))
                    .toList();
            if (!pids.isEmpty()) {
                signal("-STOP", pids);
                Thread.sleep(40);
                signal("-CONT", pids);
                Thread.sleep(20);
            }
        }

        assertThat(command.exitCode()).as(command.printed()).isZero();
        // one may be spared on a busy machine; half of a method's samples are enough
        assertThat(run("slow").samples())
                .filteredOn(sample -> sample.flags().contains(Sample.CLIENT_LIMITED))
                .hasSizeGreaterThanOrEqualTo(SAMPLES - 1);
        assertThat(command.printed()).contains("samples limited by clients", "inconclusive", "cannot be distinguished");
    }

    private static void signal(String signal, List<String> pids) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("kill", signal));
        words.addAll(pids);
        new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Of a directory with all jars, as a release has it. */
    @Test
    void aSubmittedApplicationMeasures() throws Exception {
        FleetCommand command = FleetCommand.submit(
                directory,
                Map.of(),
                cluster,
                "run",
                "short.yaml",
                "--hosts",
                "2",
                "--out",
                "submitted",
                FleetCommand.QUICK_TO_MEASURE);

        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(run("submitted").samples())
                .hasSize(SAMPLES)
                .allSatisfy(sample ->
                        assertThat(sample.skew().orElseThrow().clockMs()).isPresent());
    }

    /**
     * Many threads: the rates of two processes on few processors differ less. Where they differ all the same, on a busy
     * machine, nothing is decided, and the advice is asked for again.
     */
    @Test
    void anAdviceIsMeasuredFromTheHosts() throws Exception {
        String out = "advised";
        FleetCommand command = advise(out);
        for (int tries = 1; tries < 4 && command.printed().contains(NOT_DECIDED); tries++) {
            assertThat(command.exitCode()).isNotZero();
            assertThat(Rankings.areLimitedByClients(run(out + "/curve").samples()))
                    .isTrue();
            out = "advised-" + tries;
            command = advise(out);
        }
        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(command.printed()).contains("Waiting for the hosts of the cluster", " · 16 threads on 2 hosts · ");

        assertThat(AdviceFile.read(directory.resolve(out)).question().hosts()).hasValue(2);
        assertThat(run(out + "/curve").manifest().machine().hosts()).hasSize(2);
        assertThat(run(out + "/curve").samples()).isNotEmpty();
        // a busy machine may have no time for samples of the race
        for (String name : List.of(out + "/curve", out + "/race")) {
            assertThat(run(name).manifest().study().trials(Factors.VOCABULARY))
                    .allSatisfy(trial ->
                            assertThat(trial.design().get(Processes.FACTOR)).isEqualTo(2));
            assertThat(run(name).samples())
                    .filteredOn(sample -> !sample.isCrashed())
                    .allSatisfy(sample -> {
                        assertThat(sample.skew().orElseThrow().processes()).isEqualTo(2);
                        assertThat(sample.skew().orElseThrow().clockMs()).isPresent();
                    });
        }
        assertError("add --on MASTER --hosts 2", "advise", "--check", out);
    }

    /** Ends before this returns. */
    private static FleetCommand advise(String out) throws Exception {
        FleetCommand command = FleetCommand.start(
                directory,
                Map.of(),
                "advise",
                "--data",
                "random:62",
                "--size",
                "4KB",
                "--threads",
                "16",
                "--must-read-in-sql",
                "--time",
                "1s",
                "--on",
                cluster.master(),
                "--hosts",
                "2",
                "--out",
                out);
        command.exitCode();
        return command;
    }

    @Test
    void badInputIsNamed() throws Exception {
        String master = cluster.master();
        assertError("--hosts needs --on", "run", "short.yaml", "--hosts", "2");
        assertError("--on needs --hosts N", "run", "short.yaml", "--on", master);
        String[] none = {"run", "short.yaml", "--on", "spark://127.0.0.1:1", "--hosts", "2", "--insecure-cluster"};
        assertError("cannot be reached", none);
        assertError("is not the master of a Spark cluster", "run", "short.yaml", "--on", "here", "--hosts", "2");
        for (String setting : List.of("spark.speculation", "spark.dynamicAllocation.enabled")) {
            String[] words = {"run", "short.yaml", "--on", master, "--hosts", "2", "--spark-conf", setting + "=true"};
            assertError("set " + setting + "=false", words);
        }
        assertError("each process needs one", "run", "short.yaml", "--on", master, "--hosts", "8");
    }

    private static void assertError(String message, String... arguments) throws Exception {
        FleetCommand command = FleetCommand.start(directory, Map.of(), arguments);
        assertThat(command.exitCode()).as(command.printed()).isNotZero();
        assertThat(command.printed()).contains(message);
    }
}
