package dev.blobmark.bench.reencode.witness;

import dev.blobmark.bench.reencode.random.Seat;
import dev.blobmark.reencode.checkpoint.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Changes rows without a log while their table is copied, and judges what the comparison after the exchange makes of
 * it. Started by {@code bench/reencode-witness}.
 */
public final class ReencodeWitness {

    private static final String USAGE = """
            bench/reencode-witness [--seeds 200] [--from 1] [--seed N] [--servers LIST] [--mysql DIR] [--results FILE]

            From each seed, a table and changes of its rows are drawn that a session makes with sql_log_bin=0, before a copy of the table,
            while it is made, at its exchange and after it. An application writes the table all the time, and connections of the copy are
            killed. Each write has a token of its own, and what was committed is kept in memory. So it is known what both tables, the
            replica of the server and the table of differences must have at the end.

            --servers    of mariadb-log and mysql-log. Default: both, MySQL if --mysql or BLOBMARK_TEST_MYSQL names its base directory
            --seeds      number of seeds on each server, beginning with --from
            --seed       one seed, with its plan
            --results    file of a line of JSON for each run, to which is added; default: target/reencode-witness.jsonl
            Prints a line for each server. Exits with 1 if a change is missed, a write overwritten, a replica or anything else wrong.
            """;

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int SHOWN = 3;

    private final Seat seat;
    private final Path results;
    private final boolean isShown;
    private final Map<Judgement.Fate, Integer> fates = new EnumMap<>(Judgement.Fate.class);
    private final Map<Judgement.Kind, Integer> violations = new EnumMap<>(Judgement.Kind.class);
    private int runs;
    private int unlogged;
    private int logged;
    private int stops;
    private int kills;
    private int tooMany;
    private int digests;
    private int wrong;

    private ReencodeWitness(Seat seat, Path results, boolean isShown) {
        this.seat = seat;
        this.results = results;
        this.isShown = isShown;
    }

    public static void main(String[] arguments) throws Exception {
        long from = 1;
        long seeds = 200;
        boolean isShown = false;
        List<Seat> seats = List.of(Seat.MARIADB_LOG, Seat.MYSQL_LOG);
        Path results = Path.of("target", "reencode-witness.jsonl");
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
                    isShown = true;
                }
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
        if (!seats.stream().allMatch(seat -> seat.hasLog)) {
            System.err.println("--servers: of mariadb-log and mysql-log, which have a replica");
            System.exit(2);
        }
        Files.createDirectories(results.toAbsolutePath().getParent());
        boolean isRight = true;
        for (Seat seat : seats) {
            if (seat.isMySql && mysql.isEmpty()) {
                System.out.println(seat.id() + ": skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
                continue;
            }
            isRight &= new ReencodeWitness(seat, results, isShown).run(mysql, from, seeds);
        }
        System.exit(isRight ? 0 : 1);
    }

    private boolean run(Optional<Path> mysql, long from, long seeds)
            throws SQLException, IOException, InterruptedException {
        Path cache = Path.of("target", "reencode-witness").toAbsolutePath();
        Optional<Pair> pair = Optional.empty();
        try {
            for (long seed = from; seed < from + seeds; seed++) {
                Plan plan = Plan.of(seed);
                if (isShown) {
                    System.out.println(plan);
                }
                try {
                    if (pair.isEmpty()) {
                        pair = Optional.of(Pair.open(seat, mysql, cache));
                    }
                    record(plan, pair.get().run(plan));
                } catch (IllegalStateException e) { // such as a replica that has stopped: the next seed has others
                    failed(plan, e);
                    pair.ifPresent(Pair::close);
                    pair = Optional.empty();
                }
            }
        } finally {
            pair.ifPresent(Pair::close);
        }
        report();
        return wrong == 0;
    }

    private void failed(Plan plan, IllegalStateException e) throws IOException {
        runs++;
        wrong++;
        boolean isReplica = String.valueOf(e.getMessage()).startsWith("the replica");
        if (isReplica) {
            violations.merge(Judgement.Kind.REPLICA, 1, Integer::sum);
        }
        show(plan, e.getMessage());
        write(Map.of("seed", plan.seed(), "server", seat.id(), "failed", String.valueOf(e.getMessage())));
    }

    private void show(Plan plan, String text) {
        System.out.println(seat.id() + " seed " + plan.seed() + ": " + text);
        System.out.flush();
    }

    private void write(Map<String, Object> line) throws IOException {
        Files.writeString(
                results, JSON.writeValueAsString(line) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void record(Plan plan, Trial.Result result) throws IOException {
        runs++;
        unlogged += result.unlogged();
        logged += result.logged();
        stops += result.stops();
        kills += result.kills();
        wrong += result.isRight() ? 0 : 1;
        tooMany += result.verdict().filter(Verdict::isTooMany).isPresent() ? 1 : 0;
        digests += result.verdict().filter(verdict -> !verdict.byViews()).isPresent() ? 1 : 0;
        Judgement judgement = result.judgement();
        judgement.rows().forEach((fate, number) -> fates.merge(fate, number, Integer::sum));
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("seed", plan.seed());
        line.put("server", seat.id());
        line.put("rows", plan.rows());
        line.put("logged", result.logged());
        line.put("unlogged", result.unlogged());
        line.put("mayLeaveLog", plan.mayLeaveLog());
        line.put("rowImage", plan.rowImage());
        line.put("stops", result.stops());
        line.put("kills", result.kills());
        line.put("verdict", result.verdict().map(Verdict::inWords).orElse("none"));
        line.put("fates", lowerCase(judgement.rows()));
        line.put("violations", lowerCase(judgement.violations()));
        line.put("wrong", result.wrong());
        line.put("seconds", Math.round(result.seconds() * 100) / 100.0);
        write(line);
        judgement.violations().forEach((kind, texts) -> {
            violations.merge(kind, texts.size(), Integer::sum);
            texts.stream().limit(SHOWN).forEach(text -> show(plan, kind + " " + text));
        });
        result.wrong().stream().limit(SHOWN).forEach(text -> show(plan, text));
        if (isShown) {
            show(plan, "" + line);
        }
    }

    private static Map<String, Object> lowerCase(Map<? extends Enum<?>, ?> map) {
        Map<String, Object> named = new TreeMap<>();
        map.forEach((name, value) -> named.put(name.name().toLowerCase(Locale.ROOT), value));
        return named;
    }

    private void report() {
        System.out.printf(
                Locale.ROOT,
                "%s: %,d runs, %,d writes of the application, %,d changes without a log, %d kills, %d ends before the exchange, %d"
                        + " comparisons by the digest, %d with too many rows; rows changed without a log: %,d had been seen, %,d"
                        + " brought over, %,d named as conflicts, %,d undecided, %,d among too many; missed %d, overwritten %d,"
                        + " replica unequal %d, without a reason %d, former table unequal %d; %d runs wrong%n",
                seat.id(),
                runs,
                logged,
                unlogged,
                kills,
                stops,
                digests,
                tooMany,
                of(Judgement.Fate.SEEN),
                of(Judgement.Fate.BROUGHT_OVER),
                of(Judgement.Fate.CONFLICT),
                of(Judgement.Fate.UNDECIDED),
                of(Judgement.Fate.TOO_MANY),
                of(Judgement.Kind.MISSED),
                of(Judgement.Kind.OVERWRITTEN),
                of(Judgement.Kind.REPLICA),
                of(Judgement.Kind.NEEDLESS),
                of(Judgement.Kind.FORMER),
                wrong);
    }

    private int of(Judgement.Fate fate) {
        return fates.getOrDefault(fate, 0);
    }

    private int of(Judgement.Kind kind) {
        return violations.getOrDefault(kind, 0);
    }
}
