package dev.blobmark.stats;

import java.util.function.DoubleUnaryOperator;
import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.LogGamma;

/**
 * A Gauss-Legendre rule over an interval: exact for polynomials of a degree below twice the number of nodes.
 *
 * @param nodes within the interval
 * @param weights of the nodes, times the density if the rule averages over a distribution
 */
record Quadrature(double[] nodes, double[] weights) {

    /** Averages over a standard normal variable: less than 1e-15 lies beyond 8 deviations. */
    static final Quadrature NORMAL = of(48, -8, 8).times(z -> Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI));

    /** Averages over the absolute value of a standard normal variable. */
    static final Quadrature HALF_NORMAL = of(28, 0, 8).times(z -> Math.exp(-z * z / 2) * Math.sqrt(2 / Math.PI));

    private static final int CHI_NODES = 32;

    /** In deviations; values beyond have a probability below 1e-9. */
    private static final double FAR = 6;

    /** With more degrees of freedom, an estimated deviation is treated as known. */
    private static final double MANY = 1e6;

    static Quadrature of(int n, double from, double to) {
        double[] nodes = new double[n];
        double[] weights = new double[n];
        for (int i = 0; i < n; i++) {
            double x = Math.cos(Math.PI * (i + 0.75) / (n + 0.5));
            double slope = 0;
            for (int step = 0; step < 100; step++) { // Newton's method takes about 4 steps
                double p = 1;
                double before = 0;
                for (int k = 0; k < n; k++) {
                    double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
                    before = p;
                    p = next;
                }
                slope = n * (x * p - before) / (x * x - 1);
                double move = p / slope;
                x -= move;
                if (Math.abs(move) < 1e-15) {
                    break;
                }
            }
            nodes[i] = (from + to) / 2 - (to - from) / 2 * x;
            weights[i] = (to - from) / ((1 - x * x) * slope * slope);
        }
        return new Quadrature(nodes, weights);
    }

    /**
     * Averages over the ratio of an estimated standard deviation, with these degrees of freedom (1 or more), to the
     * true one.
     */
    static Quadrature estimatedDeviation(double freedom) {
        if (freedom > MANY) {
            return new Quadrature(new double[] {1}, new double[] {1});
        }
        // χ² ÷ ν is nearly the cube of a normal variable (Wilson and Hilferty 1931)
        double deviation = Math.sqrt(2 / (9 * freedom));
        double low = Math.max(0, 1 - deviation * deviation - FAR * deviation);
        double high = 1 - deviation * deviation + FAR * deviation;
        double constant = Math.log(2) + freedom / 2 * Math.log(freedom / 2) - LogGamma.value(freedom / 2);
        return of(CHI_NODES, Math.pow(low, 1.5), Math.pow(high, 1.5))
                .times(s -> Math.exp(constant + (freedom - 1) * Math.log(s) - freedom / 2 * s * s));
    }

    private Quadrature times(DoubleUnaryOperator density) {
        double[] weighted = new double[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            weighted[i] = weights[i] * density.applyAsDouble(nodes[i]);
        }
        return new Quadrature(nodes, weighted);
    }

    double mean(DoubleUnaryOperator function) {
        double sum = 0;
        for (int i = 0; i < nodes.length; i++) {
            sum += weights[i] * function.applyAsDouble(nodes[i]);
        }
        return sum;
    }

    /**
     * The probability that a standard normal variable is below x, within 1e-11. Interpolated, because a ranking of 17
     * methods takes a million of them.
     */
    static double below(double x) {
        double steps = Math.abs(x) * Normal.STEPS;
        int i = (int) steps;
        double above = 0;
        if (i < Normal.ABOVE.length - 1) {
            double t = steps - i;
            double rest = 1 - t;
            above = rest * rest * ((1 + 2 * t) * Normal.ABOVE[i] + t * Normal.SLOPE[i])
                    + t * t * ((3 - 2 * t) * Normal.ABOVE[i + 1] - rest * Normal.SLOPE[i + 1]);
        }
        return x < 0 ? above : 1 - above;
    }

    /** Probabilities above x ≥ 0 and their slopes per step, for cubic Hermite interpolation. */
    private static final class Normal {

        private static final int STEPS = 128;

        private static final double[] ABOVE = new double[8 * STEPS + 1];
        private static final double[] SLOPE = new double[ABOVE.length];

        static {
            for (int i = 0; i < ABOVE.length; i++) {
                double x = (double) i / STEPS;
                ABOVE[i] = Erfc.value(x * Math.sqrt(0.5)) / 2;
                SLOPE[i] = -Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) / STEPS;
            }
        }
    }
}
