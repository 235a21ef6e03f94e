package dev.blobmark.bench.stats;

import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Ratios;
import dev.blobmark.lab.stats.Unit;
import java.util.Arrays;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/** Ways to make an interval of log ratios at 95 %, that were compared before the laboratory got its one. */
public enum IntervalRule {
    /** What the laboratory does. */
    T_ON_FORKS("t on fork means") {
        @Override
        double[] bounds(Ratios ratios, UniformRandomProvider random) {
            Interval.Range range = (Interval.Range) Interval.ofLogs(ratios.unitMeans(), Confidence.USUAL, Unit.FORK);
            return new double[] {Math.log(range.low()), Math.log(range.high())};
        }
    },
    /** Efron and Tibshirani (1993), section 12.5: the quantiles of resampled t statistics in place of Student's. */
    BOOTSTRAP_T("bootstrap-t on fork means") {
        @Override
        double[] bounds(Ratios ratios, UniformRandomProvider random) {
            double[] logs = ratios.unitMeans();
            double mean = Mean.of(logs).getAsDouble();
            double error = standardError(logs);
            double[] statistics = new double[RESAMPLES];
            for (int i = 0; i < RESAMPLES; i++) {
                double[] resample = resample(logs, random);
                double difference = Mean.of(resample).getAsDouble() - mean;
                // of few forks, many resamples hold one fork only: no error, an infinite statistic
                double resampledError = standardError(resample);
                statistics[i] =
                        resampledError > 1e-12 * error ? difference / resampledError : Math.copySign(1e9, difference);
            }
            Arrays.sort(statistics);
            return new double[] {mean - upper(statistics) * error, mean - lower(statistics) * error};
        }
    },
    /** Efron and Tibshirani (1993), section 13.3, resampling forks. */
    PERCENTILE_OF_FORKS("percentile bootstrap of forks") {
        @Override
        double[] bounds(Ratios ratios, UniformRandomProvider random) {
            return percentile(ratios.unitMeans(), random);
        }
    },
    /** The same, resampling rounds as if forks did not matter. */
    PERCENTILE_OF_ROUNDS("percentile bootstrap of rounds") {
        @Override
        double[] bounds(Ratios ratios, UniformRandomProvider random) {
            return percentile(
                    ratios.logRatios().stream()
                            .flatMapToDouble(fork -> fork.stream().mapToDouble(Double::doubleValue))
                            .toArray(),
                    random);
        }
    };

    private static final int RESAMPLES = 999;

    private final String title;

    IntervalRule(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Lower and upper bound of the true log ratio. */
    abstract double[] bounds(Ratios ratios, UniformRandomProvider random);

    private static double[] percentile(double[] logs, UniformRandomProvider random) {
        double[] means = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            means[i] = Mean.of(resample(logs, random)).getAsDouble();
        }
        Arrays.sort(means);
        return new double[] {lower(means), upper(means)};
    }

    private static double[] resample(double[] logs, UniformRandomProvider random) {
        double[] resample = new double[logs.length];
        for (int i = 0; i < logs.length; i++) {
            resample[i] = logs[random.nextInt(logs.length)];
        }
        return resample;
    }

    private static double standardError(double[] logs) {
        return Math.sqrt(Variance.of(logs).getAsDouble() / logs.length);
    }

    /** The 25th smallest of 999 leaves 2.5 % below it: (RESAMPLES + 1) × 0.025. */
    private static double lower(double[] sorted) {
        return sorted[(RESAMPLES + 1) / 40 - 1];
    }

    private static double upper(double[] sorted) {
        return sorted[RESAMPLES - (RESAMPLES + 1) / 40];
    }
}
