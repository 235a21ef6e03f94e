package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergeTest {

    @TempDir
    private Path directory;

    /** A run that began so many hours later, with what a test changes in its study. */
    private static Manifest manifest(int hours, UnaryOperator<Study> change) {
        Instant start = Samples.START.plus(Duration.ofHours(hours));
        Manifest manifest = Samples.manifest();
        return manifest.with(Progress.startedAt(start))
                .with(change.apply(manifest.study()))
                .ended(Manifest.State.FINISHED, start.plusSeconds(60));
    }

    private static Machine on(Host host) {
        Machine here = Samples.machine();
        return new Machine(host, here.jvms(), here.libraries(), here.quiet(), here.links());
    }

    private static Manifest manifest(int hours) {
        return manifest(hours, study -> study);
    }

    /** @param first of the rounds, whose figures tell the runs apart */
    private RunDirectory run(String name, Manifest manifest, int first, int rounds) {
        RunDirectory run = RunDirectory.createAt(directory.resolve(name));
        try (RunWriter writer = run.writer()) {
            writer.write(manifest);
            for (int round = first; round < first + rounds; round++) {
                writer.append(Samples.measured(round), Samples.fetch(round));
            }
        }
        return run;
    }

    private RunDirectory merged(String name, RunDirectory... runs) {
        RunDirectory into = RunDirectory.createAt(directory.resolve(name));
        assertThat(Merge.of(List.of(runs)).write(into, Program.of("0.2.0"))).isEqualTo(into.manifest());
        return into;
    }

    @Test
    void keepsEverySampleWithItsLatenciesUnderNumbersOfItsOwn() {
        RunDirectory merged =
                merged("merged", run("a", manifest(0), 0, 4), run("b", manifest(1), 0, 2), run("c", manifest(2), 4, 2));

        List<Sample> samples = merged.samples();
        assertThat(samples).extracting(Sample::block).containsExactly(0, 0, 0, 0, 1, 1, 2, 2);
        assertThat(samples).extracting(Sample::fork).containsExactly(0, 1, 0, 1, 2, 3, 4, 5);
        assertThat(samples).extracting(Sample::round).containsExactly(0, 1, 2, 3, 0, 1, 4, 5);
        for (Sample sample : samples) {
            assertThat(sample.renumbered(0, sample.round() % 2)).isEqualTo(Samples.measured(sample.round()));
            assertThat(merged.histogram(sample, "fetch")).contains(Samples.latencies(sample.round()));
        }
    }

    @Test
    void keepsResponseTimesLagsAndSizeClassesToo() {
        Map<String, Histogram> bySize = Map.of(
                "fetch",
                Samples.latencies(3),
                "fetch.0-1KB",
                Samples.latencies(0),
                "fetch.4MB-16MB",
                Samples.latencies(4));
        RunDirectory a = run("a", manifest(0), 0, 2);
        RunDirectory b = RunDirectory.createAt(directory.resolve("b"));
        try (RunWriter writer = b.writer()) {
            writer.write(manifest(1));
            writer.append(Samples.saturated(2), Samples.fetchAndResponse(2));
            writer.append(Samples.ofTwoSizes(3), bySize);
        }

        RunDirectory merged = merged("merged", a, b);

        Map<String, Histogram> kept = new TreeMap<>();
        for (Sample sample : merged.samples().subList(2, 4)) {
            for (String name : sample.histograms()) {
                kept.put(
                        sample.round() + " " + name,
                        merged.histogram(sample, name).orElseThrow());
            }
        }
        Map<String, Histogram> expected = new TreeMap<>();
        Samples.fetchAndResponse(2).forEach((name, histogram) -> expected.put("2 " + name, histogram));
        bySize.forEach((name, histogram) -> expected.put("3 " + name, histogram));
        assertThat(kept).isEqualTo(expected);
    }

    @Test
    void theManifestSaysWhatItWasMergedFrom() {
        Manifest manifest = merged("merged", run("a", manifest(1), 0, 2), run("b", manifest(0), 0, 2))
                .manifest();

        assertThat(manifest.sources())
                .containsExactly(new Manifest.MergedRun(0, manifest(1)), new Manifest.MergedRun(1, manifest(0)));
        assertThat(manifest.blobmark()).isEqualTo(Program.of("0.2.0"));
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(manifest.progress().startedAt())
                .isEqualTo(manifest(0).progress().startedAt());
        assertThat(manifest.progress().finishedAt())
                .isEqualTo(manifest(1).progress().finishedAt());
        assertThat(manifest.plan())
                .isEqualTo(new Manifest.PlannedSamples(manifest(0).plan().trials(), 2, 12));
        assertThat(manifest.study().schedule().rounds()).isEqualTo(6);
        assertThat(manifest.study().schedule().forks()).isEqualTo(2);
        assertThat(manifest.study().methods()).isEqualTo(manifest(0).study().methods());
        assertThat(manifest.datasets()).isEqualTo(manifest(0).datasets());
        assertThat(manifest.stores()).isEqualTo(manifest(0).stores());
        assertThat(manifest.servers()).isEqualTo(manifest(0).servers());
    }

    @Test
    void aMergeOfMergesIsAMergeOfTheirRuns() throws IOException {
        RunDirectory a = run("a", manifest(0), 0, 2);
        RunDirectory b = run("b", manifest(1), 0, 4);
        RunDirectory c = run("c", manifest(2), 0, 2);

        RunDirectory once = merged("once", a, b, c);
        for (RunDirectory again :
                List.of(merged("left", merged("ab", a, b), c), merged("right", a, merged("bc", b, c)))) {
            assertThat(again.samples()).isEqualTo(once.samples());
            assertThat(again.manifest()).isEqualTo(once.manifest());
            for (Sample sample : again.samples()) {
                assertThat(again.histogram(sample, "fetch")).contains(Samples.latencies(sample.round()));
            }
        }
    }

    @Test
    void trialsAndMethodsOfAnyOfTheRunsAreInTheWhole() {
        Manifest other = manifest(
                1,
                study -> study(
                        study,
                        "other",
                        Metric.THROUGHPUT,
                        List.of(study.methods().get(0), new Method("lz4", Levels.of(Map.of("codec", "lz4")))),
                        200));
        Manifest manifest = merged("merged", run("a", manifest(0), 0, 1), run("b", other, 0, 1))
                .manifest();

        assertThat(manifest.study().methods()).extracting(Method::id).containsExactly("uncompressed", "zstd", "lz4");
        assertThat(manifest.study().profile()).isEqualTo("quick+other");
        assertThat(manifest.study().conditions())
                .isEqualTo(Samples.manifest().study().conditions());
    }

    private static Study study(Study s, String profile, Metric metric, List<Method> methods, int windowMillis) {
        return new Study(
                s.name(),
                s.question(),
                s.source(),
                profile,
                metric,
                s.baseline(),
                methods,
                s.conditions(),
                new Schedule(3, 1, new Window.Time(Duration.ofMillis(windowMillis)), Duration.ofMillis(1500), 42),
                List.of());
    }

    @Test
    void aFailedTrialIsMergedToo() {
        RunDirectory failing = RunDirectory.createAt(directory.resolve("failing"));
        try (RunWriter writer = failing.writer()) {
            writer.write(manifest(1));
            writer.append(Samples.failed(0), Map.of());
        }

        assertThat(merged("merged", run("a", manifest(0), 0, 1), failing).samples())
                .containsExactly(Samples.measured(0), Samples.failed(0).renumbered(1, 1));
    }

    @Test
    void aRunThatWasInterruptedMakesTheWholeOne() {
        Manifest interrupted = manifest(1).ended(Manifest.State.INTERRUPTED, Samples.START.plusSeconds(9999));

        Manifest manifest = merged("merged", run("a", manifest(0), 0, 1), run("b", interrupted, 0, 1))
                .manifest();
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
        assertThat(manifest.progress().finishedAt()).contains(Samples.START.plusSeconds(9999));
    }

    @Test
    void whatMeasuredSomethingElseIsRefused() {
        RunDirectory first = run("first", manifest(0), 0, 1);
        Manifest m = manifest(1);

        assertRefused(
                first,
                manifest(1, s -> study(s, "quick", Metric.P99, s.methods(), 200)),
                "its metric is p99, not throughput as in ");
        assertRefused(
                first,
                manifest(1, s -> study(s, "quick", s.metric(), s.methods(), 300)),
                "its window is 300ms, not 200ms as in ");
        assertRefused(
                first,
                manifest(
                        1,
                        s -> study(
                                s,
                                "quick",
                                s.metric(),
                                List.of(s.methods().get(0), new Method("zstd", Levels.of(Map.of("codec", "zstd:9")))),
                                200)),
                "its method zstd is codec=zstd:9, not codec=zstd:3 as in ");
        assertRefused(
                first,
                m.with("mysql", new Manifest.MeasuredServer("address", "MySQL", "9.7.4", "", new TreeMap<>())),
                "its server mysql is MySQL 9.7.4, address, not MariaDB 11.4.5-MariaDB, embedded (mariadb.org binary"
                        + " distribution) as in ");
    }

    @Test
    void otherValuesAreRefused() {
        Manifest other = manifest(1)
                .withDatasets(List.of(
                        new Manifest.MeasuredDataset("sites", OptionalLong.of(65536), 488, "0ther", new TreeMap<>())));

        assertRefused(run("first", manifest(0), 0, 1), other, "its dataset sites is 0ther, not e3b0c442 as in ");
    }

    private void assertRefused(RunDirectory first, Manifest second, String reason) {
        RunDirectory run = run("run-" + directory.toFile().list().length, second, 0, 1);
        assertThatThrownBy(() -> Merge.of(List.of(first, run)))
                .isInstanceOf(RunException.class)
                .hasMessage(run.path() + ": " + reason + first.path()
                        + "; merge runs of one study on one kind of server, and compare others with 'compare'");
    }

    @Test
    void aRunIsNamedOnceAndHasEnded() {
        RunDirectory a = run("a", manifest(0), 0, 1);
        RunDirectory b = run("b", manifest(1), 0, 1);

        assertThatThrownBy(() -> Merge.of(List.of(a, b, a)))
                .hasMessage(a.path() + ": this is the same run as in " + a.path()
                        + ", started 2026-11-21T10:15:00Z; name each run once");
        RunDirectory ab = merged("ab", a, b);
        assertThatThrownBy(() -> Merge.of(List.of(ab, b)))
                .hasMessageContaining("this is the same run as in " + ab.path());
        assertThatThrownBy(() ->
                        Merge.of(List.of(a, run("c", manifest(2).resumed(Instant.EPOCH, Program.of("0.1.0")), 0, 1))))
                .hasMessageEndingWith(": the run has not ended, or was killed; wait for its end, or resume it");
    }

    @Test
    void latenciesThatAreMissingAreNamed() throws IOException {
        RunDirectory a = run("a", manifest(0), 0, 1);
        RunDirectory b = run("b", manifest(1), 0, 1);
        Files.delete(b.latencyFile(0));

        assertThatThrownBy(() -> merged("ab", a, b))
                .hasMessage(b.latencyFile(0) + ": the latencies of codec=zstd:3,size=64KB, round 0, are missing;"
                        + " restore the file from a copy");
    }

    @Test
    void otherSurroundingsAreAllowedAndTold() {
        Manifest elsewhere = manifest(1)
                .with(on(new Host("Linux", "6.12.0", "amd64", Optional.empty(), 8, OptionalLong.of(8L << 30))));

        assertThat(Merge.of(List.of(run("a", manifest(0), 0, 1), run("b", elsewhere, 0, 1)))
                        .differing())
                .containsExactly("host cores", "host system");
    }
}
