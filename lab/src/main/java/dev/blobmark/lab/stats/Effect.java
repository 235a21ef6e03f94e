package dev.blobmark.lab.stats;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * A method's ratio to the baseline: the geometric mean over units, each unit the geometric mean of its rounds, with
 * Student's interval over the units.
 *
 * <p>After T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013): the highest level of repetition gives the
 * degrees of freedom. Ratios are taken as logarithms, so that the ratio of A to B is the inverse of that of B to A, and so is its interval.
 *
 * @param ratio method ÷ baseline
 */
public record Effect(double ratio, Interval interval) {

    /** @throws IllegalArgumentException if no figures could be matched */
    public static Effect of(Ratios ratios, Confidence confidence) {
        if (ratios.units() == 0) {
            throw new IllegalArgumentException("no figures of method and baseline match (" + ratios.unmatched()
                    + " were left over); measure both in the same rounds");
        }
        double[] means = ratios.unitMeans();
        return new Effect(Math.exp(Mean.of(means).getAsDouble()), Interval.ofLogs(means, confidence, ratios.unit()));
    }

    /**
     * The ratio of sides that share no unit, so that their figures cannot be paired: conditions in different blocks, or runs. Each unit gives one
     * figure, the mean of the logarithms within it. The ratio is that of the geometric means over units.
     *
     * <p>The interval is Welch's (Biometrika 34, 1947): variances are not pooled, as sides may be unequally noisy, and the degrees of freedom are
     * Satterthwaite's. It is wider than the interval of paired figures, in which the state of the machine cancels.
     *
     * @param logs of the method, one for each of its units
     * @param baselineLogs of the baseline, one for each of its units; the number may differ
     * @throws IllegalArgumentException if a side has no unit, or a logarithm is not finite
     */
    public static Effect unpaired(double[] logs, double[] baselineLogs, Unit unit, Confidence confidence) {
        requireFigures(logs, baselineLogs, unit);
        return product(List.of(logs, Arrays.stream(baselineLogs).map(x -> -x).toArray()), unit, confidence);
    }

    /**
     * The same for sides that are equally noisy: Student's interval of two samples with pooled variance. Only one side needs 2 units, so that a
     * single run can be compared with several.
     *
     * @throws IllegalArgumentException if a side has no unit, or a logarithm is not finite
     */
    public static Effect pooled(double[] logs, double[] baselineLogs, Unit unit, Confidence confidence) {
        requireFigures(logs, baselineLogs, unit);
        double difference = Mean.of(logs).getAsDouble() - Mean.of(baselineLogs).getAsDouble();
        int freedom = logs.length + baselineLogs.length - 2;
        double variance = (squaredDeviations(logs) + squaredDeviations(baselineLogs)) / freedom;
        double error = Math.sqrt(variance * (1.0 / logs.length + 1.0 / baselineLogs.length));
        return new Effect(Math.exp(difference), Interval.around(difference, error, confidence, unit, freedom + 1));
    }

    private static double squaredDeviations(double[] logs) {
        return logs.length < 2 ? 0 : Variance.of(logs).getAsDouble() * (logs.length - 1);
    }

    private static void requireFigures(double[] logs, double[] baselineLogs, Unit unit) {
        if (logs.length == 0 || baselineLogs.length == 0) {
            throw new IllegalArgumentException("a side without figures has no ratio: the method has " + logs.length
                    + " " + unit.word() + "s, the baseline " + baselineLogs.length);
        }
        Interval.requireFinite(logs);
        Interval.requireFinite(baselineLogs);
    }

    /**
     * The product of factors that were measured independently, each the geometric mean over its own units. A ratio of sides without common units
     * is such a product, of one side and the inverse of the other.
     *
     * @param logs for each factor the logarithms of its units; at least one factor, with at least one unit each
     * @throws IllegalArgumentException if a factor has no unit, or a logarithm is not finite
     */
    public static Effect product(List<double[]> logs, Unit unit, Confidence confidence) {
        double log = 0;
        double squaredError = 0;
        double squaresOverFreedom = 0;
        int units = Integer.MAX_VALUE;
        for (double[] factor : logs) {
            Interval.requireFinite(factor);
            double variance = Variance.of(factor).getAsDouble() / factor.length;
            log += Mean.of(factor).getAsDouble();
            squaredError += variance;
            squaresOverFreedom += variance == 0 ? 0 : variance * variance / (factor.length - 1);
            units = Math.min(units, factor.length);
        }
        if (units == 0 || logs.isEmpty()) {
            throw new IllegalArgumentException(
                    "a factor without figures has no mean; give at least one " + unit.word());
        }
        // if nothing varies, any degrees of freedom give the same interval
        double freedom = squaredError == 0 ? units - 1 : squaredError * squaredError / squaresOverFreedom;
        return new Effect(
                Math.exp(log), Interval.around(log, Math.sqrt(squaredError), freedom, confidence, unit, units));
    }
}
