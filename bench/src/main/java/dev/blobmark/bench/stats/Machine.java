package dev.blobmark.bench.stats;

import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Ratios;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.ListSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * A simulated machine on which a study runs, fork after fork. Its arms share the machine's state: within a round they run one after
 * the other in shuffled order, while the machine drifts. The first arm is the baseline.
 */
public final class Machine {

    private final Noise noise;
    private final UniformRandomProvider random;
    private final ZigguratSampler.NormalizedGaussian normal;
    private final ZigguratSampler.Exponential exponential;
    private final double[] logEffects;
    private final List<List<Figure>> figures = new ArrayList<>();
    private double speed;
    private int forks;

    /** @param logEffects for each arm the true log ratio to a common standard; 0 for all is an A/A study */
    public Machine(Noise noise, UniformRandomProvider random, double... logEffects) {
        this.noise = noise;
        this.random = random;
        this.normal = ZigguratSampler.NormalizedGaussian.of(random);
        this.exponential = ZigguratSampler.Exponential.of(random);
        this.logEffects = logEffects;
        for (int arm = 0; arm < logEffects.length; arm++) {
            figures.add(new ArrayList<>());
        }
    }

    /** Runs forks of so many rounds each. */
    public Machine run(int moreForks, int rounds) {
        for (int i = 0; i < moreForks; i++) {
            runFork(rounds);
        }
        return this;
    }

    /** What was measured so far, each arm but the first against the first. */
    public List<Ratios> ratios() {
        return figures.stream()
                .skip(1)
                .map(arm -> Ratios.byRound(arm, figures.get(0)))
                .toList();
    }

    private void runFork(int rounds) {
        int arms = logEffects.length;
        double[] ofFork = new double[arms];
        boolean sharedSlow = random.nextDouble() < noise.slow();
        boolean together = random.nextDouble() < noise.slowTogether();
        List<Integer> order = new ArrayList<>();
        for (int arm = 0; arm < arms; arm++) {
            boolean slow = together ? sharedSlow : random.nextDouble() < noise.slow();
            ofFork[arm] = logEffects[arm] + noise.fork() * normal.sample() + (slow ? Noise.SLOW_LOG : 0);
            order.add(arm);
        }
        for (int round = 0; round < rounds; round++) {
            ListSampler.shuffle(random, order);
            for (int arm : order) {
                speed += noise.trend() / arms + noise.walk() * normal.sample();
                double spike = random.nextDouble() < noise.spikes() ? -0.2 * exponential.sample() : 0;
                double log = ofFork[arm] + speed + spike + noise.round() * normal.sample();
                figures.get(arm).add(new Figure(0, forks, round, Math.exp(log)));
            }
        }
        forks++;
    }
}
