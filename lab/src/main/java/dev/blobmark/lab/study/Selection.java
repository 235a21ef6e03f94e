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
 * The trials that a claim is about: for each factor that it names, the accepted levels.
 *
 * @param byFactor tests by factor or {@link #METHOD}, at least one each. A level must pass any of them
 */
public record Selection(SortedMap<String, List<Test>> byFactor) {

    /** The key of tests on the method's id. */
    public static final String METHOD = "method";

    /** Every trial. */
    public static final Selection ALL = new Selection(new TreeMap<>());

    public Selection {
        TreeMap<String, List<Test>> copy = new TreeMap<>();
        byFactor.forEach((factor, tests) -> {
            if (tests.isEmpty()) {
                throw new IllegalArgumentException("'" + factor + "' selects nothing; name one of its levels");
            }
            copy.put(factor, List.copyOf(tests));
        });
        byFactor = Collections.unmodifiableSortedMap(copy);
    }

    /** Parses the texts of tests. */
    public static Selection of(Map<String, List<String>> byFactor) {
        TreeMap<String, List<Test>> tests = new TreeMap<>();
        byFactor.forEach((factor, texts) ->
                tests.put(factor, texts.stream().map(Test::of).toList()));
        return new Selection(tests);
    }

    /** The texts of the tests, in the form that {@link #of} reads. */
    public SortedMap<String, List<String>> texts() {
        TreeMap<String, List<String>> texts = new TreeMap<>();
        byFactor.forEach((factor, tests) ->
                texts.put(factor, tests.stream().map(Test::toString).toList()));
        return texts;
    }

    /** Whether a trial passes the tests of all factors. A trial without one of the factors does not. */
    public boolean accepts(String method, Levels levels) {
        return byFactor.entrySet().stream()
                .allMatch(factor -> level(factor.getKey(), method, levels)
                        .filter(level -> factor.getValue().stream().anyMatch(test -> test.test(level)))
                        .isPresent());
    }

    /** The tests that none of the trials passes, in words: {@code size 4287156}. */
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

    /** The original name of a method that {@code --set} has multiplied: {@code gzip} of {@code gzip@driver=mariadb}. */
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

    /** A test of a level. {@code toString} returns a text that {@link #of} reads. */
    public sealed interface Test extends Predicate<String> {

        /** {@code loopback} is a level, {@code random:*} a glob, {@code >= 64KB} a bound. */
        static Test of(String text) {
            Matcher bound = Bound.FORM.matcher(text);
            if (bound.matches()) {
                return new Bound(OrderSign.of(bound.group(1)), Size.parse(bound.group(2)));
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

    /** Levels that match a pattern, in which {@code *} stands for zero or more characters. */
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

    /** Levels that are numbers or sizes, and are below or above a bound. */
    public record Bound(OrderSign order, Size bound) implements Test {

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
                return Optional.empty(); // the level is neither a number nor a size
            }
        }

        @Override
        public String toString() {
            return order.symbol + " " + bound;
        }
    }

    public enum OrderSign {
        LESS("<"),
        AT_MOST("<="),
        AT_LEAST(">="),
        MORE(">");

        private final String symbol;

        OrderSign(String symbol) {
            this.symbol = symbol;
        }

        static OrderSign of(String symbol) {
            for (OrderSign order : values()) {
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
