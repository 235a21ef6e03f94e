package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.fork.JvmLaunch;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.Jvm;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs: a study's text goes in, a server of its own is started, JVMs measure, a run directory comes out. */
@Tag("long")
@Timeout(120)
@ExtendWith(OneServer.class)
class LaboratoryIT {

    @TempDir
    private Path directory;

    private Set<Path> serversBefore;

    /** Another than the one that tests share only where starting and stopping it matters. */
    private Servers.Source server;

    @BeforeEach
    void noteServers(OwnServer shared) throws IOException {
        server = OneServer.lent(shared);
        serversBefore = servers();
    }

    private static Set<Path> servers() throws IOException {
        Path all = OneServer.CACHE.resolve("servers");
        if (!Files.exists(all)) {
            return Set.of();
        }
        try (Stream<Path> each = Files.list(all)) {
            return each.filter(Files::isDirectory).collect(Collectors.toSet());
        }
    }

    @AfterEach
    void noServerIsLeft() throws IOException {
        assertThat(serversBefore).containsAll(servers());
    }

    private static Study study(String methods, String conditions, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: %s
                        conditions: [%s]
                        schedule: %s
                        """.formatted(methods, conditions, schedule), "small.yaml", Optional.empty());
    }

    private static final String METHODS = "{plain: {}, zstd: {codec: zstd}}";
    private static final String SITES = "{workload: fetch, dataset: sites, size: 4KB, rows: 500, threads: 1}";
    private static final String SCHEDULE = "{rounds: 2, forks: 2, window: 50ms, warm-up: 100ms, seed: 42}";

    private Laboratory laboratory(Study study, String manner, Listener listener) {
        return new Laboratory(
                study,
                new RunOptions(
                        server,
                        OneServer.CACHE,
                        manner.equals("inside")
                                ? ForkInside.LAUNCH
                                : new JvmLaunch(
                                        TestFork.class.getName(),
                                        TestFork.flags("-Dmanner=" + manner, "-Dfirst=" + directory.resolve("first"))),
                        "test"),
                listener);
    }

    private RunDirectory empty() {
        return RunDirectory.createAt(directory.resolve("run"));
    }

    @Test
    void aStudyIsRunFromItsTextToItsRunDirectory() throws Exception {
        server = Servers.parse("embedded");
        Study study = study(METHODS, SITES, SCHEDULE);
        List<Sample> heard = new ArrayList<>();
        List<String> doing = new ArrayList<>();
        double[] done = new double[1];
        Laboratory laboratory = laboratory(study, "work", new QuietListener() {
            @Override
            public void stepStarted(String what) {
                doing.add(what);
            }

            @Override
            public void workDone(double expectedSeconds) {
                done[0] += expectedSeconds;
            }

            @Override
            public void sampleRecorded(Sample sample) {
                heard.add(sample);
            }
        });
        RunDirectory run = empty();
        double expected = laboratory.estimate().total().toMillis() / 1e3;

        assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);

        Manifest manifest = run.manifest();
        List<Sample> samples = run.samples();
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(manifest.plan().samples()).isEqualTo(samples.size()).isEqualTo(4);
        assertThat(manifest.plan().trials())
                .isEqualTo(
                        study.trials(Factors.VOCABULARY).stream().map(Trial::id).toList());
        assertThat(samples).isEqualTo(heard);
        assertThat(samples).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            assertThat(sample.fork()).isEqualTo(sample.round());
            assertThat(sample.disk().allocatedBytes().orElseThrow()).isBetween(1L << 20, 64L << 20);
            assertThat(sample.unknown()).isEmpty();
            assertThat(sample.resources().serverCpuNanosPerOp().orElseThrow()).isPositive();
            // all is in the buffer pool
            assertThat(sample.resources().pagesReadPerOp().orElseThrow()).isLessThan(1);
            Operations fetch = sample.operations().get("fetch");
            assertThat(fetch.wireBytesIn().orElseThrow())
                    .isGreaterThan(fetch.storedBytes().orElseThrow());
            assertThat(run.histogram(sample, "fetch").orElseThrow().getTotalCount())
                    .isEqualTo(sample.operations().get("fetch").count());
        });
        assertThat(samples.stream().map(s -> s.trial().id() + s.round())).doesNotHaveDuplicates();
        assertThat(doing)
                .startsWith("starting the server", "encoding sites 4KB rows=500 as none")
                .anyMatch(what -> what.startsWith("loading "))
                .anyMatch(what -> what.equals("measuring zstd"));
        // what is expected of the parts is what is expected of the whole
        assertThat(done[0]).isBetween(0.8 * expected, 1.2 * expected);

        String written = Files.readString(run.path().resolve("manifest.json"));
        assertThat(written)
                .contains("MariaDB", "ROW_FORMAT=DYNAMIC", "\"zip_page_size\"")
                .doesNotContain("\"password\"");
    }

    @Test
    void aRunThatIsInterruptedHasWhatItMeasured() throws Exception {
        server = Servers.parse("embedded");
        AtomicReference<Laboratory> laboratory = new AtomicReference<>();
        laboratory.set(laboratory(
                study(METHODS, SITES, "{rounds: 500, forks: 1, window: 20ms, warm-up: 100ms, seed: 42}"),
                "work",
                new QuietListener() {
                    private int measured;

                    @Override
                    public void sampleRecorded(Sample sample) {
                        if (++measured == 3) {
                            new Thread(laboratory.get()::interrupt).start();
                        }
                    }
                }));
        RunDirectory run = empty();

        assertThat(laboratory.get().run(run)).isEqualTo(Ending.INTERRUPTED);

        assertThat(run.samples()).hasSizeBetween(3, 200);
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
    }

    @Test
    void aRunThatIsInterruptedWhileItLoadsHasNothingButAManifest() throws Exception {
        AtomicReference<Laboratory> laboratory = new AtomicReference<>();
        laboratory.set(laboratory(study(METHODS, SITES, SCHEDULE), "inside", new QuietListener() {
            @Override
            public void stepStarted(String what) {
                if (what.startsWith("loading")) {
                    laboratory.get().interrupt();
                }
            }
        }));
        RunDirectory run = empty();

        assertThat(laboratory.get().run(run)).isEqualTo(Ending.INTERRUPTED);

        assertThat(run.samples()).isEmpty();
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.INTERRUPTED);
    }

    /** lz4 makes incompressible bytes a little longer, and then the longest value of a MEDIUMBLOB does not fit one. */
    @Test
    void aStoreThatCannotBeLoadedFailsItsOwnTrialsOnly() throws Exception {
        byte[] longest = new byte[(1 << 24) - 1];
        new SplittableRandom(1).nextBytes(longest);
        Files.write(Files.createDirectories(directory.resolve("values")).resolve("longest"), longest);
        Study study = study(
                "{plain: {}, lz4: {codec: lz4}}",
                "{workload: fetch, dataset: 'dir:%s', threads: [1, 2]}".formatted(directory.resolve("values")),
                "{rounds: 1, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, "inside", new QuietListener()).run(run)).isEqualTo(Ending.TRIAL_FAILED);

        Map<String, List<Outcome>> outcomes = new HashMap<>();
        for (Sample sample : run.samples()) {
            outcomes.computeIfAbsent(sample.method(), m -> new ArrayList<>()).add(sample.outcome());
        }
        assertThat(outcomes.get("plain")).hasSize(2).allMatch(Outcome::isMeasurement);
        assertThat(outcomes.get("lz4"))
                .hasSize(2)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Outcome.Failed.class,
                                failed -> assertThat(failed.reason())
                                        .contains("column mediumblob holds at most 16777215")));
        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
    }

    @Test
    void whatTheServerHasNotIsNoFailureAndWhatItMadeIsInTheManifest() throws Exception {
        Study study = study(
                "{plain: {column: 'varbinary:fit'}, blocks: {layout: 'compressed:4'}, lzo: {layout: 'page:lzo'}}",
                SITES,
                // too few operations to go on at two levels
                "{rounds: 3, forks: 3, window: 100ops, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, "inside", new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(3 + 3 + 1).allSatisfy(sample -> {
            if (sample.method().equals("lzo")) {
                assertThat(sample.outcome()).isInstanceOf(Outcome.Unavailable.class);
                assertThat(sample.outcome().reason()).contains("innodb_compression_algorithm is zlib");
            } else {
                assertThat(sample.outcome().isMeasurement()).isTrue();
                assertThat(sample.events()).isEmpty();
            }
        });
        Map<String, LoadedStore> stores = new HashMap<>();
        run.manifest()
                .stores()
                .forEach(store -> stores.put(store.factors().byFactor().get("layout"), store));
        assertThat(stores).containsOnlyKeys("dynamic", "compressed:4");
        assertThat(stores.get("dynamic").ddl()).contains("data VARBINARY(4096) NOT NULL");
        assertThat(stores.get("dynamic").verified()).containsEntry("column_type", "varbinary(4096)");
        assertThat(stores.get("dynamic").placement().compression()).isEmpty();
        assertThat(stores.get("dynamic").placement().inRow())
                .hasValue(stores.get("dynamic").content().rows());
        assertThat(stores.get("compressed:4").placement().inRow()).isEmpty();
        assertThat(stores.get("compressed:4")
                        .placement()
                        .compression()
                        .orElseThrow()
                        .blockBytes())
                .isEqualTo(4096);
        assertThat(stores.get("compressed:4")
                        .placement()
                        .compression()
                        .orElseThrow()
                        .operations())
                .isPositive();
    }

    @Test
    void aStudyWhoseEveryTrialFailsStillEnds() throws Exception {
        byte[] longest = new byte[(1 << 24) - 1];
        new SplittableRandom(1).nextBytes(longest);
        Files.write(Files.createDirectories(directory.resolve("values")).resolve("longest"), longest);
        Study study = study(
                "{plain: {codec: lz4}}",
                "{workload: fetch, dataset: 'dir:%s'}".formatted(directory.resolve("values")),
                SCHEDULE);
        RunDirectory run = empty();

        // a measuring JVM would not come back
        assertThat(laboratory(study, "halt", new QuietListener()).run(run)).isEqualTo(Ending.TRIAL_FAILED);

        assertThat(run.samples()).hasSize(1);
    }

    @Test
    void aMeasuringJvmThatCrashesCostsItsTrialAndTheRunGoesOn() throws Exception {
        RunDirectory run = empty();
        Study study = study(METHODS, SITES, "{rounds: 3, forks: 1, window: 50ms, warm-up: 100ms, seed: 42}");

        assertThat(laboratory(study, "dies", new QuietListener()).run(run)).isEqualTo(Ending.TRIAL_FAILED);

        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(run.samples()).hasSize(6);
        assertThat(run.samples())
                .filteredOn(sample -> sample.flags().contains(Sample.CRASHED))
                .singleElement()
                .satisfies(sample -> assertThat(sample.outcome())
                        .isEqualTo(new Outcome.Failed(
                                "the measuring JVM ended with code 9; its last lines: about to die")));
        assertThat(run.samples().stream().map(s -> s.trial().id() + s.round())).doesNotHaveDuplicates();
    }

    @Test
    void aRunWhoseMeasuringJvmsAllCrashEndsWithoutAFigure() throws Exception {
        server = Servers.parse("embedded");
        RunDirectory run = empty();

        assertThat(laboratory(study(METHODS, SITES, SCHEDULE), "halt", new QuietListener())
                        .run(run))
                .isEqualTo(Ending.TRIAL_FAILED);

        assertThat(run.manifest().progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(run.samples())
                .hasSize(4)
                .allSatisfy(sample -> assertThat(sample.outcome().reason())
                        .isEqualTo("the measuring JVM ended with code 3; its last lines: about to halt"));
    }

    @Test
    void processesShareTheOperationsOnOneServer() throws Exception {
        Study study = study(
                "{plain: {}}",
                "{workload: fetch, dataset: sites, size: 4KB, rows: 500, threads: 4, processes: [1, 3]}",
                "{rounds: 2, forks: 1, window: 1000ops, warm-up: 100ms, seed: 42}");
        RunDirectory run = empty();

        assertThat(laboratory(study, "work", new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(4).allSatisfy(sample -> {
            assertThat(sample.operations().get("fetch").count()).isEqualTo(1_000);
            assertThat(run.histogram(sample, "fetch").orElseThrow().getTotalCount())
                    .isEqualTo(1_000);
        });
        assertThat(run.samples().stream().map(sample -> sample.trial().id()).distinct())
                .anyMatch(id -> id.contains("processes=3"))
                .anyMatch(id -> !id.contains("processes"));
    }

    @Test
    void theManifestTellsEachJvmThatMeasured() throws Exception {
        String home = Path.of(System.getProperty("java.home")).toString();
        RunDirectory run = empty();
        Study study = study(
                "{plain: {}, own: {jvm: '" + home + "'}}",
                "{workload: codec, dataset: sites, size: 4KB}",
                "{rounds: 1, forks: 1, window: 100ops, warm-up: 100ms, seed: 42}");

        assertThat(laboratory(study, "work", new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.manifest().machine().jvms()).containsOnlyKeys("default", Jvm.FACTOR.canonical(home));
        assertThat(run.manifest().machine().jvms().values()).allSatisfy(jvm -> {
            assertThat(jvm.version()).isEqualTo(System.getProperty("java.runtime.version"));
            assertThat(jvm.flags()).contains("-Xmx512m", "-Dmanner=…");
        });
        assertThat(run.samples()).hasSize(2).allMatch(sample -> sample.outcome().isMeasurement());
    }

    @Test
    void aJvmThatCannotMeasureIsRefusedBeforeAnythingIsMade() {
        Laboratory laboratory =
                laboratory(study("{plain: {jvm: /no/such/jvm}}", SITES, SCHEDULE), "inside", new QuietListener());

        assertThatThrownBy(laboratory::jvms)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("jvm '/no/such/jvm' cannot measure: there is no bin/java in it; ");
    }

    @Test
    void codecsAndTlsAreMeasuredByTheSameRun() throws Exception {
        RunDirectory run = empty();
        Study study = study(
                "{plain: {}, mysql: {codec: mysql, decode: server, driver: mariadb}}",
                "{workload: fetch, dataset: sites, size: 4KB, rows: 500, tls: 'on', threads: 2},"
                        + " {workload: codec, dataset: sites, size: 4KB}",
                "{rounds: 1, forks: 1, window: 100ops, warm-up: 100ms, seed: 42}");

        assertThat(laboratory(study, "inside", new QuietListener()).run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples())
                .hasSize(4)
                .allSatisfy(sample -> assertThat(sample.operations().values().stream()
                                .mapToLong(Operations::count)
                                .sum())
                        .isEqualTo(100));
        assertThat(run.samples().stream().flatMap(s -> s.operations().keySet().stream()))
                .containsOnly("fetch", "encode", "decode");
    }
}
