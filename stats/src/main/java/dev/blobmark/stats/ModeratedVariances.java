package dev.blobmark.stats;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.commons.numbers.gamma.Digamma;
import org.apache.commons.numbers.gamma.Trigamma;

/**
 * Variances that were each estimated from few figures, moderated towards a common prior. The model: each true variance
 * is its expected variance times a factor, and the factors follow an inverse χ² distribution. Its degrees of freedom,
 * {@code priorFreedom}, are estimated from how much the estimates vary beyond what sampling explains. The moderated
 * factor weights an estimate with its own degrees of freedom, and the prior with {@code priorFreedom}.
 *
 * <p>G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression" (Statist. Appl.
 * Genet. Mol. Biol. 3, 2004), sections 4 and 6.
 *
 * @param factors the moderated variance ÷ the expected one
 * @param priorFreedom degrees of freedom of the prior; infinite if the estimates vary no more than chance explains
 */
record ModeratedVariances(double[] factors, double priorFreedom) {

    /**
     * Ratios of estimate to expected variance below this count as this; the logarithm of a tiny one would dominate the
     * mean.
     */
    private static final double MIN_SHARE = 1e-6;

    /**
     * @param estimates not negative, at least one above 0
     * @param expected of each, above 0
     * @param freedom of each, at least 1
     */
    static ModeratedVariances of(double[] estimates, double[] expected, int[] freedom) {
        int n = estimates.length;
        double[] shares = new double[n];
        double[] logs = new double[n];
        double bySampling = 0;
        double sum = 0;
        int allFreedom = 0;
        for (int i = 0; i < n; i++) {
            double half = freedom[i] / 2.0;
            shares[i] = estimates[i] / expected[i];
            logs[i] = Math.log(Math.max(MIN_SHARE, shares[i])) - Digamma.value(half) + Math.log(half);
            bySampling += Trigamma.value(half) / n;
            sum += shares[i] * freedom[i];
            allFreedom += freedom[i];
        }
        double mean = Arrays.stream(logs).average().orElseThrow();
        double variance = n < 2
                ? 0
                : Arrays.stream(logs).map(x -> (x - mean) * (x - mean)).sum() / (n - 1);
        double prior = variance > bySampling ? 2 * inverseTrigamma(variance - bySampling) : Double.POSITIVE_INFINITY;
        // a single estimate far above the others must not widen their intervals, hence the mean of logarithms
        double usual = Double.isInfinite(prior)
                ? sum / allFreedom
                : Math.exp(mean + Digamma.value(prior / 2) - Math.log(prior / 2));
        double[] factors = IntStream.range(0, n)
                .mapToDouble(i -> Double.isInfinite(prior)
                        ? usual
                        : (prior * usual + freedom[i] * shares[i]) / (prior + freedom[i]))
                .toArray();
        return new ModeratedVariances(factors, prior);
    }

    /** Newton's method as in Smyth's appendix; it converges monotonically. */
    static double inverseTrigamma(double x) {
        if (x > 1e7) {
            return 1 / Math.sqrt(x);
        }
        if (x < 1e-6) {
            return 1 / x;
        }
        double y = 0.5 + 1 / x;
        for (int step = 0; step < 50; step++) {
            double trigamma = Trigamma.value(y);
            double h = 1e-4 * y;
            double slope = (Trigamma.value(y + h) - Trigamma.value(y - h)) / (2 * h);
            double move = trigamma * (1 - trigamma / x) / slope;
            y += move;
            if (Math.abs(move) < 1e-10 * y) {
                break;
            }
        }
        return y;
    }
}
