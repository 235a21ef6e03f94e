package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trials that are made to wait for one thing are said to wait for that. */
@Tag("alone")
class BottleneckIT {

    /** Decoding 8 MB takes longer than a busy machine makes a server wait for a processor. */
    private static final String STUDY = """
            study: bottlenecks
            metric: throughput
            baseline: plain
            methods:
              plain: {}
              decoded: {codec: "gzip:6"}
              by-server: {codec: "mysql:6", decode: server}
              pooled: {connection: "hikari:1", prepare: cached}
            conditions:
              - {workload: fetch, dataset: "random:2", size: 8MB, rows: 4, threads: 1, methods: [plain, decoded, by-server]}
              - {workload: fetch, dataset: "random:2", size: 1MB, rows: 10, threads: 1, tls: on, methods: [plain]}
              - {workload: fetch, dataset: "random:2", size: 1MB, rows: 10, threads: 1, link: any 20ms, methods: [plain]}
              - {workload: fetch, dataset: "random:2", size: 1MB, rows: 10, threads: 8, methods: [plain, pooled]}
            schedule: {rounds: 1, forks: 1, window: 400ms, warm-up: 1s, seed: 1}
            """;

    /** So that it is the client that takes long to decrypt. */
    private static final String SLOW_TLS =
            "-XX:+UnlockDiagnosticVMOptions -XX:-UseAESIntrinsics -XX:-UseAESCTRIntrinsics -XX:-UseGHASHIntrinsics";

    @TempDir
    private static Path directory;

    private static String report;

    @BeforeAll
    static void run() throws Exception {
        Files.writeString(directory.resolve("bottlenecks.yaml"), STUDY);
        try (BlobmarkProcess run = BlobmarkProcess.startAsItIs(
                directory, "run", "bottlenecks.yaml", "--jvm-flags=" + SLOW_TLS, "--out", "run")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        report = Invocation.of("report", directory.resolve("run").toString(), "--format", "markdown")
                .out();
    }

    @ParameterizedTest
    @CsvSource({
        "1 thread, decoded, decode",
        "1 thread, by-server, server",
        "TLS on, plain, client",
        "any 20ms, plain, link",
        "8 threads, pooled, pool"
    })
    void eachIsSaidToBeWhatItWasMadeToBe(String condition, String method, String bottleneck) {
        assertThat(report.split("\n## "))
                .filteredOn(section -> section.lines().findFirst().orElseThrow().contains(condition))
                .isNotEmpty()
                .anySatisfy(section -> assertThat(section)
                        .containsPattern("(?m)^\\| (\\\\~ )?" + method + " \\|.*\\| " + bottleneck + " \\d+ % \\|"));
    }

    @Test
    void whatIsUnexplainedIsAtMostThreePercent() throws Exception {
        assertThat(Files.readAllLines(directory.resolve("run").resolve("samples.jsonl")))
                .hasSize(7)
                .allSatisfy(line -> {
                    Sample sample = Sample.ofJson(line);
                    TimeSpent time = sample.operations().get("fetch").time().orElseThrow();
                    assertThat(time.unexplained()).isLessThan(0.03 * time.total());
                });
    }
}
