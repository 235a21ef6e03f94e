package dev.blobmark.bench.stats;

import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.Unit;
import java.util.Arrays;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/** Methods of computing a 95 % interval of log ratios. They were compared to choose that of the laboratory. */
public enum IntervalRule {
    /** The laboratory's method. */
    T_ON_FORKS("t on fork means") {
        @Override
        double[] bounds(Ratios ratios, UniformRandomProvider random) {
            Interval.Range range = (Interval.Range) Interval.ofLogs(ratios.unitMeans(), Confidence.USUAL, Unit.FORK);
            return new double[] {Math.log(range.low()), Math.log(range.high())};
        }
    },
    /** Efron and Tibshirani (1993), section 12.5: quantiles of resampled t statistics instead of Student's. */
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
                // with few forks, many resamples have only one of them: their error is 0 and the statistic infinite
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
    /** The percentile bootstrap of rounds, which ignores forks. */
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

    /** 2.5 % of 999 values are below the 25th smallest: (RESAMPLES + 1) × 0.025. */
    private static double lower(double[] sorted) {
        return sorted[(RESAMPLES + 1) / 40 - 1];
    }

    private static double upper(double[] sorted) {
        return sorted[RESAMPLES - (RESAMPLES + 1) / 40];
    }
}
