package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.Ending;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.StudyReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three runs on real servers: two alike, and one whose server takes 100 ms longer for each value that is stored as it
 * is. Packed values are shorter, and are not delayed.
 */
@Tag("alone")
class CompareIT {

    private static final int FILES = 16;
    private static final int FILE_BYTES = 6_000;
    private static final Duration DELAY = Duration.ofMillis(100);

    /** More than twins differ by, far less than the delay is, on a busy machine too. */
    private static final String LIMIT = "throughput < -30%";

    @TempDir
    private static Path directory;

    private static Path base;
    private static Path twin;
    private static Path slow;

    @BeforeAll
    static void run() throws Exception {
        Path values = Files.createDirectory(directory.resolve("values"));
        for (int i = 0; i < FILES; i++) {
            Files.writeString(
                    values.resolve("value-" + i),
                    (i + ", and again ").repeat(FILE_BYTES).substring(0, FILE_BYTES));
        }
        base = run("base", Duration.ZERO);
        twin = run("twin", Duration.ZERO);
        slow = run("slow", DELAY);
    }

    private static Path run(String name, Duration delay) throws Exception {
        Path path = directory.resolve(name);
        String study = """
                study: gate
                metric: throughput
                baseline: packed
                methods:
                  packed: {codec: "zstd:3"}
                  plain: {codec: none}
                conditions:
                  - {workload: fetch, dataset: "dir:%s", tls: off, threads: 1}
                schedule: {rounds: 4, forks: 4, window: 500ms, warm-up: 300ms, seed: 1}
                """.formatted(directory.resolve("values"));
        try (RunProgress progress = new RunProgress(new PrintWriter(Writer.nullWriter()), OptionalInt.empty())) {
            Laboratory laboratory = new Laboratory(
                    new StudyReader(Factors.VOCABULARY).read(study, "gate.yaml", Optional.empty()),
                    new RunOptions(
                            DelayingRelay.source(FILE_BYTES, delay),
                            BlobmarkProcess.CACHE,
                            ForkMain.launch(List.of(
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-Xmx256m",
                                    "-XX:TieredStopAtLevel=1",
                                    "-XX:+UseSerialGC")),
                            "test"),
                    progress);
            assertThat(laboratory.run(RunDirectory.createAt(path))).isEqualTo(Ending.COMPLETE);
        }
        return path;
    }

    private static Invocation compare(Path one, Path other, String... options) {
        String[] args = new String[options.length + 3];
        args[0] = "compare";
        args[1] = one.toString();
        args[2] = other.toString();
        System.arraycopy(options, 0, args, 3, options.length);
        return Invocation.of(args);
    }

    @Test
    void theDelayIsThereAndOnlyInOneMethod() {
        List<Sample> samples = RunDirectory.open(slow).samples();

        assertThat(samples).hasSize(8).allSatisfy(sample -> {
            long p50 = sample.operations().get("fetch").latency().p50();
            if (sample.method().equals("plain")) {
                assertThat(p50).isGreaterThanOrEqualTo(DELAY.toNanos());
            } else {
                assertThat(p50).isLessThan(DELAY.toNanos());
            }
        });
    }

    @Test
    void aDelayFailsTheGate() {
        Invocation gate = compare(base, slow, "--fail-if", LIMIT);

        assertThat(gate.exitCode()).as(gate.out()).isEqualTo(99);
        assertThat(gate.out()).contains("Limit throughput < -30%: exceeded by 1 of 1.\n ✗ exceeded: plain (fetch: ");
        assertThat(gate.err()).isEmpty();
    }

    @Test
    void itsTwinPasses() {
        Invocation gate = compare(base, twin, "--fail-if", LIMIT);

        assertThat(gate.exitCode()).as(gate.out()).isZero();
        assertThat(gate.out()).contains("Limit throughput < -30%: ").doesNotContain("exceeded");
        assertThat(gate.err()).isEmpty();
    }

    @Test
    void whatBecameFasterPasses() {
        assertThat(compare(slow, base, "--fail-if", LIMIT).exitCode()).isZero();
    }

    @Test
    void theFiguresThemselvesTellTheSame() {
        Invocation loss = compare(base, slow, "--absolute", "--metric", "p50", "--fail-if", "p50 > +100%");
        assertThat(loss.exitCode()).as(loss.out()).isEqualTo(99);
        assertThat(loss.out()).contains("Limit p50 > +100%: exceeded by 1, ", " of 2.\n ✗ exceeded: plain (fetch: ");

        Invocation none = compare(base, twin, "--absolute", "--metric", "p50", "--fail-if", "p50 > +100%");
        assertThat(none.exitCode()).as(none.out()).isZero();
    }

    @Test
    void severalRunsOfASideAreMergedAndComparedAsThose() throws Exception {
        Path merged = directory.resolve("merged");

        Invocation merge = Invocation.of("merge", base.toString(), twin.toString(), "--out", merged.toString());
        assertThat(merge.exitCode()).as(merge.err()).isZero();
        assertThat(merge.out()).isEmpty();
        assertThat(merge.err())
                .isEqualTo("Merged 2 runs: 16 samples of 2 trials.%nRun directory: %s%n".formatted(merged));

        Invocation report = Invocation.of("report", "--details", merged.toString());
        assertThat(report.exitCode()).as(report.err()).isZero();
        assertThat(report.out()).contains("16 of 16 planned, 8 rounds, 8 forks", "Merged   2 runs, started ");

        Invocation together = compare(merged, slow, "--format", "json");
        Invocation apart = Invocation.of(
                "compare", base.toString(), twin.toString(), "--with", slow.toString(), "--format", "json");
        assertThat(together.exitCode()).as(together.err()).isZero();
        assertThat(together.out()).contains("\"unit\" : \"run\"", "\"covers_runs\" : true");
        assertThat(together.out()).isEqualTo(apart.out());
    }
}
