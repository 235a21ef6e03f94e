package dev.blobmark.report;

import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.Ratios;
import dev.blobmark.lab.stats.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * A method against another one, by the rounds that both have, or by the passes where they ran on servers of different environments.
 *
 * @param effect method ÷ other, by the metric
 * @param verdict on the method: {@code Faster} where it is the better of the two
 * @param unmatched figures of either side that had no counterpart, and were left out
 */
public record Judgement(String method, String other, Effect effect, Verdict verdict, int unmatched) {

    /** A method's figures of one metric, one for each round. */
    record Series(String method, List<Figure> figures) {}

    /** How all methods of one ranking are judged. */
    record Rule(boolean higherIsBetter, Confidence confidence, Margin margin) {

        /** Empty where the two have no round in common, nor a pass where they ran on different servers. */
        Optional<Judgement> judge(Series method, Series other) {
            Ratios ratios = Ratios.matched(method.figures, other.figures);
            if (ratios.units() == 0) {
                return Optional.empty();
            }
            Effect effect = Effect.of(ratios, confidence);
            return Optional.of(new Judgement(
                    method.method,
                    other.method,
                    effect,
                    Verdict.of(effect.interval(), higherIsBetter, margin),
                    ratios.unmatched()));
        }
    }

    /** Whether the interval excludes 1, on either side. */
    public boolean isCalled() {
        return verdict instanceof Verdict.Faster || verdict instanceof Verdict.Slower;
    }

    /** Empty where there is no interval. */
    public Optional<Interval.Range> range() {
        return effect.interval() instanceof Interval.Range range ? Optional.of(range) : Optional.empty();
    }
}
