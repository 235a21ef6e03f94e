package dev.blobmark.stats;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.numbers.rootfinder.BrentSolver;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Simultaneous intervals for several differences to one reference. The differences are correlated, since each contains
 * the reference's error: by λᵢλⱼ, where λᵢ² is the reference's share of the variance of the i-th. Given the reference's
 * error they are independent, so the probability that all intervals hold is an integral over that error alone.
 *
 * <p>C. W. Dunnett, "A multiple comparison procedure for comparing several treatments with a control" (J. Amer.
 * Statist. Assoc. 50, 1955), for unequal variances after M. Hasler and L. A. Hothorn, "Multiple contrast tests in the
 * presence of heteroscedasticity" (Biometrical J. 50, 2008). Each variance counts as estimated independently, which
 * makes intervals a little wider than the common estimate of Dunnett's tables: for 16 comparisons with 20 degrees of
 * freedom, 3.26 standard errors instead of 3.14.
 */
final class ManyToOne {

    /** A larger share would need more nodes in the integral. Assuming a smaller one only makes intervals wider. */
    private static final double MAX_SHARED = 0.95;

    /** The last results; a running study asks for the same ones repeatedly. */
    private static final Map<QuantileKey, Double> FOUND =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<QuantileKey, Double> eldest) {
                    return size() > 1_000;
                }
            });

    private ManyToOne() {}

    private record QuantileKey(List<MeanDifference> differences, double misses) {}

    /**
     * The difference of one mean to the reference.
     *
     * @param referenceShare the reference's share of the variance; 0 to 1
     * @param freedom degrees of freedom of the estimated variance, above 0
     */
    record MeanDifference(double referenceShare, double freedom) {}

    /**
     * The probability with which each interval may miss on one side, so that one or more of them miss with the
     * probability {@code misses}. It is the same for all, whatever their degrees of freedom.
     */
    static double tail(List<MeanDifference> differences, double misses) {
        int n = differences.size();
        double least = misses / 2 / Math.max(1, n); // Bonferroni's
        return n < 2
                ? least
                : FOUND.computeIfAbsent(new QuantileKey(List.copyOf(differences), misses), key -> find(key, least));
    }

    private static double find(QuantileKey key, double least) {
        List<MeanDifference> differences = key.differences;
        double misses = key.misses;
        Quadrature[] deviations = differences.stream()
                .map(difference -> Quadrature.estimatedDeviation(difference.freedom))
                .toArray(Quadrature[]::new);
        double log = new BrentSolver(1e-5, 1e-5, 1e-12)
                .findRoot(
                        tail -> 1 - holding(differences, deviations, Math.exp(tail)) - misses,
                        Math.log(least) - 0.1,
                        Math.log(misses / 2) + 0.1);
        return Math.max(least, Math.min(misses / 2, Math.exp(log)));
    }

    private static double holding(List<MeanDifference> differences, Quadrature[] deviations, double tail) {
        double[] quantiles = differences.stream()
                .mapToDouble(difference -> TDistribution.of(difference.freedom).inverseSurvivalProbability(tail))
                .toArray();
        return Quadrature.HALF_NORMAL.mean(
                error -> { // half is enough: the intervals are symmetric
                    double all = 1;
                    for (int i = 0; i < quantiles.length; i++) {
                        all *= holding(error, differences.get(i).referenceShare, quantiles[i], deviations[i]);
                    }
                    return all;
                });
    }

    private static double holding(double error, double share, double quantile, Quadrature deviations) {
        double shared = Math.min(share, MAX_SHARED);
        double common = Math.sqrt(shared) * error;
        double own = Math.sqrt(1 - shared);
        return deviations.mean(deviation -> Quadrature.below((quantile * deviation + common) / own)
                - Quadrature.below((-quantile * deviation + common) / own));
    }
}
