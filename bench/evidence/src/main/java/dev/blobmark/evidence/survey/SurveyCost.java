package dev.blobmark.evidence.survey;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.survey.SampleEncoding;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a survey costs a server: its time, the processor time of the server, the longest statement, the bytes read. And
 * whether its ranking is right: Spearman's rank correlation of the savings with those of full encodes, whose values are
 * many more than those of the survey. The tables are of {@link SurveyValues ten kinds} and of different sizes, on a
 * server with a buffer pool that holds few of them. Needs Linux's /proc.
 *
 * <p>Options: {@code --columns 200}, {@code --gigabytes 20}, {@code --mysql DIR} for a MySQL instead of the MariaDB
 * that comes with Blobmark. The exit code is 1 if a bar is missed.
 */
public final class SurveyCost {

    private static final String PASSWORD = "reads only";

    /** Bytes of a column that are encoded with all codecs. */
    private static final long ENCODED_BYTES = 16 << 20;

    private static final int BATCH_BYTES = 4 << 20;
    private static final double MAX_MINUTES = 15;
    private static final double MAX_CORE_SHARE = 0.25;
    private static final double MIN_CORRELATION = 0.9;
    private static final double TICKS_PER_SECOND = 100;

    private SurveyCost() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>(Map.of("--columns", "200", "--gigabytes", "20"));
        for (int i = 0; i < args.length; i += 2) {
            if (!List.of("--columns", "--gigabytes", "--mysql").contains(args[i]) || i + 1 == args.length) {
                System.err.println("usage: bench/evidence/survey [--columns N] [--gigabytes N] [--mysql DIR]");
                System.exit(2);
            }
            options.put(args[i], args[i + 1]);
        }
        int columns = Integer.parseInt(options.get("--columns"));
        double bytes = Double.parseDouble(options.get("--gigabytes")) * (1 << 30);
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        Path scratch = Files.createTempDirectory("blobmark-survey-");
        boolean isKept;
        String own = Optional.ofNullable(options.get("--mysql"))
                .map(directory -> "mysqld:" + directory)
                .orElse("embedded");
        try (OwnServer server = (OwnServer) Servers.parse(own)
                        .open(cache, ServerOptions.of(256 << 20).with(Map.of("performance_schema", "ON")));
                Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Map<String, Double> full = load(owner, columns, bytes);
            long ticks = ticks(server.pid());
            long begin = System.nanoTime();
            JsonNode survey = survey(server, scratch);
            double seconds = (System.nanoTime() - begin) / 1e9;
            double cpuSeconds = (ticks(server.pid()) - ticks) / TICKS_PER_SECOND;
            isKept = print(owner, survey, full, seconds, cpuSeconds);
        }
        System.exit(isKept ? 0 : 1);
    }

    /** The tables' savings with full encodes, by column. */
    private static Map<String, Double> load(Connection owner, int columns, double bytes) throws SQLException {
        Map<String, Double> full = new HashMap<>();
        execute(owner, "CREATE DATABASE bench");
        for (String host : List.of("%", "localhost")) {
            execute(owner, "CREATE USER 'reader'@'" + host + "' IDENTIFIED BY '" + PASSWORD + "'");
            execute(owner, "GRANT SELECT ON bench.* TO 'reader'@'" + host + "'");
        }
        // the largest table has some ten times the bytes of the median one
        double[] weights = IntStream.range(0, columns)
                .mapToDouble(i -> Math.pow(10, 1.5 * ((i * 7) % columns) / columns))
                .toArray();
        double all = IntStream.range(0, columns).mapToDouble(i -> weights[i]).sum();
        for (int i = 0; i < columns; i++) {
            SurveyValues kind = SurveyValues.values()[i % SurveyValues.values().length];
            String table = "t" + i + "_" + kind.name().toLowerCase(Locale.ROOT);
            int valueBytes = 200 << (i / SurveyValues.values().length % 5);
            full.put("bench." + table + ".v", load(owner, table, kind, valueBytes, bytes * weights[i] / all));
            System.err.printf("%d of %d tables are loaded%n", i + 1, columns);
        }
        return full;
    }

    private static double load(Connection owner, String table, SurveyValues kind, int valueBytes, double bytes)
            throws SQLException {
        execute(owner, "CREATE TABLE bench." + table + " (id BIGINT PRIMARY KEY, v MEDIUMBLOB) ENGINE=InnoDB");
        SplittableRandom random = new SplittableRandom(table.hashCode());
        Map<Codec, Long> encoded = new HashMap<>();
        long done = 0;
        long tried = 0;
        owner.setAutoCommit(false);
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO bench." + table + " VALUES (?, ?)")) {
            int batch = 0;
            for (long id = 0; done < bytes; id++) {
                byte[] value = kind.value(random, done / bytes, valueBytes);
                insert.setLong(1, id);
                insert.setBytes(2, value);
                insert.addBatch();
                done += value.length;
                batch += value.length;
                if (batch > BATCH_BYTES) {
                    insert.executeBatch();
                    owner.commit();
                    batch = 0;
                }
                // values from the whole table
                if (tried <= done / bytes * ENCODED_BYTES) {
                    tried += value.length;
                    for (String codec : SampleEncoding.CODECS) {
                        encoded.merge(Codecs.parse(codec), encoded(Codecs.parse(codec), value), Long::sum);
                    }
                }
            }
            insert.executeBatch();
            owner.commit();
        }
        owner.setAutoCommit(true);
        execute(owner, "ANALYZE TABLE bench." + table);
        long least = encoded.values().stream().mapToLong(Long::longValue).min().orElse(0);
        return Math.max(0, done * (1 - (double) least / tried));
    }

    private static long encoded(Codec codec, byte[] value) {
        return codec.encode(value, 0, value.length, new byte[codec.maxEncodedLength(value.length)], 0);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a survey as a user does; the result is its JSON. */
    private static JsonNode survey(OwnServer server, Path scratch) throws IOException, InterruptedException {
        Path json = scratch.resolve("survey.json");
        ProcessBuilder blobmark = new ProcessBuilder(
                        "./blobmark",
                        "survey",
                        "--server",
                        "mysql://reader@127.0.0.1:" + server.endpoint().port() + "/",
                        "--min-size",
                        "1MB",
                        "--format",
                        "json",
                        "--out",
                        scratch.resolve("survey").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(json.toFile());
        blobmark.environment().put("BLOBMARK_PASSWORD", PASSWORD);
        int exitCode = blobmark.start().waitFor();
        if (exitCode != 0) {
            throw new IllegalStateException("the survey ended with " + exitCode);
        }
        return new JsonMapper().readTree(Files.readString(json));
    }

    /** Processor time of a process, in hundredths of a second (proc(5), fields 14 and 15). */
    private static long ticks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static boolean print(
            Connection owner, JsonNode survey, Map<String, Double> full, double seconds, double cpuSeconds)
            throws SQLException {
        Map<String, Double> sampled = new HashMap<>();
        survey.path("columns")
                .forEach(column -> sampled.put(
                        column.path("column").asString(),
                        column.path("saving_bytes").path("value").asDouble()));
        survey.path("not_read").forEach(column -> System.out.println("not read: " + column));
        List<String> names = List.copyOf(full.keySet());
        double correlation = spearman(
                names.stream().mapToDouble(full::get).toArray(),
                names.stream()
                        .mapToDouble(name -> sampled.getOrDefault(name, 0.0))
                        .toArray());
        double share = cpuSeconds / seconds;
        System.out.printf(
                Locale.ROOT,
                """
                %n%s, %d of %d columns surveyed
                | figure | value | bar |
                | --- | --- | --- |
                | time | %.0f s | at most %.0f s |
                | processor of the server | %.1f %% of a core | at most %.0f %% |
                | longest statements | %s | |
                | values that the server read | %.1f MB | |
                | rank correlation with full encodes | %.3f | at least %.1f |
                """,
                ServerIdentity.read(owner),
                sampled.size(),
                full.size(),
                seconds,
                60 * MAX_MINUTES,
                100 * share,
                100 * MAX_CORE_SHARE,
                longest(owner),
                survey.path("read_bytes").asDouble() / (1 << 20),
                correlation,
                MIN_CORRELATION);
        return sampled.size() == full.size()
                && seconds <= 60 * MAX_MINUTES
                && share <= MAX_CORE_SHARE
                && correlation >= MIN_CORRELATION;
    }

    /**
     * The longest statements of the account that surveys, by kind: {@code statement/com/Execute 83 ms}. Those that read
     * tables are executed as prepared statements; performance_schema counts picoseconds.
     */
    private static String longest(Connection owner) throws SQLException {
        return String.join(
                ", ",
                Sql.strings(
                        owner,
                        "SELECT CONCAT(SUBSTRING_INDEX(event_name, '/', -1), ' ', ROUND(max_timer_wait / 1e9), ' ms') FROM"
                                + " performance_schema.events_statements_summary_by_user_by_event_name"
                                + " WHERE user = 'reader' ORDER BY max_timer_wait DESC LIMIT 3"));
    }

    private static double spearman(double[] one, double[] other) {
        double[] a = ranks(one);
        double[] b = ranks(other);
        double mean = (a.length - 1) / 2.0;
        double ab = 0;
        double aa = 0;
        double bb = 0;
        for (int i = 0; i < a.length; i++) {
            ab += (a[i] - mean) * (b[i] - mean);
            aa += (a[i] - mean) * (a[i] - mean);
            bb += (b[i] - mean) * (b[i] - mean);
        }
        return ab / Math.sqrt(aa * bb);
    }

    /** From 0; equal figures have the mean of their ranks. */
    private static double[] ranks(double[] figures) {
        List<Double> ranks = new ArrayList<>();
        for (double figure : figures) {
            long below = IntStream.range(0, figures.length)
                    .filter(i -> figures[i] < figure)
                    .count();
            long equal = IntStream.range(0, figures.length)
                    .filter(i -> figures[i] == figure)
                    .count();
            ranks.add(below + (equal - 1) / 2.0);
        }
        return ranks.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
