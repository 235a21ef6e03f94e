package dev.blobmark.evidence.fleet;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How far apart the windows of hosts begin, in milliseconds. At the agreed instant a host waits for its turn at a
 * processor, for a time that is distributed uniformly up to the number of hosts per processor times a turn. In some
 * windows one host is late besides, because something else runs; by how much is distributed exponentially.
 *
 * @param turn of a host that shares its processor with nobody's host, but with the server and the system
 * @param late share of the windows of two hosts in which one of them is late
 * @param lateness of such a host, on average
 */
record StartModel(double turn, double late, double lateness) {

    private static final int DRAWS = 4_000;
    private static final double[] LATE = {0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4};
    private static final double LEAST_TURN = 0.01;
    private static final double MOST_TURN = 100;
    private static final double FINER = 1.1;

    /** Of the largest quantiles, few windows decide. */
    private static final double TAIL_WEIGHT = 0.5;

    /** The model by which two hosts on two processors of one machine begin as far apart as was measured. */
    static StartModel of(double[] measuredOfTwo) {
        double median = quantile(measuredOfTwo, 0.5);
        double high = quantile(measuredOfTwo, 0.9);
        StartModel best = new StartModel(median, 0, 0);
        double least = Double.POSITIVE_INFINITY;
        for (double turn = LEAST_TURN; turn < MOST_TURN; turn *= FINER) {
            for (double late : LATE) {
                for (double lateness = turn; lateness < 10 * turn; lateness *= FINER * FINER) {
                    StartModel model = new StartModel(turn, late, lateness);
                    double[] apart = model.draw(DRAWS / 4, 1, random -> model.onOneMachine(2, 2, random));
                    double error = Math.abs(Math.log(quantile(apart, 0.5) / median))
                            + TAIL_WEIGHT * Math.abs(Math.log(quantile(apart, 0.9) / high));
                    if (error < least) {
                        least = error;
                        best = model;
                    }
                }
            }
        }
        return best;
    }

    /** Where the starts of a window are. */
    private interface Window {
        double[] starts(SplittableRandom random);
    }

    /** From the first start to the last, in many windows of hosts that share the processors of one machine. */
    double[] apart(int hosts, int processors, long seed) {
        return draw(DRAWS, seed, random -> onOneMachine(hosts, processors, random));
    }

    /**
     * The same of hosts on machines of their own; each is late by itself.
     *
     * @param clockMillis by how much a clock is wrong at most, in either direction
     */
    double[] apart(int hosts, long seed, double clockMillis) {
        return draw(DRAWS, seed, random -> {
            double[] starts = new double[hosts];
            for (int host = 0; host < hosts; host++) {
                starts[host] = turn * random.nextDouble()
                        + (random.nextDouble() < late / 2 ? lateness * exponential(random) : 0)
                        + clockMillis * (2 * random.nextDouble() - 1);
            }
            return starts;
        });
    }

    private double[] onOneMachine(int hosts, int processors, SplittableRandom random) {
        double load = (double) hosts / processors;
        double[] starts = new double[hosts];
        Arrays.setAll(starts, host -> load * turn * random.nextDouble());
        if (random.nextDouble() < late) {
            starts[0] += load * lateness * exponential(random);
        }
        return starts;
    }

    private static double exponential(SplittableRandom random) {
        return -Math.log(1 - random.nextDouble());
    }

    private double[] draw(int draws, long seed, Window window) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] apart = new double[draws];
        for (int draw = 0; draw < draws; draw++) {
            double[] starts = window.starts(random);
            apart[draw] = Arrays.stream(starts).max().orElse(0)
                    - Arrays.stream(starts).min().orElse(0);
        }
        return apart;
    }

    static double quantile(double[] values, double share) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
    }
}
