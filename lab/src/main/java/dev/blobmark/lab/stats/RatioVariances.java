package dev.blobmark.lab.stats;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How noisy the comparisons of one run are that compare the same figure on different sides: the variance of a ratio's mean logarithm in one
 * fork.
 *
 * <p>The expected variance of a comparison is its own variance between visits ÷ the number of visits in a fork, times a common factor: over a slow
 * link both are small. The deviation of comparisons from their expected variance is moderated ({@link ModeratedVariances}). Five forks alone
 * give an estimate with four degrees of freedom. {@link MethodComparisons} is for methods that are measured under one condition.
 */
public final class RatioVariances {

    /** With fewer comparisons, it cannot be estimated how much variances differ. */
    private static final int LEAST = 3;

    /** Degrees of freedom of the variance between visits. With fewer, the expected variance is that of the other comparisons. */
    private static final int LEAST_FREEDOM_OF_VISITS = 20;

    private final Map<Ratios, Known> known = new HashMap<>();

    private record Known(double variance, double freedom) {}

    /** @param comparisons each once; those that do not vary, or have another unit than the fork, are ignored */
    public static RatioVariances of(Collection<Ratios> comparisons) {
        RatioVariances all = new RatioVariances();
        comparisons.stream()
                .distinct()
                .filter(ratios -> ratios.unit() == Unit.FORK && ratios.units() > 1 && variance(ratios.unitMeans()) > 0)
                .collect(Collectors.partitioningBy(ratios -> ofVisits(ratios) > 0))
                .forEach((hasVisits, some) -> {
                    if (some.size() >= LEAST) {
                        all.moderate(some, hasVisits);
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
            expected[i] = hasVisits ? ofVisits(varying.get(i)) : 1;
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
                    new Known(variance, 1 / ((1 - own * own) / freedomOfModerated + own * own / freedom[i])));
        }
    }

    /** The variance between forks that follows from the variance between visits; 0 if forks have too few visits. */
    private static double ofVisits(Ratios ratios) {
        double squares = 0;
        int freedom = 0;
        double inverse = 0;
        for (List<Double> visits : ratios.logRatios()) {
            double mean = Ratios.mean(visits);
            squares += visits.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
            freedom += visits.size() - 1;
            inverse += 1.0 / visits.size() / ratios.units();
        }
        return freedom < LEAST_FREEDOM_OF_VISITS ? 0 : squares / freedom * inverse;
    }

    private static double variance(double[] means) {
        double mean = Arrays.stream(means).average().orElseThrow();
        return Arrays.stream(means).map(x -> (x - mean) * (x - mean)).sum() / (means.length - 1);
    }

    /** A comparison's ratio, with Student's interval of the moderated variance, or of its own variance if there is no other. */
    public Effect effect(Ratios ratios, Confidence confidence) {
        Known found = known.get(ratios);
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
