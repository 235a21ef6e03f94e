package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
}
