package dev.blobmark.lab.study;

import dev.blobmark.stats.Confidence;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How often and how long trials are measured.
 *
 * @param rounds measurements of each trial, 1 to 10,000, distributed evenly over the forks
 * @param forks fresh JVMs, 1 to the number of rounds
 * @param warmUp the longest warm-up of a trial, after each of its rows has been read once
 * @param seed of every random choice of the run
 * @param visit length of the parts of a window, 5 ms or more, for trials that can stay open; empty for windows in one
 *     piece
 * @param untilPrecise the precision for which forks are added; empty if none are added for one
 * @param untilDecided limit of the measuring time if forks are added until all comparisons are decided; else empty
 */
public record Schedule(
        int rounds,
        int forks,
        Window window,
        Duration warmUp,
        long seed,
        Optional<Duration> visit,
        Optional<UntilPrecise> untilPrecise,
        Optional<Duration> untilDecided) {

    /** The settings' names as written in a study. */
    public static final List<String> KEYS = List.of("rounds", "forks", "window", "warm-up", "seed");

    /** The names of the optional settings. */
    public static final List<String> OPTIONAL_KEYS = List.of("visit", "precision", "budget");

    /** The value of {@code visit} for windows in one piece. */
    private static final String WHOLE = "whole";

    private static final Duration MIN_VISIT = Duration.ofMillis(5);

    private static final int MAX_VISITS = 10_000;

    /** Limit of the rounds of a trial, including those of added forks. */
    public static final int MAX_ROUNDS = 10_000;

    public Schedule {
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw new IllegalArgumentException("rounds: " + rounds + " is not between 1 and " + MAX_ROUNDS);
        }
        if (forks < 1 || forks > rounds) {
            throw new IllegalArgumentException("forks: " + forks + " is not between 1 and the number of rounds, "
                    + rounds + "; give more rounds or fewer forks");
        }
        if (warmUp.isNegative()) {
            throw new IllegalArgumentException("warm-up: " + warmUp + " is negative; give 0s or more");
        }
        if (untilPrecise.isPresent() && untilDecided.isPresent()) {
            throw new IllegalArgumentException(
                    "a schedule adds forks for a precision or until all is decided, not for both");
        }
        untilDecided.ifPresent(Schedule::requireBudget);
    }

    /** A schedule that adds no forks, with windows in one piece. */
    public Schedule(int rounds, int forks, Window window, Duration warmUp, long seed) {
        this(rounds, forks, window, warmUp, seed, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static void requireBudget(Duration time) {
        if (time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException(
                    "a budget of " + Durations.print(time) + " measures nothing; give it 1m or more");
        }
    }

    /** The same, with forks added until all comparisons are decided or the budget is used up. */
    public Schedule decidingWithin(Duration budget) {
        return new Schedule(rounds, forks, window, warmUp, seed, visit, Optional.empty(), Optional.of(budget));
    }

    /** The same, with a budget for its precision. */
    public Schedule preciseWithin(Duration budget) {
        return new Schedule(
                rounds,
                forks,
                window,
                warmUp,
                seed,
                visit,
                untilPrecise.map(until -> new UntilPrecise(until.target(), Optional.of(budget))),
                Optional.empty());
    }

    /** The confidence of a single interval, before the correction for several intervals. */
    public Confidence confidence() {
        return untilDecided.isPresent()
                ? Confidence.USUAL.whenDecided()
                : untilPrecise.isPresent() ? Confidence.USUAL.whenStopped() : Confidence.USUAL;
    }

    /** Whether there may be more forks than {@link #forks}. */
    public boolean addsForks() {
        return untilPrecise.isPresent() || untilDecided.isPresent();
    }

    /** The limit of the measuring time; empty if no forks are added, or without a limit. */
    public Optional<Duration> budget() {
        return untilDecided.or(() -> untilPrecise.flatMap(UntilPrecise::budget));
    }

    /** The parts of a window. Visits of different trials take turns. */
    public record VisitSchedule(int count, Duration length) {}

    /** Empty if windows are in one piece. */
    public Optional<VisitSchedule> visits() {
        if (visit.isEmpty() || !(window instanceof Window.Time time)) {
            return Optional.empty();
        }
        long length = visit.get().toNanos();
        long count = (time.length().toNanos() + length - 1) / length;
        return Optional.of(new VisitSchedule((int) Math.min(MAX_VISITS, Math.max(1, count)), visit.get()));
    }

    private static Optional<Duration> parseVisit(String text) {
        if (text.equals(WHOLE)) {
            return Optional.empty();
        }
        Duration length = Durations.parse(text);
        if (length.compareTo(MIN_VISIT) < 0) {
            throw new IllegalArgumentException("a visit of " + text
                    + " is too short to measure in; give 5ms or more, or '" + WHOLE + "' for windows in one piece");
        }
        return Optional.of(length);
    }

    /**
     * Forks are added until all intervals are narrow enough.
     *
     * @param target the half-width that each interval should reach: 0.01 for ± 1 %; above 0, at most 1
     * @param budget limit of the measuring time of all blocks; without it the limit is {@link #MAX_ROUNDS}
     */
    public record UntilPrecise(double target, Optional<Duration> budget) {

        private static final Pattern FORM = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?) ?%");

        public UntilPrecise {
            if (!(target > 0 && target <= 1)) {
                throw new IllegalArgumentException(
                        "a precision of " + print(target) + " is not above 0 % and at most 100 %; write 1% or 0.5%");
            }
            budget.ifPresent(Schedule::requireBudget);
        }

        /** Reads {@code 1%} as 0.01. */
        private static double parse(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new IllegalArgumentException("'" + text + "' is not a precision; write 1% or 0.5%");
            }
            return new BigDecimal(form.group(1)).movePointLeft(2).doubleValue();
        }

        /** {@code 1%}, the form that {@link #parse} reads. */
        private static String print(double target) {
            return BigDecimal.valueOf(target)
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }

        private static UntilPrecise of(String precision, Optional<String> budget) {
            return new UntilPrecise(parse(precision), budget.map(Durations::parse));
        }

        /** The target as written in a study: {@code 1%}. */
        public String targetText() {
            return print(target);
        }
    }

    /**
     * Reads a schedule from its settings as written in a study.
     *
     * @param settings one for each of {@link #KEYS}, and any of {@link #OPTIONAL_KEYS}
     * @throws IllegalArgumentException with the reason and the remedy
     */
    public static Schedule of(Map<String, String> settings) {
        Optional<String> precision = Optional.ofNullable(settings.get("precision"));
        Optional<String> budget = Optional.ofNullable(settings.get("budget"));
        return new Schedule(
                (int) number(settings.get("rounds"), 1, MAX_ROUNDS),
                (int) number(settings.get("forks"), 1, MAX_ROUNDS),
                Window.parse(settings.get("window")),
                Durations.parse(settings.get("warm-up")),
                number(settings.get("seed"), Long.MIN_VALUE, Long.MAX_VALUE),
                Optional.ofNullable(settings.get("visit")).flatMap(Schedule::parseVisit),
                precision.map(text -> UntilPrecise.of(text, budget)),
                precision.isPresent() ? Optional.empty() : budget.map(Durations::parse));
    }

    /**
     * The settings of a study, with defaults for those that it omits: 10 rounds, or as many as forks if these are more;
     * 5 forks, or as many as rounds if these are fewer; windows of 150 ms, a warm-up of at most 100 ms, and the seed
     * 42.
     *
     * @param settings each valid by itself
     */
    static Map<String, String> withDefaults(Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putIfAbsent("rounds", Integer.toString(Math.max(10, Integer.parseInt(all.getOrDefault("forks", "5")))));
        all.putIfAbsent("forks", Integer.toString(Math.min(5, Integer.parseInt(all.get("rounds")))));
        all.putIfAbsent("window", "150ms");
        all.putIfAbsent("warm-up", "100ms");
        all.putIfAbsent("seed", "42");
        return all;
    }

    /**
     * Checks one setting by itself, so that all problems of a study can be reported at once.
     *
     * @throws IllegalArgumentException with the reason and the remedy
     */
    static void check(String key, String text) {
        switch (key) {
            case "rounds", "forks" -> number(text, 1, MAX_ROUNDS);
            case "seed" -> number(text, Long.MIN_VALUE, Long.MAX_VALUE);
            case "window" -> Window.parse(text);
            case "warm-up" -> Durations.parse(text);
            case "visit" -> parseVisit(text);
            case "precision" -> UntilPrecise.of(text, Optional.empty());
            case "budget" -> UntilPrecise.of("1%", Optional.of(text));
            default -> throw new IllegalArgumentException("'" + key + "' is not a setting of a schedule");
        }
    }

    /** The settings in the form that {@link #of} reads, in the order of {@link #KEYS} and {@link #OPTIONAL_KEYS}. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("rounds", Integer.toString(rounds));
        settings.put("forks", Integer.toString(forks));
        settings.put("window", window.toString());
        settings.put("warm-up", Durations.print(warmUp));
        settings.put("seed", Long.toString(seed));
        visit.ifPresent(length -> settings.put("visit", Durations.print(length)));
        untilPrecise.ifPresent(until -> settings.put("precision", until.targetText()));
        budget().ifPresent(budget -> settings.put("budget", Durations.print(budget)));
        return settings;
    }

    /**
     * The numbers of the rounds that a fork runs. Rounds are distributed evenly. An added fork has as many rounds as
     * the largest of the others, with the numbers after theirs.
     *
     * @param fork from 0; an added fork has {@link #forks} or more
     * @return empty if the rounds of the fork would exceed {@link #MAX_ROUNDS}
     */
    public List<Integer> roundsOf(int fork) {
        if (fork < forks) {
            return IntStream.iterate(fork, round -> round < rounds, round -> round + forks)
                    .boxed()
                    .toList();
        }
        int each = (rounds + forks - 1) / forks;
        long first = rounds + (long) (fork - forks) * each;
        return first + each > MAX_ROUNDS
                ? List.of()
                : IntStream.range((int) first, (int) first + each).boxed().toList();
    }

    private static long number(String text, long min, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, like a number out of range
        }
        throw new IllegalArgumentException("'" + text + "' is not a whole number between " + min + " and " + max);
    }
}
