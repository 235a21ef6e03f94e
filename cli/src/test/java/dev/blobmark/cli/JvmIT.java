package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JVMs as methods, in one run: that which runs Blobmark, and a JDK 25 where there is one. */
class JvmIT {

    private static final Path JVMS = Path.of("/usr/lib/jvm");

    @TempDir
    private Path directory;

    private static Optional<Path> jdk25() throws IOException {
        Optional<Path> named = Optional.ofNullable(System.getenv("JDK25_HOME")).map(Path::of);
        if (named.isPresent() || !Files.isDirectory(JVMS)) {
            return named;
        }
        try (Stream<Path> all = Files.list(JVMS)) {
            return all.filter(home -> home.getFileName().toString().contains("25"))
                    .filter(home -> Files.isExecutable(home.resolve("bin").resolve("java")))
                    .findFirst();
        }
    }

    @Test
    void eachJvmMeasuresAndIsRanked() throws Exception {
        Optional<Path> jdk25 = jdk25();
        assumeTrue(jdk25.isPresent(), "there is no JDK 25 here (JDK25_HOME, " + JVMS + ")");
        String home = jdk25.get().toString();
        Files.writeString(directory.resolve("study.yaml"), RunIT.SMALL);

        try (BlobmarkProcess run = BlobmarkProcess.start(
                directory,
                "run",
                "--details",
                "study.yaml",
                "--methods=plain",
                "--jvm=default," + home,
                "--jvm-flags=-XX:+UseParallelGC -Dtoken=hunter2",
                "--out=run")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out())
                    .contains("JVMs     ", "default: " + System.getProperty("java.vendor"), home + ": ")
                    .contains("plain@jvm=default", "plain@jvm=" + home);
            assertThat(run.err())
                    .contains("The baseline is now 'plain@jvm=default', with the first level of 'jvm' given.");
        }

        RunDirectory left = RunDirectory.open(directory.resolve("run"));
        Manifest manifest = left.manifest();
        assertThat(manifest.machine().jvms()).containsOnlyKeys("default", home);
        assertThat(manifest.machine().jvms().get("default").version())
                .isEqualTo(System.getProperty("java.runtime.version"));
        assertThat(manifest.machine().jvms().get(home).version()).startsWith("25");
        assertThat(manifest.machine().jvms().values())
                .allSatisfy(jvm -> assertThat(jvm.flags())
                        .endsWith("-XX:+AlwaysActAsServerClassMachine", "-XX:+UseParallelGC", "-Dtoken=…"));
        assertThat(left.samples())
                .hasSize(4)
                .allMatch(sample -> sample.outcome().isMeasurement())
                .extracting(Sample::method)
                .containsOnly("plain@jvm=default", "plain@jvm=" + home);
        BlobmarkProcess.assertNothingLeft();
    }

    @Test
    void aJvmThatIsNoneIsRefusedBeforeThereIsARun() throws Exception {
        Files.writeString(directory.resolve("study.yaml"), RunIT.SMALL);
        try (BlobmarkProcess run = BlobmarkProcess.start(directory, "run", "study.yaml", "--jvm=no-jdk", "--out=run")) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err())
                    .startsWith("blobmark: jvm '" + directory.toRealPath().resolve("no-jdk")
                            + "' cannot measure: there is no bin/java in it; give the path of a JDK 17 or newer");
        }
        assertThat(directory.resolve("run")).doesNotExist();
    }
}
