package dev.blobmark.bench.stats;

import java.util.List;

/**
 * The disturbances of a simulated machine, as standard deviations of logarithms unless stated otherwise (0.02 is 2 %).
 *
 * @param round of each figure
 * @param fork of each arm in each fork, such as by JIT history and memory layout
 * @param trend change of the machine's speed from one round to the next, the same for all arms
 * @param walk random change of the machine's speed from one figure to the next
 * @param spikes share of figures that another program slows, by an exponential time with a mean of 20 %
 * @param slow share of forks in which an arm is slow, because client and server share a core
 * @param slowTogether probability that all arms of a fork are slow together, not each independently
 * @param unequal largest ÷ smallest variance of the arms, which are evenly spaced on the logarithm; 1 if all are equal
 * @param kind of each fork for every second arm, which simulates methods of the same kind
 */
public record Noise(
        String name,
        double round,
        double fork,
        double trend,
        double walk,
        double spikes,
        double slow,
        double slowTogether,
        double unequal,
        double kind) {

    /** Noise with equal variances and without kinds. */
    public Noise(
            String name,
            double round,
            double fork,
            double trend,
            double walk,
            double spikes,
            double slow,
            double slowTogether) {
        this(name, round, fork, trend, walk, spikes, slow, slowTogether, 1, 0);
    }

    /** The slow mode: 10,000 operations per second instead of 36,000. */
    static final double SLOW_LOG = Math.log(10_000.0 / 36_000);

    public static final Noise INDEPENDENT = new Noise("independent", 0.02, 0, 0, 0, 0, 0, 0);
    public static final Noise FORKS = new Noise("between forks", 0.02, 0.02, 0, 0, 0, 0, 0);
    public static final Noise DRIFT = new Noise("drifting", 0.02, 0.01, 0.02, 0.01, 0, 0, 0);
    public static final Noise SPIKES = new Noise("spikes", 0.02, 0.01, 0, 0, 0.1, 0, 0);
    public static final Noise MODES = new Noise("bimodal, each arm", 0.02, 0.01, 0, 0, 0, 0.25, 0);
    public static final Noise MODES_SHARED = new Noise("bimodal, shared", 0.02, 0.01, 0, 0, 0, 0.25, 0.8);

    public static final List<Noise> ALL = List.of(INDEPENDENT, FORKS, DRIFT, SPIKES, MODES, MODES_SHARED);

    /** Noise of arms that differ, with few rounds. */
    public static final List<Noise> UNLIKE = List.of(
            new Noise("variances five-fold", 0.02, 0.02, 0, 0, 0, 0, 0, 5, 0),
            new Noise("two kinds", 0.02, 0.02, 0, 0, 0, 0, 0, 1, 0.02));

    /** Noise of visits of a few milliseconds, which are much noisier than a whole fork. */
    public static final List<Noise> OF_VISITS = List.of(
            new Noise("independent", 0.2, 0, 0, 0, 0, 0, 0),
            new Noise("between forks", 0.2, 0.05, 0, 0, 0, 0, 0),
            new Noise("drifting", 0.2, 0.03, 0.02, 0.02, 0, 0, 0),
            new Noise("spikes", 0.2, 0.03, 0, 0, 0.1, 0, 0),
            new Noise("bimodal, each arm", 0.2, 0.03, 0, 0, 0, 0.25, 0),
            new Noise("bimodal, shared", 0.2, 0.03, 0, 0, 0, 0.25, 0.8),
            new Noise("variances five-fold", 0.2, 0.03, 0, 0, 0, 0, 0, 5, 0),
            new Noise("two kinds", 0.2, 0.03, 0, 0, 0, 0, 0, 1, 0.03));
}
