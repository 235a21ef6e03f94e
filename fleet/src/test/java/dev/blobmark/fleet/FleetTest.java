package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetTest {

    @Test
    void settingsOnTheCommandLineAreReadAsTheyWereGiven() {
        assertThat(Fleet.onCommandLine(List.of(
                        "java",
                        "org.apache.spark.deploy.SparkSubmit",
                        "--conf",
                        "spark.executor.extraJavaOptions=-Dx=1 -Ddb.password=hidden --conf y=2",
                        "--conf=spark.app.name=a=b",
                        "-c",
                        "spark.cores.max=2",
                        "--conf",
                        "no-setting",
                        "--conf")))
                .containsOnlyKeys("spark.executor.extraJavaOptions", "spark.app.name", "spark.cores.max")
                .containsEntry("spark.executor.extraJavaOptions", "-Dx=1 -Ddb.password=hidden --conf y=2")
                .containsEntry("spark.app.name", "a=b")
                .containsEntry("spark.cores.max", "2");
    }

    /** As /tmp is, the usual one: lz4-java opens what it unpacks by a name that is known before. */
    @Test
    void aDirectoryForTemporaryFilesThatOthersMayWriteIsRefused(@TempDir Path temporary) throws IOException {
        Fleet.requireOwn(temporary);
        Files.setAttribute(temporary, "unix:mode", 01777);

        assertThatThrownBy(() -> Fleet.requireOwn(temporary))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("other users may write to " + temporary)
                .hasMessageContaining("--driver-java-options -Djava.io.tmpdir=");
    }
}
