package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A published sentence in a form that can be tested against samples.
 *
 * @param id unique in its study, in lower-case letters, digits and dashes
 * @param says the claim in words
 * @param source who made the claim; empty if it is the study's own
 * @param metric the figure that the claim is about
 * @param operation the operation type; empty if samples have only one
 * @param effect if present, the claim is about ratios of two figures, such as one method to another
 * @param relation which figure is greater, or that they are equal
 * @param where the trials that the claim is about
 * @param given what must have been measured of a comparison for the claim to be about it; empty for all of
 *     {@code where}
 * @param holds in how many of the comparisons the relation must hold
 */
public record Claim(
        String id,
        String says,
        String source,
        Metric metric,
        Optional<String> operation,
        Optional<ClaimedEffect> effect,
        Relation relation,
        Selection where,
        Optional<Given> given,
        Holds holds) {

    static final String ID_FORM = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
    static final String OPERATION_FORM = "[a-z][a-z0-9-]*";

    public Claim {
        require(id.matches(ID_FORM), "the claim's id '" + id + "' is not in lower-case letters, digits and dashes");
        require(!says.isBlank(), "the claim '" + id + "' has no text; state it under 'says'");
        if (relation instanceof Apart) {
            require(
                    metric.unit().isTime() && effect.isEmpty(),
                    "'by' is a time, but the claim is about " + (effect.isPresent() ? "a ratio" : metric.word())
                            + "; give 'by' a range of ratios");
            require(
                    holds != Holds.ON_AVERAGE,
                    "'by' is a time, but only ratios hold on average; let it hold for each or mostly");
        }
        require(
                given.isEmpty() || effect.isEmpty(),
                "'given' is about the sides of a comparison, but the claim is about an effect; remove one of them");
        if (relation instanceof Ratio) {
            require(
                    metric.unit() == Metric.MetricUnit.NONE && effect.isEmpty(),
                    "'ratio' is about a figure that is a ratio itself, but "
                            + (effect.isPresent() ? "there is an effect" : metric.word() + " has a unit")
                            + "; name such a metric, or compare two sides");
        }
        operation.ifPresent(o -> require(
                o.matches(OPERATION_FORM),
                "'" + o + "' is not a type of operation; write a word such as fetch, insert or mix"));
    }

    /** The ratio of two figures. There is one for each pair of trials that differ in no other factor. */
    public record ClaimedEffect(Selection of, Selection to) {}

    /**
     * A range of a measured time. A comparison is in it if one of its sides is in the selection, and the median of that
     * side's figures lies in the range.
     *
     * @param lowNanos 0 or more
     * @param highNanos {@code lowNanos} or more
     */
    public record Given(Selection of, Metric metric, double lowNanos, double highNanos) {

        public Given {
            require(
                    metric.unit().isTime(),
                    "'given' is a range of times, but " + metric.word() + " is not a time; name one, such as p95");
            require(
                    0 <= lowNanos && lowNanos <= highNanos,
                    "'in' is from " + lowNanos + " to " + highNanos
                            + " ns, which is empty; give the lower bound first");
        }

        public boolean includes(double nanos) {
            return lowNanos <= nanos && nanos <= highNanos;
        }
    }

    /** Two sides of a comparison. The ratio {@code left} ÷ {@code right} is judged. */
    public record Sides(Selection left, Selection right) {}

    /** Which figure of a claim is greater, or that they are equal. */
    public sealed interface Relation {

        /** The comparisons. Factors that neither side names are equal on both sides. */
        List<Sides> sides();

        /** The range in which the ratio of left to right must lie. */
        Bounds bounds();
    }

    /** The figure of {@code greater} is greater than that of {@code than}, by a factor within {@code by}. */
    public record Greater(Selection greater, Selection than, Bounds by) implements Relation {

        public Greater {
            require(by.low >= 1, "'by' starts at " + by.low + ", but the ratio of a greater figure is at least 1");
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
     * The figure of {@code greater} is greater than that of {@code than}, by a time within these bounds.
     *
     * @param lowNanos 0 or more
     * @param highNanos {@code lowNanos} or more; may be infinite
     */
    public record Apart(Selection greater, Selection than, double lowNanos, double highNanos) implements Relation {

        public Apart {
            require(
                    0 <= lowNanos && lowNanos <= highNanos && lowNanos < Double.POSITIVE_INFINITY,
                    "'by' is from " + lowNanos + " to " + highNanos
                            + " ns, which is empty or negative; give the lower bound first, 0 or more");
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

    /** The ratio of the figure of {@code of} to that of {@code to} is about 1, or not greater than 1. */
    public record Within(Selection of, Selection to, Bounds bounds) implements Relation {

        public Within {
            require(bounds.low <= 1 && 1 <= bounds.high, "the range of ratios " + bounds + " does not include 1");
        }

        @Override
        public List<Sides> sides() {
            return List.of(new Sides(of, to));
        }
    }

    /** The figure of {@code of}, which is a ratio itself, lies within {@code by}. It is compared with 1. */
    public record Ratio(Selection of, Bounds by) implements Relation {

        public Ratio {
            require(by.low >= 1, "'by' starts at " + by.low + ", but a ratio in a claim is at least 1");
        }

        @Override
        public List<Sides> sides() {
            return List.of(new Sides(of, of));
        }

        @Override
        public Bounds bounds() {
            return by;
        }
    }

    /** A trend: each step has a greater figure than the step before it. */
    public record Ordered(List<Selection> rising) implements Relation {

        public Ordered {
            rising = List.copyOf(rising);
            require(rising.size() >= 2, "'ordered' has fewer than 2 steps; add the steps in rising order");
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
     * A range of ratios, including both ends.
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
                    "the range of ratios [" + low + ", " + high
                            + "] is empty or negative; give the lower bound first, 0 or more");
        }

        @Override
        public String toString() {
            return "[" + low + ", " + (Double.isInfinite(high) ? "inf" : high) + "]";
        }
    }

    /** In how many comparisons a claim must hold. */
    public enum Holds {
        EACH("each"),
        /** In more than half of the comparisons. */
        MOSTLY("mostly"),
        /** In one comparison at least. It is reversed if the opposite holds everywhere. */
        SOMETIMES("sometimes"),
        /** For the geometric mean of the ratios. */
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

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }
}
