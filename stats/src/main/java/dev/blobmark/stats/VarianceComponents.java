package dev.blobmark.stats;

import java.util.List;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * How much of a comparison's variance arises between the rounds of a fork, and how much between forks. Both are
 * variances of log ratios: a square root of 0.02 is a coefficient of variation of 2 %.
 *
 * <p>The unbiased estimators of Kalibera and Jones (2013): the variance between forks is that of the fork means, minus
 * what the rounds alone would cause. A negative estimate, which means that forks do not matter, becomes 0. Unequal
 * numbers of rounds enter by their harmonic mean.
 *
 * @param betweenForks variance between forks, 0 or more
 * @param withinForks variance between rounds of a fork, 0 or more
 */
public record VarianceComponents(double betweenForks, double withinForks) {

    public VarianceComponents {
        if (!(betweenForks >= 0 && withinForks >= 0)) {
            throw new IllegalArgumentException("variances are not negative: " + betweenForks + ", " + withinForks);
        }
    }

    /**
     * @throws IllegalArgumentException unless there are at least two forks, each with at least two rounds that match
     */
    public static VarianceComponents of(Ratios ratios) {
        List<List<Double>> forks = ratios.logRatios();
        if (forks.size() < 2 || forks.stream().anyMatch(rounds -> rounds.size() < 2)) {
            throw new IllegalArgumentException("variance components need 2 forks with 2 rounds each; there are "
                    + forks.size() + " with " + forks.stream().map(List::size).toList());
        }
        // weighted by degrees of freedom: for equal numbers of rounds, the plain mean
        double squares = 0;
        int freedom = 0;
        for (List<Double> rounds : forks) {
            double[] logs = rounds.stream().mapToDouble(Double::doubleValue).toArray();
            squares += Variance.of(logs).getAsDouble() * (logs.length - 1);
            freedom += logs.length - 1;
        }
        double within = squares / freedom;
        double shareOfRounds = Mean.of(forks.stream()
                        .mapToDouble(rounds -> 1.0 / rounds.size())
                        .toArray())
                .getAsDouble();
        double ofMeans = Variance.of(ratios.unitMeans()).getAsDouble();
        return new VarianceComponents(Math.max(0, ofMeans - within * shareOfRounds), within);
    }

    /**
     * The number of rounds in each fork that gives the narrowest interval for a given total time, rounded up: Kalibera
     * and Jones's {@code √(c₂/c₁ · within/between)}. It is {@code most} if forks do not differ.
     *
     * @param forkSeconds the cost of a fork before its first round: start, warm-up
     * @param roundSeconds the cost of each round
     * @param most the largest number to return, at least 1
     */
    public int bestRoundsPerFork(double forkSeconds, double roundSeconds, int most) {
        if (!(forkSeconds >= 0 && roundSeconds > 0) || most < 1) {
            throw new IllegalArgumentException("a fork of " + forkSeconds + " s with rounds of " + roundSeconds
                    + " s, at most " + most + ", cannot be planned; give times above 0 and at least one round");
        }
        if (withinForks == 0) {
            return 1;
        }
        if (betweenForks == 0) {
            return most;
        }
        double best = Math.ceil(Math.sqrt(forkSeconds / roundSeconds * withinForks / betweenForks));
        return (int) Math.max(1, Math.min(most, best));
    }
}
