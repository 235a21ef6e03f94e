package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.mysql.server.directory.Ownership;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunDirectoryTest {

    @TempDir
    Path runs;

    @Test
    void isNamedAfterTimeAndStudyAndNeverTakenTwice() {
        Instant at = Instant.parse("2026-11-21T10:15:00.999Z");
        Path parent = runs.resolve("not/there/yet");
        List<String> names = IntStream.range(0, 3)
                .mapToObj(i -> RunDirectory.create(parent, at, "blob-fetch").path())
                .map(path -> path.getFileName().toString())
                .toList();
        assertThat(names)
                .containsExactly(
                        "2026-11-21T10-15-00-blob-fetch",
                        "2026-11-21T10-15-00-blob-fetch-2",
                        "2026-11-21T10-15-00-blob-fetch-3");
    }

    @Test
    void aChosenDirectoryMayBeThereButMustBeEmpty() throws IOException {
        Path chosen = Files.createDirectory(runs.resolve("mine"));
        RunDirectory.createAt(chosen).release();
        assertThat(chosen).isEmptyDirectory();
        Files.writeString(chosen.resolve("letter.txt"), "dear");
        assertThatThrownBy(() -> RunDirectory.createAt(chosen))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("mine: the directory is not empty")
                .hasMessageContaining("; name another directory");
        assertThatThrownBy(() -> RunDirectory.createAt(chosen.resolve("letter.txt")))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("this is a file");
    }

    @Test
    void aNewRunIsClaimedBeforeItIsWritten() throws IOException {
        Path chosen = runs.resolve("mine");
        RunDirectory first = RunDirectory.createAt(chosen);
        String taken = chosen + ": this run is still being written; wait until it has ended, or name another directory";
        assertThatThrownBy(() -> RunDirectory.createAt(chosen)).hasMessage(taken);
        assertThatThrownBy(() -> RunDirectory.open(chosen)).hasMessage(taken);
        try (RunWriter writer = first.writer()) {
            writer.write(Samples.manifest());
            assertThatThrownBy(() -> RunDirectory.createAt(chosen)).hasMessage(taken);
            assertThatThrownBy(() -> RunDirectory.open(chosen).claim()).hasMessage(taken);
            // whoever was refused does not discard the run of the other
            RunDirectory.open(chosen).discardIfNothingWasMeasured();
            assertThat(first.manifestFile()).exists();
        }
        RunDirectory stopped = RunDirectory.open(chosen);
        stopped.claim();
        assertThatThrownBy(() -> RunDirectory.open(chosen).claim()).hasMessage(taken);
        stopped.release();
        assertThat(first.manifestFile()).exists();
        stopped.writer().close();
    }

    @Test
    void aNewRunThatIsGivenUpLeavesNothing() {
        RunDirectory created = RunDirectory.createAt(runs.resolve("mine"));
        created.release();
        assertThat(created.path()).doesNotExist();
    }

    /** At each moment before the manifest is there. */
    @ParameterizedTest
    @ValueSource(strings = {".lock", ".lock latency/", ".lock latency/ samples.jsonl manifest.json.new"})
    void whatAKilledRunLeftBeforeItsManifestIsUsedAgain(String files) throws IOException {
        Path chosen = Files.createDirectory(runs.resolve("mine"));
        for (String name : files.split(" ")) {
            if (name.endsWith("/")) {
                Files.createDirectory(chosen.resolve(name));
            } else {
                Files.createFile(chosen.resolve(name));
            }
        }
        assertThatThrownBy(() -> RunDirectory.open(chosen))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("the run was killed before it had written its manifest.json")
                .hasMessageContaining("start it again with --out " + chosen);
        try (RunWriter writer = RunDirectory.createAt(chosen).writer()) {
            writer.write(Samples.manifest());
            writer.append(Samples.measured(0), Map.of("fetch", Samples.latencies(0)));
        }
        assertThat(RunDirectory.open(chosen).samples()).hasSize(1);
        assertThat(chosen.resolve("manifest.json.new")).doesNotExist();
    }

    @Test
    void filesOfOthersAreNotTakenForTheRemainsOfARun() throws IOException {
        for (String name : List.of("samples.jsonl", "latency/fork-0.hlog", "survey.jsonl", "notes")) {
            Path chosen = Files.createDirectory(runs.resolve("of-" + name.replace('/', '-')));
            Files.createDirectories(chosen.resolve(name).getParent());
            Files.writeString(chosen.resolve(name), "mine");
            Files.createFile(chosen.resolve(".lock"));
            assertThatThrownBy(() -> RunDirectory.createAt(chosen)).hasMessageContaining("the directory is not empty");
            assertThat(chosen.resolve(name)).hasContent("mine");
        }
    }

    @Test
    void whatIsNoRunIsNotOpened() {
        assertThatThrownBy(() -> RunDirectory.open(runs)).hasMessageContaining("there is no manifest.json in it");
        assertThatThrownBy(() -> RunDirectory.open(runs.resolve("x")))
                .hasMessageContaining("there is no such directory")
                .hasMessageContaining("name a run directory");
    }

    @Test
    void keepsSamplesAndTheirLatencies() {
        RunDirectory run = written(4);
        RunDirectory opened = RunDirectory.open(run.path());
        assertThat(opened.manifest()).isEqualTo(Samples.manifest());
        assertThat(opened.samples())
                .isEqualTo(IntStream.range(0, 4).mapToObj(Samples::measured).toList());
        for (int round = 0; round < 4; round++) {
            assertThat(opened.histogram(Samples.measured(round), "fetch")).contains(Samples.latencies(round));
        }
        assertThat(opened.histogram(Samples.measured(4), "fetch")).isEmpty();
        assertThat(opened.histogram(Samples.measured(0), "insert")).isEmpty();
        assertThat(opened.histogram(Samples.failed(0), "fetch")).isEmpty();
    }

    @Test
    void aRunThatFailedBeforeAnythingWasMeasuredIsDiscarded() throws IOException {
        RunDirectory created = RunDirectory.create(runs, Samples.START, "s");
        RunDirectory chosen = RunDirectory.createAt(Files.createDirectory(runs.resolve("mine")));
        Sample unavailable = Sample.notMeasured(
                Samples.failed(0).trial(), 0, new Outcome.Unavailable("the file system punches no holes"));
        for (RunDirectory run : List.of(created, chosen)) {
            try (RunWriter writer = run.writer()) {
                writer.write(Samples.manifest());
                writer.append(unavailable, Map.of());
            }
            run.discardIfNothingWasMeasured();
        }
        assertThat(created.path()).doesNotExist();
        assertThat(chosen.path()).isEmptyDirectory();
    }

    @Test
    void aRunWithASampleOrWithLogsOfItsServersIsNotDiscarded() throws IOException {
        RunDirectory measured = written(1);
        RunDirectory failed = RunDirectory.create(runs, Samples.START, "failed");
        try (RunWriter writer = failed.writer()) {
            writer.append(Samples.failed(0), Map.of());
        }
        RunDirectory logged = RunDirectory.create(runs, Samples.START, "logged");
        try (RunWriter writer = logged.writer()) {
            writer.keepLogs(Map.of("node.log", Files.writeString(runs.resolve("node.log"), "lost")));
        }
        for (RunDirectory run : List.of(measured, failed, logged)) {
            run.discardIfNothingWasMeasured();
            assertThat(run.samplesFile()).exists();
        }
        assertThat(logged.path().resolve("server-logs/node.log")).hasContent("lost");
    }

    @Test
    void responseTimesAndLagsStandBesideServiceTimes() {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "s");
        Sample sample = Samples.saturated(2);
        try (RunWriter writer = run.writer()) {
            writer.append(sample, Samples.fetchAndResponse(2));
            assertThatThrownBy(() -> writer.append(sample, Samples.fetch(2)))
                    .hasMessage("histograms of [fetch] for a sample with [fetch, fetch.response, schedule.lag]");
        }
        assertThat(run.histogram(sample, "fetch")).contains(Samples.latencies(2));
        assertThat(run.histogram(sample, Sample.responseOf("fetch"))).contains(Samples.latencies(1_000_000));
        assertThat(run.histogram(sample, Sample.SCHEDULE_LAG)).contains(Samples.latencies(0));
        assertThat(sample.value(Metric.RESPONSE_P50, "fetch").orElseThrow()).isBetween(1_050_000.0, 1_051_000.0);
        assertThat(Samples.measured(2).value(Metric.RESPONSE_P50, "fetch")).isEmpty();
    }

    @Test
    void sizeClassesStandBesideAllOperationsAndAreASampleOfTheirOwn() throws IOException {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "s");
        Sample sample = Samples.ofTwoSizes(2);
        Map<String, Histogram> latencies = Map.of(
                "fetch",
                Samples.latencies(2),
                "fetch.0-1KB",
                Samples.latencies(0),
                "fetch.4MB-16MB",
                Samples.latencies(4));
        try (RunWriter writer = run.writer()) {
            writer.append(sample, latencies);
        }
        assertThat(Files.readString(run.samplesFile())).contains("\"by_size\":{\"0-1KB\":{\"count\":1000,");
        run.writer().close();
        try (RunWriter writer = run.writer()) { // what a killed one has left is cut off here
            writer.append(Samples.measured(4), Map.of("fetch", Samples.latencies(4)));
        }
        Sample read = run.samples().get(0);
        assertThat(read).isEqualTo(sample);
        assertThat(run.histogram(read, "fetch.4MB-16MB")).contains(Samples.latencies(4));

        Sample small = read.ofSize(SizeClass.TO_1KB).orElseThrow();
        assertThat(small.value(Metric.THROUGHPUT, "fetch")).hasValue(6e8);
        assertThat(small.value(Metric.COMPRESSION_RATIO, "fetch")).hasValue(4);
        assertThat(small.value(Metric.CPU, "fetch")).isEmpty();
        assertThat(small.unknown()).containsEntry("client_cpu_ns_per_op", "known only for all sizes together");
        assertThat(read.ofSize(SizeClass.TO_4KB)).isEmpty();
        assertThat(Samples.failed(0).ofSize(SizeClass.TO_1KB)).isEmpty();
    }

    @Test
    void aHistogramIsNamedByTrialBlockRoundAndOperation() {
        // printf 'codec=zstd:3,size=64KB' | sha256sum
        assertThat(RunDirectory.tag(Samples.measured(7), "fetch")).isEqualTo("2590bc0c7074-b0-r7-fetch");
    }

    @Test
    void theCallersHistogramIsLeftAsItWas() {
        var histogram = Samples.latencies(0);
        try (RunWriter writer = RunDirectory.create(runs, Samples.START, "s").writer()) {
            writer.append(Samples.measured(0), Map.of("fetch", histogram));
        }
        assertThat(histogram.getTag()).isNull();
    }

    @Test
    void asManyHistogramsAsOperationTypes() {
        try (RunWriter writer = RunDirectory.create(runs, Samples.START, "s").writer()) {
            assertThatThrownBy(() -> writer.append(Samples.measured(0), Map.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void cutAtAnyByteOfTheLastLineAllOthersAreRead() throws IOException {
        RunDirectory run = written(3);
        byte[] whole = Files.readAllBytes(run.samplesFile());
        int lastLine = new String(whole, 0, whole.length - 1, StandardCharsets.ISO_8859_1).lastIndexOf('\n') + 1;
        for (int length = lastLine; length < whole.length; length++) {
            Files.write(run.samplesFile(), Arrays.copyOf(whole, length));
            assertThat(run.samples()).as("%d bytes", length).hasSize(2).last().isEqualTo(Samples.measured(1));
        }
        Files.write(run.samplesFile(), whole);
        assertThat(run.samples()).hasSize(3);
    }

    @Test
    void writingGoesOnAfterATornLine() throws IOException {
        RunDirectory run = written(3);
        Path latencies = run.latencyFile(0);
        for (Path file : List.of(run.samplesFile(), latencies)) {
            byte[] whole = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(whole, whole.length - 7));
        }
        assertThat(run.histogram(Samples.measured(2), "fetch")).isEmpty();
        try (RunWriter writer = run.writer()) {
            writer.append(Samples.measured(2), Samples.fetch(2));
            writer.append(Samples.measured(4), Samples.fetch(4));
        }
        assertThat(run.samples()).hasSize(4).last().isEqualTo(Samples.measured(4));
        for (int round : List.of(0, 2, 4)) {
            assertThat(run.histogram(Samples.measured(round), "fetch")).contains(Samples.latencies(round));
        }
    }

    @Test
    void aLastLineWithoutItsMiddleIsTornToo() throws IOException {
        RunDirectory run = written(1);
        Files.write(run.samplesFile(), new byte[] {'{', '"', 's', 0, 0, 0, '}', '\n'}, StandardOpenOption.APPEND);
        assertThat(run.samples()).hasSize(1);
        try (RunWriter writer = run.writer()) {
            writer.append(Samples.failed(1), Map.of());
        }
        assertThat(run.samples()).containsExactly(Samples.measured(0), Samples.failed(1));
    }

    @Test
    void aHistogramOfASampleMeasuredAgainReplacesTheFirst() throws IOException {
        RunDirectory run = written(1);
        Files.write(run.samplesFile(), new byte[0]);
        try (RunWriter writer = run.writer()) {
            writer.append(Samples.measured(0), Samples.fetch(9));
        }
        assertThat(run.histogram(Samples.measured(0), "fetch")).contains(Samples.latencies(9));
    }

    /** Killed after the histograms and before the sample, in the midst of a histogram, or before both. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 40, 150})
    void histogramsWithoutTheirSampleAreCutOffBeforeMoreAreWritten(int torn) throws Exception {
        RunDirectory run = written(3);
        Path log = run.latencyFile(0);
        byte[] whole = Files.readAllBytes(log);
        byte[] lines = Files.readAllBytes(run.samplesFile());
        Files.write(log, Arrays.copyOf(whole, whole.length - torn));
        String[] samples = new String(lines, StandardCharsets.UTF_8).split("(?<=\n)");
        Files.writeString(run.samplesFile(), samples[0] + samples[1]);

        try (RunWriter writer = run.writer()) {
            writer.append(Samples.measured(2), Samples.fetch(7));
        }

        assertThat(Files.readAllLines(log).stream().filter(line -> line.startsWith("Tag=")))
                .hasSize(2);
        assertThat(run.histogram(Samples.measured(0), "fetch")).contains(Samples.latencies(0));
        assertThat(run.histogram(Samples.measured(1), "fetch")).contains(Samples.latencies(1));
        assertThat(run.histogram(Samples.measured(2), "fetch")).contains(Samples.latencies(7));
    }

    @Test
    void twoWritersAreOneTooMany() {
        RunDirectory run = written(1);
        try (RunWriter first = run.writer()) {
            assertThat(run.samples()).hasSize(1);
            assertThatThrownBy(run::writer)
                    .isInstanceOf(RunException.class)
                    .hasMessageContaining("this run is still being written");
            first.append(Samples.measured(1), Samples.fetch(1));
        }
        run.writer().close();
        assertThat(run.samples()).hasSize(2);
    }

    @Test
    void threadsTakeTurns() throws Exception {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "s");
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (RunWriter writer = run.writer()) {
            List<Future<?>> appended = IntStream.range(0, 40)
                    .<Future<?>>mapToObj(
                            round -> threads.submit(() -> writer.append(Samples.measured(round), Samples.fetch(round))))
                    .toList();
            for (Future<?> each : appended) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(run.samples())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 40).mapToObj(Samples::measured).toList());
        assertThat(run.histogram(Samples.measured(39), "fetch")).contains(Samples.latencies(39));
    }

    @Test
    void aThreadInterruptedBeforeItWritesStillWrites() {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "s");
        try (RunWriter writer = run.writer()) {
            Thread.currentThread().interrupt();
            writer.append(Samples.measured(0), Samples.fetch(0));
            writer.write(Samples.manifest().ended(Manifest.State.INTERRUPTED, Samples.START));
            assertThat(Thread.interrupted()).isTrue();
            writer.append(Samples.measured(1), Samples.fetch(1));
        }
        assertThat(run.samples()).hasSize(2);
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
    }

    /** A process that is killed while it writes: all that it said was written is there, and the next can go on. */
    @Test
    @Timeout(60)
    void aKilledWriterLosesNothing() throws Exception {
        RunDirectory run = written(0);
        int lines = 0;
        for (int kill = 1; kill <= 3; kill++) {
            Process writer = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            EndlessWriter.class.getName(),
                            run.path().toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            int said = 0;
            try (BufferedReader out = writer.inputReader()) {
                for (; said < 10 * kill; said++) {
                    assertThat(out.readLine()).isEqualTo(Integer.toString(lines + said));
                }
                writer.toHandle().destroyForcibly(); // the process's own method would close the pipe as well
                said += (int) out.lines().count();
            }
            writer.waitFor();
            List<Sample> samples = run.samples();
            assertThat(samples).hasSizeBetween(lines + said, lines + said + 1);
            for (Sample sample : samples.subList(lines, samples.size())) {
                assertThat(run.histogram(sample, "fetch")).contains(Samples.latencies(sample.round()));
            }
            lines = samples.size();
        }
    }

    /** Appends samples for ever, and says the round of each when it is written. */
    static final class EndlessWriter {
        public static void main(String[] args) {
            RunDirectory run = RunDirectory.open(Path.of(args[0]));
            try (RunWriter writer = run.writer()) {
                for (int round = run.samples().size(); ; round++) {
                    writer.append(Samples.measured(round), Samples.fetch(round));
                    System.out.println(round);
                }
            }
        }
    }

    private RunDirectory written(int samples) {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "blob-fetch");
        try (RunWriter writer = run.writer()) {
            writer.write(Samples.manifest());
            for (int round = 0; round < samples; round++) {
                writer.append(Samples.measured(round), Samples.fetch(round));
            }
        }
        return run;
    }

    @Test
    void onlyTheirOwnerReadsTheFilesOfARun() throws IOException {
        RunDirectory run = written(1);
        RunDirectory chosen = RunDirectory.createAt(runs.resolve("a/b"));
        try (RunWriter writer = chosen.writer()) {
            byte[] lines = "listening at 10.0.0.7:1186, port: 1187, é\n".getBytes(StandardCharsets.ISO_8859_1);
            Path log = Files.write(runs.resolve("node.log"), lines);
            writer.keepLogs(Map.of("node.log", log));
        }
        for (Path root : List.of(run.path(), chosen.path())) {
            try (Stream<Path> all = Files.walk(root)) {
                assertThat(all)
                        .hasSizeGreaterThan(3)
                        .allSatisfy(
                                path -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                                        .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
            }
        }
        assertThat(chosen.path().resolve("server-logs/node.log"))
                .hasContent("listening at an address, port: …, \ufffd");
    }

    /** From the moment that the server is known; what it is goes into no file, whoever says it. */
    @Test
    void whatNamesTheServerIsInNoFile() throws IOException {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "s");
        Finding busy = new Finding("load", "db7.example.org:33101 is busy", Finding.Level.WARNING, "db7", "ask db7");
        try (RunWriter writer = run.writer()) {
            writer.redact(Redaction.OF_THIS_MACHINE.withServer("db7.example.org", 33101, Map.of("hostname", "db7")));
            writer.write(Samples.manifest().with(new Machine.Quiet(Pin.NONE, Optional.empty(), List.of(busy))));
            writer.append(Samples.measured(0).withEvent("lost db7.example.org:33101"), Samples.fetch(0));
        }
        assertThat(run.manifestFile()).content().contains("the server is busy").doesNotContain("db7");
        assertThat(run.samplesFile()).content().contains("lost the server").doesNotContain("db7");
        assertThat(run.histogram(run.samples().get(0), "fetch")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {".lock", "samples.jsonl", "manifest.json", "latency/fork-0.hlog"})
    void aRunIsNotWrittenThroughASymbolicLink(String file) throws IOException {
        RunDirectory run = written(1);
        Path target = Files.writeString(runs.resolve("precious"), "precious");
        Path link = run.path().resolve(file);
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
        assertThatThrownBy(() -> {
                    try (RunWriter writer = run.writer()) {
                        writer.write(run.manifest());
                        writer.append(Samples.measured(0), Map.of("fetch", Samples.latencies(0)));
                    }
                })
                .isInstanceOf(RunException.class)
                .hasMessageContaining(
                        link + ": this is a symbolic link, and a run consists of regular files; remove it");
        assertThat(target).hasContent("precious");
    }

    @Test
    void whatLeadsElsewhereIsReplacedWhereTheRunMakesItAnew() throws IOException {
        RunDirectory run = written(1);
        Path target = Files.writeString(runs.resolve("precious"), "precious");
        Path link = Files.createSymbolicLink(run.path().resolve("manifest.json.new"), target);
        try (RunWriter writer = run.writer()) {
            writer.write(run.manifest());
        }
        assertThat(target).hasContent("precious");
        assertThat(link).doesNotExist();
        assertThat(Files.isSymbolicLink(run.path().resolve("manifest.json"))).isFalse();
    }

    /** What is opened is no link, also if others put one there after it was looked at. */
    @Test
    void noLinkIsOpened() throws IOException {
        Path target = Files.writeString(runs.resolve("precious"), "precious");
        Path link = Files.createSymbolicLink(runs.resolve("link"), target);
        assertThatThrownBy(() -> PrivateFiles.append(link)).isInstanceOf(IOException.class);
        assertThat(target).hasContent("precious");
        try (OutputStream out = PrivateFiles.replace(link)) {
            Files.delete(link);
            Files.createSymbolicLink(link, target);
            out.write('x');
        }
        assertThat(target).hasContent("precious");
    }

    @ParameterizedTest
    @ValueSource(ints = {0707, 0777, 01777})
    void aDirectoryInWhichOthersMayWriteIsRefused(int mode) throws IOException {
        RunDirectory run = written(1);
        run.writer().close();
        byte[] samples = Files.readAllBytes(run.samplesFile());
        Path open = Files.createDirectory(runs.resolve("open"));
        Files.setAttribute(open, "unix:mode", mode);
        Files.setAttribute(run.path(), "unix:mode", mode);

        assertRefused(() -> RunDirectory.createAt(open), "other users may write to " + open);
        assertRefused(() -> RunDirectory.create(open, Samples.START, "s"), "other users may write to " + open);
        assertThat(open).isEmptyDirectory();
        assertRefused(RunDirectory.open(run.path())::claim, "other users may write to " + run.path());
        assertRefused(RunDirectory.open(run.path())::writer, "other users may write to " + run.path());
        assertThat(run.samplesFile()).hasBinaryContent(samples);
    }

    @Test
    void aDirectoryBelowOneInWhichOthersMayWriteIsRefused() throws IOException {
        Path open = Files.createDirectory(runs.resolve("open"));
        Path own = Files.createDirectory(open.resolve("own"));
        Files.setAttribute(open, "unix:mode", 0777);

        assertRefused(() -> RunDirectory.createAt(own), "other users may write to " + open);
        assertRefused(() -> RunDirectory.createAt(open.resolve("a/b")), "other users may write to " + open);
        assertRefused(
                () -> RunDirectory.create(open.resolve("a"), Samples.START, "s"), "other users may write to " + open);
        assertThat(open.resolve("a")).doesNotExist();
        Files.setAttribute(open, "unix:mode", 01777); // as /tmp
        RunDirectory.createAt(own).release();
        RunDirectory.createAt(open.resolve("a/b")).release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"samples.jsonl", "manifest.json", "latency", "latency/fork-0.hlog", ".lock"})
    void aFileOfARunToWhichOthersMayWriteIsNotContinued(String name) throws IOException {
        RunDirectory run = written(1);
        Path file = run.path().resolve(name);
        Files.setAttribute(file, "unix:mode", 0777);

        assertRefused(RunDirectory.open(run.path())::claim, "other users may write to " + file);
        Files.setAttribute(file, "unix:mode", 0700);
        RunDirectory.open(run.path()).writer().close();
    }

    @Test
    void aDirectoryOfAnotherUserIsRefused() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        Path other = Files.createDirectory(runs.resolve("other"));
        Files.setAttribute(other, "unix:uid", 54_321);
        assertRefused(() -> RunDirectory.createAt(other), other + " belongs to 54321");
        assertRefused(() -> RunDirectory.createAt(other.resolve("run")), other + " belongs to 54321");
        assertThat(other).isEmptyDirectory();
    }

    private static void assertRefused(ThrowingCallable call, String problem) {
        assertThatThrownBy(call)
                .isInstanceOf(RunException.class)
                .hasMessageContaining(problem + ", so that they could replace what is written here; name a directory");
    }

    /** With a umask that lets all write. */
    @Test
    void othersMayNotWriteToWhatIsMade() throws Exception {
        Process made = new ProcessBuilder(
                        "sh",
                        "-c",
                        "umask 0; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Making.class.getName(),
                        runs.toString())
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
        try (Stream<Path> all = Files.walk(runs)) {
            assertThat(all.filter(path -> !path.equals(runs)))
                    .hasSizeGreaterThan(8)
                    .allSatisfy(path -> assertThat(Ownership.problem(path)).isEmpty());
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(runs.resolve("a"))))
                .isEqualTo("rwxr-xr-x");
    }

    /** Makes two runs. */
    static final class Making {
        public static void main(String[] args) {
            Path runs = Path.of(args[0]);
            for (RunDirectory run : List.of(
                    RunDirectory.create(runs.resolve("a/runs"), Samples.START, "s"),
                    RunDirectory.createAt(runs.resolve("b/run")))) {
                try (RunWriter writer = run.writer()) {
                    writer.write(Samples.manifest());
                    writer.append(Samples.measured(0), Samples.fetch(0));
                }
            }
        }
    }

    /** What a killed writer has left is cut off also by a thread that is interrupted. */
    @Test
    void anInterruptedThreadCutsOffWhatIsTorn() throws IOException {
        RunDirectory run = written(1);
        Files.writeString(run.latencyFile(0), "Tag=torn", StandardOpenOption.APPEND);
        try (RunWriter writer = run.writer()) {
            Thread.currentThread().interrupt();
            writer.append(Samples.measured(2), Samples.fetch(2));
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(run.histogram(Samples.measured(2), "fetch")).contains(Samples.latencies(2));
        assertThat(run.latencyFile(0)).content().doesNotContain("torn");
    }

    @Test
    void aDirectoryOfLatenciesThatLeadsElsewhereIsRefused() throws IOException {
        RunDirectory run = written(1);
        Path elsewhere = Files.move(run.path().resolve("latency"), runs.resolve("elsewhere"));
        Files.createSymbolicLink(run.path().resolve("latency"), elsewhere);
        assertThatThrownBy(run::writer).hasMessageContaining("latency: this is not a directory, but a symbolic link");
    }
}
