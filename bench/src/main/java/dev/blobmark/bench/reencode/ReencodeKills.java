package dev.blobmark.bench.reencode;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Kills changes and their server with SIGKILL at random times. Started by {@code bench/reencode-kills}. */
public final class ReencodeKills {

    private static final String USAGE = """
            bench/reencode-kills [--kills 1000] [--server-kills 100] [--minutes N] [--rows 20000] [--tables 3] [--writers 1] [--seed 42] [--mysql DIR]

            Half of the kills are on MariaDB, half on MySQL if --mysql or BLOBMARK_TEST_MYSQL names its base directory; --minutes ends each
            half earlier. `blobmark reencode` works on each table in a loop: --to zstd:3 or lz4 until that is complete, then --revert until
            that is, and sometimes --revert in the middle, each time by 1 to --writers writers. It is killed at a uniformly random time: a quarter of them before it has committed
            rows, the others within two seconds after. Its server is killed meanwhile, stays away for up to two seconds, and starts
            again: then it must continue by itself. An application writes
            all the time, see Application. After each fifth kill of a table, after each kill of the server, and whenever all rows are
            done: all values decode, are those that the application wrote last, and are not framed twice. The rows that the state
            counts never become fewer, and at the end are those of the table, give or take those that were inserted, deleted and moved.
            Exits with 1 if there are violations.
            """;

    private static final double KILLED_EARLY = 0.25;
    private static final long EARLY_MILLIS = 3_000;
    private static final long LATE_MILLIS = 2_000;
    private static final long POLL_MILLIS = 50;
    private static final int KILLS_PER_CHECK = 5;
    private static final double BACK_IN_THE_MIDDLE = 0.15;
    private static final int MAX_AWAY_MILLIS = 2_000;
    private static final long RUN_LIMIT_SECONDS = 300;
    private static final int NO_SUCH_TABLE = 1146;
    private static final String PASSWORD = "of-the-bench";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Optional<Path> mysql;
    private final int kills;
    private final int serverKills;
    private final long deadlineNanos;
    private final int rows;
    private final int tables;
    private final int writers;
    private final SplittableRandom random;
    private final Path scratch;
    private final List<String> program;
    private final AtomicInteger killed = new AtomicInteger();
    private final AtomicInteger[] killedIn = new AtomicInteger[Place.values().length];
    private final AtomicInteger complete = new AtomicInteger();
    private final AtomicInteger checks = new AtomicInteger();
    private final List<Double> lostSeconds = Collections.synchronizedList(new ArrayList<>());
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile boolean isDown;
    private volatile long lastDownNanos = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
    private int serverKilled;
    private KilledServer server;

    /** Where a change was when it was killed. */
    private enum Place {
        BEFORE,
        CHANGING,
        REVERTING
    }

    private ReencodeKills(
            Optional<Path> mysql,
            int kills,
            int serverKills,
            long minutes,
            int rows,
            int tables,
            int writers,
            long seed,
            Path scratch,
            List<String> program) {
        this.mysql = mysql;
        this.kills = kills;
        this.serverKills = serverKills;
        deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        this.rows = rows;
        this.tables = tables;
        this.writers = writers;
        random = new SplittableRandom(seed);
        this.scratch = scratch;
        this.program = program;
        for (Place place : Place.values()) {
            killedIn[place.ordinal()] = new AtomicInteger();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int kills = 1_000;
        int serverKills = 100;
        long minutes = TimeUnit.DAYS.toMinutes(7);
        int rows = 20_000;
        int tables = 3;
        int writers = 1;
        long seed = 42;
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--kills" -> kills = Integer.parseInt(arguments[++i]);
                case "--server-kills" -> serverKills = Integer.parseInt(arguments[++i]);
                case "--minutes" -> minutes = Long.parseLong(arguments[++i]);
                case "--rows" -> rows = Integer.parseInt(arguments[++i]);
                case "--tables" -> tables = Integer.parseInt(arguments[++i]);
                case "--writers" -> writers = Integer.parseInt(arguments[++i]);
                case "--seed" -> seed = Long.parseLong(arguments[++i]);
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        Path root = Path.of("").toAbsolutePath();
        Path scratch = Files.createDirectories(root.resolve("target").resolve("reencode-kills"));
        List<String> program = program(root, scratch);
        if (mysql.isEmpty()) {
            System.out.println("mysql: skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
        }
        boolean isWhole = true;
        List<Optional<Path>> products = mysql.isEmpty() ? List.of(mysql) : List.of(Optional.empty(), mysql);
        for (Optional<Path> product : products) {
            ReencodeKills half = new ReencodeKills(
                    product,
                    kills / products.size(),
                    serverKills / products.size(),
                    minutes,
                    rows,
                    tables,
                    writers,
                    seed,
                    scratch,
                    program);
            isWhole &= half.run();
        }
        System.exit(isWhole ? 0 : 1);
    }

    /** The program as the launcher starts it, without the second compiler. */
    private static List<String> program(Path root, Path scratch) throws IOException {
        List<String> current = Files.readAllLines(root.resolve("target/launcher/current"));
        Path build = Path.of(current.get(1)).resolve("blobmark-cli");
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dfile.encoding=UTF-8",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-Djava.io.tmpdir=" + Files.createDirectories(scratch.resolve("tmp")),
                "-cp",
                build.resolve("blobmark-cli.jar") + ":"
                        + Files.readString(build.resolve("classpath")).strip());
    }

    /** The command, with an archive of its classes: a start takes half of the time. */
    private List<String> command(String option, List<String> arguments) {
        List<String> command = new ArrayList<>(program);
        command.add(1, option + scratch.resolve("classes.jsa"));
        command.add("dev.blobmark.cli.Main");
        command.addAll(List.of(
                "reencode", "--server", "mysql://kills@" + server.endpoint().authority() + "/"));
        command.addAll(List.of("--get-server-public-key", "--yes", "--format", "json", "--ignore-replicas"));
        command.addAll(arguments);
        return command;
    }

    private Process started(List<String> command, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile());
        builder.environment().put("BLOBMARK_PASSWORD", PASSWORD);
        builder.environment().put("XDG_CACHE_HOME", scratch.resolve("cache").toString());
        return builder.start();
    }

    /** Seconds of an undisturbed change, whose classes are kept. */
    private double warmUp() throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(connection, "CREATE TABLE kills.warm (id INT PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
            Sql.execute(connection, "INSERT INTO kills.warm VALUES (1, REPEAT('a', 1000)), (2, REPEAT('b', 1000))");
        }
        Files.deleteIfExists(scratch.resolve("classes.jsa"));
        Path output = scratch.resolve("warm.log");
        double seconds = 0;
        for (String option : List.of("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile=")) {
            for (String action : List.of("--to=zstd:3", "--revert")) {
                if (option.startsWith("-XX:Archive") && action.equals("--revert")) {
                    continue;
                }
                long begin = System.nanoTime();
                int exit = started(command(option, List.of("--table", "kills.warm.payload", action)), output)
                        .waitFor();
                seconds = (System.nanoTime() - begin) / 1e9;
                if (exit != 0) {
                    throw new IllegalStateException(
                            "an undisturbed change exits " + exit + ": " + Files.readString(output));
                }
            }
        }
        return seconds;
    }

    private String product() {
        return mysql.isPresent() ? "mysql" : "mariadb";
    }

    private boolean run() throws Exception {
        try (KilledServer started = KilledServer.start(mysql, scratch.resolve("cache"))) {
            server = started;
            Runtime.getRuntime().addShutdownHook(new Thread(started::close)); // closing it twice is harmless
            prepare();
            System.out.printf(Locale.ROOT, "%s: an undisturbed change of two rows takes %.1f s%n", product(), warmUp());
            List<Table> all = new ArrayList<>();
            for (int i = 0; i < tables; i++) {
                all.add(new Table("kills.t" + i, i % 2 == 1, random.nextLong()));
            }
            all.forEach(Table::start);
            killServer(all);
            for (Table table : all) {
                table.join();
            }
            report(all);
            all.forEach(Table::close);
            for (Table table : all) {
                table.destroy();
            }
        }
        return violations.isEmpty();
    }

    private void prepare() throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(connection, "CREATE DATABASE kills");
            Sql.execute(connection, "CREATE USER 'kills'@'%' IDENTIFIED BY '" + PASSWORD + "'");
            Sql.execute(connection, "GRANT ALL ON *.* TO 'kills'@'%'");
        }
    }

    /** Kills the server after each of equally many kills of changes. */
    private void killServer(List<Table> all) throws Exception {
        while (all.stream().anyMatch(Thread::isAlive)) {
            TimeUnit.MILLISECONDS.sleep(100);
            boolean isDue =
                    serverKilled < serverKills && (long) killed.get() * serverKills > (long) serverKilled * kills;
            if (!isDue || all.stream().noneMatch(Thread::isAlive)) {
                continue;
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000));
            isDown = true;
            lastDownNanos = System.nanoTime();
            server.kill();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_AWAY_MILLIS));
            server.startAgain();
            lastDownNanos = System.nanoTime();
            isDown = false;
            serverKilled++;
            all.forEach(table -> table.isCheckDue = true);
            if (serverKilled % 10 == 0) {
                progress();
            }
        }
    }

    private void progress() {
        System.out.printf(
                Locale.ROOT,
                "%s: %d kills, %d of the server, %d violations%n",
                product(),
                killed.get(),
                serverKilled,
                violations.size());
        System.out.flush();
    }

    private void report(List<Table> all) {
        progress();
        System.out.printf(
                Locale.ROOT,
                "%s: killed %d before the first row, %d while changing, %d on the way back; %d changes and ways back were"
                        + " complete; all rows were compared %d times%n",
                product(),
                killedIn[Place.BEFORE.ordinal()].get(),
                killedIn[Place.CHANGING.ordinal()].get(),
                killedIn[Place.REVERTING.ordinal()].get(),
                complete.get(),
                checks.get());
        System.out.printf(
                Locale.ROOT,
                "%s: work that was not committed when it was killed: %.3f s on average, %.3f s at most%n",
                product(),
                lostSeconds.stream().mapToDouble(each -> each).average().orElse(0),
                lostSeconds.stream().mapToDouble(each -> each).max().orElse(0));
        System.out.printf(
                Locale.ROOT,
                "%s: the application committed %,d transactions; %d ended by deadlock, %d waited too long for a row; of %d the"
                        + " connection was lost%n",
                product(),
                all.stream().mapToLong(table -> table.application.writes.get()).sum(),
                all.stream()
                        .mapToLong(table -> table.application.deadlocks.get())
                        .sum(),
                all.stream()
                        .mapToLong(table -> table.application.timeouts.get())
                        .sum(),
                all.stream().mapToLong(table -> table.application.unknown.get()).sum());
        violations.stream().limit(50).forEach(violation -> System.out.println("violation: " + violation));
        System.out.flush();
    }

    /** What the state says. */
    private record Known(String phase, String codec, String begun, long rows, double updated) {}

    /** A table, its application, and the changes of it that are killed. */
    private final class Table extends Thread implements AutoCloseable {
        private final String table;
        private final Application application;
        private final SplittableRandom random;
        private final Path output;
        private volatile boolean isCheckDue;
        private Optional<Process> process = Optional.empty();
        private Connection asking;
        private long movesBefore;
        private int number;

        Table(String table, boolean isComposite, long seed) throws SQLException {
            super("kills of " + table);
            this.table = table;
            random = new SplittableRandom(seed);
            Endpoint endpoint = server.endpoint();
            application = new Application(endpoint, table, isComposite, seed);
            application.load(rows);
            application.start();
            output = scratch.resolve(product() + "-" + table + ".log");
        }

        @Override
        public void run() {
            try {
                while (!isOver.get() && killed.get() < kills && System.nanoTime() < deadlineNanos) {
                    step();
                }
                check("at the end");
            } catch (Exception e) {
                violation("the bench failed: " + e);
                isOver.set(true);
            }
        }

        private void violation(String text) {
            violations.add(product() + " " + table + " " + number + ": " + text);
            System.out.println("violation: " + violations.get(violations.size() - 1));
        }

        private void step() throws Exception {
            number++;
            Optional<Known> before = known();
            List<String> arguments = new ArrayList<>(List.of("--table", table + ".payload"));
            arguments.addAll(List.of("--speed", Integer.toString(20 + random.nextInt(81))));
            arguments.addAll(List.of("--transaction", random.nextBoolean() ? "5ms" : "50ms"));
            arguments.addAll(List.of("--writers", Integer.toString(1 + random.nextInt(writers))));
            arguments.addAll(action(before));
            long movesAtBegin = application.moves.get();
            long begin = System.nanoTime();
            double beginSeconds = System.currentTimeMillis() / 1e3;
            Process started = started(command("-XX:SharedArchiveFile=", arguments), output);
            process = Optional.of(started);
            boolean isEarly = random.nextDouble() < KILLED_EARLY;
            if (!isEarly) {
                awaitRows(started, before, beginSeconds);
            }
            long drawn = random.nextLong(isEarly ? EARLY_MILLIS : LATE_MILLIS);
            if (!started.waitFor(drawn, TimeUnit.MILLISECONDS)) {
                double killSeconds = System.currentTimeMillis() / 1e3;
                started.destroyForcibly().waitFor();
                Optional<Known> after = known();
                killed.incrementAndGet();
                Place place = place(before, after, beginSeconds);
                killedIn[place.ordinal()].incrementAndGet();
                boolean isServerKilled = isDown || lastDownNanos - begin > 0; // then it had waited for it
                if (place != Place.BEFORE && !isServerKilled) {
                    lostSeconds.add(
                            Math.max(0, killSeconds - after.orElseThrow().updated()));
                }
                requireProgress(before, after);
                isCheckDue |= killed.get() % KILLS_PER_CHECK == 0;
            } else if (started.exitValue() == 0) {
                ended(before, movesAtBegin);
            } else if (!isDown && begin - lastDownNanos > 0 || started.exitValue() != 3) {
                violation("exits " + started.exitValue() + ": " + tail());
                isCheckDue = true;
            }
            if (isCheckDue) {
                isCheckDue = false;
                check("after a kill");
            }
        }

        private void awaitRows(Process started, Optional<Known> before, double beginSeconds)
                throws InterruptedException {
            while (!started.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)
                    && place(before, known(), beginSeconds) == Place.BEFORE) {
                // until it has committed rows
            }
        }

        private String tail() throws IOException {
            List<String> lines = Files.readAllLines(output);
            return String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
        }

        /** What is next, by the state. */
        private List<String> action(Optional<Known> state) {
            String phase = state.map(Known::phase).orElse("REVERTED");
            return switch (phase) {
                case "REVERTING", "CHANGED" -> List.of("--revert");
                case "CHANGING" ->
                    random.nextDouble() < BACK_IN_THE_MIDDLE
                            ? List.of("--revert")
                            : List.of("--to", state.orElseThrow().codec());
                default -> List.of("--to", random.nextBoolean() ? "zstd:3" : "lz4");
            };
        }

        /** Whether the process had committed rows. */
        private Place place(Optional<Known> before, Optional<Known> after, double beginSeconds) {
            boolean isBegun = after.isPresent()
                    && after.get().rows()
                            > before.filter(known ->
                                            known.begun().equals(after.get().begun()))
                                    .map(Known::rows)
                                    .orElse(0L)
                    && after.get().updated() > beginSeconds;
            return !isBegun ? Place.BEFORE : after.get().phase().startsWith("CHANG") ? Place.CHANGING : Place.REVERTING;
        }

        /** What is committed is not done again. */
        private void requireProgress(Optional<Known> before, Optional<Known> after) {
            if (before.isPresent() && after.isEmpty()) {
                violation("its state is gone");
            } else if (before.isPresent()
                    && before.get().begun().equals(after.get().begun())
                    && after.get().rows() < before.get().rows()) {
                violation("its state has " + after.get().rows() + " rows, and had "
                        + before.get().rows());
            }
        }

        private void ended(Optional<Known> before, long movesAtBegin) throws Exception {
            Known after = known().orElseThrow();
            if (!after.phase().equals("CHANGED") && !after.phase().equals("REVERTED")) {
                violation("exits 0, and its state is " + after.phase());
            }
            complete.incrementAndGet();
            requireProgress(before, Optional.of(after));
            Application.Checked checked = check("complete");
            // since this change or way back began, which may be some processes ago
            long moves = application.moves.get() - movesBefore;
            boolean isOfPart = after.phase().equals("REVERTED"); // the way back of a part has only its rows
            if (Math.abs(after.rows() - checked.rows()) > moves && !(isOfPart && after.rows() < checked.rows())) {
                violation("complete with " + after.rows() + " rows; the table has " + checked.rows() + ", and " + moves
                        + " were inserted, deleted or moved");
            }
            movesBefore = movesAtBegin;
        }

        private Application.Checked check(String when) throws InterruptedException {
            while (true) {
                try {
                    Application.Checked checked = application.check();
                    checks.incrementAndGet();
                    checked.violations().stream().limit(5).forEach(text -> violation(when + ": " + text));
                    if (!checked.violations().isEmpty()) {
                        isOver.set(true);
                    }
                    return checked;
                } catch (SQLException e) { // the server is down
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        }

        /** Waits for a server that is down. */
        private Optional<Known> known() throws InterruptedException {
            while (true) {
                try {
                    if (asking == null) {
                        asking = JdbcDriver.connectForChanging(server.endpoint());
                    }
                    return known(asking);
                } catch (SQLException e) {
                    if (e.getErrorCode() == NO_SUCH_TABLE) {
                        return Optional.empty();
                    }
                    asking = null;
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                }
            }
        }

        private Optional<Known> known(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT state, UNIX_TIMESTAMP(updated) FROM kills.blobmark_reencode WHERE of_table = '"
                                    + table.replace("kills.", "") + "' ORDER BY LENGTH(of_column)")) {
                if (!row.next()) {
                    return Optional.empty();
                }
                JsonNode state = JSON.readTree(row.getString(1));
                String begun = state.path("begun").asString();
                double updated = row.getDouble(2);
                boolean isDivided = !state.path("bounds").isEmpty();
                long done = isDivided ? 0 : state.path("counts").path("rows").asLong();
                while (row.next()) { // parts
                    JsonNode part = JSON.readTree(row.getString(1));
                    if (isDivided && part.path("begun").asString().equals(begun)) {
                        done += part.path("counts").path("rows").asLong();
                        updated = Math.max(updated, row.getDouble(2));
                    }
                }
                return Optional.of(new Known(
                        state.path("phase").asString(), state.path("codec").asString(), begun, done, updated));
            }
        }

        /** Ends what it started. */
        void destroy() throws InterruptedException {
            if (process.isPresent()) {
                process.get().destroyForcibly().waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        }

        @Override
        public void close() {
            application.close();
        }
    }
}
