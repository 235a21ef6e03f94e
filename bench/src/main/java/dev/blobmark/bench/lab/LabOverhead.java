package dev.blobmark.bench.lab;

import dev.blobmark.bench.Ratio;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.engine.Compilation;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.engine.TrialSpec;
import dev.blobmark.lab.engine.VisitedTrial;
import dev.blobmark.lab.engine.WindowedTrial;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * The lab's overhead: its fetch loop with one operation in flight, in visits, compared with {@link BareFetch} on the
 * same server, with the same URL, statement, keys and getter, alternately in one JVM; and the bytes that its engine
 * allocates per operation. Both loops stay open and run for 5 ms before each window. Pairs in which the JVM compiled
 * are left out. The server has half of the cores; pin the JVM to the others: {@code taskset -c 1 bench/run …}.
 *
 * <p>Arguments: pairs of windows (1000), milliseconds per window (25), bytes per value (1024); all optional.
 */
public final class LabOverhead {

    private static final Duration WARM_UP = Duration.ofSeconds(5);

    private static final int WARM_UP_PAIRS = 100;

    private static final double MAX_COMPILING = 0.05;

    private LabOverhead() {}

    public static void main(String[] args) throws Exception {
        int pairs = args.length > 0 ? Integer.parseInt(args[0]) : 1_000;
        Duration window = Duration.ofMillis(args.length > 1 ? Integer.parseInt(args[1]) : 25);
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 1024;
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        Path scratch = Files.createTempDirectory("blobmark-bench-");
        Values values = Datasets.parse("random:62").values(size, 42);
        EncodedValues stored = EncodedValues.of(values, Codecs.parse("none"), scratch, bytes -> {});
        System.out.printf(Locale.ROOT, "engine alone: %.4f bytes allocated per operation%n", allocatedByEngine(stored));
        try (OwnServer server = OwnServer.start(
                        cache,
                        ServerOptions.of(256L << 20)
                                .withTls(false)
                                .with(new ServerLaunch(
                                        Optional.empty(), Pin.apart(1).serverPrefix())));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE bench");
            }
            MySqlTable table = new MySqlTable(
                    connection, "bench", "t", Layout.FACTOR.parse("dynamic"), Column.FACTOR.parse("mediumblob"));
            table.create();
            table.load(stored, bytes -> {});
            compare(ServerIdentity.read(connection), server.endpoint(), stored, pairs, window);
        }
    }

    private static void compare(
            ServerIdentity identity, Endpoint endpoint, EncodedValues stored, int pairs, Duration window)
            throws Exception {
        Properties properties = Driver.CONNECTOR_J.properties(endpoint, Tls.OFF, StatementProtocol.SERVER);
        String url = Driver.CONNECTOR_J.jdbc().url(endpoint, "bench");
        String sql = "SELECT data FROM `bench`.`t` WHERE id = ?";
        Setup setup = new Setup(Design.of(Map.of("workload", "fetch")), stored, endpoint, "bench", "t");
        TrialSpec spec = new TrialSpec(
                setup.design().get(Workload.FACTOR), setup, 1, new Window.Time(window), WARM_UP, Clock.SYSTEM, 42);
        Compilation compilation = new Compilation();
        double[] logRatios = new double[pairs];
        int kept = 0;
        try (VisitedTrial lab = VisitedTrial.open(spec, compilation);
                BareVisits bare = BareVisits.open(url, properties, sql, stored.count())) {
            Map<Integer, Double> bareRates = new HashMap<>();
            for (int pair = -WARM_UP_PAIRS; pair < pairs; pair++) {
                long compiledBefore = compilation.nanos();
                long begin = System.nanoTime();
                // each is first in half of the pairs
                double rate = pair % 2 == 0 ? bare.visit(window.toNanos()) : 0;
                lab.visit(Math.max(0, pair), window.toNanos());
                rate = pair % 2 == 0 ? rate : bare.visit(window.toNanos());
                double compiling = (double) (compilation.nanos() - compiledBefore) / (System.nanoTime() - begin);
                if (pair >= 0 && compiling <= MAX_COMPILING) {
                    bareRates.put(pair, rate);
                }
                if (pair == -1) {
                    lab.account();
                }
            }
            TrialRun run = lab.finish();
            if (run.outcome() instanceof Outcome.Failed failed) {
                throw new IllegalStateException(failed.reason());
            }
            Visits visits = run.visits().orElseThrow();
            for (int visit = 0; visit < visits.count(); visit++) {
                Double rate = bareRates.get(visits.rounds().get(visit));
                if (rate != null) {
                    logRatios[kept++] = Math.log(visits.operationsPerS().get(visit) / rate);
                }
            }
        }
        System.out.printf(
                "%s, %d values of %d bytes, 1 in flight, prepared statements, %d of %d pairs of %d ms%n",
                identity, stored.count(), stored.maxLength(), kept, pairs, window.toMillis());
        System.out.printf("lab / bare loop, operations per second: %s%n", Ratio.of(Arrays.copyOf(logRatios, kept)));
    }

    /** Bytes allocated per operation by operations that do nothing. */
    private static double allocatedByEngine(EncodedValues values) throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                        new NoOperation(),
                        new Setup(Design.of(Map.of()), values, null, null, null),
                        1,
                        new Window.Count(20_000_000),
                        Duration.ofSeconds(1),
                        Clock.SYSTEM,
                        42))
                .usage()
                .allocatedBytesPerOp();
    }

    private static final class NoOperation implements Workload {
        @Override
        public String id() {
            return "nothing";
        }

        @Override
        public String description() {
            return "no operation, which leaves only the engine";
        }

        @Override
        public List<String> operationTypes() {
            return List.of("nothing");
        }

        @Override
        public Set<Factor.Use> uses() {
            return Set.of();
        }

        @Override
        public boolean timesTypesSeparately() {
            return false;
        }

        @Override
        public Operation open(Setup setup) {
            return new Operation() {
                @Override
                public long perform(int type, int row) {
                    return 0;
                }

                @Override
                public void verify(int type, int row, boolean content) {}

                @Override
                public void close() {}
            };
        }
    }
}
