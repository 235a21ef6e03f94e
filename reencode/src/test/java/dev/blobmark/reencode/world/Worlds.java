package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;

/** Runs worlds, and finds the shortest history of one that breaks a promise. */
public final class Worlds {

    private static final int MOST_TRIES = 500;

    private Worlds() {}

    /** What became of a seed. */
    record Result(long seed, Optional<World.Ending> ending, String broken, Set<Long> eventful) {

        boolean isBroken() {
            return ending.isEmpty();
        }
    }

    static Result run(long seed, Set<Long> leftOut, List<String> history) {
        World world = new World(seed, leftOut, history);
        try {
            return new Result(seed, Optional.of(world.run()), "", world.eventful.keySet());
        } catch (Auditor.BrokenPromiseException e) {
            return new Result(seed, Optional.empty(), e.getMessage(), world.eventful.keySet());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (RuntimeException | Error e) { // the model, or production code that throws what is not documented
            if (history != null) {
                history.add("        " + e);
                for (StackTraceElement each : e.getStackTrace()) {
                    if (history.size() < 10_000 && each.getClassName().contains("reencode")) {
                        history.add("          at " + each);
                    }
                }
            }
            return new Result(seed, Optional.empty(), Auditor.ENDING + ": " + e, world.eventful.keySet());
        }
    }

    /** Leaves out what is not needed for the promise to be broken in the same way. */
    static Set<Long> shrunk(Result broken) {
        String kind = broken.broken().substring(0, broken.broken().indexOf(':'));
        int tries = 0;
        Set<Long> leftOut = new HashSet<>();
        List<Long> left = new ArrayList<>(broken.eventful());
        for (int size = Math.max(1, left.size() / 2); size >= 1; size = size == 1 ? 0 : size / 2) {
            for (int from = 0; from < left.size() && tries < MOST_TRIES; tries++) {
                Set<Long> without = new HashSet<>(leftOut);
                List<Long> part = left.subList(from, Math.min(left.size(), from + size));
                without.addAll(part);
                Result tried = run(broken.seed(), without, null);
                if (tried.isBroken() && tried.broken().startsWith(kind)) {
                    leftOut = without;
                    left = new ArrayList<>(tried.eventful());
                    left.removeAll(leftOut);
                } else {
                    from += size;
                }
            }
        }
        return leftOut;
    }

    /** What a reader is shown of a broken promise. */
    static List<String> told(Result broken) {
        List<String> history = new ArrayList<>();
        Result again = run(broken.seed(), shrunk(broken), history);
        history.add("broken: " + again.broken());
        return history;
    }

    /** The first seed of a range that breaks a promise; −1 if there is none. Called by reflection. */
    public static long firstBroken(long from, long to) {
        for (long seed = from; seed < to; seed++) {
            if (run(seed, Set.of(), null).isBroken()) {
                return seed;
            }
        }
        return -1;
    }

    /** @param arguments {@code --seeds FROM..TO}, without the last one, or {@code --seed SEED} */
    public static void main(String[] arguments) {
        if (arguments.length != 2 || !arguments[0].matches("--seeds?") || !arguments[1].matches("\\d+(\\.\\.\\d+)?")) {
            System.err.println("write --seeds FROM..TO or --seed SEED");
            System.exit(2);
        }
        if (arguments[0].equals("--seed")) {
            List<String> history = new ArrayList<>();
            Result result = run(Long.parseLong(arguments[1]), Set.of(), history);
            history.forEach(System.out::println);
            System.out.println(result.ending().map(Enum::toString).orElse("broken: " + result.broken()));
            return;
        }
        String[] range = arguments[1].split("\\.\\.");
        long from = Long.parseLong(range[0]);
        long to = Long.parseLong(range[1]);
        long begin = System.nanoTime();
        Map<String, Long> endings = new ConcurrentSkipListMap<>();
        Map<String, Result> broken = new ConcurrentSkipListMap<>();
        LongStream.range(from, to).parallel().forEach(seed -> {
            Result result = run(seed, Set.of(), null);
            endings.merge(result.ending().map(Enum::toString).orElse("broken"), 1L, Long::sum);
            if (result.isBroken()) {
                broken.putIfAbsent(result.broken().replaceAll("\\d+", "N"), result);
            }
        });
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%d seeds in %.0f s, %.0f in a second: %s%n",
                to - from,
                seconds,
                (to - from) / seconds,
                endings);
        broken.values().forEach(each -> told(each).forEach(System.out::println));
        if (!broken.isEmpty()) {
            System.exit(1);
        }
    }
}
