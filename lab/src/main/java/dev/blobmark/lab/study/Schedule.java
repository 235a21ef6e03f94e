package dev.blobmark.lab.study;

import dev.blobmark.lab.stats.Confidence;
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
 * @param rounds passes over all trials, 1 to 10,000, spread evenly over the forks
 * @param forks fresh JVMs, 1 to the number of rounds
 * @param warmUp the longest run-in of a trial after each of its rows has been read once
 * @param seed from which every random choice of the run is drawn
 * @param visit the parts in which a window is measured, where a trial can stay open: 5 ms or more each; empty for windows in one piece
 * @param untilPrecise what forks are added for beyond these rounds; empty where none are
 * @param untilDecided how long to measure at most, forks being added until all is decided; empty where none are
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

    /** Those that a study may do without. */
    public static final List<String> OPTIONAL_KEYS = List.of("visit", "precision", "budget");

    /** Of the setting {@code visit}: windows are in one piece. */
    private static final String WHOLE = "whole";

    private static final Duration LEAST_VISIT = Duration.ofMillis(5);

    private static final int MAX_VISITS = 10_000;

    /** The most rounds that a trial has in a block, those of added forks among them. */
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
            throw new IllegalArgumentException("warm-up: " + warmUp + " is negative");
        }
        if (untilPrecise.isPresent() && untilDecided.isPresent()) {
            throw new IllegalArgumentException(
                    "a schedule goes on until it is precise or until all is decided, not both");
        }
        untilDecided.ifPresent(Schedule::requireBudget);
    }

    /** A schedule of so many rounds, whatever they show. */
    public Schedule(int rounds, int forks, Window window, Duration warmUp, long seed) {
        this(rounds, forks, window, warmUp, seed, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static void requireBudget(Duration time) {
        if (time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException(
                    "a budget of " + Durations.print(time) + " measures nothing; give it 1m or more");
        }
    }

    /** The same, with forks added until all is decided, for so long at most. */
    public Schedule decidingWithin(Duration budget) {
        return new Schedule(rounds, forks, window, warmUp, seed, visit, Optional.empty(), Optional.of(budget));
    }

    /** The same, with forks added for its precision for so long at most. */
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

    /** The confidence of one interval of such a run, before it is one of several. */
    public Confidence confidence() {
        return untilDecided.isPresent()
                ? Confidence.USUAL.whenDecided()
                : untilPrecise.isPresent() ? Confidence.USUAL.whenStopped() : Confidence.USUAL;
    }

    /** Whether there may be more forks than {@link #forks}. */
    public boolean addsForks() {
        return untilPrecise.isPresent() || untilDecided.isPresent();
    }

    /** How long to measure at most; empty where forks are not added, or without a limit. */
    public Optional<Duration> budget() {
        return untilDecided.or(() -> untilPrecise.flatMap(UntilPrecise::budget));
    }

    /** How a window is measured in parts, in turns with those of other trials. */
    public record Visits(int count, Duration length) {}

    /** Empty where windows are in one piece. */
    public Optional<Visits> visits() {
        if (visit.isEmpty() || !(window instanceof Window.Time time)) {
            return Optional.empty();
        }
        long length = visit.get().toNanos();
        long count = (time.length().toNanos() + length - 1) / length;
        return Optional.of(new Visits((int) Math.min(MAX_VISITS, Math.max(1, count)), visit.get()));
    }

    private static Optional<Duration> parseVisit(String text) {
        if (text.equals(WHOLE)) {
            return Optional.empty();
        }
        Duration length = Durations.parse(text);
        if (length.compareTo(LEAST_VISIT) < 0) {
            throw new IllegalArgumentException("a visit of " + text
                    + " is too short to measure in; give 5ms or more, or '" + WHOLE + "' for windows in one piece");
        }
        return Optional.of(length);
    }

    /**
     * Measuring goes on until intervals are narrow.
     *
     * @param target the half-width wanted of each interval: 0.01 for ± 1 %; above 0, at most 1
     * @param budget for measuring all blocks, after which no fork is added; without it they are until {@link #MAX_ROUNDS}
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
                throw new IllegalArgumentException("'" + text + "' is no precision; write 1% or 0.5%");
            }
            return new BigDecimal(form.group(1)).movePointLeft(2).doubleValue();
        }

        /** {@code 1%}: as {@link #parse} reads it. */
        private static String print(double target) {
            return BigDecimal.valueOf(target)
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }

        private static UntilPrecise of(String precision, Optional<String> budget) {
            return new UntilPrecise(parse(precision), budget.map(Durations::parse));
        }

        /** The target as it is written: {@code 1%}. */
        public String targetText() {
            return print(target);
        }
    }

    /**
     * Reads a schedule from its settings as written in a study.
     *
     * @param settings one for each of {@link #KEYS}, and any of {@link #OPTIONAL_KEYS}
     * @throws IllegalArgumentException with the reason and the mend
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
     * Checks one setting by itself, so that all of a study's problems can be told at once.
     *
     * @throws IllegalArgumentException with the reason and the mend
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
            default -> throw new IllegalArgumentException("'" + key + "' is no setting of a schedule");
        }
    }

    /** The settings as {@link #of} reads them, in the order of {@link #KEYS} and {@link #OPTIONAL_KEYS}. */
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
     * The rounds that a fork runs. They are dealt out evenly; a fork that was added has as many as the fullest of the
     * others, numbered after theirs.
     *
     * @param fork from 0; from {@link #forks} up one that was added
     * @return none for a fork whose rounds would go beyond {@link #MAX_ROUNDS}
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
            // told below, like a number out of range
        }
        throw new IllegalArgumentException("'" + text + "' is not a whole number between " + min + " and " + max);
    }
}
