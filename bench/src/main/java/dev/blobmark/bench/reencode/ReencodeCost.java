package dev.blobmark.bench.reencode;

import dev.blobmark.bench.Ratio;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What changing the stored values of a table costs. On a server with a binary log that it starts:
 *
 * <ul>
 *   <li>the rates of {@code reencode} in place and by copy, in turns with that of another program, such as a null ALTER
 *       by spirit;
 *   <li>what was predicted for the values, the binary log, the disk and the time, and what came;
 *   <li>the 99th percentile of others in an open loop at half of what they can do, in turns with and without a change
 *       at the usual throttle.
 * </ul>
 *
 * <p>Options: {@code --mysql DIR}, otherwise the MariaDB that comes with Blobmark; {@code --rows}, {@code --rounds};
 * {@code --lines}, the most lines of an order, which make the size of values (12: 1 KB); {@code --other COMMAND}, in
 * which {@code PORT} and {@code TABLE} are replaced; its account is {@code other} with the password {@code other}, its
 * schema {@code bench}; {@code --throttle OPTIONS} measures others only, with these options of {@code reencode};
 * {@code --ways 'OPTIONS|OPTIONS'} measures rates of changes with these options only, and compares them; one that
 * begins with a path that ends with {@code /blobmark} is of that build.
 */
public final class ReencodeCost {

    private static final List<String> OPTIONS =
            List.of("--mysql", "--rows", "--lines", "--rounds", "--other", "--window", "--throttle", "--ways");
    private static final String PASSWORD = "bench";
    private static final Duration CAPACITY_TIME = Duration.ofSeconds(5);
    private static final int BATCH = 500;

    private final OwnServer server;
    private final Connection owner;
    private final Path scratch;
    private final Map<String, String> options;
    private final long rows;

    private ReencodeCost(OwnServer server, Connection owner, Path scratch, Map<String, String> options) {
        this.server = server;
        this.owner = owner;
        this.scratch = scratch;
        this.options = options;
        rows = Long.parseLong(options.get("--rows"));
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options =
                new HashMap<>(Map.of("--rows", "200000", "--lines", "12", "--rounds", "5", "--window", "10"));
        for (int i = 0; i < args.length; i += 2) {
            if (!OPTIONS.contains(args[i]) || i + 1 == args.length) {
                System.err.println(
                        "usage: bench/reencode [--mysql DIR] [--rows N] [--lines N] [--rounds N] [--window SECONDS] [--other"
                                + " COMMAND] [--throttle OPTIONS] [--ways 'OPTIONS|OPTIONS']");
                System.exit(2);
            }
            options.put(args[i], args[i + 1]);
        }
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        Path scratch = Files.createTempDirectory("blobmark-reencode-");
        String own = Optional.ofNullable(options.get("--mysql"))
                .map(directory -> "mysqld:" + directory)
                .orElse("embedded");
        try (OwnServer server = (OwnServer) Servers.parse(own)
                        .open(
                                cache,
                                ServerOptions.of(1 << 30)
                                        .with(Map.of(
                                                "log_bin", "bench",
                                                "binlog_format", "ROW",
                                                "server_id", "1",
                                                "sync_binlog", "1",
                                                "innodb_flush_log_at_trx_commit", "1")));
                Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            ReencodeCost cost = new ReencodeCost(server, owner, scratch, options);
            if (options.containsKey("--mysql")) { // figures of tables would be a day old
                cost.execute("SET SESSION information_schema_stats_expiry = 0");
            }
            cost.load();
            if (options.containsKey("--ways")) {
                cost.compare(List.of(options.get("--ways").split("\\|")));
            } else if (!options.containsKey("--throttle")) {
                cost.rates();
            }
            if (!options.containsKey("--ways")) {
                cost.others();
            }
        } finally {
            Trees.delete(scratch);
        }
        System.exit(0);
    }

    private void execute(String... statements) throws SQLException {
        try (Statement statement = owner.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void load() throws SQLException {
        execute("CREATE DATABASE bench");
        for (String host : List.of("127.0.0.1", "localhost")) {
            for (String user : List.of("bench", "other")) {
                execute(
                        "CREATE USER '" + user + "'@'" + host + "' IDENTIFIED BY '" + user + "'",
                        "GRANT ALL ON *.* TO '" + user + "'@'" + host + "'");
            }
        }
        execute(
                "CREATE TABLE bench.template (id BIGINT PRIMARY KEY, payload MEDIUMBLOB, n INT NOT NULL) ENGINE=InnoDB");
        SplittableRandom random = new SplittableRandom(1);
        owner.setAutoCommit(false);
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO bench.template VALUES (?, ?, 0)")) {
            for (long id = 0; id < rows; id++) {
                insert.setLong(1, id);
                insert.setBytes(2, order(random, id));
                insert.addBatch();
                if ((id + 1) % BATCH == 0) {
                    insert.executeBatch();
                    owner.commit();
                }
            }
            insert.executeBatch();
            owner.commit();
        }
        owner.setAutoCommit(true);
        System.out.printf(
                Locale.ROOT,
                "%s, %,d rows, %.0f MB of values%n",
                server.kind(),
                rows,
                number("SELECT SUM(LENGTH(payload)) FROM bench.template") / 1048576.0);
    }

    /** An order as JSON: about 1 KB with at most 12 lines. */
    private byte[] order(SplittableRandom random, long id) {
        StringBuilder json =
                new StringBuilder("{\"id\": " + id + ", \"customer\": " + random.nextLong(1L << 40) + ", \"lines\": [");
        for (int i = 1 + random.nextInt(Integer.parseInt(options.get("--lines"))); i > 0; i--) {
            json.append("{\"sku\": \"")
                    .append(Long.toString(random.nextLong(1L << 30), 36))
                    .append("\", \"price\": ")
                    .append(random.nextInt(100_000) / 100.0)
                    .append(", \"count\": ")
                    .append(random.nextInt(9))
                    .append(", \"state\": \"")
                    .append(random.nextBoolean() ? "shipped" : "ordered")
                    .append("\", \"note\": \"")
                    .append("leave at the door please ".repeat(random.nextInt(3)))
                    .append("\"}, ");
        }
        return json.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private void renew(String table) throws SQLException {
        execute(
                "DROP TABLE IF EXISTS bench." + table + ", bench." + table + "_blobmark_old, bench.blobmark_reencode,"
                        + " bench.blobmark_reencode_ranges, bench.blobmark_reencode_originals",
                "CREATE TABLE bench." + table + " LIKE bench.template",
                "INSERT INTO bench." + table + " SELECT * FROM bench.template",
                "ANALYZE TABLE bench." + table);
    }

    private List<String> reencode(String table, String... more) {
        boolean isOther = more.length > 0 && more[0].endsWith("/blobmark");
        List<String> command = new ArrayList<>(List.of(
                isOther ? more[0] : "./blobmark",
                "reencode",
                "--table",
                "bench." + table + ".payload",
                "--to",
                "zstd:3",
                "--server",
                "mysql://bench@127.0.0.1:" + server.endpoint().port() + "/",
                "--format",
                "json",
                "--yes"));
        command.addAll(List.of(more).subList(isOther ? 1 : 0, more.length));
        return command;
    }

    private Process start(List<String> command, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        scratch.resolve("errors").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().put("BLOBMARK_PASSWORD", PASSWORD);
        return builder.start();
    }

    private double seconds(List<String> command, Path output) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        int exitCode = start(command, output).waitFor();
        if (exitCode != 0) {
            throw new IllegalStateException(
                    command + " ended with " + exitCode + ": " + Files.readString(scratch.resolve("errors")));
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private long logBytes() throws SQLException {
        long bytes = 0;
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery("SHOW BINARY LOGS")) {
            while (row.next()) {
                bytes += row.getLong(2);
            }
        }
        return bytes;
    }

    /** Of the last progress that a change has reported, without the start of the program. */
    private static double worked(Path output) throws IOException {
        double seconds = 0;
        for (String line : Files.readAllLines(output)) {
            seconds = new JsonMapper()
                    .readTree(line)
                    .path("progress")
                    .path("seconds")
                    .asDouble(seconds);
        }
        return seconds;
    }

    /** The time of the whole change, as the first progress after a tenth of the rows states it. */
    private static double predictedAtATenth(Path output) throws IOException {
        for (String line : Files.readAllLines(output)) {
            JsonNode progress = new JsonMapper().readTree(line).path("progress");
            if (progress.has("seconds_left")
                    && progress.path("rows").asLong()
                            >= progress.path("table_rows").asLong() / 10) {
                return progress.path("seconds").asDouble()
                        + progress.path("seconds_left").asDouble();
            }
        }
        return Double.NaN;
    }

    /**
     * Times of Blobmark are without the start of its JVM, which is printed too; those of the other program are with it.
     */
    private void rates() throws Exception {
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        Map<String, List<Double>> predicted = new LinkedHashMap<>();
        for (int round = 0; round < Integer.parseInt(options.get("--rounds")); round++) {
            for (String way : options.containsKey("--other")
                    ? List.of("in-place", "copy", "other")
                    : List.of("in-place", "copy")) {
                renew("t");
                Path output = scratch.resolve(way);
                if (way.equals("other")) {
                    List<String> other = List.of(options.get("--other")
                            .replace("PORT", Integer.toString(server.endpoint().port()))
                            .replace("TABLE", "t")
                            .split(" "));
                    seconds.computeIfAbsent(way, of -> new ArrayList<>()).add(seconds(other, output));
                    continue;
                }
                seconds(reencode("t", "--mode", way, "--speed", "100", "--dry-run"), output);
                JsonNode preview = new JsonMapper().readTree(Files.readString(output));
                preview = preview.has("preview") ? preview.get("preview") : preview;
                long before = logBytes();
                double all = seconds(reencode("t", "--mode", way, "--speed", "100"), output);
                double logged = logBytes() - before;
                double took = worked(output);
                seconds.computeIfAbsent(way, of -> new ArrayList<>()).add(took);
                execute((way.equals("copy") ? "ANALYZE" : "OPTIMIZE") + " TABLE bench.t");
                Map<String, Double> of = new LinkedHashMap<>();
                of.put("binary log", logged / preview.path("binlog_bytes").asDouble());
                of.put(
                        "values",
                        number("SELECT SUM(LENGTH(payload)) FROM bench.t")
                                / preview.path("bytes_after").asDouble());
                of.put(
                        "disk",
                        number("SELECT data_length FROM information_schema.tables WHERE table_schema = 'bench' AND"
                                        + " table_name = 't'")
                                / preview.path("table_bytes_after").asDouble());
                of.put("time before, " + way, took / preview.path("seconds").asDouble());
                of.put("time at a tenth, " + way, took / predictedAtATenth(output));
                of.forEach((what, figure) -> predicted
                        .computeIfAbsent(what, key -> new ArrayList<>())
                        .add(figure));
                System.out.printf(
                        Locale.ROOT,
                        "round %d, %s: %.1f s, %.1f s with the program's start; ÷ predicted: %s%n",
                        round + 1,
                        way,
                        took,
                        all,
                        of.entrySet().stream()
                                .map(entry -> String.format(Locale.ROOT, "%s %.3f", entry.getKey(), entry.getValue()))
                                .collect(Collectors.joining(", ")));
            }
        }
        seconds.forEach((way, times) -> System.out.printf(
                Locale.ROOT,
                "%-9s %.1f s, %,.0f rows/s%n",
                way,
                times.stream().mapToDouble(x -> x).average().orElseThrow(),
                rows / times.stream().mapToDouble(x -> x).average().orElseThrow()));
        if (options.containsKey("--other")) {
            for (String way : List.of("in-place", "copy")) {
                System.out.println("rate of " + way + " ÷ other: " + ratio(seconds.get("other"), seconds.get(way)));
            }
        }
        predicted.forEach(
                (what, figures) -> System.out.println(what + " ÷ predicted: " + ratio(figures, ones(figures))));
    }

    /** Changes in several ways, in turns. The start of processes on other hosts does not count. */
    private void compare(List<String> ways) throws Exception {
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        Map<String, List<Double>> rests = new LinkedHashMap<>();
        for (int round = 0; round < Integer.parseInt(options.get("--rounds")); round++) {
            for (String way : ways) {
                renew("t");
                Path output = scratch.resolve("way");
                double all = seconds(reencode("t", way.split(" ")), output);
                double rate = rate(output);
                rates.computeIfAbsent(way, of -> new ArrayList<>()).add(rate);
                double rest = worked(output) - written(output);
                rests.computeIfAbsent(way, of -> new ArrayList<>()).add(rest);
                System.out.printf(
                        Locale.ROOT,
                        "round %d, %s: %,.0f rows/s, about %.1f s after all rows were written, %.1f s with all starts%n",
                        round + 1,
                        way,
                        rate,
                        rest,
                        all);
            }
        }
        rests.forEach((way, of) -> System.out.printf(
                Locale.ROOT,
                "%s: about %.1f s after all rows were written%n",
                way,
                of.stream().mapToDouble(x -> x).average().orElseThrow()));
        rates.forEach((way, of) ->
                System.out.println("rate of " + way + " ÷ " + ways.get(0) + ": " + ratio(of, rates.get(ways.get(0)))));
    }

    /** Rows in a second, from the first progress with rows to the last one without all of them. */
    private static double rate(Path output) throws IOException {
        List<JsonNode> withRows = withRows(output);
        JsonNode first = withRows.get(0);
        JsonNode last = lastOfMany(withRows);
        return (last.path("rows").asLong() - first.path("rows").asLong())
                / (last.path("seconds").asDouble() - first.path("seconds").asDouble());
    }

    /** When all rows were written, by the rate before; a copy is compared after that. */
    private static double written(Path output) throws IOException {
        List<JsonNode> withRows = withRows(output);
        JsonNode last = lastOfMany(withRows);
        long rows = withRows.get(withRows.size() - 1).path("rows").asLong();
        return last.path("seconds").asDouble() + (rows - last.path("rows").asLong()) / rate(output);
    }

    private static JsonNode lastOfMany(List<JsonNode> withRows) {
        long rows = withRows.get(withRows.size() - 1).path("rows").asLong();
        List<JsonNode> before = withRows.stream()
                .filter(progress -> progress.path("rows").asLong() < rows)
                .toList();
        return before.get(before.size() - 1);
    }

    private static List<JsonNode> withRows(Path output) throws IOException {
        List<JsonNode> withRows = new ArrayList<>();
        for (String line : Files.readAllLines(output)) {
            JsonNode progress = new JsonMapper().readTree(line).path("progress");
            if (progress.path("rows").asLong() > 0) {
                withRows.add(progress);
            }
        }
        return withRows;
    }

    /** Of figures that belong together in pairs. */
    private static Ratio ratio(List<Double> of, List<Double> to) {
        return Ratio.of(IntStream.range(0, of.size())
                .mapToDouble(i -> Math.log(of.get(i) / to.get(i)))
                .toArray());
    }

    private static List<Double> ones(List<Double> figures) {
        return figures.stream().map(figure -> 1.0).toList();
    }

    /** The change runs all along, and pauses while a file exists. */
    private void others() throws Exception {
        renew("t");
        Duration window = Duration.ofSeconds(Long.parseLong(options.get("--window")));
        Path pause = Files.createFile(scratch.resolve("pause"));
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong memory = new AtomicLong();
        Thread changing = new Thread(() -> change(pause, isOver, memory));
        changing.start();
        try (OpenLoad load = new OpenLoad(server.endpoint(), "bench.t", rows)) {
            double rate = load.capacity(CAPACITY_TIME) / 2;
            load.run(rate, CAPACITY_TIME);
            List<Double> with = new ArrayList<>();
            List<Double> without = new ArrayList<>();
            for (int round = 0; round < 2 * Integer.parseInt(options.get("--rounds")); round++) {
                for (boolean isChanging : round % 2 == 0 ? new boolean[] {true, false} : new boolean[] {false, true}) {
                    if (isChanging) {
                        Files.deleteIfExists(pause);
                    } else if (!Files.exists(pause)) {
                        Files.createFile(pause);
                    }
                    TimeUnit.SECONDS.sleep(1);
                    Histogram times = load.run(rate, window);
                    (isChanging ? with : without).add(times.getValueAtPercentile(99) / 1e3);
                    if (!changing.isAlive()) {
                        throw new IllegalStateException(
                                "the changes have ended: " + Files.readString(scratch.resolve("errors")));
                    }
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "others at %.0f operations/s: p99 %.0f µs with, %.0f µs without a change%n",
                    rate,
                    with.stream().mapToDouble(x -> x).average().orElseThrow(),
                    without.stream().mapToDouble(x -> x).average().orElseThrow());
            System.out.println("p99 with ÷ without: " + ratio(with, without));
            System.out.println("memory of the client: " + memory + " MB");
        } finally {
            isOver.set(true);
            changing.join();
        }
    }

    /** Changes the table and back, until it is over. */
    private void change(Path pause, AtomicBoolean isOver, AtomicLong memory) {
        try {
            for (boolean isBack = false; !isOver.get(); isBack = !isBack) {
                List<String> command = reencode("t", "--pause-file", pause.toString());
                command.addAll(Arrays.asList(
                        options.getOrDefault("--throttle", "--speed 10").split(" ")));
                if (isBack) {
                    command.removeAll(List.of("--to", "zstd:3"));
                    command.add("--revert");
                }
                Process change = start(command, scratch.resolve("foreground"));
                while (change.isAlive() && !isOver.get()) {
                    memory.accumulateAndGet(memory(change.pid()), Math::max);
                    TimeUnit.MILLISECONDS.sleep(200);
                }
                change.destroy();
                if (change.waitFor() != 0 && !isOver.get()) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The most memory of a process so far, in MB. */
    private static long memory(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        Matcher most = Pattern.compile("VmHWM:\\s+(\\d+) kB").matcher(Files.readString(status));
        return most.find() ? Long.parseLong(most.group(1)) >> 10 : 0;
    }
}
