package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
