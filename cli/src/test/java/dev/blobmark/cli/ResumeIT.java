package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is told to end, goes on, is killed, and goes on again: as a user would do it. */
class ResumeIT {

    private static final int ROUNDS = 8;

    @TempDir
    private Path directory;

    @BeforeAll
    static void interruptArrives() throws IOException {
        BlobmarkProcess.assumeInterruptArrives();
    }

    private long samples() {
        try {
            Path file = directory.resolve("run").resolve("samples.jsonl");
            return Files.exists(file) ? Files.readString(file).lines().count() : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String place(Sample sample) {
        return sample.method() + " " + sample.fork() + " " + sample.round();
    }

    @Test
    void itHasEverySampleOnceInTheEnd() throws Exception {
        Files.writeString(
                directory.resolve("study.yaml"), RunIT.SMALL.replace("rounds: 2, forks: 1", "rounds: 8, forks: 2"));
        String hint;
        try (BlobmarkProcess run = BlobmarkProcess.start(directory, "run", "study.yaml", "--out", "run")) {
            run.await("two samples are there", () -> samples() >= 2);
            run.signalAll("INT");
            assertThat(run.exitCode()).as(run.err()).isEqualTo(130);
            hint = run.err()
                    .lines()
                    .filter(line -> line.startsWith("  blobmark run --resume "))
                    .findFirst()
                    .orElseThrow();
        }
        String[] words = Stream.of(hint.strip().split(" ")).skip(1).toArray(String[]::new);
        List<Sample> first = RunDirectory.open(directory.resolve("run")).samples();

        try (BlobmarkProcess run = BlobmarkProcess.start(directory, words)) {
            run.await("two more are there", () -> samples() >= first.size() + 2);
            run.signal("KILL");
            assertThat(run.exitCode()).isEqualTo(128 + 9);
        }
        RunDirectory killed = RunDirectory.open(directory.resolve("run"));
        assertThat(killed.manifest().progress().state()).isEqualTo(Manifest.State.RUNNING);
        List<Sample> second = killed.samples();

        try (BlobmarkProcess run = BlobmarkProcess.start(directory, words)) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("8 rounds, 2 forks").doesNotContain("planned");
        }

        RunDirectory whole = RunDirectory.open(directory.resolve("run"));
        List<Sample> samples = whole.samples();
        assertThat(samples).startsWith(second.toArray(Sample[]::new));
        assertThat(second).startsWith(first.toArray(Sample[]::new));
        assertThat(samples.stream().map(ResumeIT::place))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, ROUNDS)
                        .boxed()
                        .flatMap(round -> Stream.of("plain", "packed").map(m -> m + " " + round % 2 + " " + round))
                        .collect(Collectors.toList()));
        assertThat(whole.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(whole.manifest().progress().resumedAt()).hasSize(2);
        BlobmarkProcess.assertNothingLeft();
    }
}
