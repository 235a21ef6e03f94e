package dev.blobmark.bench.fleet;

import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * How far apart the windows of hosts begin, in milliseconds. At the agreed instant each host needs some time of a
 * processor until its window has begun; the time is distributed log-normally. Hosts on one machine share its
 * processors, first come, first served.
 *
 * @param mu mean of the logarithm of the time
 * @param sigma its standard deviation
 */
record StartModel(double mu, double sigma) {

    private static final int DRAWS = 4_000;

    /** Of the logarithm of a time in milliseconds: 1 µs to 1 s. */
    private static final double LEAST = Math.log(1e-3);

    private static final double MOST = Math.log(1e3);

    /** The model whose two hosts, each with a processor of its own, begin as far apart as was measured. */
    static StartModel of(double[] measuredOfTwo) {
        double median = quantile(measuredOfTwo, 0.5);
        double high = quantile(measuredOfTwo, 0.9);
        StartModel best = new StartModel(0, 1);
        double least = Double.POSITIVE_INFINITY;
        for (double sigma = 0.1; sigma <= 3; sigma += 0.1) {
            for (double mu = LEAST; mu <= MOST; mu += 0.1) {
                StartModel model = new StartModel(mu, sigma);
                double[] apart = model.apart(2, 2, 1, 0, DRAWS / 4);
                double error = Math.abs(Math.log(quantile(apart, 0.5) / median))
                        + Math.abs(Math.log(quantile(apart, 0.9) / high));
                if (error < least) {
                    least = error;
                    best = model;
                }
            }
        }
        return best;
    }

    /** From the first start to the last, in many windows. */
    double[] apart(int hosts, int processors, long seed, double clockMillis) {
        return apart(hosts, processors, seed, clockMillis, DRAWS);
    }

    /**
     * @param hosts number of hosts
     * @param processors that all of them share; as many as hosts if they share none
     * @param clockMillis by how much a clock is wrong at most, in either direction
     */
    private double[] apart(int hosts, int processors, long seed, double clockMillis, int draws) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] apart = new double[draws];
        for (int draw = 0; draw < draws; draw++) {
            PriorityQueue<Double> free = new PriorityQueue<>();
            for (int i = 0; i < processors; i++) {
                free.add(0.0);
            }
            double first = Double.POSITIVE_INFINITY;
            double last = Double.NEGATIVE_INFINITY;
            for (int host = 0; host < hosts; host++) {
                double begun = free.remove() + Math.exp(mu + sigma * random.nextGaussian());
                free.add(begun);
                double shown = begun + clockMillis * (2 * random.nextDouble() - 1);
                first = Math.min(first, shown);
                last = Math.max(last, shown);
            }
            apart[draw] = last - first;
        }
        return apart;
    }

    static double quantile(double[] values, double share) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
    }
}
