package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A study and a run may come from somebody else: no program that they name is started unless the user names it too. */
class ForeignProgramTest {

    @TempDir
    private Path directory;

    private Path home;
    private Path started;
    private Path study;

    @BeforeEach
    void makeProgram() throws IOException {
        home = directory.resolve("evil");
        started = directory.resolve("started");
        Path java = home.resolve("bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, "#!/bin/sh\ntouch '" + started + "'\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        study = Files.writeString(directory.resolve("study.yaml"), """
                study: foreign
                question: Whose JVM is it?
                metric: throughput
                baseline: plain
                methods: {plain: {}, other: {jvm: "%s"}}
                conditions: [{workload: codec, dataset: sites, size: 4KB, threads: 1}]
                schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 0s, seed: 42}
                """.formatted(home));
    }

    private void assertRefused(Invocation run, String whose) {
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err())
                .contains("blobmark: " + whose + " names a program to start: " + home
                        + "/bin/java; if you trust it, add --allow-program " + home);
        assertThat(started).doesNotExist();
        assertThat(directory.resolve("run/samples.jsonl")).doesNotExist();
    }

    @Test
    void aDryRunStartsNothing() {
        assertThat(Invocation.of("run", study.toString(), "--dry-run").exitCode())
                .isZero();
        assertThat(Invocation.of("run", study.toString(), "--dry-run", "--allow-program=" + home)
                        .exitCode())
                .isZero();
        assertThat(started).doesNotExist();
    }

    @Test
    void theProgramOfAStudyIsNotStarted() {
        assertRefused(Invocation.of("run", study.toString(), "--out=" + directory.resolve("run")), "the study");
        assertRefused(
                Invocation.of(
                        "run", study.toString(), "--allow-program=" + directory, "--out=" + directory.resolve("run")),
                "the study");
    }

    @Test
    void theProgramOfARunIsNotStarted() throws IOException {
        Study read = new StudyReader(Factors.VOCABULARY).read(study, Optional.empty());
        RunDirectory stopped = RunDirectory.createAt(directory.resolve("stopped"));
        try (RunWriter writer = stopped.writer()) {
            writer.write(Manifest.begin(
                    Program.of("0.1"),
                    Instant.EPOCH,
                    read,
                    new Manifest.PlannedSamples(List.of("a"), 1, 1),
                    Map.of(),
                    Map.of()));
        }
        assertRefused(Invocation.of("run", "--resume", stopped.path().toString()), "the run");
        assertThat(Invocation.of("run", "--resume", stopped.path().toString(), "--dry-run")
                        .exitCode())
                .isZero();
        assertThat(started).doesNotExist();
    }

    @Test
    void oneThatTheUserNamesIsStarted() throws IOException {
        for (List<String> named : List.of(
                List.of(study.toString(), "--allow-program=" + home),
                List.of(study.toString(), "--methods=plain", "--jvm=default," + home))) {
            Files.deleteIfExists(started);
            Invocation run = Invocation.of(List.of(List.of("run", "--out=" + directory.resolve("run")), named).stream()
                    .flatMap(List::stream)
                    .toArray(String[]::new));
            assertThat(started).as(run.err()).exists();
            assertThat(run.err())
                    .contains("jvm '" + home + "' cannot measure: its bin/java does not print a Java version");
        }
    }
}
