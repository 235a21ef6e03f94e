package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunProgressTest {

    private static final Trial LZ4 = new Trial("size=1MB", "lz4", Levels.of(Map.of()), Levels.of(Map.of()));

    @Test
    void aLineHasTheRoundThatIsMeasured() {
        StringWriter err = new StringWriter();
        try (RunProgress progress = new RunProgress(new PrintWriter(err, true), OptionalInt.empty())) {
            progress.runStarted(Path.of("run"), Duration.ofSeconds(100));
            progress.trialStarted(LZ4, "lz4 (size=1MB)", 2);
            progress.sampleRecorded(Sample.crashed(LZ4, 0, 0, 0, "exit code 137"));
            progress.workDone(50);
            progress.trialStarted(LZ4, "lz4 (size=1MB)", 2);
            progress.workDone(50);
            progress.trialStarted(new Trial("size=1MB", "zstd", Levels.of(Map.of()), Levels.of(Map.of())), "zstd", 2);
        }
        assertThat(err.toString().lines())
                .anyMatch(line -> line.endsWith("left: measuring lz4 (size=1MB), round 1 of 2"))
                .anyMatch(line -> line.endsWith("left: measuring lz4 (size=1MB), round 2 of 2"))
                .anyMatch(line -> line.endsWith("left: measuring zstd, round 1 of 2"));
    }

    @Test
    void aLineHasTheMedianOfTheRoundsUntilNow() throws IOException {
        Sample sample = Files.readAllLines(
                        Path.of("../report/src/test/resources/dev/blobmark/report/run/first-round.jsonl"))
                .stream()
                .map(Sample::ofJson)
                .filter(read ->
                        read.method().equals("zstd") && read.operations().containsKey("fetch"))
                .findFirst()
                .orElseThrow();
        StringWriter err = new StringWriter();
        try (RunProgress progress = new RunProgress(new PrintWriter(err, true), OptionalInt.empty())) {
            progress.runStarted(Path.of("run"), Duration.ofSeconds(100));
            progress.sampleRecorded(sample);
            progress.trialStarted(sample.trial(), "zstd", 5);
        }
        long megabytes = Math.round(sample.value(Metric.THROUGHPUT, "fetch").orElseThrow() / 1e6);
        assertThat(megabytes).isBetween(10L, 999L);
        assertThat(err.toString().lines())
                .anyMatch(line -> line.endsWith("measuring zstd, so far " + megabytes + " MB/s, round 2 of 5"));
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80, 100, 160, 240})
    void noListIsWiderThanTheTerminal(int columns) {
        List<List<String>> rows = Studies.describe().stream()
                .map(s -> List.of(s.name(), String.join(", ", s.profiles()), s.question(), s.source()))
                .toList();
        StringWriter out = new StringWriter();
        ListCommand.print(
                new PrintWriter(out, true), List.of("STUDY", "PROFILES", "QUESTION", "SOURCE"), rows, columns);
        assertThat(out.toString().lines())
                .hasSizeGreaterThan(rows.size())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
        assertThat(Stream.of(out.toString().split("\\s+")))
                .containsAll(rows.stream().map(row -> row.get(0)).toList());
    }
}
