package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.cluster.DataNodeParameters;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.StudyReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs on clusters of their own; in one data nodes are killed. */
@Timeout(300)
@ExtendWith(RealMySql.class)
class ClusterRunIT {

    private static final Pattern LOST =
            Pattern.compile("data node 3 was lost \\d\\.\\d\\d s into a window of \\d+\\.\\d\\d s;"
                    + " at least (\\d+) operations were completed before, and (\\d+) after");

    /** Operations per window with which the round trips of the SQL node's own threads are negligible. */
    private static final int ENOUGH = 60;

    private static final int ROWS = 120;

    /** Well after the warm-up of a trial that others have run in, and well before the end of its window. */
    private static final int KILL_SECONDS = 3;

    @TempDir
    private Path directory;

    private NdbCluster cluster;

    private final Servers.Source source = new Servers.Source() {

        private final Servers.Ndb own = ((Servers.Ndb) Servers.parse("ndb:" + RealMySql.requireBase()))
                .withSqlNodes(2)
                .with(new DataNodeParameters(
                        new TreeMap<>(Map.of("TotalSendBufferMemory", "24M", "TimeBetweenLocalCheckpoints", "21")),
                        "nodes.ini"));

        @Override
        public NdbCluster open(Path cache, ServerOptions options) {
            cluster = own.open(cache, options);
            return cluster;
        }

        @Override
        public Class<NdbCluster> type() {
            return NdbCluster.class;
        }
    };

    /** Kills a data node in the first window of the second round of a workload, once for each. */
    private final class Killer extends QuietListener implements AutoCloseable {

        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        private final Set<String> begun = new HashSet<>();
        private final List<String> noted = new ArrayList<>();
        private final List<Sample> samples = new ArrayList<>();

        @Override
        public void stepStarted(String what) {
            for (String workload : List.of("fetch", "mix:90")) {
                if (what.startsWith("measuring inline (")
                        && what.contains("workload=" + workload)
                        && !begun.add(workload)
                        && samples.stream().noneMatch(sample -> isOf(sample, workload) && isDegraded(sample))) {
                    long victim = cluster.dataNodePid(3);
                    timer.schedule(
                            () -> ProcessHandle.of(victim).orElseThrow().destroyForcibly(),
                            KILL_SECONDS,
                            TimeUnit.SECONDS);
                }
            }
        }

        @Override
        public void sampleRecorded(Sample sample) {
            samples.add(sample);
        }

        @Override
        public void noticeIssued(String what) {
            noted.add(what);
        }

        @Override
        public void close() {
            timer.shutdownNow();
        }
    }

    private static boolean isOf(Sample sample, String workload) {
        return sample.condition().find("workload").equals(Optional.of(workload));
    }

    private static boolean isDegraded(Sample sample) {
        return sample.flags().contains(Sample.DEGRADED);
    }

    @Test
    void tablesAreMadeAsAskedForOrTheReasonIsTold() throws Exception {
        Laboratory laboratory = new Laboratory(
                new StudyReader(Factors.VOCABULARY).read("""
                        study: cluster
                        metric: operations
                        defaults: {layout: ndb, column: mediumblob}
                        baseline: default
                        methods:
                          default: {}
                          inline: {inline: fit}
                          batches: {read-batch-bytes: 4MB, write-batch-bytes: 1MB, batch-bytes: 64KB}
                          varbinary: {column: "varbinary:fit"}
                          lz4: {inline: fit, codec: lz4}
                          zstd: {inline: fit, codec: "zstd:3"}
                          too-much: {inline: 29984}
                          numbered: {layout: "ndb:auto-increment"}
                          innodb: {layout: dynamic}
                        conditions:
                          - {workload: [fetch, "mix:90"], dataset: sites, size: 64KB, rows: %d, threads: 2}
                          - {workload: fetch, methods: [default, batches], dataset: sites, size: 256KB, rows: 30, threads: 2}
                          - {workload: insert, methods: [default, numbered], dataset: sites, size: 4KB, rows: 100, threads: 2}
                        schedule: {rounds: 1, forks: 1, window: 250ms, warm-up: 200ms, seed: 42}
                        """.formatted(ROWS), "cluster.yaml", Optional.empty()),
                new RunOptions(source, OneServer.CACHE, ForkInside.LAUNCH, "test"),
                new QuietListener());
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));

        assertThat(laboratory.run(run)).isEqualTo(Ending.TRIAL_FAILED);

        requireLayouts(run);
        assertThat(run.manifest().stores())
                .filteredOn(store -> store.factors().find("layout").equals(Optional.of("ndb:auto-increment")))
                .isNotEmpty()
                .allMatch(store -> store.verified().get("key_extra").equals("auto_increment"));
        requireOutcomes(run);
        assertThat(cluster.pids())
                .noneMatch(pid ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent());
    }

    private static void requireLayouts(RunDirectory run) {
        Map<String, String> cluster = run.manifest().servers().get("mysql").cluster();
        assertThat(cluster)
                .containsEntry("data_nodes", "2")
                .containsEntry("replicas", "2")
                .containsEntry("TotalSendBufferMemory", "" + (24 << 20))
                .containsEntry("TimeBetweenLocalCheckpoints", "21")
                .containsKeys("data_node_version", "DataMemory")
                .doesNotContainKeys("DataDir", "HostName", "NodeId");
        List<LoadedStore> stores = run.manifest().stores().stream()
                .filter(store -> store.factors().find("layout").equals(Optional.of("ndb")))
                // tables that a window fills are empty when they are made
                .filter(store -> !store.factors().find("workload").equals(Optional.of("insert")))
                .toList();
        assertThat(stores).isNotEmpty().allSatisfy(store -> {
            boolean isBlob = store.factors().find("column").equals(Optional.of("mediumblob"));
            assertThat(store.verified()).containsEntry("engine", "ndbcluster");
            assertThat(store.verified().containsKey("blob_table_name")).isEqualTo(isBlob);
            assertThat(store.placement().parts().isPresent()).isEqualTo(isBlob);
            // two replicas of what is stored, and what pages and parts leave empty
            assertThat(store.placement().memoryBytes().orElseThrow())
                    .isBetween(
                            2 * store.content().storedBytes(),
                            4 * store.content().storedBytes() + (4 << 20));
            assertThat(store.disk().allocatedBytes()).isEmpty();
            store.placement().parts().ifPresent(parts -> {
                boolean isInline = store.factors().find("inline").equals(Optional.of("fit"));
                // as many as the longest value has, and that of zstd is below the most there may be
                if (is(store, "zstd:3")) {
                    assertThat(parts.inlineBytes()).isBetween(20_000, 29_735);
                } else {
                    assertThat(parts.inlineBytes()).isEqualTo(isInline ? 29_736 : 256);
                }
                assertThat(parts.partBytes()).isEqualTo(4_000);
                assertThat(parts.memoryBytes())
                        .isBetween(1L, store.placement().memoryBytes().getAsLong());
            });
            long inRow = store.placement().inRow().orElseThrow();
            if (store.factors().find("size").equals(Optional.of("256KB"))) {
                assertThat(inRow).isZero();
            } else if (is(store, "zstd:3")) {
                assertThat(inRow).isEqualTo(ROWS);
            } else if (is(store, "lz4")) {
                assertThat(inRow).isBetween(1L, ROWS - 1L);
            } else {
                assertThat(inRow).isZero();
            }
        });
        assertThat(stores).anyMatch(store -> is(store, "lz4")).anyMatch(store -> is(store, "zstd:3"));
    }

    private static boolean is(LoadedStore store, String codec) {
        return store.factors().find("codec").equals(Optional.of(codec));
    }

    private static void requireOutcomes(RunDirectory run) {
        for (Sample sample : run.samples()) {
            switch (sample.method()) {
                case "varbinary" -> {
                    assertThat(sample.outcome()).isInstanceOf(Outcome.Unavailable.class);
                    assertThat(sample.outcome().reason()).contains("65536 bytes", "0 of " + ROWS + " values would fit");
                }
                case "too-much" -> {
                    assertThat(sample.outcome()).isInstanceOf(Outcome.Failed.class);
                    // the server's own words, and not only "can't create table"
                    assertThat(sample.outcome().reason()).contains("1005", "738", "Record too big");
                }
                default -> {
                    boolean isClustered = !sample.method().equals("innodb");
                    boolean isMixed = isOf(sample, "mix:90");
                    assertThat(sample.outcome().isMeasurement())
                            .describedAs(sample.outcome().reason())
                            .isTrue();
                    assertThat(sample.resources().sqlNodes())
                            .hasSize(isClustered ? 2 : 0)
                            .allMatch(rate -> rate > 0);
                    assertThat(sample.operations().keySet())
                            .isEqualTo(
                                    isMixed
                                            ? Set.of("fetch", "update", Sample.MIX)
                                            : Set.of(isOf(sample, "insert") ? "insert" : "fetch"));
                    assertThat(sample.resources().serverCpuNanosPerOp().orElseThrow())
                            .isPositive();
                    if (isMixed) {
                        Operations all = sample.operations().get(Sample.MIX);
                        assertThat(all.count())
                                .isEqualTo(sample.operations().get("fetch").count()
                                        + sample.operations().get("update").count());
                        assertThat(all.latency().max())
                                .isEqualTo(Math.max(
                                        sample.operations()
                                                .get("fetch")
                                                .latency()
                                                .max(),
                                        sample.operations()
                                                .get("update")
                                                .latency()
                                                .max()));
                    }
                    assertThat(sample.resources()
                                    .counters()
                                    .orElseThrow()
                                    .roundTrips()
                                    .isPresent())
                            .isEqualTo(isClustered);
                }
            }
        }
        // the row, its parts, and the end of the transaction; what is inline needs no second one
        assertThat(roundTrips(run, "default", "64KB")).isGreaterThan(2.7);
        assertThat(roundTrips(run, "zstd", "64KB")).isGreaterThan(1.7);
        if (run.samples().stream()
                .filter(sample -> sample.outcome().isMeasurement() && !isOf(sample, "insert"))
                .allMatch(sample -> sample.count() >= ENOUGH)) {
            // 256 KB are four batches of 64 KB, and one of 4 MB
            assertThat(roundTrips(run, "default", "256KB") - roundTrips(run, "batches", "256KB"))
                    .isBetween(2.0, 5.0);
            assertThat(roundTrips(run, "default", "64KB")).isLessThan(4.4);
            assertThat(roundTrips(run, "zstd", "64KB")).isLessThan(roundTrips(run, "default", "64KB") - 0.5);
        }
    }

    /**
     * The SQL node's own threads are counted too. They add most to the samples of a busy machine, which have few
     * operations.
     */
    private static double roundTrips(RunDirectory run, String method, String size) {
        return run.samples().stream()
                .filter(sample -> sample.method().equals(method)
                        && isOf(sample, "fetch")
                        && sample.condition().find("size").equals(Optional.of(size)))
                .mapToDouble(sample -> (double) sample.resources()
                                .counters()
                                .orElseThrow()
                                .roundTrips()
                                .orElseThrow()
                        / sample.count())
                .min()
                .orElseThrow();
    }

    @Test
    void aDataNodeThatIsKilledInAWindowCostsNothingButSpeed() throws Exception {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        try (Killer killer = new Killer()) {
            Laboratory laboratory = new Laboratory(
                    new StudyReader(Factors.VOCABULARY).read("""
                            study: killed
                            metric: operations
                            defaults: {layout: ndb}
                            baseline: inline
                            methods: {inline: {inline: fit}}
                            conditions:
                              - {workload: [fetch, "mix:90"], dataset: sites, size: 24KB, rows: %d, threads: 4}
                            schedule: {rounds: 2, forks: 1, window: 6s, warm-up: 500ms, seed: 42}
                            """.formatted(ROWS), "killed.yaml", Optional.empty()),
                    new RunOptions(source, OneServer.CACHE, ForkInside.LAUNCH, "test"),
                    killer);

            // a value that was lost would have failed its trial
            assertThat(laboratory.run(run)).isEqualTo(Ending.COMPLETE);

            assertThat(run.samples()).hasSize(4).allSatisfy(sample -> {
                assertThat(sample.outcome().isMeasurement()).isTrue();
                assertThat(isDegraded(sample)).isEqualTo(sample.round() == 1);
            });
            assertThat(run.samples()).filteredOn(ClusterRunIT::isDegraded).allSatisfy(sample -> {
                Matcher lost = sample.events().stream()
                        .map(LOST::matcher)
                        .filter(Matcher::matches)
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(sample.events()));
                assertThat(Long.parseLong(lost.group(1))).isPositive();
                assertThat(Long.parseLong(lost.group(2))).isPositive();
            });
            assertThat(killer.noted)
                    .filteredOn(note -> note.startsWith("data node 3 was restarted"))
                    .isNotEmpty();
        }
        try (var logs = Files.list(run.path().resolve("server-logs"))) {
            assertThat(logs.map(path -> path.getFileName().toString()))
                    .contains("cluster.log", "data-node-2.log", "data-node-3.log", "sql-node-4.log", "sql-node-5.log");
        }
    }
}
