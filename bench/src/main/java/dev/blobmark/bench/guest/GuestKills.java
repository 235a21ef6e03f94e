package dev.blobmark.bench.guest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;

/** Kills guests with SIGKILL at random times, on a server with a replica. Started by {@code bench/guest-kills}. */
public final class GuestKills {

    private static final String USAGE = """
            bench/guest-kills [--kills 100] [--seed 42] [--mysql DIR]

            Half of the runs are on MariaDB, half on MySQL if --mysql or BLOBMARK_TEST_MYSQL names its base directory. They alternate between
            reading, and writing to the binary log. An undisturbed run shows how long a run is connected. Each kill happens at a uniformly
            random time within that period, alternately of Blobmark's JVM alone, and of all its JVMs. After each kill, an ordinary run and
            `cleanup` must succeed, foreign contents of both servers must be unchanged, the replica must follow, and no process and no
            temporary file may be left. Exits with 1 if there are violations.
            """;

    private final List<String> violations = new ArrayList<>();
    private final Random random;
    private int kills;

    private GuestKills(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        int kills = 100;
        long seed = 42;
        Optional<Path> mysql = Optional.ofNullable(System.getenv("BLOBMARK_TEST_MYSQL"))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--kills" -> kills = Integer.parseInt(arguments[++i]);
                case "--seed" -> seed = Long.parseLong(arguments[++i]);
                case "--mysql" -> mysql = Optional.of(Path.of(arguments[++i]));
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        GuestKills all = new GuestKills(seed);
        System.out.println("product  kill  run     victim  drawn s  samples  seconds  result");
        if (mysql.isEmpty()) {
            System.out.println("mysql: skipped, neither --mysql nor BLOBMARK_TEST_MYSQL is set");
            all.on(Product.MARIADB, mysql, kills);
        } else {
            all.on(Product.MARIADB, mysql, kills - kills / 2);
            all.on(Product.MYSQL, mysql, kills / 2);
        }
        System.out.println(all.kills + " kills, " + all.violations.size() + " violations");
        all.violations.forEach(violation -> System.out.println("violation: " + violation));
        System.exit(all.violations.isEmpty() ? 0 : 1);
    }

    private void on(Product product, Optional<Path> mysql, int count) throws Exception {
        try (Fixture fixture = Fixture.open(product, mysql, Path.of("").toAbsolutePath(), "guest-kills")) {
            Workbench bench = fixture.bench();
            long[] connected = {connectedMillis(bench, false), connectedMillis(bench, true)};
            // a run that ends before its kill does not count
            for (int number = 1, tries = 0; number <= count && tries < 3 * count; tries++) {
                if (kill(bench, number, connected)) {
                    number++;
                    kills++;
                }
            }
        }
    }

    /** Milliseconds from the first connection of an undisturbed run to its end. */
    private static long connectedMillis(Workbench bench, boolean writes) throws Exception {
        bench.pair().restore(!writes);
        BlobmarkProcess run = bench.startRun(writes);
        awaitConnected(bench, run);
        long begin = System.nanoTime();
        List<String> wrong = bench.undisturbed("an undisturbed run", run);
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(wrong.get(0));
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    private static void awaitConnected(Workbench bench, BlobmarkProcess run) throws Exception {
        try (Sql observer = bench.pair().onSource()) {
            while (run.isAlive()
                    && !observer.isAny("SELECT id FROM information_schema.processlist WHERE user = 'guest'")) {
                Thread.sleep(2);
            }
        }
    }

    /** @return false if the run had ended before the kill */
    private boolean kill(Workbench bench, int number, long[] connected) throws Exception {
        boolean writes = number % 2 == 0;
        boolean forksToo = number / 2 % 2 == 0;
        long begin = System.nanoTime();
        bench.pair().restore(!writes);
        SortedMap<String, String> before = bench.pair().contents();
        List<String> temporary = bench.home().temporaryFiles();
        long drawn = (long) (random.nextDouble() * connected[writes ? 1 : 0]);
        BlobmarkProcess run = bench.startRun(writes);
        awaitConnected(bench, run);
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drawn);
        while (run.isAlive() && System.nanoTime() < due) {
            Thread.sleep(1);
        }
        if (!run.isAlive()) {
            return false;
        }
        run.kill(forksToo);
        long samples = run.samples();
        List<String> wrong = new ArrayList<>(bench.foreign(before, false));
        wrong.addAll(bench.undisturbed("the run after it", bench.startRun(false)));
        wrong.addAll(bench.undisturbed("cleanup", bench.startCleanup()));
        wrong.addAll(bench.foreign(before, false));
        wrong.addAll(bench.leftovers(temporary, writes));
        wrong = wrong.stream().distinct().toList();
        String id = bench.pair().product().id() + " " + number;
        wrong.forEach(text -> violations.add(id + ": " + text));
        System.out.printf(
                Locale.ROOT,
                "%-7s  %4d  %-6s  %-6s  %7.2f  %7d  %7.1f  %s%n",
                bench.pair().product().id(),
                number,
                writes ? "writes" : "reads",
                forksToo ? "both" : "alone",
                drawn / 1e3,
                samples,
                (System.nanoTime() - begin) / 1e9,
                wrong.isEmpty() ? "whole" : String.join("; ", wrong));
        System.out.flush();
        return true;
    }
}
