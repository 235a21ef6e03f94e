package dev.blobmark.stats;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;

/**
 * How far a method's figures lie above the baseline's, in the figures' unit; for example, the time that a pool adds to
 * an operation. It is the mean over units of the mean differences within the same rounds, with Student's interval over
 * the units.
 *
 * @param low negative where the interval allows that the baseline's figures are the greater ones
 * @param units number of repetitions of {@code unit} that it is computed from, at least 2
 */
public record Difference(double mean, double low, double high, Unit unit, int units) {

    /** The difference of figures of the same rounds; empty if fewer than two units have figures of both methods. */
    public static Optional<Difference> byRound(List<Figure> method, List<Figure> baseline, Confidence confidence) {
        Collection<List<Double>> byFork = Ratios.byFork(method, baseline, (figure, other) -> figure - other);
        boolean isOneFork = byFork.size() == 1;
        double[] units = (isOneFork
                        ? byFork.stream().flatMap(List::stream)
                        : byFork.stream().map(Ratios::mean))
                .mapToDouble(each -> each)
                .toArray();
        if (units.length < 2) {
            return Optional.empty();
        }
        double mean = Mean.of(units).getAsDouble();
        double halfWidth = Interval.quantile(confidence, units.length)
                * Math.sqrt(Variance.of(units).getAsDouble() / units.length);
        return Optional.of(new Difference(
                mean, mean - halfWidth, mean + halfWidth, isOneFork ? Unit.ROUND : Unit.FORK, units.length));
    }
}
