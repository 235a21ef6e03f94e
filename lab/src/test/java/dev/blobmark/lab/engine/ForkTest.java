package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.ListedValues;
import dev.blobmark.lab.TestFork;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A measuring JVM that does its work, and those that do not. */
@Timeout(60)
class ForkTest {

    @TempDir
    private Path directory;

    private ForkPlan plan() throws IOException {
        List<ForkPlan.PlannedTrial> trials = new ArrayList<>();
        for (String codec : List.of("none", "zstd:3")) {
            EncodedValues values = EncodedValues.of(
                    ListedValues.random(20, 2_000), Codecs.parse(codec), directory.resolve("values"), bytes -> {});
            Levels method = Levels.of(Map.of("codec", codec));
            Levels condition = Levels.of(Map.of("workload", "codec", "dataset", "sites", "size", "2000"));
            trials.add(new ForkPlan.PlannedTrial(
                    new Trial("codec=" + codec, codec, method, condition),
                    values.path().toString(),
                    Optional.empty()));
        }
        return ForkPlan.spread(0, new Schedule(2, 1, new Window.Count(1_000), Duration.ofMillis(300), 42), trials)
                .get(0);
    }

    private Fork start(ForkPlan plan, String manner, Duration patience) throws IOException {
        return Fork.start(
                plan,
                TestFork.class.getName(),
                List.of(),
                List.of("--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-Dmanner=" + manner),
                directory.resolve("errors.log"),
                patience);
    }

    @Test
    void measuresThePlanInItsOrder() throws Exception {
        ForkPlan plan = plan();
        List<String> started = new ArrayList<>();
        List<Sample> samples = new ArrayList<>();
        try (Fork fork = start(plan, "work", Duration.ofMinutes(1))) {
            fork.forEach(trial -> started.add(trial.id()), (trial, sample, latency) -> {
                assertThat(sample.trial()).isEqualTo(trial.id());
                assertThat(latency).containsOnlyKeys("encode", "decode");
                for (Map.Entry<String, Histogram> type : latency.entrySet()) {
                    Sample.Operations figures = sample.operations().get(type.getKey());
                    assertThat(type.getValue().getTotalCount()).isEqualTo(figures.count());
                    assertThat(Sample.Latency.of(type.getValue())).isEqualTo(figures.latency());
                }
                samples.add(sample);
            });
        }

        List<String> planned = plan.rounds().stream()
                .flatMap(round -> round.order().stream())
                .map(number -> plan.trials().get(number).trial().id())
                .toList();
        assertThat(started).isEqualTo(planned).hasSize(4);
        assertThat(samples).extracting(Sample::trial).isEqualTo(planned);
        assertThat(samples).extracting(Sample::round).containsExactly(0, 0, 1, 1);
        assertThat(samples).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.operations().get("encode").count()
                            + sample.operations().get("decode").count())
                    .isEqualTo(1_000);
            assertThat(sample.unknown()).containsEntry("disk_bytes", "no table");
        });
        assertThat(directory.resolve("errors.log")).isEmptyFile();
    }

    @Test
    void oneThatCrashesIsReportedWithItsLastLines() throws Exception {
        assertReported("halt", "the measuring JVM ended with code 3; its last lines: about to halt");
        assertReported("mute", "the measuring JVM ended with code 3; it printed nothing");
        assertReported(
                "verbose",
                IntStream.rangeClosed(89, 100)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.joining(
                                " | ", "the measuring JVM ended with code 3; its last lines: ", "")));
    }

    @Test
    void oneThatIsSilentIsEndedAndReported() throws Exception {
        assertReported(
                "silent", "the measuring JVM was silent for 2 s and was ended; its last lines: about to be silent");
    }

    @Test
    void oneThatSaysWhatIsNoMessageIsReported() throws Exception {
        assertReported("chatter", "the measuring JVM said what is no message: What is this?; it printed nothing");
        assertReported(
                "torn", "the measuring JVM said what is no message: {\"message\":\"started\",; it printed nothing");
    }

    private void assertReported(String manner, String message) throws Exception {
        try (Fork fork = start(plan(), manner, Duration.ofSeconds(2))) {
            assertThatThrownBy(() -> fork.forEach(trial -> {}, (trial, sample, latency) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessage(message);
        }
    }

    @Test
    void whatTheJvmItselfSaysIsReportedToo() throws Exception {
        try (Fork fork = Fork.start(
                plan(),
                "no.such.Main",
                List.of(),
                List.of(),
                directory.resolve("errors.log"),
                Duration.ofSeconds(20))) {
            assertThatThrownBy(() -> fork.forEach(trial -> {}, (trial, sample, latency) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the measuring JVM ended with code 1; its last lines: ")
                    .hasMessageContaining("Could not find or load main class no.such.Main");
        } catch (IOException e) {
            // it may be gone before it is given its plan
            assertThat(e).hasMessageContaining("no.such.Main");
        }
    }

    @Test
    void aTrialThatFailsIsASampleAndTheNextGoesOn() throws Exception {
        ForkPlan plan = plan();
        // what none has stored is no zstd frame
        ForkPlan.PlannedTrial wrong = new ForkPlan.PlannedTrial(
                plan.trials().get(1).trial(), plan.trials().get(0).valuesFile(), Optional.empty());
        ForkPlan mixed = new ForkPlan(
                0,
                0,
                42,
                plan.window(),
                plan.warmUp(),
                List.of(wrong, plan.trials().get(1)),
                List.of(new ForkPlan.PlannedRound(0, List.of(0, 1))));
        List<Outcome> outcomes = new ArrayList<>();
        try (Fork fork = start(mixed, "work", Duration.ofMinutes(1))) {
            fork.forEach(trial -> {}, (trial, sample, latency) -> outcomes.add(sample.outcome()));
        }

        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Failed.class);
        assertThat(outcomes.get(0).reason()).startsWith("CodecException: zstd:3: ");
        assertThat(outcomes.get(1).isMeasurement()).isTrue();
    }

    @Test
    void theEndOfItsInputTellsItThatItsParentIsGone() throws Exception {
        byte[] plan = (ForkMessage.MAPPER.writeValueAsString(plan()) + "\n").getBytes(StandardCharsets.UTF_8);
        CountDownLatch orphaned = new CountDownLatch(1);

        ForkWork.run(new ByteArrayInputStream(plan), new ByteArrayOutputStream(), orphaned::countDown);

        assertThat(orphaned.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closingEndsItWhileItIsHeard() throws Exception {
        Fork fork = start(plan(), "silent", Duration.ofMinutes(5));
        Thread closing = new Thread(fork::close);
        closing.start();

        assertThatThrownBy(() -> fork.forEach(trial -> {}, (trial, sample, latency) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the measuring JVM ended with code 137; ");
        closing.join();
        assertThat(Files.exists(directory.resolve("errors.log"))).isTrue();
    }
}
