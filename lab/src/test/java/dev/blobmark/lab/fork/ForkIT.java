package dev.blobmark.lab.fork;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.TestFork;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Share;
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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Measuring JVMs that do their work, and those that do not. */
@Tag("long")
@Timeout(120)
class ForkIT {

    private static final long POLL_NANOS = 1_000_000;

    private static final Window OPERATIONS = new Window.Count(1_001);
    private static final Window TIME = new Window.Time(Duration.ofMillis(100));

    @TempDir
    private Path directory;

    private ForkPlan.PlannedTrial planned(String codec, Map<String, String> more) throws IOException {
        EncodedValues values = EncodedValues.of(
                ListedValues.random(20, 2_000), Codecs.parse(codec), directory.resolve("values"), bytes -> {});
        Levels method = Levels.of(Map.of("codec", codec));
        Levels condition = Levels.of(Map.of("workload", "codec", "dataset", "sites", "size", "2000"))
                .with(Levels.of(more));
        return new ForkPlan.PlannedTrial(
                new Trial("codec=" + codec + more, codec, method, condition),
                values.path().toString(),
                Optional.empty());
    }

    private static ForkPlan plan(int rounds, Window window, ForkPlan.PlannedTrial... trials) {
        return ForkPlan.ofAllForks(0, new Schedule(rounds, 1, window, Duration.ofMillis(100), 42), List.of(trials))
                .get(0);
    }

    /** Two trials in two rounds. */
    private ForkPlan plan() throws IOException {
        return plan(2, OPERATIONS, planned("none", Map.of()), planned("zstd:3", Map.of()));
    }

    private JvmLaunch launch(String manner) {
        return new JvmLaunch(
                TestFork.class.getName(),
                TestFork.flags(
                        "-Dmanner=" + manner,
                        "-Dfirst=" + directory.resolve("first"),
                        "-Dsaid=" + directory.resolve("said")));
    }

    private List<Sample> measure(ForkPlan plan, String manner) throws Exception {
        return measure(plan, manner, trial -> {});
    }

    private List<Sample> measure(ForkPlan plan, String manner, Consumer<Trial> started) throws Exception {
        List<Sample> samples = new ArrayList<>();
        try (Fork fork = new Fork(plan, launch(manner))) {
            fork.forEach(started, (trial, sample, latency) -> {
                assertThat(sample.trial()).isEqualTo(trial);
                assertThat(latency).containsOnlyKeys(sample.operations().keySet());
                for (Map.Entry<String, Histogram> type : latency.entrySet()) {
                    Operations figures = sample.operations().get(type.getKey());
                    assertThat(type.getValue().getTotalCount()).isEqualTo(figures.count());
                    assertThat(Latency.of(type.getValue())).isEqualTo(figures.latency());
                }
                samples.add(sample);
            });
        }
        return samples;
    }

    /** What happened; two levels may be seen in windows as short as these. */
    private static List<String> happened(Sample sample) {
        return sample.events().stream()
                .filter(event -> !event.contains("two levels"))
                .toList();
    }

    /** What a JVM said, as it was noted by itself. */
    private record Said(Instant at, long process, ForkMessage message) {}

    /** What each process said, in its order; processes in the order in which they first said something. */
    private Collection<List<Said>> said() throws IOException {
        return Files.readAllLines(directory.resolve("said")).stream()
                .map(line -> line.split(" ", 3))
                .map(words -> new Said(Instant.parse(words[0]), Long.parseLong(words[1]), ForkMessage.ofLine(words[2])))
                .collect(groupingBy(Said::process, LinkedHashMap::new, toList()))
                .values();
    }

    private static List<String> trials(ForkPlan plan) {
        return plan.rounds().stream()
                .flatMap(round -> round.order().stream())
                .map(number -> plan.trials().get(number).trial().id())
                .toList();
    }

    private static long operations(Sample sample) {
        return sample.operations().values().stream()
                .mapToLong(Operations::count)
                .sum();
    }

    @Test
    void aTrialThatIsNotReadyFailsInItsRoundWithTheReason() throws Exception {
        ForkPlan plan = plan();

        List<Sample> samples = measure(plan, "work", trial -> {
            if (trial.method().equals("none")) {
                throw new Fork.NotReadyException(new Outcome.Failed("there is no table"), null);
            }
        });

        assertThat(samples).hasSize(4).allSatisfy(sample -> {
            if (sample.method().equals("none")) {
                assertThat(sample.outcome()).isEqualTo(new Outcome.Failed("there is no table"));
                assertThat(sample.flags()).isEmpty();
            } else {
                assertThat(sample.outcome().isMeasurement()).isTrue();
            }
        });
        assertThat(samples.stream().map(sample -> sample.trial().id() + sample.round()))
                .doesNotHaveDuplicates();
    }

    @Test
    void measuresThePlanInItsOrder() throws Exception {
        ForkPlan plan = plan();
        List<String> started = new ArrayList<>();

        List<Sample> samples = measure(plan, "work", trial -> started.add(trial.id()));

        assertThat(started).isEqualTo(trials(plan)).hasSize(4);
        assertThat(samples).extracting(sample -> sample.trial().id()).isEqualTo(trials(plan));
        assertThat(samples).extracting(Sample::round).containsExactly(0, 0, 1, 1);
        assertThat(samples).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.operations()).containsOnlyKeys("encode", "decode");
            assertThat(operations(sample)).isEqualTo(1_001);
            assertThat(sample.flags()).isSubsetOf(Sample.BIMODAL);
            assertThat(happened(sample)).isEmpty();
            assertThat(sample.unknown()).containsEntry("disk", "no table");
        });
        assertThat(said()).as("processes").hasSize(1);
    }

    /** The first trial is disturbed once, the second each time. */
    @Test
    void aTrialThatIsDisturbedIsMeasuredAgain() throws Exception {
        List<String> steps = new ArrayList<>();
        Fork.Interference calm = new Fork.Interference() {
            @Override
            public void await(Trial trial) {
                steps.add("await");
            }

            @Override
            public Optional<String> disturbance() {
                return steps.stream().filter("await"::equals).count() == 2 ? Optional.empty() : Optional.of("busy");
            }
        };
        List<Sample> samples = new ArrayList<>();
        ForkPlan plan = plan(1, OPERATIONS, planned("none", Map.of()), planned("zstd:3", Map.of()));
        try (Fork fork = new Fork(plan, launch("work"))) {
            fork.forEach(calm, trial -> steps.add("started"), (trial, sample, latency) -> samples.add(sample));
        }

        assertThat(steps)
                .hasSize(10)
                .isEqualTo(Stream.generate(() -> List.of("await", "started"))
                        .limit(5)
                        .flatMap(List::stream)
                        .toList());
        assertThat(samples).hasSize(2).allMatch(sample -> sample.outcome().isMeasurement());
        assertThat(samples.get(0).flags()).doesNotContain(Sample.DISTURBED);
        assertThat(samples.get(0).events()).contains("measured again, because it was disturbed before");
        assertThat(samples.get(1).flags()).contains(Sample.DISTURBED);
        assertThat(samples.get(1).events()).contains("disturbed in each of 3 attempts; the last: busy");
        assertThat(said().iterator().next())
                .filteredOn(said -> said.message() instanceof ForkMessage.Finished)
                .hasSize(5);
    }

    @Test
    void processesShareATrial() throws Exception {
        ForkPlan plan = plan(
                2,
                OPERATIONS,
                planned("zstd:3", Map.of("threads", "3", "processes", "1")),
                planned("zstd:3", Map.of("threads", "3", "processes", "2")));

        List<Sample> samples = measure(plan, "work");

        assertThat(samples).hasSize(4).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(operations(sample)).isEqualTo(1_001);
        });
        List<Long> windows = new ArrayList<>();
        for (List<Said> process : said()) {
            windows.add(process.stream()
                    .filter(said -> said.message() instanceof ForkMessage.Finished)
                    .count());
        }
        assertThat(windows).as("windows by process").containsExactlyInAnyOrder(4L, 2L);
        Map<Long, Long> shares = said().stream()
                .flatMap(List::stream)
                .filter(said -> said.message() instanceof ForkMessage.Finished)
                .map(said -> ((ForkMessage.Finished) said.message())
                        .run().operations().values().stream()
                                .mapToLong(Operations::count)
                                .sum())
                .collect(groupingBy(count -> count, Collectors.counting()));
        assertThat(shares).as("of 1,001 operations").isEqualTo(Map.of(1_001L, 2L, 668L, 2L, 333L, 2L));
    }

    @Test
    void noWindowStartsBeforeTheLastProcessIsReady() throws Exception {
        ForkPlan plan = plan(3, TIME, planned("none", Map.of("threads", "2", "processes", "2")));

        List<Sample> samples = measure(plan, "late");

        assertThat(samples).hasSize(3).allMatch(sample -> sample.outcome().isMeasurement());
        List<List<Said>> processes = List.copyOf(said());
        assertThat(processes)
                .hasSize(2)
                .allSatisfy(process -> assertThat(process).hasSize(6));
        for (int i = 0; i < 6; i += 2) {
            Instant lastReady = Collections.max(List.of(
                    processes.get(0).get(i).at(), processes.get(1).get(i).at()));
            for (List<Said> process : processes) {
                assertThat(process.get(i).message()).isInstanceOf(ForkMessage.Ready.class);
                assertThat(process.get(i + 1).message())
                        .isInstanceOfSatisfying(
                                ForkMessage.Finished.class,
                                finished -> assertThat(finished.run().span().startedAt())
                                        .isAfterOrEqualTo(lastReady));
            }
        }
    }

    @Test
    void aProcessThatFailsStopsTheOthersAndAllGoOnToTheNextTrial() throws Exception {
        ForkPlan.PlannedTrial good = planned("zstd:3", Map.of("threads", "2", "processes", "2"));
        // what none has stored is no zstd frame
        ForkPlan.PlannedTrial wrong = new ForkPlan.PlannedTrial(
                planned("zstd:3", Map.of("threads", "2", "processes", "2", "tls", "on"))
                        .trial(),
                planned("none", Map.of()).valuesFile(),
                Optional.empty());
        ForkPlan mixed = new ForkPlan(
                0,
                0,
                42,
                OPERATIONS,
                Duration.ofMillis(100),
                Optional.empty(),
                List.of(wrong, good),
                List.of(),
                List.of(new ForkPlan.PlannedRound(0, List.of(0, 1))));

        List<Sample> samples = measure(mixed, "work");

        assertThat(samples.get(0).outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(samples.get(0).outcome().reason()).startsWith("CodecException: zstd:3: ");
        assertThat(samples.get(0).flags()).isEmpty();
        assertThat(operations(samples.get(1))).isEqualTo(1_001);
        assertThat(said()).as("processes").hasSize(2);
    }

    @Test
    void aMethodsJvmIsAProcessOfItsOwnThatIsKeptOverTheRounds() throws Exception {
        ForkPlan plan = plan(
                2,
                OPERATIONS,
                planned("none", Map.of("jvm", "default")),
                planned("none", Map.of("jvm", System.getProperty("java.home"))));

        List<Sample> samples = measure(plan, "work");

        assertThat(samples).hasSize(4).allMatch(sample -> sample.outcome().isMeasurement());
        assertThat(said()).hasSize(2).allSatisfy(process -> assertThat(process).hasSize(4));
    }

    @Test
    void aCommandMayBePrefixed() throws Exception {
        JvmLaunch launch = launch("work");
        Launch prefixed = new JvmLaunch(launch.main(), List.of("env", "-u", "PATH"), launch.flags());
        List<Outcome> outcomes = new ArrayList<>();
        try (Fork fork = new Fork(plan(), prefixed)) {
            fork.forEach(trial -> {}, (trial, sample, latency) -> outcomes.add(sample.outcome()));
        }

        assertThat(outcomes).hasSize(4).allMatch(Outcome::isMeasurement);
        assertThatThrownBy(() -> new Fork(plan(), new JvmLaunch(launch.main(), List.of("no-such-word"), List.of()))
                        .forEach(trial -> {}, (trial, sample, latency) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no-such-word");
    }

    /** Such JVMs are killed when they have measured, and so remove nothing by themselves. */
    @Test
    void temporaryFilesOfAJvmGoWithIt() throws Exception {
        JvmLaunch launch = launch("work");
        List<Path> directories = new ArrayList<>();
        List<Path> unpacked = new ArrayList<>();
        Launch noting = new Launch() {
            @Override
            public StartedJvm start(Path java, Path temporary) throws IOException {
                directories.add(temporary);
                return launch.start(java, temporary);
            }

            @Override
            public List<String> flags() {
                return launch.flags();
            }

            @Override
            public Launch prefixedBy(List<String> words) {
                throw new UnsupportedOperationException();
            }
        };
        try (Fork fork = new Fork(plan(1, OPERATIONS, planned("zstd:3", Map.of())), noting)) {
            fork.forEach(trial -> {}, (trial, sample, latency) -> {
                try (Stream<Path> files = Files.list(directories.get(0))) {
                    files.filter(file -> !file.endsWith(Launch.ERRORS)).forEach(unpacked::add);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        assertThat(unpacked).as("libraries in the JVM's own directory").isNotEmpty();
        assertThat(directories).hasSize(1);
        assertThat(directories.get(0)).doesNotExist();
    }

    @Test
    void oneThatDiesWhileItMeasuresCostsOneSampleAndAFreshOneGoesOn() throws Exception {
        ForkPlan plan = plan();

        List<Sample> samples = measure(plan, "dies");

        assertThat(samples).extracting(sample -> sample.trial().id()).isEqualTo(trials(plan));
        assertThat(samples).extracting(Sample::round).containsExactly(0, 0, 1, 1);
        assertThat(samples)
                .extracting(sample -> sample.outcome().isMeasurement())
                .containsExactly(true, false, true, true);
        Sample lost = samples.get(1);
        assertThat(lost.outcome())
                .isEqualTo(new Outcome.Failed("the measuring JVM ended with code 9; its last lines: about to die"));
        assertThat(lost.flags()).containsExactly(Sample.CRASHED);
        assertThat(happened(samples.get(0))).isEmpty();
        assertThat(samples.subList(2, 4)).allSatisfy(sample -> {
            assertThat(happened(sample)).containsExactly("measured by a fresh JVM, because the previous one crashed");
            assertThat(sample.flags()).isSubsetOf(Sample.BIMODAL);
        });
    }

    @Test
    void oneOfSeveralProcessesThatDiesCostsTheTrialOnce() throws Exception {
        ForkPlan plan = plan(4, OPERATIONS, planned("none", Map.of("threads", "2", "processes", "2")));

        List<Sample> samples = measure(plan, "dies");

        assertThat(samples)
                .extracting(sample -> sample.flags().contains(Sample.CRASHED))
                .containsExactly(false, true, false, false);
        assertThat(said()).as("two before and two after").hasSize(4);
    }

    /** It is idle then: its end is seen when it is needed next. */
    @Test
    void oneThatIsKilledBetweenTwoTrialsCostsTheSecond() throws Exception {
        List<Trial> started = new ArrayList<>();

        List<Sample> samples = measure(plan(), "work", trial -> {
            started.add(trial);
            if (started.size() == 3) {
                children().filter(ProcessHandle::isAlive).forEach(child -> {
                    child.destroyForcibly();
                    child.onExit().join();
                });
            }
        });

        assertThat(samples)
                .extracting(sample -> sample.flags().contains(Sample.CRASHED))
                .containsExactly(false, false, true, false);
        assertThat(samples.get(2).outcome().reason())
                .isEqualTo("the measuring JVM ended with code 137; it printed nothing");
    }

    @Test
    void thoseThatAlwaysCrashAreGivenUpAfterTheThird() throws Exception {
        assertGivenUp("halt", "the measuring JVM ended with code 3; its last lines: about to halt");
        assertGivenUp("mute", "the measuring JVM ended with code 3; it printed nothing");
        assertGivenUp(
                "verbose",
                IntStream.rangeClosed(89, 100)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.joining(
                                " | ", "the measuring JVM ended with code 3; its last lines: ", "")));
    }

    @Test
    void oneThatIsSilentIsEndedAndReported() throws Exception {
        assertGivenUp(
                "silent",
                Duration.ofSeconds(6),
                "the measuring JVM was silent for 6 s and was ended; its last lines: about to be silent");
    }

    @Test
    void oneThatSaysWhatIsNoMessageIsReported() throws Exception {
        assertGivenUp(
                "chatter", "the measuring JVM sent a line that is not a message: What is this?; it printed nothing");
        assertGivenUp(
                "torn",
                "the measuring JVM sent a line that is not a message: {\"message\":\"ready\",; it printed nothing");
    }

    @Test
    void oneThatIsReadyTwiceIsReported() throws Exception {
        assertGivenUp("ready twice", "the measuring JVM was ready twice; it printed nothing");
    }

    /** What nobody has asked for must not fill memory. */
    @Test
    void messagesWithoutAnOrderAreNotKept() throws Exception {
        BlockingQueue<WorkerProcess.Received> received = new LinkedBlockingQueue<>();
        try (WorkerProcess flooding = WorkerProcess.start(
                launch("flood"), Path.of(System.getProperty("java.home"), "bin", "java"), received)) {
            flooding.send(new ForkOrder.Begin(List.of()));

            assertThat(received.poll(60, TimeUnit.SECONDS).message()).isEmpty();
            assertThat(received).isEmpty();
            assertThat(flooding.describeEnd()).startsWith("sent more messages than it was asked for");
        }
    }

    /** On a busy machine, none of these processes is taken for a silent one. */
    private void assertGivenUp(String manner, String reason) throws Exception {
        assertGivenUp(manner, Duration.ofMinutes(5), reason);
    }

    private void assertGivenUp(String manner, Duration silence, String reason) throws Exception {
        ForkPlan plan = plan();
        List<Trial> started = new ArrayList<>();
        List<Sample> samples = new ArrayList<>();
        try (Fork fork = new Fork(plan, launch(manner), silence)) {
            fork.forEach(started::add, (trial, sample, latency) -> samples.add(sample));
        }

        assertThat(started).hasSize(3);
        assertThat(samples).extracting(sample -> sample.trial().id()).isEqualTo(trials(plan));
        assertThat(samples).allMatch(sample -> sample.flags().equals(List.of(Sample.CRASHED)));
        assertThat(samples.stream().map(sample -> sample.outcome().reason()))
                .containsExactly(
                        reason,
                        reason,
                        reason,
                        "not measured, because 3 measuring JVMs had crashed before in this fork; the last: " + reason);
    }

    @Test
    void theOtherJvmIsNotGivenUp() throws Exception {
        Path broken = directory.resolve("broken");
        Files.createDirectories(broken.resolve("bin"));
        Path java = Files.writeString(broken.resolve("bin").resolve("java"), "#!/bin/sh\nexit 7\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        ForkPlan plan =
                plan(5, OPERATIONS, planned("none", Map.of()), planned("none", Map.of("jvm", broken.toString())));

        Map<Boolean, List<Sample>> samples = measure(plan, "work").stream()
                .collect(groupingBy(sample -> sample.flags().contains(Sample.CRASHED)));

        assertThat(samples.get(true))
                .hasSize(5)
                .allMatch(sample -> sample.trial().id().contains("broken"));
        assertThat(samples.get(false))
                .hasSize(5)
                .allMatch(sample -> sample.outcome().isMeasurement());
    }

    @Test
    void whatTheJvmItselfSaysIsReportedToo() throws Exception {
        List<Sample> samples = new ArrayList<>();
        try (Fork fork = new Fork(plan(), new JvmLaunch("no.such.Main", List.of()))) {
            fork.forEach(trial -> {}, (trial, sample, latency) -> samples.add(sample));
        }

        assertThat(samples.get(0).outcome().reason())
                .startsWith("the measuring JVM ended with code 1; its last lines: ")
                .contains("Could not find or load main class no.such.Main");
    }

    private byte[] orders() throws IOException {
        ForkPlan.PlannedTrial planned = planned("none", Map.of());
        return (new ForkOrder.Begin(List.of(planned.valuesDirectory())).toLine() + "\n"
                        + new ForkOrder.Measure(
                                        planned.trial(),
                                        planned.values(),
                                        planned.place(),
                                        Share.whole(1),
                                        Optional.empty(),
                                        "fetch",
                                        OPERATIONS,
                                        Duration.ofMillis(100),
                                        42)
                                .toLine()
                        + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void theEndOfItsInputTellsItThatItsParentIsGone() throws Exception {
        CountDownLatch orphaned = new CountDownLatch(1);

        ForkWork.run(new ByteArrayInputStream(orders()), new ByteArrayOutputStream(), orphaned::countDown);

        assertThat(orphaned.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatItSaysBelongsToNoHost() throws Exception {
        measure(plan(), "work");

        assertThat(Files.readAllLines(directory.resolve("said")))
                .hasSize(8)
                .noneMatch(line -> line.contains(directory.toString()));
    }

    /** The measuring JVMs; a server that tests share is a child, too. */
    private static Stream<ProcessHandle> children() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info()
                        .command()
                        .filter(command -> command.endsWith("java"))
                        .isPresent());
    }

    @Test
    void closingEndsItWhileItIsHeard() throws Exception {
        Fork fork = new Fork(plan(), launch("silent"));
        Thread closing = new Thread(fork::close);

        assertThatThrownBy(() -> fork.forEach(trial -> closing.start(), (trial, sample, latency) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("the fork has been closed");
        closing.join();
        assertThat(children().filter(ProcessHandle::isAlive)).isEmpty();
    }

    /** Of a run that is interrupted by Ctrl-C, no trial is told to have failed. */
    @Test
    void oneThatIsInterruptedWithItsParentIsNoCrash() throws Exception {
        Fork fork = new Fork(plan(), launch("interrupted"));
        List<Sample> samples = new ArrayList<>();
        Thread closing = new Thread(() -> {
            Optional<ProcessHandle> child = Optional.empty();
            while (child.isEmpty()) {
                LockSupport.parkNanos(POLL_NANOS);
                child = children().findFirst();
            }
            child.get().onExit().join();
            fork.close();
        });

        assertThatThrownBy(
                        () -> fork.forEach(trial -> closing.start(), (trial, sample, latency) -> samples.add(sample)))
                .isInstanceOf(IOException.class)
                .hasMessage("the fork has been closed");
        closing.join();
        assertThat(samples).isEmpty();
    }
}
