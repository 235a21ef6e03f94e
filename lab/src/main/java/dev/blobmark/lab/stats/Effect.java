package dev.blobmark.lab.stats;

import org.apache.commons.statistics.descriptive.Mean;

/**
 * A method's ratio to the baseline: the geometric mean over units, each unit the geometric mean of its rounds, with
 * Student's interval over the units.
 *
 * <p>After T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013): the highest level that was repeated gives the
 * degrees of freedom. Ratios are taken as logarithms, so that the ratio of A to B is the inverse of that of B to A, and so is its interval.
 *
 * @param ratio method ÷ baseline
 */
public record Effect(double ratio, Interval interval) {

    /** @throws IllegalArgumentException where no figures could be matched */
    public static Effect of(Ratios ratios, Confidence confidence) {
        if (ratios.units() == 0) {
            throw new IllegalArgumentException("no figures of method and baseline match (" + ratios.unmatched()
                    + " were left over); measure both in the same rounds");
        }
        double[] means = ratios.unitMeans();
        return new Effect(Math.exp(Mean.of(means).getAsDouble()), Interval.ofLogs(means, confidence, ratios.unit()));
    }
}
