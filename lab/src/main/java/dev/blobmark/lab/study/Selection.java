package dev.blobmark.lab.study;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which trials a claim speaks of: for every factor that it names, the levels that will do.
 *
 * @param byFactor for a factor, or for {@link #METHOD}, at least one test, any of which a level has to pass
 */
public record Selection(SortedMap<String, List<Test>> byFactor) {

    /** The key under which the id of a method is tested. */
    public static final String METHOD = "method";

    /** Every trial. */
    public static final Selection ALL = new Selection(new TreeMap<>());

    public Selection {
        TreeMap<String, List<Test>> copy = new TreeMap<>();
        byFactor.forEach((factor, tests) -> {
            if (tests.isEmpty()) {
                throw new IllegalArgumentException("'" + factor + "' selects nothing; name a level of it");
            }
            copy.put(factor, List.copyOf(tests));
        });
        byFactor = Collections.unmodifiableSortedMap(copy);
    }

    /** The selection whose tests are written like this. */
    public static Selection of(Map<String, List<String>> byFactor) {
        TreeMap<String, List<Test>> tests = new TreeMap<>();
        byFactor.forEach((factor, texts) ->
                tests.put(factor, texts.stream().map(Test::of).toList()));
        return new Selection(tests);
    }

    /** As {@link #of} reads it. */
    public SortedMap<String, List<String>> texts() {
        TreeMap<String, List<String>> texts = new TreeMap<>();
        byFactor.forEach((factor, tests) ->
                texts.put(factor, tests.stream().map(Test::toString).toList()));
        return texts;
    }

    /** Whether a trial is meant. One that does not have a factor which is tested is not. */
    public boolean accepts(String method, Levels levels) {
        return byFactor.entrySet().stream()
                .allMatch(factor -> level(factor.getKey(), method, levels)
                        .filter(level -> factor.getValue().stream().anyMatch(test -> test.test(level)))
                        .isPresent());
    }

    /** Which of the tests no trial has passed, as {@code size 4287156}; each was meant to be tried. */
    public List<String> unmet(List<Trial> trials) {
        List<String> unmet = new ArrayList<>();
        byFactor.forEach((factor, tests) -> tests.stream()
                .filter(test -> trials.stream()
                        .noneMatch(trial -> level(factor, trial.method(), trial.levels())
                                .filter(test)
                                .isPresent()))
                .forEach(test -> unmet.add(factor + " " + test)));
        return unmet;
    }

    public Set<String> factors() {
        return byFactor.keySet();
    }

    private static Optional<String> level(String factor, String method, Levels levels) {
        return factor.equals(METHOD) ? Optional.of(asWritten(method)) : levels.find(factor);
    }

    /** The study's own name of a method that {@code --set} has multiplied: {@code gzip} of {@code gzip@driver=mariadb}. */
    private static String asWritten(String method) {
        return method.replaceFirst("@.*", "");
    }

    /** {@code method=lz4,size=4MB|8MB} */
    @Override
    public String toString() {
        return byFactor.entrySet().stream()
                .map(factor -> factor.getKey() + "="
                        + factor.getValue().stream().map(Test::toString).collect(Collectors.joining("|")))
                .collect(Collectors.joining(","));
    }

    /** What a level has to be. Its text can be read again. */
    public sealed interface Test extends Predicate<String> {

        /** {@code loopback} is that level, {@code random:*} a glob, {@code >= 64KB} a bound. */
        static Test of(String text) {
            Matcher bound = Bound.FORM.matcher(text);
            if (bound.matches()) {
                return new Bound(Order.of(bound.group(1)), Size.parse(bound.group(2)));
            }
            return text.contains("*") ? new Glob(text) : new Exactly(text);
        }
    }

    /** One level. */
    public record Exactly(String level) implements Test {
        @Override
        public boolean test(String other) {
            return level.equals(other);
        }

        @Override
        public String toString() {
            return level;
        }
    }

    /** Levels like a pattern, in which {@code *} stands for any characters, or none. */
    public record Glob(String pattern) implements Test {
        @Override
        public boolean test(String level) {
            String form =
                    Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
            return level.matches(form);
        }

        @Override
        public String toString() {
            return pattern;
        }
    }

    /** Levels that are amounts (a number, or a size), up to a bound or from it. */
    public record Bound(Order order, Size bound) implements Test {

        static final Pattern FORM = Pattern.compile("\\s*([<>]=?)\\s*(.*?)\\s*");

        @Override
        public boolean test(String level) {
            return amount(level)
                    .filter(bytes -> order.holds(bytes, bound.bytes()))
                    .isPresent();
        }

        private static Optional<Integer> amount(String level) {
            try {
                return Optional.of(Size.parse(level).bytes());
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // this level is no amount, and so within no bounds
            }
        }

        @Override
        public String toString() {
            return order.symbol + " " + bound;
        }
    }

    /** How an amount may lie to a bound. */
    public enum Order {
        LESS("<"),
        AT_MOST("<="),
        AT_LEAST(">="),
        MORE(">");

        private final String symbol;

        Order(String symbol) {
            this.symbol = symbol;
        }

        static Order of(String symbol) {
            for (Order order : values()) {
                if (order.symbol.equals(symbol)) {
                    return order;
                }
            }
            throw new IllegalArgumentException("'" + symbol + "' is none of <, <=, >= and >");
        }

        boolean holds(int amount, int bound) {
            return switch (this) {
                case LESS -> amount < bound;
                case AT_MOST -> amount <= bound;
                case AT_LEAST -> amount >= bound;
                case MORE -> amount > bound;
            };
        }
    }
}
