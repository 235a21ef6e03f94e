package dev.blobmark.bench.reencode.tokens;

import dev.blobmark.bench.reencode.random.Seat;
import dev.blobmark.bench.reencode.random.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Appends tokens to lists in stored values while these are changed, and judges each read. Started by
 * {@code bench/reencode-tokens}.
 */
public final class ReencodeTokens {

    private static final String USAGE = """
            bench/reencode-tokens [--transactions N] [--minutes 10] [--servers LIST] [--modes in-place,copy] [--workers 6] [--lists 1200]
                                  [--seed 42] [--no-kills] [--mysql DIR] [--results FILE]

            Workers append tokens of their own to lists in the values of a table, by the library for values: half of them write frames, half
            values as they are, and all read both. Meanwhile `reencode` changes the values, takes that back, and begins again; its
            connections and those of the workers are killed. A token is a worker's number and how often it has appended to that list, so
            each value shows which operation has written it, and any read is judged at once: it has all tokens that were acknowledged
            before it began, each once, in the order in which others have read them. A commit whose answer was lost may be there or not.

            --servers      of mariadb-log, mariadb, mysql-log and mysql; those without a log copy by triggers
            --minutes      for each server and mode
            --transactions for each server and mode, if that is reached before
            --results      file of a line of JSON for each run, to which is added; default: target/reencode-tokens.jsonl
            Prints the sum of all runs of that file. Exits with 1 if there are violations.
            """;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ReencodeTokens() {}

    public static void main(String[] arguments) throws Exception {
        long transactions = Long.MAX_VALUE;
        long minutes = 10;
        int workers = 6;
        int lists = 1_200;
        long seed = 42;
        boolean isKilling = true;
        List<String> modes = List.of("in-place", "copy");
        List<Seat> seats = List.of(Seat.values());
        Path results = Path.of("target", "reencode-tokens.jsonl");
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--transactions" -> transactions = Long.parseLong(arguments[++i]);
                case "--minutes" -> minutes = Long.parseLong(arguments[++i]);
                case "--workers" -> workers = Integer.parseInt(arguments[++i]);
                case "--lists" -> lists = Integer.parseInt(arguments[++i]);
                case "--seed" -> seed = Long.parseLong(arguments[++i]);
                case "--no-kills" -> isKilling = false;
                case "--modes" -> modes = List.of(arguments[++i].split(","));
                case "--servers" ->
                    seats = Stream.of(arguments[++i].split(",")).map(Seat::of).toList();
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                case "--results" -> results = Path.of(arguments[++i]);
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        Files.createDirectories(results.toAbsolutePath().getParent());
        boolean isRight = true;
        for (Seat seat : seats) {
            if (seat.isMySql && mysql.isEmpty()) {
                System.out.println(seat.id() + ": skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
                continue;
            }
            for (String mode : modes) {
                try (Stage stage = Stage.open(
                        seat, mysql, Path.of("target", "reencode-tokens").toAbsolutePath())) {
                    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
                    Run.Summary summary = new Run(
                                    stage, mode.equals("copy"), workers, lists, transactions, end, isKilling, seed++)
                            .run();
                    isRight &= report(seat, mode, summary, results);
                }
            }
        }
        total(results);
        System.exit(isRight ? 0 : 1);
    }

    /** Whether nothing was violated. */
    private static boolean report(Seat seat, String mode, Run.Summary summary, Path results) throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%s, %s: %,d transactions in %.0f s (%,.0f in a second), %,d values read; lost %d, doubled %d, out of order %d; %d"
                        + " changes, %d kills, %,d answers lost, %,d times overtaken%n",
                seat.id(),
                mode,
                summary.transactions(),
                summary.seconds(),
                summary.transactions() / summary.seconds(),
                summary.reads(),
                summary.lost(),
                summary.doubled(),
                summary.outOfOrder(),
                summary.changes(),
                summary.kills(),
                summary.unknown(),
                summary.overtaken());
        summary.stops().forEach((reason, times) -> System.out.println("  ended " + times + " × " + reason));
        System.out.flush();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("server", seat.id());
        line.put("mode", mode);
        line.put("transactions", summary.transactions());
        line.put("reads", summary.reads());
        line.put("lost", summary.lost());
        line.put("doubled", summary.doubled());
        line.put("outOfOrder", summary.outOfOrder());
        line.put("changes", summary.changes());
        line.put("kills", summary.kills());
        line.put("unknown", summary.unknown());
        line.put("seconds", Math.round(summary.seconds()));
        line.put("problems", summary.problems());
        line.put("stops", summary.stops());
        Files.writeString(
                results, JSON.writeValueAsString(line) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return summary.problems().isEmpty();
    }

    /** The sum of all runs. */
    private static void total(Path results) throws IOException {
        Map<String, Long> sums = new TreeMap<>();
        for (String line : Files.readAllLines(results)) {
            JsonNode run = JSON.readTree(line);
            for (String name : List.of("transactions", "reads", "lost", "doubled", "outOfOrder", "kills", "changes")) {
                sums.merge(name, run.path(name).asLong(), Long::sum);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "all runs: %,d transactions, %,d values read; lost %d, doubled %d, out of order %d; %,d changes, %,d kills%n",
                sums.get("transactions"),
                sums.get("reads"),
                sums.get("lost"),
                sums.get("doubled"),
                sums.get("outOfOrder"),
                sums.get("changes"),
                sums.get("kills"));
    }
}
