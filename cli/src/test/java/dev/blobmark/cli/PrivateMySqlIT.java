package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs on a private MySQL that is as the study wants it. */
@Tag("long")
class PrivateMySqlIT {

    @TempDir
    private Path directory;

    private BlobmarkProcess start(String... more) throws Exception {
        Files.writeString(directory.resolve("study.yaml"), RunIT.SMALL);
        List<String> args = new ArrayList<>(List.of(
                "run",
                "study.yaml",
                "--methods=plain",
                "--out",
                "run",
                "--server",
                "mysqld:" + UsersServer.requireMySql()));
        args.addAll(List.of(more));
        return BlobmarkProcess.start(directory, args.toArray(String[]::new));
    }

    private RunDirectory left() {
        return RunDirectory.open(directory.resolve("run"));
    }

    @Test
    void aServerWithAShareOfAProcessorIsMeasured() throws Exception {
        try (BlobmarkProcess run = start("--set", "server-cpu=0.5")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("MySQL ", "2 rounds, 1 fork").doesNotContain("planned");
        }
        assertThat(left().samples()).hasSize(2).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.events()).anyMatch(event -> event.startsWith("next to a load on processor "));
        });
        BlobmarkProcess.assertNothingLeft();
    }

    @Test
    void withoutHolesInFilesPageCompressionIsUnavailableAndNoFailure() throws Exception {
        Path place = Files.createDirectory(directory.resolve("holeless"));
        Process mount = new ProcessBuilder("mount", "-t", "ramfs", "none", place.toString()).start();
        assumeTrue(mount.waitFor() == 0, "no file system without hole punching: mounting ramfs takes root");
        try (BlobmarkProcess run = start("--set", "storage=dir:" + place, "--set", "layout=dynamic,page:zlib")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("page:zlib is unavailable here: ");
        } finally {
            assertThat(new ProcessBuilder("umount", place.toString()).start().waitFor())
                    .isZero();
        }
        assertThat(left().samples())
                .filteredOn(sample -> sample.method().endsWith("page:zlib"))
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(sample.outcome())
                        .isInstanceOfSatisfying(
                                Outcome.Unavailable.class,
                                unavailable -> assertThat(unavailable.reason()).contains("no hole punching")));
        assertThat(left().samples())
                .filteredOn(sample -> sample.method().endsWith("dynamic"))
                .hasSize(2)
                .allMatch(sample -> sample.outcome().isMeasurement());
        BlobmarkProcess.assertNothingLeft();
    }
}
