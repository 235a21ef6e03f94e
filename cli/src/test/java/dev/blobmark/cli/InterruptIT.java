package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is told to end: it ends soon, with a valid run of what it has, and leaves nothing behind. */
class InterruptIT {

    /** Measures for hours. */
    private static final String LONG =
            RunIT.SMALL.replace("rounds: 2", "rounds: 10000").replace("50ms", "500ms");

    /** Loads some 500 MB, for seconds on any machine. */
    private static final String LARGE = RunIT.STUDY
            .replace("sites, size: 4KB", "\"random:62\", size: [250KB, 500KB, 1MB, 2MB, 4MB]")
            .replace("packed:", "quick: {codec: snappy}\n  quicker: {codec: lz4}\n  packed:");

    /** Loads for seconds. */
    private static final String SET = """
            study: tiny
            question: Does it run?
            source: a test
            metric: throughput
            baseline: redis
            methods:
              redis: {store: redis, structure: keys}
              set: {store: redis}
            conditions:
              - {workload: membership, dataset: "uuid:4", rows: 5000000, link: loopback, tls: off, threads: 1}
            schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 50ms, seed: 1}
            """;

    @TempDir
    private Path directory;

    @BeforeAll
    static void interruptArrives() throws IOException {
        BlobmarkProcess.assumeInterruptArrives();
    }

    private BlobmarkProcess start(String study) throws IOException {
        Files.writeString(directory.resolve("study.yaml"), study);
        return BlobmarkProcess.start(directory, "run", "study.yaml", "--out", "run", "--no-keep-awake");
    }

    private long samples() {
        try {
            Path file = directory.resolve("run").resolve("samples.jsonl");
            return Files.exists(file) ? Files.readString(file).lines().count() : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private RunDirectory assertInterrupted(BlobmarkProcess run, int exitCode) throws Exception {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        assertThat(run.err())
                .endsWith("Interrupted: what was measured until then is in the run directory. To resume it:\n"
                        + "  blobmark run --resume run\nRun directory: run\nReport:        run/report.html\n")
                .doesNotContain("blobmark: ");
        RunDirectory left = RunDirectory.open(directory.resolve("run"));
        assertThat(left.path().resolve("report.html")).content().endsWith("</html>\n");
        assertThat(left.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(run.out())
                .startsWith("Does it run?\n")
                .containsPattern(String.format(
                        Locale.ROOT,
                        "(?m)^(Samples  )?%d of %,d planned",
                        left.samples().size(),
                        left.manifest().plan().samples()))
                .isEqualTo(Invocation.of("report", left.path().toString()).out());
        BlobmarkProcess.assertNothingLeft();
        return left;
    }

    @Test
    void whileMeasuringItKeepsWhatItHas() throws Exception {
        try (BlobmarkProcess run = start(LONG)) {
            run.await("two samples are there", () -> samples() >= 2);

            run.signal("TERM");

            assertThat(assertInterrupted(run, 143).samples()).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    /** Ctrl-C reaches every process of the terminal's foreground: the measuring JVM and the server too. */
    @Test
    void whileMeasuringOnATerminalItKeepsWhatItHas() throws Exception {
        try (BlobmarkProcess run = start(LONG)) {
            run.await("two samples are there", () -> samples() >= 2);
            assertThat(run.descendants()).hasSize(2);

            run.signalAll("INT");

            assertThat(assertInterrupted(run, 130).samples()).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void whileLoadingItHasNothingButIsValid() throws Exception {
        try (BlobmarkProcess run = start(LARGE)) {
            run.await("it loads", () -> run.err().contains(" left: loading "));

            run.signal("INT");

            assertThat(assertInterrupted(run, 130).samples()).isEmpty();
        }
    }

    /** Ctrl-C ends Redis too, in the middle of a pipeline. */
    @Test
    void whileASetIsLoadedItHasNothingButIsValid() throws Exception {
        try (BlobmarkProcess run = start(SET)) {
            run.await("it loads", () -> run.err().contains(" left: loading "));
            List<ProcessHandle> redis = run.descendants().stream()
                    .filter(process -> process.info().command().orElse("").contains("redis-server"))
                    .toList();
            assertThat(redis).hasSize(1);
            BlobmarkProcess.kill("STOP", redis.stream()); // Blobmark waits for answers to a pipeline

            run.signal("INT");
            run.await("it knows", () -> hasThread(run.handle(), "stop-run"));
            BlobmarkProcess.kill("KILL", redis.stream());

            assertThat(assertInterrupted(run, 130).samples()).isEmpty();
        }
    }

    private static boolean hasThread(ProcessHandle process, String name) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", process.pid() + "", "task"))) {
            for (Path thread : (Iterable<Path>) threads::iterator) {
                if (Files.readString(thread.resolve("comm")).strip().equals(name)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // a thread has ended meanwhile
        }
        return false;
    }

    @Test
    void whileTheServerStartsItHasNothingButIsValid() throws Exception {
        try (BlobmarkProcess run = start(LONG)) {
            run.await(
                    "the server has a directory",
                    () -> !BlobmarkProcess.serverDirectories().isEmpty());

            run.signalAll("INT");

            assertThat(assertInterrupted(run, 130).samples()).isEmpty();
        }
    }
}
