package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Resources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seals the spelling of the files: what is in the golden files can be read by every later version. */
class RunFormatTest {

    @TempDir
    Path runs;

    @Test
    void aSampleIsSpelledAsInTheGoldenFile() throws IOException {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "blob-fetch");
        try (RunWriter writer = run.writer()) {
            writer.append(Samples.measured(0), Samples.fetch(0));
            writer.append(Samples.failed(1), Map.of());
            writer.append(Samples.saturated(2), Samples.fetchAndResponse(2));
        }
        assertThat(Files.readString(run.samplesFile())).isEqualTo(golden("samples.jsonl"));
    }

    @Test
    void theManifestIsSpelledAsInTheGoldenFile() throws IOException {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "blob-fetch");
        try (RunWriter writer = run.writer()) {
            writer.write(Samples.manifest());
        }
        assertThat(Files.readString(run.manifestFile()).replace("\r", "")).isEqualTo(golden("manifest.json"));
        assertThat(run.manifest()).isEqualTo(Samples.manifest());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anySampleSurvivesTheRoundTrip(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> written =
                IntStream.range(0, 200).mapToObj(i -> Samples.random(random)).toList();
        List<Sample> read = written.stream()
                .map(Sample::toJson)
                .peek(line -> assertThat(line).doesNotContain("\n"))
                .map(Sample::ofJson)
                .toList();
        assertThat(read).isEqualTo(written);
    }

    @Test
    void whatIsNotKnownIsThereAsNull() {
        var json = RunJson.MAPPER.readTree(Samples.failed(0).toJson());
        for (String field :
                List.of("/warmup", "/open_loop", "/resources/elapsed_ns", "/disk/allocated_bytes", "/visits")) {
            assertThat(json.at(field).isNull()).as(field).isTrue();
        }
        assertThat(json.get("operations").isEmpty()).isTrue();
    }

    @Test
    void fieldsOfALaterVersionArePassedOver() throws IOException {
        RunDirectory run = with(golden("samples.jsonl")
                .replace("{\"trial\":", "{\"colour\":{\"a\":[1]},\"trial\":")
                .replace("\"count\":", "\"tint\":7,\"count\":"));
        assertThat(run.samples()).containsExactly(Samples.measured(0), Samples.failed(1), Samples.saturated(2));
    }

    @Test
    void whatWasOfferedAddsUp() {
        Latency lag = Latency.of(Samples.latencies(0));
        assertThatThrownBy(() -> new OpenLoop(10, 10, 8, 8, 1, lag))
                .hasMessage(
                        "of 10 offered, 8 started and 1 dropped do not add up, or more than that were completed: 8");
        assertThatThrownBy(() -> new OpenLoop(10, 10, 8, 9, 2, lag)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void severalProcessesOfferTogether() {
        Latency lag = Latency.of(Samples.latencies(0));
        assertThat(OpenLoop.sum(
                        List.of(new OpenLoop(10, 11, 8, 7, 3, lag), new OpenLoop(5, 6, 5, 5, 1, lag)),
                        Latency.of(Samples.latencies(1))))
                .isEqualTo(new OpenLoop(15, 17, 13, 12, 4, Latency.of(Samples.latencies(1))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not json",
                "",
                "{}",
                "[1]",
                "{\"trial\":{\"id\":\"a\"}}",
            })
    void aBrokenLineInTheMiddleIsNamed(String line) throws IOException {
        String good = golden("samples.jsonl").lines().findFirst().orElseThrow();
        RunDirectory run = with(good + "\n" + line + "\n" + good + "\n");
        assertThatThrownBy(run::samples)
                .isInstanceOf(RunException.class)
                .hasMessageContaining("samples.jsonl:2: the line is not a valid sample: ")
                .hasMessageContaining("; restore the file");
    }

    @Test
    void aSampleWithoutItsRoundIsBroken() throws IOException {
        RunDirectory run = with(golden("samples.jsonl").replace("\"round\":0,", ""));
        assertThatThrownBy(run::samples).hasMessageContaining("samples.jsonl:1").hasMessageContaining("round");
    }

    @Test
    void aMeasuredSampleSaysWhyAFigureIsMissing() {
        Sample s = Samples.measured(0);
        assertThatThrownBy(() -> new Sample(
                        s.trial(),
                        new Position(
                                s.block(), s.fork(), s.round(), s.position().startedAt()),
                        s.outcome(),
                        new Remarks(s.flags(), s.events(), s.remarks().errors(), s.unknown()),
                        s.warmUp(),
                        s.operations(),
                        Optional.empty(),
                        Resources.of(
                                s.resources().elapsedNanos(),
                                s.resources().clientCpuNanosPerOp(),
                                s.resources().serverCpuNanosPerOp(),
                                s.resources().allocatedBytesPerOp()),
                        new DiskSpace(OptionalLong.empty(), OptionalLong.empty()),
                        Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown: there is no reason for the missing [disk]");
    }

    @Test
    void aManifestOfALaterSchemaIsRefused() throws IOException {
        RunDirectory run = with("");
        Files.writeString(run.manifestFile(), golden("manifest.json").replace("\"schema\" : 1", "\"schema\" : 2"));
        assertThatThrownBy(run::manifest)
                .isInstanceOf(RunException.class)
                .hasMessageContaining("schema 2")
                .hasMessageContaining("0.1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"progress\" : {", "\"machine\" : {", "\"claims\" : [", "\"stores\" : ["})
    void aManifestOfAnotherFormIsRefusedByItsName(String field) throws IOException {
        RunDirectory run = with("");
        Files.writeString(
                run.manifestFile(), golden("manifest.json").replace(field, field.replaceFirst("\"", "\"old_")));
        assertThatThrownBy(run::manifest)
                .isInstanceOf(RunException.class)
                .hasMessageStartingWith(run.manifestFile() + ": ")
                .hasMessageEndingWith("; restore the file from a copy; the samples are not affected");
    }

    @Test
    void flagsOfTheJvmTellNoSecrets() {
        assertThat(Machine.MeasuringJvm.withoutSecrets("-Dpassword=hunter2", "/home/ann"))
                .isEqualTo("-Dpassword=…");
        assertThat(Machine.MeasuringJvm.withoutSecrets("-Xlog:gc:/home/ann/gc.log", "/home/ann"))
                .isEqualTo("-Xlog:gc:~/gc.log");
        assertThat(Machine.MeasuringJvm.withoutSecrets("-Xmx2g", "/home/ann")).isEqualTo("-Xmx2g");
    }

    @Test
    void theHostIsReadFromThisMachine() {
        Host host = Host.read();
        assertThat(host.os()).isNotBlank();
        assertThat(host.cores()).isPositive();
        assertThat(host.memoryBytes().orElseThrow()).isGreaterThan(64L << 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon(R)  CPU @ 2.20GHz\n",
                "processor : 0\nBogoMIPS : 108.00\nModel : Xeon(R) CPU @ 2.20GHz\n",
                "cpu\t\t: Xeon(R) CPU @ 2.20GHz\nclock : 1\n"
            })
    void theProcessorsNameIsFound(String cpuInfo) throws IOException {
        Path file = Files.writeString(runs.resolve("cpuinfo"), cpuInfo);
        assertThat(Host.readCpu(file)).contains("Xeon(R) CPU @ 2.20GHz");
        assertThat(Host.readCpu(runs.resolve("none"))).isEmpty();
    }

    private RunDirectory with(String samples) throws IOException {
        RunDirectory run = RunDirectory.create(runs, Samples.START, "blob-fetch");
        Files.writeString(run.samplesFile(), samples);
        return run;
    }

    private static String golden(String name) {
        try (InputStream in = RunFormatTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
