package dev.blobmark.stats;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * A method's ratio to the baseline: the geometric mean over units, with Student's interval over them. Each unit is the
 * geometric mean of its rounds.
 *
 * <p>After T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013): the highest level that was
 * repeated gives the degrees of freedom. Logarithms are used, so that ratio and interval of A to B are the inverse of
 * those of B to A.
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
     * The ratio of two sides that share no unit, so that their figures cannot be paired: conditions in different
     * blocks, or runs. Each unit is one figure, the mean of the logarithms within it; the ratio is that of the
     * geometric means over units.
     *
     * <p>The interval is Welch's (Biometrika 34, 1947): variances are not pooled, since one side may be noisier, and
     * the degrees of freedom are Satterthwaite's. It is wider than a paired interval, in which the machine's state
     * cancels.
     *
     * @param logs the method's logarithms, one for each unit
     * @param baselineLogs the baseline's; their number may differ
     * @throws IllegalArgumentException if a side has no unit, or a logarithm is not finite
     */
    public static Effect unpaired(double[] logs, double[] baselineLogs, Unit unit, Confidence confidence) {
        requireFigures(logs, baselineLogs, unit);
        return product(List.of(logs, Arrays.stream(baselineLogs).map(x -> -x).toArray()), unit, confidence);
    }

    /**
     * The same for equally noisy sides: Student's interval of two samples with pooled variance. Only one side needs 2
     * units, so a single run can be compared with several.
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
     * The product of factors that were measured independently of each other, each the geometric mean over its units. A
     * ratio of sides that share no unit is such a product: of one side's figures and the other's inverse figures.
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
        // if nothing varies, the degrees of freedom do not matter
        double freedom = squaredError == 0 ? units - 1 : squaredError * squaredError / squaresOverFreedom;
        return new Effect(
                Math.exp(log), Interval.around(log, Math.sqrt(squaredError), freedom, confidence, unit, units));
    }
}
