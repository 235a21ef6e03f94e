package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What somebody has said of a study's subject, in a form that samples can be held against.
 *
 * @param id unique in its study, in lower-case letters, digits and dashes
 * @param says the claim in words
 * @param source who says so; empty where it is the study's own
 * @param metric which figure the claim is about
 * @param operation the operation type; empty where samples have only one
 * @param effect where the claim is not about figures but about their ratios: of one method to another, say
 * @param relation how the figures lie to each other
 * @param where the trials that the claim is about
 * @param holds in how many of the comparisons
 */
public record Claim(
        String id,
        String says,
        String source,
        Metric metric,
        Optional<String> operation,
        Optional<Effect> effect,
        Relation relation,
        Selection where,
        Holds holds) {

    static final String ID_FORM = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
    static final String OPERATION_FORM = "[a-z][a-z0-9-]*";

    public Claim {
        require(id.matches(ID_FORM), "the claim's id '" + id + "' is not in lower-case letters, digits and dashes");
        require(!says.isBlank(), "the claim '" + id + "' says nothing");
        if (relation instanceof Apart) {
            require(
                    metric.unit().isTime() && effect.isEmpty(),
                    "'by' is a time, but the claim is about " + (effect.isPresent() ? "a ratio" : metric.word())
                            + "; give 'by' a range of ratios");
            require(
                    holds != Holds.ON_AVERAGE,
                    "'by' is a time, but only ratios hold on average; let it hold for each or mostly");
        }
        operation.ifPresent(o -> require(o.matches(OPERATION_FORM), "'" + o + "' is no type of operation"));
    }

    /** The ratio of two figures, as a figure of its own: one for each pair of trials that differ in no other factor. */
    public record Effect(Selection of, Selection to) {}

    /** Two sides of a comparison: {@code left} ÷ {@code right} is what is judged. */
    public record Sides(Selection left, Selection right) {}

    /** How the figures of a claim lie to each other. */
    public sealed interface Relation {

        /** What is to be compared; factors that neither side names are equal on both. */
        List<Sides> sides();

        /** Where the ratio of left to right lies. */
        Bounds bounds();
    }

    /** The figure of {@code greater} is the greater, and so many times. */
    public record Greater(Selection greater, Selection than, Bounds by) implements Relation {

        public Greater {
            require(by.low >= 1, "'by' starts at " + by.low + ", but what is greater is at least 1 time as great");
        }

        @Override
        public List<Sides> sides() {
            return List.of(new Sides(greater, than));
        }

        @Override
        public Bounds bounds() {
            return by;
        }
    }

    /**
     * The figure of {@code greater} is the greater, and by so much, in nanoseconds.
     *
     * @param lowNanos 0 or more
     * @param highNanos {@code lowNanos} or more; may be infinite
     */
    public record Apart(Selection greater, Selection than, double lowNanos, double highNanos) implements Relation {

        public Apart {
            require(
                    0 <= lowNanos && lowNanos <= highNanos && lowNanos < Double.POSITIVE_INFINITY,
                    "no difference lies between " + lowNanos + " and " + highNanos
                            + " ns; give the lower bound first, 0 or more");
        }

        @Override
        public List<Sides> sides() {
            return List.of(new Sides(greater, than));
        }

        @Override
        public Bounds bounds() {
            return Bounds.ABOVE_ONE;
        }
    }

    /** The ratio of the figure of {@code of} to that of {@code to} lies about 1, or is not above it. */
    public record Within(Selection of, Selection to, Bounds bounds) implements Relation {

        public Within {
            require(bounds.low <= 1 && 1 <= bounds.high, "a ratio that is within " + bounds + " is never 1");
        }

        @Override
        public List<Sides> sides() {
            return List.of(new Sides(of, to));
        }
    }

    /** Each step has a greater figure than the one before it: a trend. */
    public record Ordered(List<Selection> rising) implements Relation {

        public Ordered {
            rising = List.copyOf(rising);
            require(rising.size() >= 2, "an order has 2 steps or more");
        }

        @Override
        public List<Sides> sides() {
            List<Sides> sides = new ArrayList<>();
            for (int i = 1; i < rising.size(); i++) {
                sides.add(new Sides(rising.get(i), rising.get(i - 1)));
            }
            return sides;
        }

        @Override
        public Bounds bounds() {
            return Bounds.ABOVE_ONE;
        }
    }

    /**
     * Where a ratio lies, both ends included.
     *
     * @param low 0 or more
     * @param high {@code low} or more; may be infinite
     */
    public record Bounds(double low, double high) {

        /** Any ratio that is greater than 1. */
        public static final Bounds ABOVE_ONE = new Bounds(1, Double.POSITIVE_INFINITY);

        public Bounds {
            require(
                    0 <= low && low <= high && low < Double.POSITIVE_INFINITY,
                    "no ratio lies in [" + low + ", " + high + "]; give the lower bound first, 0 or more");
        }

        @Override
        public String toString() {
            return "[" + low + ", " + (Double.isInfinite(high) ? "inf" : high) + "]";
        }
    }

    /** In how many comparisons a claim holds. */
    public enum Holds {
        /** In every single one. */
        EACH("each"),
        /** In more than half of them. */
        MOSTLY("mostly"),
        /** For the geometric mean of their ratios. */
        ON_AVERAGE("on average");

        private final String word;

        Holds(String word) {
            this.word = word;
        }

        /** As written in a study. */
        public String word() {
            return word;
        }

        public static Optional<Holds> find(String word) {
            return Arrays.stream(values()).filter(h -> h.word.equals(word)).findFirst();
        }

        static List<String> words() {
            return Arrays.stream(values()).map(Holds::word).toList();
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
