package dev.blobmark.bench.value.deletion;

import dev.blobmark.bench.reencode.random.Seat;
import dev.blobmark.bench.reencode.random.Stage;
import dev.blobmark.lab.server.own.OwnServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Deletes a dictionary while others move the values that refer to it. Started by {@code bench/value-deletion}. */
public final class ValueDeletion {

    private static final String USAGE = """
            bench/value-deletion [--seeds 100] [--from 1] [--seed N] [--servers LIST] [--mysql DIR]

            From each seed, a table of values and the statements of some sessions are drawn: they copy, move, change and remove values in
            transactions of all levels, commit them late or roll them back, prepare them and disconnect, rename tables and make new ones.
            Nobody encodes anything.
            Meanwhile the dictionary of some of these values is deleted, again and again until it is gone or all sessions have ended. When
            it is gone, all that is open is committed. Then no table may have a value that refers to it. When all sessions have ended and
            no table has one, it must be possible to delete it.

            --servers    of mariadb and mysql. Default: both, MySQL if --mysql or BLOBMARK_TEST_MYSQL names its base directory
            --seeds      number of seeds on each server, beginning with --from
            --seed       one seed, with all that was done
            Prints a line for each server, and what was done with a seed that lost values. Exits with 1 if there is one.
            """;

    private ValueDeletion() {}

    public static void main(String[] arguments) throws Exception {
        long from = 1;
        long seeds = 100;
        boolean isShown = false;
        List<Seat> seats = List.of(Seat.MARIADB, Seat.MYSQL);
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
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        boolean isRight = true;
        for (Seat seat : seats) {
            if (seat.isMySql && mysql.isEmpty()) {
                System.out.println(seat.id() + ": skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
                continue;
            }
            isRight &= run(seat, mysql, from, seeds, isShown);
        }
        System.exit(isRight ? 0 : 1);
    }

    private static boolean run(Seat seat, Optional<Path> mysql, long from, long seeds, boolean isShown)
            throws SQLException, InterruptedException {
        Map<Race.Ending, Integer> endings = new EnumMap<>(Race.Ending.class);
        long statements = 0;
        long attempts = 0;
        Path cache = Path.of("target", "value-deletion").toAbsolutePath();
        try (OwnServer server = Stage.start(seat, mysql, cache, Map.of())) {
            for (long seed = from; seed < from + seeds; seed++) {
                Race race = new Race(server.endpoint(), seed);
                Race.Ending ending = race.run();
                endings.merge(ending, 1, Integer::sum);
                statements += race.statements();
                attempts += race.attempts();
                if (isShown || ending.isWrong) {
                    System.out.println(seat.id() + " seed " + seed + ": " + ending.words);
                    race.history().forEach(line -> System.out.println("  " + line));
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %d seeds, %,d statements of others, %,d deletions tried%n",
                seat.id(),
                seeds,
                statements,
                attempts);
        endings.forEach((ending, number) -> System.out.printf(Locale.ROOT, "  %4d %s%n", number, ending.words));
        System.out.flush();
        return endings.keySet().stream().noneMatch(ending -> ending.isWrong);
    }
}
