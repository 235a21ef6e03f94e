package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.Ending;
import dev.blobmark.lab.conduct.ForkInside;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.Listener;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.QuietListener;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.running.RunningServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Studies whose trials need servers of several environments. */
class EnvironmentsIT {

    private static final String METHODS = "{plain: {}, zlib: {codec: zlib}, hasty: {durability: none}}";
    private static final String SITES = "{workload: fetch, dataset: sites, size: 4KB, rows: 300, threads: 1}";
    private static final String SCHEDULE = "{rounds: 3, forks: 3, window: 50ms, warm-up: 100ms, seed: 42}";

    @TempDir
    private Path directory;

    private static Study study(String methods, String condition, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: %s
                        conditions: [%s]
                        schedule: %s
                        """.formatted(methods, condition, schedule), "small.yaml", Optional.empty());
    }

    private Laboratory laboratory(Study study, Servers.Source server, Listener listener) {
        return new Laboratory(study, new RunOptions(server, OneServer.CACHE, ForkInside.LAUNCH, "test"), listener);
    }

    private Laboratory laboratory(Study study) {
        return laboratory(study, Servers.parse("embedded"), new QuietListener());
    }

    /** Stopped in the second pass, and gone on with: it is as if it had not been. */
    @Test
    @Tag("long")
    @Timeout(240)
    void severalEnvironmentsAreMeasuredInPasses() throws Exception {
        Study study = study(METHODS, SITES, SCHEDULE);
        AtomicReference<Laboratory> first = new AtomicReference<>();
        first.set(laboratory(study, Servers.parse("embedded"), new QuietListener() {
            private int measured;

            @Override
            public void sampleRecorded(Sample sample) {
                if (++measured == 4) {
                    first.get().interrupt();
                }
            }
        }));
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(first.get().run(run)).isEqualTo(Ending.INTERRUPTED);
        assertThat(run.samples()).hasSize(4);
        assertThat(laboratory(study).resume(run)).isEqualTo(Ending.COMPLETE);

        Manifest manifest = run.manifest();
        List<Sample> samples = run.samples();
        assertThat(manifest.progress().state()).isEqualTo(Manifest.State.FINISHED);
        assertThat(manifest.plan().servers()).containsExactlyInAnyOrder("mysql", "mysql durability=none");
        assertThat(manifest.servers()).containsOnlyKeys("mysql", "mysql durability=none");
        assertThat(samples).hasSize(9).allSatisfy(sample -> {
            assertThat(sample.outcome().isMeasurement()).isTrue();
            Manifest.MeasuredServer its =
                    manifest.servers().get(manifest.plan().servers().get(sample.block()));
            boolean isHasty = sample.method().equals("hasty");
            assertThat(its.variables())
                    .containsEntry("innodb_flush_log_at_trx_commit", isHasty ? "0" : "1")
                    .containsEntry("innodb_doublewrite", isHasty ? "OFF" : "ON");
            assertThat(manifest.storeOf(sample).orElseThrow().server())
                    .isEqualTo(isHasty ? "mysql durability=none" : "mysql");
        });
        // one pass after another, each with all trials once
        assertThat(samples).extracting(Sample::fork).isSorted();
        for (int pass = 0; pass < 3; pass++) {
            int fork = pass;
            assertThat(samples.stream().filter(s -> s.fork() == fork).map(Sample::method))
                    .containsExactlyInAnyOrder("plain", "zlib", "hasty");
        }
        assertThat(new ForkSchedule(study, Block.of(study.trials(Factors.VOCABULARY), 42), samples).planned())
                .isEqualTo(manifest.plan().samples())
                .isEqualTo(9);
    }

    /** The embedded MariaDB comes without the library of snappy. */
    @Test
    @Tag("long")
    @Timeout(240)
    void passesDoNothingInVain() throws Exception {
        byte[] value = new byte[40_000];
        new Random(1).nextBytes(value);
        Files.write(Files.createDirectory(directory.resolve("mine")).resolve("value"), value);
        Study study = study(
                "{plain: {}, snappy: {layout: 'page:snappy'}}",
                "{workload: fetch, dataset: 'dir:" + directory.resolve("mine") + "'}",
                SCHEDULE);
        AtomicInteger starts = new AtomicInteger();
        Set<String> encoded = new HashSet<>();
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        Laboratory laboratory = laboratory(
                study,
                (cache, options) -> {
                    starts.incrementAndGet();
                    return Servers.parse("embedded").open(cache, options);
                },
                new QuietListener() {
                    @Override
                    public void sampleRecorded(Sample sample) {
                        encoded.addAll(privateValues());
                    }
                });

        assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);

        assertThat(run.samples()).hasSize(4);
        assertThat(run.samples().stream().filter(sample -> sample.outcome() instanceof Outcome.Unavailable))
                .singleElement()
                .satisfies(sample -> assertThat(sample.method()).isEqualTo("snappy"));
        assertThat(starts).hasValue(3 + 1);
        // the values lie in one file for all passes, which is gone with the run
        assertThat(encoded).hasSize(1);
        assertThat(privateValues()).isEmpty();
    }

    /** The encoded values that lie in private directories, by path and file: one that is written anew is another. */
    private static Set<String> privateValues() {
        return files(OneServer.CACHE.resolve("servers").toFile())
                .flatMap(EnvironmentsIT::files)
                .filter(file -> file.getName().matches("[0-9a-f]{32}"))
                .flatMap(EnvironmentsIT::files)
                .map(file -> {
                    try {
                        return file + " "
                                + Files.readAttributes(file.toPath(), BasicFileAttributes.class)
                                        .fileKey();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .collect(Collectors.toSet());
    }

    private static Stream<File> files(File directory) {
        return Stream.ofNullable(directory.listFiles()).flatMap(Stream::of);
    }

    @Test
    void trialsOfOneEnvironmentShareABlockAndItsServer() {
        Study study = study(
                METHODS,
                "{workload: fetch, dataset: 'random:62', size: 64KB, working-set: [fits, 0.5], threads: [1, 2]}",
                SCHEDULE);
        List<Block> blocks = Block.of(study.trials(Factors.VOCABULARY), 42);

        assertThat(blocks).hasSize(4);
        for (Block block : blocks) {
            Set<Environment> environments = block.trials().stream()
                    .map(trial -> new Environments(source -> source.values(42).totalLength()).of(trial.design()))
                    .collect(Collectors.toSet());
            assertThat(environments).containsExactly(block.environment());
        }
        assertThat(blocks).extracting(Block::number).containsExactly(0, 1, 2, 3);
        assertThat(Set.copyOf(Block.inPass(blocks, 0, 42))).isEqualTo(Set.copyOf(blocks));
        List<List<Block>> orders =
                List.of(Block.inPass(blocks, 0, 42), Block.inPass(blocks, 1, 42), Block.inPass(blocks, 2, 42));
        assertThat(Set.copyOf(orders)).hasSizeGreaterThan(1);
        // methods of one condition have the same pool
        assertThat(blocks.stream()
                        .filter(block -> block.environment().workingSetPool().isPresent())
                        .map(block -> block.environment().bufferPoolBytes()))
                .hasSize(2)
                .containsOnly(2 * applicationBytes(study));
    }

    private static long applicationBytes(Study study) {
        Trial any = study.trials(Factors.VOCABULARY).get(0);
        return ValuesSource.of(any.design()).values(42).totalLength();
    }

    /** What has no table needs no server of its own. */
    @Test
    void codecsAloneGoWithAnyServer() {
        Study study = study(
                "{plain: {}}",
                "{workload: codec, dataset: sites, size: 4KB}, {workload: fetch, dataset: sites, size: 4KB, durability: lazy}",
                SCHEDULE);

        assertThat(Block.of(study.trials(Factors.VOCABULARY), 42)).hasSize(1);
    }

    @Test
    void passesAreAtLeastThreeAndHaveNoPrecision() {
        assertThatThrownBy(() -> laboratory(
                        study(METHODS, SITES, "{rounds: 3, forks: 2, window: 50ms, warm-up: 100ms, seed: 42}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(durability=none; usual)")
                .hasMessageContaining("the schedule has 2 forks; give more (--forks 3 --rounds 3)");
        assertThatThrownBy(() -> laboratory(study(METHODS, SITES, SCHEDULE.replace("42}", "42, precision: 1%}"))))
                .hasMessageContaining("leave both out and give more forks");
    }

    @Test
    void theEstimateCountsEachStartOfAServer() {
        double one = preparing("{plain: {}, zlib: {codec: zlib}, again: {codec: deflate}}");
        double two = preparing(METHODS);

        assertThat(two - one).isBetween(5 * CostModel.SERVER_START_SECONDS, 5 * CostModel.SERVER_START_SECONDS + 3);
    }

    private double preparing(String methods) {
        return laboratory(study(methods, SITES, SCHEDULE))
                        .estimate()
                        .preparing()
                        .toMillis()
                / 1e3;
    }

    @ParameterizedTest
    @CsvSource({
        "durability: lazy, durability=lazy",
        "server.innodb_io_capacity: 300, server.innodb_io_capacity=300",
        "storage: tmpfs, storage=tmpfs"
    })
    void aServerThatRunsAlreadyCannotBeMadeSo(String level, String named) {
        Servers.Source running = new Servers.Source() {
            @Override
            public Server open(Path cache, ServerOptions options) {
                throw new AssertionError("a connection was made");
            }

            @Override
            public Class<RunningServer> type() {
                return RunningServer.class;
            }
        };
        Study study = study("{plain: {}}", "{workload: fetch, dataset: sites, size: 4KB, " + level + "}", SCHEDULE);

        assertThatThrownBy(() -> laboratory(study, running, new QuietListener()))
                .hasMessage(named + ": only a server that Blobmark starts can have these; use --server embedded or"
                        + " --server mysqld, or remove these factors and configure the server yourself");
        laboratory(
                study("{plain: {}}", "{workload: fetch, dataset: sites, size: 4KB, durability: full}", SCHEDULE),
                running,
                new QuietListener());
    }

    @Test
    void aDirectoryThatIsNotThereIsAMistake() {
        assertThatThrownBy(() -> laboratory(study(
                        "{plain: {}}",
                        "{workload: fetch, dataset: sites, size: 4KB, storage: 'dir:" + directory.resolve("none")
                                + "'}",
                        SCHEDULE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a writable directory; create it, or name another");
    }

    @Test
    void theTablesOfOneSourceAreNeededTogetherHoweverLarge() {
        Study study = study(
                "{plain: {}, zlib: {layout: 'compressed:8'}}",
                "{workload: fetch, dataset: 'random:62', size: 1MB, rows: '10000000', storage: 'dir:" + directory
                        + "'}",
                SCHEDULE);

        assertThatThrownBy(() -> laboratory(study))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        " MiB free, and " + (20_000_000L + (Estimate.EMPTY_SERVER_BYTES >> 20)) + " MiB are needed");
    }

    @Test
    void serverVariablesAreFactorsWithoutADefault() {
        Study study = study(
                "{plain: {}, other: {server.innodb_io_capacity: 300}}",
                "{workload: fetch, dataset: sites, size: 4KB, server.sort_buffer_size: 1M}",
                SCHEDULE);

        assertThat(study.trials(Factors.VOCABULARY))
                .extracting(Trial::id)
                .containsExactly(
                        "dataset=sites,server.sort_buffer_size=1M,size=4KB",
                        "dataset=sites,server.innodb_io_capacity=300,server.sort_buffer_size=1M,size=4KB");
        assertThat(study.trials(Factors.VOCABULARY))
                .allSatisfy(trial -> assertThat(trial.condition().find("server.sort_buffer_size"))
                        .hasValue("1M"));
        assertThatThrownBy(() -> study("{plain: {server.datadir: /x, server.X: 1}}", SITES, SCHEDULE))
                .isInstanceOf(StudyException.class)
                .hasMessageContaining("server variable datadir is set by Blobmark")
                .hasMessageContaining("unknown factor 'server.X'")
                .hasMessageContaining("server.NAME");
    }
}
