package dev.blobmark.stats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.numbers.rootfinder.BrentSolver;

/**
 * The distribution of the studentized range: the distance between the largest and the smallest of several equal means,
 * in estimated standard deviations of one of them. Differences between all pairs are compared with it.
 *
 * <p>J. W. Tukey's comparisons of all pairs, extended to unequal numbers by C. Y. Kramer (Biometrics 12, 1956), and to
 * degrees of freedom of each pair by P. A. Games and J. F. Howell (J. Educational Statist. 1, 1976).
 */
final class StudentizedRange {

    /**
     * Degrees of freedom are rounded down to powers of this, so that cached quantiles are found. Quantiles come out at
     * most 0.5 % larger.
     */
    private static final double STEP = 1.01;

    private static final Map<Key, Double> FOUND = new ConcurrentHashMap<>();

    private StudentizedRange() {}

    private record Key(int means, int step, double misses) {}

    /** The probability that a range of {@code means} means is below {@code range}. */
    static double below(double range, int means, double freedom) {
        return Quadrature.estimatedDeviation(freedom).mean(deviation -> ofKnownDeviation(range * deviation, means));
    }

    private static double ofKnownDeviation(double range, int means) {
        return means
                * Quadrature.NORMAL.mean(
                        highest -> Math.pow(Quadrature.below(highest) - Quadrature.below(highest - range), means - 1));
    }

    /**
     * The half-width of each pair's interval, in standard errors of the difference, with which one or more of the
     * intervals miss with the probability {@code misses}.
     */
    static double quantile(int means, double freedom, double misses) {
        int step = (int) Math.floor(Math.log(Math.min(freedom, 1e5)) / Math.log(STEP));
        return FOUND.computeIfAbsent(new Key(means, step, misses), StudentizedRange::find);
    }

    private static double find(Key key) {
        double freedom = Math.pow(STEP, key.step);
        return new BrentSolver(1e-7, 1e-7, 1e-12)
                        .findRoot(range -> 1 - below(range, key.means, freedom) - key.misses, 0.1, 1000)
                / Math.sqrt(2);
    }
}
