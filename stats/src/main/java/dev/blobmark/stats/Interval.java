package dev.blobmark.stats;

import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;
import org.apache.commons.statistics.distribution.TDistribution;

/** A confidence interval of a positive quantity, or the reason why there is none. */
public sealed interface Interval {

    /**
     * From {@code low} to {@code high}, both included. They are equal if all units agree, as for figures that do not
     * vary (stored bytes).
     *
     * @param low not negative
     * @param units number of repetitions of {@code unit} that it is computed from, of the side with fewer if sides
     *     share none; at least 2
     */
    record Range(double low, double high, Confidence confidence, Unit unit, int units) implements Interval {

        public Range {
            if (!(0 <= low && low <= high)) {
                throw new IllegalArgumentException("no interval goes from " + low + " to " + high);
            }
            if (units < 2) {
                throw new IllegalArgumentException("an interval rests on 2 units or more, not on " + units);
            }
        }

        public boolean contains(double value) {
            return low <= value && value <= high;
        }

        /** The factor between the middle (the geometric mean of both bounds) and a bound, minus 1: 0.01 for ± 1 %. */
        public double relativeHalfWidth() {
            return low == high ? 0 : Math.sqrt(high / low) - 1;
        }
    }

    /** No interval, and the reason. */
    record None(String reason) implements Interval {}

    /**
     * Student's interval of a geometric mean, from the logarithms of the units.
     *
     * @throws IllegalArgumentException if a logarithm is not finite
     */
    static Interval ofLogs(double[] logs, Confidence confidence, Unit unit) {
        requireFinite(logs);
        return around(
                Mean.of(logs).getAsDouble(),
                Math.sqrt(Variance.of(logs).getAsDouble() / logs.length),
                confidence,
                unit,
                logs.length);
    }

    /**
     * Student's interval around {@code exp(log)}, with a standard error that was estimated from {@code units} units.
     */
    static Interval around(double log, double standardError, Confidence confidence, Unit unit, int units) {
        return around(log, standardError, units - 1.0, confidence, unit, units);
    }

    /** The same with given degrees of freedom, which need not be whole. */
    static Interval around(
            double log, double standardError, double freedom, Confidence confidence, Unit unit, int units) {
        return units < 2
                ? none(unit, units)
                : reaching(log, quantile(confidence, freedom) * standardError, confidence, unit, units);
    }

    /** No interval because of too few units. */
    static None none(Unit unit, int units) {
        return new None(units + " " + unit.word() + (units == 1 ? "" : "s") + " measured; an interval needs 2 or more");
    }

    /** The interval around {@code exp(log)} with this half-width, on the logarithm. */
    static Range reaching(double log, double reach, Confidence confidence, Unit unit, int units) {
        return new Range(Math.exp(log - reach), Math.exp(log + reach), confidence, unit, units);
    }

    /** The half-width of an interval over {@code units} units, in standard errors. */
    static double quantile(Confidence confidence, int units) {
        return quantile(confidence, units - 1.0);
    }

    private static double quantile(Confidence confidence, double freedom) {
        return TDistribution.of(freedom).inverseSurvivalProbability(confidence.tail());
    }

    static void requireFinite(double[] logs) {
        for (int i = 0; i < logs.length; i++) {
            if (!Double.isFinite(logs[i])) {
                throw new IllegalArgumentException("unit " + i + ": the logarithm " + logs[i]
                        + " is not finite; give logarithms of positive, finite figures");
            }
        }
    }
}
