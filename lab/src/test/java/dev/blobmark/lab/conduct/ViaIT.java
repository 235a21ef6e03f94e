package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.proxy.HaProxy;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs in which the connections of trials pass through a proxy. */
@ExtendWith(OneServer.class)
@Timeout(120)
class ViaIT {

    private static final int THREADS = 3;

    @TempDir
    private Path directory;

    private final OwnServer server;

    ViaIT(OwnServer server) {
        this.server = server;
    }

    @BeforeAll
    static void requireProgram() {
        HaProxy.unavailable().ifPresent(reason -> Assumptions.abort(reason));
    }

    private static Study study() {
        return new StudyReader(Factors.VOCABULARY).read("""
                        study: behind
                        metric: p50
                        baseline: plain
                        methods: {plain: {}, pooled: {connection: hikari, prepare: cached}}
                        conditions:
                          - {workload: fetch, dataset: sites, size: 4KB, rows: 20, via: [direct, haproxy], threads: %d}
                        schedule: {rounds: 3, forks: 1, window: 100ms, warm-up: 50ms, seed: 42}
                        """.formatted(THREADS), "behind.yaml", Optional.empty());
    }

    private RunDirectory run(Ending expected, Listener listener) throws Exception {
        RunDirectory run = RunDirectory.createAt(directory.resolve("run"));
        RunOptions options = new RunOptions(OneServer.lent(server), OneServer.CACHE, ForkInside.LAUNCH, "test");
        assertThat(new Laboratory(study(), options, listener).run(run)).isEqualTo(expected);
        assertThat(proxies()).isEmpty();
        return run;
    }

    private static List<ProcessHandle> proxies() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("/haproxy"))
                .toList();
    }

    private static boolean isBehind(Sample sample) {
        return sample.condition().find("via").equals(Optional.of("haproxy"));
    }

    /** The most sockets that a process had open, looked up every few milliseconds. */
    private static final class Sockets extends Thread {

        private volatile boolean isRunning = true;
        private volatile long most;

        @Override
        public void run() {
            while (isRunning) {
                proxies().forEach(proxy -> most = Math.max(most, open(proxy.pid())));
            }
        }

        private static long open(long pid) {
            try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
                return files.filter(file -> {
                            try {
                                return Files.readSymbolicLink(file).toString().startsWith("socket:");
                            } catch (IOException closedMeanwhile) {
                                return false;
                            }
                        })
                        .count();
            } catch (IOException ended) {
                return 0;
            }
        }

        long most() throws InterruptedException {
            isRunning = false;
            join();
            return most;
        }
    }

    @Test
    void connectionsOfTrialsPassThroughTheProxy() throws Exception {
        Sockets sockets = new Sockets();
        sockets.start();
        RunDirectory run = run(Ending.COMPLETE, new QuietListener());

        // one to the client and one to the server for each connection
        assertThat(sockets.most()).isGreaterThanOrEqualTo(2 * THREADS);
        assertThat(run.samples())
                .hasSize(2 * 2 * 3)
                .allSatisfy(
                        sample -> assertThat(sample.outcome().isMeasurement()).isTrue());
        assertThat(run.samples().stream().filter(ViaIT::isBehind)).hasSize(2 * 3);
        assertThat(run.manifest().stores()).hasSize(1);
        assertThat(run.manifest().machine().libraries()).containsEntry("proxy haproxy", HaProxy.version());
    }

    @Test
    void trialsFailWithoutTheirProxyAndOthersDoNot() throws Exception {
        RunDirectory run = run(Ending.TRIAL_FAILED, new QuietListener() {
            @Override
            public void sampleRecorded(Sample sample) {
                proxies().forEach(ProcessHandle::destroyForcibly);
            }
        });

        assertThat(run.samples()).hasSize(2 * 2 * 3);
        assertThat(run.samples().subList(1, 12))
                .allSatisfy(sample -> assertThat(sample.outcome() instanceof Outcome.Failed)
                        .as("%s", sample.outcome())
                        .isEqualTo(isBehind(sample)));
    }
}
