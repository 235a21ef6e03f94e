package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that were stopped go on with what they had. */
@Tag("long")
@Timeout(600)
@ExtendWith(OneServer.class)
class ResumeIT {

    private static final String SCHEDULE = "{rounds: 4, forks: 2, window: 20ms, warm-up: 100ms, seed: 42%s}";

    /** No server comes of it: what uses it must not have got that far. */
    private static final Servers.Source NONE = (cache, options) -> {
        throw new AssertionError("a server was started");
    };

    @TempDir
    private Path directory;

    private Servers.Source server;

    @BeforeEach
    void server(OwnServer shared) {
        server = OneServer.lent(shared);
    }

    private static Study study(String dataset, String more) {
        return new StudyReader(Factors.VOCABULARY)
                .read(
                        """
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}, zstd: {codec: zstd}}
                        conditions: [{workload: fetch, dataset: '%s'%s}]
                        schedule: %s
                        """.formatted(
                                        dataset,
                                        dataset.startsWith("dir:") ? "" : ", size: 4KB, rows: 300",
                                        SCHEDULE.formatted(more)),
                        "small.yaml",
                        Optional.empty());
    }

    private static Laboratory laboratory(Study study, Servers.Source server, Listener listener) {
        return new Laboratory(study, new RunOptions(server, OneServer.CACHE, ForkInside.LAUNCH, "test"), listener);
    }

    private interface Running {
        Ending into(Laboratory laboratory, RunDirectory run) throws Exception;
    }

    /** Interrupts after so many samples. */
    private Ending stopAfter(int samples, Study study, RunDirectory run, Running running) throws Exception {
        AtomicReference<Laboratory> laboratory = new AtomicReference<>();
        laboratory.set(laboratory(study, server, new QuietListener() {
            private int measured;

            @Override
            public void sampleRecorded(Sample sample) {
                if (++measured == samples) {
                    laboratory.get().interrupt();
                }
            }
        }));
        return running.into(laboratory.get(), run);
    }

    private RunDirectory stopped(Study study, int samples) throws Exception {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        assertThat(stopAfter(samples, study, run, Laboratory::run)).isEqualTo(Ending.INTERRUPTED);
        assertThat(run.samples()).hasSize(samples);
        return run;
    }

    private static Ending resume(Study study, RunDirectory run, Servers.Source server) throws Exception {
        return laboratory(study, server, new QuietListener()).resume(run);
    }

    private static List<String> places(List<Sample> samples) {
        return samples.stream()
                .map(s -> s.trial().id() + " b" + s.block() + " f" + s.fork() + " r" + s.round())
                .sorted()
                .toList();
    }

    /** The events that a stop has caused; on a busy machine others may stand beside them. */
    private static List<String> stops(Sample sample) {
        return sample.events().stream()
                .filter(event -> event.contains("stopped"))
                .toList();
    }

    private static void assertOneHistogramEach(RunDirectory run) throws Exception {
        List<String> tags = new ArrayList<>();
        try (var logs = Files.list(run.path().resolve("latency"))) {
            for (Path log : logs.toList()) {
                Files.readAllLines(log).stream()
                        .filter(line -> line.startsWith("Tag="))
                        .forEach(line -> tags.add(line.substring(0, line.indexOf(','))));
            }
        }
        assertThat(tags).doesNotHaveDuplicates().hasSize(run.samples().size());
        for (Sample sample : run.samples()) {
            assertThat(run.histogram(sample, "fetch").orElseThrow().getTotalCount())
                    .isEqualTo(sample.operations().get("fetch").count());
        }
    }

    @Test
    void aRunThatIsStoppedTwiceEndsWithTheSamplesOfOneThatWasNot() throws Exception {
        Study study = study("sites", "");
        RunDirectory run = stopped(study, 3);
        List<Sample> first = run.samples();

        assertThat(stopAfter(2, study, run, Laboratory::resume)).isEqualTo(Ending.INTERRUPTED);
        assertThat(run.samples()).hasSize(5).startsWith(first.toArray(Sample[]::new));
        assertThat(resume(study, run, server)).isEqualTo(Ending.COMPLETE);

        RunDirectory whole = RunDirectory.createAt(directory.resolve("whole"));
        laboratory(study, server, new QuietListener()).run(whole);
        List<Sample> samples = run.samples();
        Manifest manifest = run.manifest();
        assertThat(samples).startsWith(first.toArray(Sample[]::new));
        assertThat(places(samples)).isEqualTo(places(whole.samples()));
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(manifest.progress().resumedAt()).hasSize(2).isSorted();
        assertThat(manifest.progress().resumedAt().get(0))
                .isAfter(manifest.progress().startedAt());
        assertThat(manifest.plan()).isEqualTo(whole.manifest().plan());
        assertThat(manifest.datasets()).isEqualTo(whole.manifest().datasets());
        assertThat(manifest.stores()).hasSize(2);
        // fork 0 has rounds 0 and 2 of two trials: stopped after 3 of 4; fork 1 after 1 of 4
        assertThat(samples.subList(0, 3)).allMatch(sample -> stops(sample).isEmpty());
        assertThat(stops(samples.get(3))).containsExactly("fork 0 was stopped and restarted");
        assertThat(stops(samples.get(4))).isEmpty();
        assertThat(samples.subList(5, 8))
                .allSatisfy(sample -> assertThat(stops(sample)).containsExactly("fork 1 was stopped and restarted"));
        assertOneHistogramEach(run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", budget: 1ms"})
    void aRunThatFinishedIsLeftAsItIs(String more) throws Exception {
        Study study = study("sites", more);
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        laboratory(study, server, new QuietListener()).run(run);
        String manifest = Files.readString(run.path().resolve("manifest.json"));

        assertThat(resume(study, run, NONE)).isEqualTo(Ending.COMPLETE);

        assertThat(run.path().resolve("manifest.json")).hasContent(manifest);
    }

    /** Forks beyond those of the schedule, stopped in their midst, are added up to the same number. */
    @Test
    void precisionGoesOn() throws Exception {
        // always the same value, so its bytes do not vary, however few fetches fit into a window: 10 forks and no more
        Study precise = new StudyReader(Factors.VOCABULARY).read("""
                        study: small
                        metric: compression-ratio
                        baseline: plain
                        methods: {plain: {}, zstd: {codec: zstd}}
                        conditions: [{workload: fetch, dataset: sites, size: 4KB, rows: 1}]
                        schedule: {rounds: 1, forks: 1, window: 20ms, warm-up: 20ms, seed: 42, precision: 1%}
                        """, "small.yaml", Optional.empty());
        RunDirectory run = stopped(precise, 7);
        assertThat(run.manifest().plan().samples()).isEqualTo(8);
        assertThat(run.manifest().progress().precision()).isEmpty();
        List<Manifest.ConditionPrecision> heard = new ArrayList<>();

        assertThat(laboratory(precise, server, new QuietListener() {
                            @Override
                            public void precisionReported(List<Manifest.ConditionPrecision> conditions) {
                                heard.addAll(conditions);
                            }
                        })
                        .resume(run))
                .isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(20);
        assertThat(places(run.samples())).doesNotHaveDuplicates();
        assertThat(run.manifest().plan().samples()).isEqualTo(20);
        assertThat(run.manifest().progress().precision())
                .isEqualTo(heard)
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.reached()).isTrue();
                    assertThat(condition.forks()).isEqualTo(10);
                    assertThat(condition.halfWidth().orElseThrow()).isLessThan(0.01);
                });
    }

    @Test
    void whatIsBeingWrittenIsNotResumed() throws Exception {
        Study study = study("sites", "");
        RunDirectory run = stopped(study, 1);
        try (RunWriter other = run.writer()) {
            assertThatThrownBy(() -> resume(study, run, NONE))
                    .isInstanceOf(RunException.class)
                    .hasMessageContaining("this run is still being written; wait until it has ended");
            assertThat(other.directory().samples()).hasSize(1);
        }
    }

    /** The plan of a run is that of the version that began it. */
    @Test
    void aPlanThatIsNotTheSameIsRefusedBeforeAServerIsStarted() throws Exception {
        Study study = study("sites", "");
        RunDirectory run = stopped(study, 1);
        Path file = run.path().resolve("manifest.json");
        String changed = Files.readString(file)
                .replace(
                        "\"codec=zstd:3,dataset=sites,rows=300,size=4KB\"",
                        "\"codec=zstd:3,dataset=sites,depth=2,rows=300,size=4KB\"")
                .replace("\"blocks\" : 1", "\"blocks\" : 2")
                .replace("\"servers\" : [ \"mysql\" ]", "\"servers\" : [ \"mysql\", \"mysql\" ]");
        Files.writeString(file, changed);

        assertThatThrownBy(() -> resume(study, run, NONE))
                .isInstanceOf(RunException.class)
                .hasMessage("""
                        %s: the run cannot be resumed, because something has changed:
                          plan.trials.codec=zstd:3,dataset=sites,depth=2,rows=300,size=4KB: planned → not planned
                          plan.trials.codec=zstd:3,dataset=sites,rows=300,size=4KB: not planned → planned
                          plan.blocks: 2 → 1; resume it where it began, with the same programs, or run the study again\
                        """.formatted(run.path()));

        assertThat(file).hasContent(changed);
    }

    /** Samples of another run would be reported under this one's name. */
    @Test
    void samplesThatCannotBeOfTheRunAreRefusedBeforeAServerIsStarted() throws Exception {
        Study study = study("sites", "");
        RunDirectory run = stopped(study, 3);
        Path file = run.path().resolve("samples.jsonl");
        String before = Files.readString(file);
        List<String> lines = before.lines().toList();
        Sample second = run.samples().get(1);
        Path manifest = run.path().resolve("manifest.json");
        String stopped = Files.readString(manifest);

        String other = lines.get(1).replace("\"id\":\"" + second.trial().id(), "\"id\":\"size=8KB");
        assertNotOfTheRun(run, List.of(lines.get(0), other), study, ":2: ", "its trial, size=8KB");
        assertNotOfTheRun(
                run,
                List.of(lines.get(0), lines.get(1), lines.get(1)),
                study,
                ":3: ",
                "there is another sample of " + second.trial().id() + " in block 0 and round " + second.round());
        for (String state : List.of("interrupted", "finished")) {
            Files.writeString(
                    manifest, stopped.replace("\"state\" : \"interrupted\"", "\"state\" : \"" + state + "\""));
            for (String time : List.of("2020-01-01T00:00:00Z", "2120-01-01T00:00:00Z")) {
                String moved = lines.get(1).replaceAll("\"started_at\":\"[^\"]*\"", "\"started_at\":\"" + time + "\"");
                assertNotOfTheRun(run, List.of(lines.get(0), moved), study, ":2: ", "it was measured at " + time);
            }
        }
        Files.writeString(manifest, stopped);
        Files.writeString(file, before);
        assertThat(resume(study, run, server)).isEqualTo(Ending.COMPLETE);
    }

    private static void assertNotOfTheRun(RunDirectory run, List<String> lines, Study study, String line, String reason)
            throws Exception {
        Path file = Files.write(run.path().resolve("samples.jsonl"), lines);
        byte[] written = Files.readAllBytes(file);
        assertThatThrownBy(() -> resume(study, run, NONE))
                .isInstanceOf(RunException.class)
                .hasMessageStartingWith(file + line + "the sample does not belong to manifest.json: " + reason);
        assertThat(file).hasBinaryContent(written);
    }

    @Test
    void anotherServerIsRefusedAndTheSameOneIsNot() throws Exception {
        Study study = study("sites", "");
        Servers.Source embedded = Servers.parse("embedded");
        server = embedded;
        RunDirectory run = stopped(study, 1);
        Path file = run.path().resolve("manifest.json");
        String before = Files.readString(file);
        Servers.Source other = (cache, options) -> {
            Map<String, String> variables = new HashMap<>(options.variables());
            variables.put("innodb_adaptive_hash_index", "ON");
            return embedded.open(cache, options.with(variables));
        };

        assertThatThrownBy(() -> resume(study, run, other))
                .isInstanceOf(RunException.class)
                .hasMessage("""
                        %s: the run cannot be resumed, because something has changed:
                          servers.mysql.innodb_adaptive_hash_index: OFF → ON; give the server that it began with by \
                        --server, or run the study again""".formatted(run.path()));

        assertThat(file).hasContent(before);
        // another port, another directory, another password
        assertThat(resume(study, run, embedded)).isEqualTo(Ending.COMPLETE);
    }

    @Test
    void valuesThatHaveChangedAreRefused() throws Exception {
        Path values = Files.createDirectories(directory.resolve("values"));
        Files.writeString(values.resolve("one"), "one ".repeat(1000));
        Files.writeString(values.resolve("two"), "two ".repeat(1000));
        Study study = study("dir:" + values, "");
        RunDirectory run = stopped(study, 1);
        Files.writeString(values.resolve("two"), "2 ".repeat(2000));

        assertThatThrownBy(() -> resume(study, run, server))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("datasets.dir:" + values + ".digest: ")
                .hasMessageEndingWith("; restore the values, or run the study again");

        assertThat(run.samples()).hasSize(1);
        Files.writeString(values.resolve("two"), "two ".repeat(1000));
        assertThat(resume(study, run, server)).isEqualTo(Ending.COMPLETE);
        assertThat(run.samples()).hasSize(8);
    }
}
