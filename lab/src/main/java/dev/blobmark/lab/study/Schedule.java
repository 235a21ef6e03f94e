package dev.blobmark.lab.study;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How often and how long trials are measured.
 *
 * @param rounds passes over all trials, 1 to 10,000, spread evenly over the forks
 * @param forks fresh JVMs, 1 to the number of rounds
 * @param warmUp the longest run-in of a trial after each of its rows has been read once
 * @param seed from which every random choice of the run is drawn
 */
public record Schedule(int rounds, int forks, Window window, Duration warmUp, long seed) {

    /** The settings' names as written in a study. */
    public static final List<String> KEYS = List.of("rounds", "forks", "window", "warm-up", "seed");

    public Schedule {
        if (rounds < 1 || rounds > 10_000) {
            throw new IllegalArgumentException("rounds: " + rounds + " is not between 1 and 10000");
        }
        if (forks < 1 || forks > rounds) {
            throw new IllegalArgumentException("forks: " + forks + " is not between 1 and the number of rounds, "
                    + rounds + "; give more rounds or fewer forks");
        }
        if (warmUp.isNegative()) {
            throw new IllegalArgumentException("warm-up: " + warmUp + " is negative");
        }
    }

    /**
     * Reads a schedule from its settings as written in a study.
     *
     * @param settings one for each of {@link #KEYS}
     * @throws IllegalArgumentException with the reason and the mend
     */
    public static Schedule of(Map<String, String> settings) {
        return new Schedule(
                (int) number(settings.get("rounds"), 1, 10_000),
                (int) number(settings.get("forks"), 1, 10_000),
                Window.parse(settings.get("window")),
                Durations.parse(settings.get("warm-up")),
                number(settings.get("seed"), Long.MIN_VALUE, Long.MAX_VALUE));
    }

    /**
     * Checks one setting by itself, so that all of a study's problems can be told at once.
     *
     * @throws IllegalArgumentException with the reason and the mend
     */
    static void check(String key, String text) {
        switch (key) {
            case "rounds", "forks" -> number(text, 1, 10_000);
            case "seed" -> number(text, Long.MIN_VALUE, Long.MAX_VALUE);
            case "window" -> Window.parse(text);
            case "warm-up" -> Durations.parse(text);
            default -> throw new IllegalArgumentException("'" + key + "' is no setting of a schedule");
        }
    }

    /** The settings as {@link #of} reads them, in the order of {@link #KEYS}. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("rounds", Integer.toString(rounds));
        settings.put("forks", Integer.toString(forks));
        settings.put("window", window.toString());
        settings.put("warm-up", Durations.print(warmUp));
        settings.put("seed", Long.toString(seed));
        return settings;
    }

    private static long number(String text, long min, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below, like a number out of range
        }
        throw new IllegalArgumentException("'" + text + "' is not a whole number between " + min + " and " + max);
    }
}
