package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateIT {

    @TempDir
    private Path directory;

    @Test
    void aRateThatNoServerReachesIsShownAndHasAnExitCodeOfItsOwn() throws Exception {
        Files.writeString(directory.resolve("study.yaml"), RunIT.SMALL);

        try (BlobmarkProcess run = BlobmarkProcess.start(
                directory, "run", "--details", "study.yaml", "--rate", "poisson:1000000", "--out", "run")) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(5);
            assertThat(run.err())
                    .containsPattern(
                            "\nsaturated: packed \\(.*rate=poisson:1000000.*\\): completed [\\d,]+ of [\\d,]+ offered");
            assertThat(run.out())
                    .contains("1,000,000 offered per second (Poisson)")
                    .contains(" ! rate not reached: ")
                    .contains("response time of plain, from the intended start: p50 ");
        }

        RunDirectory left = RunDirectory.open(directory.resolve("run"));
        assertThat(left.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(left.samples()).hasSize(4).allSatisfy(sample -> {
            assertThat(sample.outcome()).isInstanceOf(Outcome.Saturated.class);
            OpenLoop open = sample.openLoop().orElseThrow();
            assertThat(open.started() + open.dropped()).isEqualTo(open.offered());
            assertThat(left.histogram(sample, Sample.responseOf("fetch")))
                    .hasValueSatisfying(
                            response -> assertThat(response.getTotalCount()).isEqualTo(open.completed()));
        });
        BlobmarkProcess.assertNothingLeft();
    }
}
