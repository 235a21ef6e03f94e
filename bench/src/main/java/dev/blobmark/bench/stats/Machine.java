package dev.blobmark.bench.stats;

import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Ratios;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.ListSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * A simulated machine that runs a study, fork after fork. Its arms share the machine's state: within a round, they run
 * one after another in shuffled order while the machine drifts. The first arm is the baseline.
 */
public final class Machine {

    private final Noise noise;
    private final UniformRandomProvider random;
    private final ZigguratSampler.NormalizedGaussian normal;
    private final ZigguratSampler.Exponential exponential;
    private final double[] logEffects;
    private final List<List<Figure>> figures = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private double speed;
    private int forks;

    /** @param logEffects true log ratio of each arm to a common standard; all 0 for an A/A study */
    public Machine(Noise noise, UniformRandomProvider random, double... logEffects) {
        this.noise = noise;
        this.random = random;
        this.normal = ZigguratSampler.NormalizedGaussian.of(random);
        this.exponential = ZigguratSampler.Exponential.of(random);
        this.logEffects = logEffects;
        for (int arm = 0; arm < logEffects.length; arm++) {
            figures.add(new ArrayList<>());
            // shuffled: the baseline may be the quietest or the noisiest
            places.add(arm);
        }
        ListSampler.shuffle(random, places);
    }

    /** The factor of an arm's own deviations. */
    private double scale(int arm) {
        double place = logEffects.length == 1 ? 0.5 : places.get(arm) / (logEffects.length - 1.0);
        return Math.pow(noise.unequal(), (place - 0.5) / 2);
    }

    /** Runs forks with this number of rounds each. */
    public Machine run(int moreForks, int rounds) {
        for (int i = 0; i < moreForks; i++) {
            runFork(rounds);
        }
        return this;
    }

    /** The figures so far, by the number of the arm. */
    public Map<String, List<Figure>> figures() {
        Map<String, List<Figure>> byArm = new LinkedHashMap<>();
        for (int arm = 0; arm < figures.size(); arm++) {
            byArm.put(String.valueOf(arm), figures.get(arm));
        }
        return byArm;
    }

    /** The ratios so far, of each arm to the first. */
    public List<Ratios> ratios() {
        return figures.stream()
                .skip(1)
                .map(arm -> Ratios.byRound(arm, figures.get(0)))
                .toList();
    }

    private void runFork(int rounds) {
        int arms = logEffects.length;
        double[] forkLogs = new double[arms];
        double kindLog = noise.kind() * normal.sample();
        boolean sharedSlow = random.nextDouble() < noise.slow();
        boolean together = random.nextDouble() < noise.slowTogether();
        List<Integer> order = new ArrayList<>();
        for (int arm = 0; arm < arms; arm++) {
            boolean slow = together ? sharedSlow : random.nextDouble() < noise.slow();
            forkLogs[arm] = logEffects[arm]
                    + noise.fork() * scale(arm) * normal.sample()
                    + (arm % 2 == 0 ? kindLog : -kindLog) / Math.sqrt(2)
                    + (slow ? Noise.SLOW_LOG : 0);
            order.add(arm);
        }
        for (int round = 0; round < rounds; round++) {
            ListSampler.shuffle(random, order);
            for (int arm : order) {
                speed += noise.trend() / arms + noise.walk() * normal.sample();
                double spike = random.nextDouble() < noise.spikes() ? -0.2 * exponential.sample() : 0;
                double log = forkLogs[arm] + speed + spike + noise.round() * scale(arm) * normal.sample();
                figures.get(arm).add(new Figure(0, forks, round, Math.exp(log)));
            }
        }
        forks++;
    }
}
