package dev.blobmark.stats;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The noise of a run's comparisons of one metric, each between two sides that no other comparison has: the variance of
 * a ratio's mean logarithm in one fork.
 *
 * <p>The expected variance of a comparison is its own variance between visits ÷ the number of visits in a fork, times a
 * factor common to all; over a slow link, for example, both variances are small. The deviations from it are moderated
 * ({@link ModeratedVariances}), since five forks alone would give each an estimate with four degrees of freedom. For
 * methods that are measured under one condition, {@link MethodComparisons} has better estimates.
 */
public final class RatioVariances {

    /** Fewer comparisons do not show how much variances differ. */
    private static final int MIN_COMPARISONS = 3;

    /** With fewer, the variance between visits is not used, and all comparisons have the same expected variance. */
    private static final int MIN_FREEDOM_OF_VISITS = 20;

    private final Map<Ratios, KnownVariance> known = new HashMap<>();

    private record KnownVariance(double variance, double freedom) {}

    /** @param comparisons duplicates, and those that do not vary or whose unit is not the fork, are ignored */
    public static RatioVariances of(Collection<Ratios> comparisons) {
        RatioVariances all = new RatioVariances();
        comparisons.stream()
                .distinct()
                .filter(ratios -> ratios.unit() == Unit.FORK && ratios.units() > 1 && variance(ratios.unitMeans()) > 0)
                .collect(Collectors.partitioningBy(ratios -> visitPart(ratios) > 0))
                .forEach((hasVisits, varying) -> {
                    if (varying.size() >= MIN_COMPARISONS) {
                        all.moderate(varying, hasVisits);
                    }
                });
        return all;
    }

    private void moderate(List<Ratios> varying, boolean hasVisits) {
        int n = varying.size();
        double[] estimates = new double[n];
        double[] expected = new double[n];
        int[] freedom = new int[n];
        int allFreedom = 0;
        for (int i = 0; i < n; i++) {
            estimates[i] = variance(varying.get(i).unitMeans());
            expected[i] = hasVisits ? visitPart(varying.get(i)) : 1;
            freedom[i] = varying.get(i).units() - 1;
            allFreedom += freedom[i];
        }
        ModeratedVariances moderated = ModeratedVariances.of(estimates, expected, freedom);
        for (int i = 0; i < n; i++) {
            double freedomOfModerated = Math.min(freedom[i] + moderated.priorFreedom(), allFreedom);
            double own = MethodComparisons.OWN_SHARE;
            double variance = own * estimates[i] + (1 - own) * moderated.factors()[i] * expected[i];
            known.put(
                    varying.get(i),
                    new KnownVariance(variance, 1 / ((1 - own * own) / freedomOfModerated + own * own / freedom[i])));
        }
    }

    /** The variance between forks that the variance between visits explains; 0 if there are too few visits. */
    private static double visitPart(Ratios ratios) {
        double squares = 0;
        int freedom = 0;
        double inverse = 0;
        for (List<Double> visits : ratios.logRatios()) {
            double mean = Ratios.mean(visits);
            squares += visits.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
            freedom += visits.size() - 1;
            inverse += 1.0 / visits.size() / ratios.units();
        }
        return freedom < MIN_FREEDOM_OF_VISITS ? 0 : squares / freedom * inverse;
    }

    private static double variance(double[] means) {
        double mean = Arrays.stream(means).average().orElseThrow();
        return Arrays.stream(means).map(x -> (x - mean) * (x - mean)).sum() / (means.length - 1);
    }

    /**
     * A comparison's ratio, with Student's interval by the moderated variance, or by its own if it was not moderated.
     */
    public Effect effect(Ratios ratios, Confidence confidence) {
        KnownVariance found = known.get(ratios);
        if (found == null) {
            return Effect.of(ratios, confidence);
        }
        double log = ratios.mean();
        return new Effect(
                Math.exp(log),
                Interval.around(
                        log,
                        Math.sqrt(found.variance / ratios.units()),
                        found.freedom,
                        confidence,
                        ratios.unit(),
                        ratios.units()));
    }
}
