package dev.blobmark.stats;

import java.util.Arrays;
import java.util.Optional;

/**
 * Whether figures jump between two levels, as they do if client and server sometimes share a core. The figures are
 * means of a window's sub-windows, or of rounds.
 *
 * <p>The sorted logarithms are cut where the variance within both parts is least (2-means in one dimension, solved
 * exactly). There are two levels if the means of the parts are farther apart, in standard deviations within the parts,
 * than a limit that noise without levels exceeds once in 100 times. The limit depends on the number of figures, because
 * few figures separate more easily by chance. It was fitted to simulated normal noise, and stays above the 3.46 of a
 * uniform distribution, so that a steady drift does not count as levels.
 */
public final class Bimodality {

    /** Fewer figures show two levels, with two figures in each, only by chance. */
    public static final int MIN_FIGURES = 5;

    /** Levels closer than this are not reported; shared cores cost far more. */
    static final double MIN_RATIO = 1.25;

    /** A part with a smaller share of the figures is a few outliers. */
    private static final double MIN_SHARE = 0.15;

    private Bimodality() {}

    /**
     * Two levels.
     *
     * @param low geometric mean of the figures of the lower level
     * @param high geometric mean of the figures of the higher level
     * @param highShare share of the figures that belong to the higher level, between 0 and 1
     */
    public record Levels(double low, double high, double highShare) {}

    /**
     * Finds two levels; empty if there are none, or fewer than {@link #MIN_FIGURES} figures.
     *
     * @param figures rates or times, positive and finite, in any order
     * @throws IllegalArgumentException if a figure is not positive and finite
     */
    public static Optional<Levels> find(double... figures) {
        int n = figures.length;
        double[] logs = new double[n];
        for (int i = 0; i < n; i++) {
            if (!(figures[i] > 0) || Double.isInfinite(figures[i])) {
                throw new IllegalArgumentException(
                        "figure " + i + ": " + figures[i]
                                + " has no logarithm; give positive, finite figures, and leave out sub-windows without operations");
            }
            logs[i] = Math.log(figures[i]);
        }
        if (n < MIN_FIGURES) {
            return Optional.empty();
        }
        Arrays.sort(logs);
        int least = Math.max(2, (int) Math.ceil(MIN_SHARE * n));
        int cut = least;
        double squares = Double.POSITIVE_INFINITY;
        for (int i = least; i <= n - least; i++) {
            double within = squares(logs, 0, i) + squares(logs, i, n);
            if (within < squares) {
                squares = within;
                cut = i;
            }
        }
        double low = mean(logs, 0, cut);
        double high = mean(logs, cut, n);
        boolean apart = high - low > separationLimit(n) * Math.sqrt(squares / (n - 2));
        return apart && high - low >= Math.log(MIN_RATIO)
                ? Optional.of(new Levels(Math.exp(low), Math.exp(high), (n - cut) / (double) n))
                : Optional.empty();
    }

    /**
     * The separation that n figures of noise without levels exceed once in 100 times: 12.6 for 5, 6.2 for 10, 4.7 for
     * 20.
     */
    private static double separationLimit(int n) {
        return 3.6 + 18.0 / (n - 3);
    }

    private static double squares(double[] logs, int from, int to) {
        double mean = mean(logs, from, to);
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += (logs[i] - mean) * (logs[i] - mean);
        }
        return sum;
    }

    private static double mean(double[] logs, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += logs[i];
        }
        return sum / (to - from);
    }
}
