package dev.blobmark.bench.reencode.random;

import dev.blobmark.bench.reencode.random.Result.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Changes random tables while random sessions use them, and compares each with a twin that only the sessions used.
 * Started by {@code bench/reencode-random}.
 */
public final class ReencodeRandom {

    private static final String USAGE = """
            bench/reencode-random [--seeds 100] [--from N] [--seed N] [--minutes N] [--servers LIST] [--modes LIST]
                                  [--mysql DIR] [--no-change] [--unlogged] [--no-shrink] [--shrink WORDS] [--log] [--results FILE]

            From each seed, a table, its rows, sessions with settings, and their statements are drawn. `reencode` changes the table, in
            place or by a copy, while the statements are executed on it; each that succeeds is executed on a twin in another schema too.
            Afterwards table and twin must have the same rows and definitions, or the change must have ended with a reason.

            --servers    of mariadb-log, mariadb, mysql-log and mysql; those without a log copy by triggers. Default: all, those of
                         MySQL if --mysql or BLOBMARK_TEST_MYSQL names its base directory
            --modes      of copy and in-place; seeds of another mode are left out. Default: both
            --seeds      number of seeds on each server, beginning with --from (1, or the one after the last in --results)
            --seed       one seed, with all that happened
            --no-change  examines the bench itself: the statements without a change
            --unlogged   some sessions write with sql_log_bin=0
            --shrink     also those that end with a reason that contains these words
            --results    file of a line of JSON for each trial, to which is added; default: target/reencode-random.jsonl
            Prints what differs, reasons that are not for people, and rows that only the comparison after the exchange has found; the
            first of each kind is shrunk to the statements that it needs, for some minutes, unless --no-shrink. Exits with 1 if
            something differs or hangs.
            """;

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int WORDS = 9;

    private final List<Seat> seats;
    private final Optional<Path> mysql;
    private final Options options;
    private final Path results;
    private final Map<Seat, Map<Outcome, Integer>> counts = new EnumMap<>(Seat.class);
    private final Map<String, Integer> reasons = new TreeMap<>();
    private final Set<String> shrunk = new HashSet<>();
    private int violations;

    /** What is asked for. */
    private record Options(
            long from,
            long seeds,
            long endNanos,
            Set<String> modes,
            boolean isMade,
            boolean isUnlogged,
            boolean isShrunk,
            Optional<String> words,
            boolean hasLog) {}

    private ReencodeRandom(List<Seat> seats, Optional<Path> mysql, Options options, Path results) {
        this.seats = seats;
        this.mysql = mysql;
        this.options = options;
        this.results = results;
    }

    public static void main(String[] arguments) throws Exception {
        long from = 1;
        long seeds = 100;
        long minutes = TimeUnit.DAYS.toMinutes(7);
        Set<String> modes = Set.of("copy", "in-place");
        boolean isMade = true;
        boolean isUnlogged = false;
        boolean isShrunk = true;
        Optional<String> words = Optional.empty();
        boolean hasLog = false;
        List<Seat> seats = List.of(Seat.values());
        Path results = Path.of("target", "reencode-random.jsonl");
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--seeds" -> seeds = Long.parseLong(arguments[++i]);
                case "--from" -> from = Long.parseLong(arguments[++i]);
                case "--seed" -> {
                    from = Long.parseLong(arguments[++i]);
                    seeds = 1;
                    hasLog = true;
                }
                case "--minutes" -> minutes = Long.parseLong(arguments[++i]);
                case "--servers" ->
                    seats = Stream.of(arguments[++i].split(",")).map(Seat::of).toList();
                case "--modes" -> modes = Set.of(arguments[++i].split(","));
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                case "--no-change" -> isMade = false;
                case "--unlogged" -> isUnlogged = true;
                case "--no-shrink" -> isShrunk = false;
                case "--shrink" -> words = Optional.of(arguments[++i]);
                case "--log" -> hasLog = true;
                case "--results" -> results = Path.of(arguments[++i]);
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        if (mysql.isEmpty() && seats.stream().anyMatch(seat -> seat.isMySql)) {
            System.out.println("mysql: skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
            seats = seats.stream().filter(seat -> !seat.isMySql).toList();
        }
        Files.createDirectories(results.toAbsolutePath().getParent());
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        ReencodeRandom bench = new ReencodeRandom(
                seats,
                mysql,
                new Options(from, seeds, end, modes, isMade, isUnlogged, isShrunk, words, hasLog),
                results);
        bench.run();
        System.exit(bench.violations == 0 ? 0 : 1);
    }

    private void run() throws Exception {
        Path cache = Path.of("target", "reencode-random").toAbsolutePath();
        List<Thread> threads = new ArrayList<>();
        for (Seat seat : seats) {
            Thread thread = new Thread(() -> run(seat, cache), seat.id());
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        report();
    }

    private void run(Seat seat, Path cache) {
        try (Stage stage = Stage.open(seat, mysql, cache)) {
            for (long seed = options.from(); seed < options.from() + options.seeds(); seed++) {
                if (System.nanoTime() > options.endNanos()) {
                    return;
                }
                run(stage, seed);
            }
        } catch (Exception e) {
            failed(seat, e);
        }
    }

    private synchronized void failed(Seat seat, Exception e) {
        violations++;
        System.out.println(seat.id() + ": the bench failed: " + e);
        e.printStackTrace(System.out);
    }

    private void run(Stage stage, long seed) throws SQLException, IOException, InterruptedException {
        Scenario drawn = Draw.scenario(stage.seat, seed, options.isUnlogged());
        if (!options.modes().contains(mode(drawn))) {
            return;
        }
        Scenario scenario = options.isMade() ? drawn : drawn.withoutChange();
        Result result = Trial.run(stage, scenario);
        record(scenario, result);
        if (options.hasLog()) {
            print(Shrink.text(scenario) + "\n" + String.join("\n", result.log()) + "\n" + result);
        }
        boolean isToBeShrunk = result.isViolation()
                || result.isDoubtful(options.isUnlogged())
                || options.words().filter(result.reason()::contains).isPresent();
        if (isToBeShrunk && options.isShrunk() && isFirst(scenario, result)) {
            Shrink.Shrunk shrunk = Shrink.run(stage, scenario, result);
            print(stage.seat.id() + " seed " + seed + ", shrunk: "
                    + shrunk.result().reason() + "\n"
                    + Shrink.text(shrunk.scenario())
                    + String.join("\n", shrunk.result().log()) + "\n");
        }
    }

    /** Of several that differ alike, one is shrunk. */
    private synchronized boolean isFirst(Scenario scenario, Result result) {
        return shrunk.add(
                scenario.seat() + " " + scenario.change().isCopy() + " " + firstWords(scenario, result.reason()));
    }

    private static synchronized void print(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private synchronized void record(Scenario scenario, Result result) throws IOException {
        Seat seat = scenario.seat();
        counts.computeIfAbsent(seat, of -> new EnumMap<>(Outcome.class)).merge(result.outcome(), 1, Integer::sum);
        if (result.outcome() != Outcome.CHANGED) {
            reasons.merge(result.outcome() + " " + firstWords(scenario, result.reason()), 1, Integer::sum);
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("seed", scenario.seed());
        line.put("server", seat.id());
        line.put("mode", mode(scenario));
        line.put("unlogged", options.isUnlogged());
        line.put("change", scenario.isMade());
        line.put("outcome", result.outcome().name().toLowerCase(Locale.ROOT));
        line.put("reason", result.reason());
        line.put("statements", result.executed());
        line.put("seconds", Math.round(result.seconds() * 100) / 100.0);
        Files.writeString(
                results, JSON.writeValueAsString(line) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        if (result.isViolation() || result.isDoubtful(options.isUnlogged())) {
            violations += result.isViolation() ? 1 : 0;
            print(seat.id() + " seed " + scenario.seed() + ": " + result.outcome() + " " + result.reason());
        }
    }

    private static String mode(Scenario scenario) {
        return scenario.change().isCopy() ? "copy" : "in-place";
    }

    /** Without names and numbers of this trial. */
    private static String firstWords(Scenario scenario, String reason) {
        String general = reason.replace(scenario.table().name(), "TABLE")
                .replace(scenario.table().payload(), "COLUMN")
                .replaceAll("`[^`]*`|r\\d+\\.", "")
                .replaceAll("\\d+", "#");
        return Stream.of(general.split("\\s+"))
                .limit(WORDS)
                .reduce("", (one, two) -> one + " " + two)
                .strip();
    }

    private void report() {
        counts.forEach((seat, of) -> {
            int all = of.values().stream().mapToInt(Integer::intValue).sum();
            System.out.print(seat.id() + ": " + all + " schemas");
            of.forEach((outcome, number) -> System.out.printf(
                    Locale.ROOT,
                    ", %d %s (%.0f %%)",
                    number,
                    outcome.name().toLowerCase(Locale.ROOT),
                    100.0 * number / all));
            System.out.println();
        });
        reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(entry -> System.out.println(entry.getValue() + " × " + entry.getKey()));
    }
}
