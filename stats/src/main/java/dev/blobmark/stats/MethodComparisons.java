package dev.blobmark.stats;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BiPredicate;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Comparisons of all methods under one condition: of all with a baseline, of all pairs, and of all with the best. The
 * intervals of each of the three families hold together.
 *
 * <p>A comparison uses the {@link Ratios} of figures of the same rounds, with a mean for each unit. Its variance
 * between units comes from few units. So it is the weighted mean of two estimates: the comparison's own, with the
 * weight {@value #OWN_SHARE}, and the one from both methods' variances among all methods ({@link MethodVariances}). The
 * second has many degrees of freedom; the first sees whether the two methods vary together or in opposite directions.
 * If there is nothing to moderate a variance with (two methods, servers of different environments, figures that do not
 * vary), the own estimate is used alone, with Bonferroni's correction.
 *
 * <p>{@code docs/statistics.md} has the coverage of the intervals, and how the weight was chosen.
 */
public final class MethodComparisons {

    /**
     * The weight of a comparison's own variance in its estimate. A smaller one misses methods that vary together, a
     * larger one makes intervals wider.
     */
    static final double OWN_SHARE = 0.4;

    /**
     * The studentized range assumes one variance, but each pair has its own. Identical methods were found to differ in
     * up to 9 % of simulated studies instead of 5; with this factor, in up to 7.
     */
    private static final double PAIR_MISSES = 0.75;

    private final Map<String, List<Figure>> figures;
    private final Confidence confidence;
    private final Optional<MethodVariances> variances;
    private final Map<MethodPair, Optional<Uncorrected>> estimates = new HashMap<>();

    private record MethodPair(String method, String other) {}

    /**
     * @param figures of one metric, by method; those of a method in any order
     * @param confidence with which all intervals of a family hold together; its number of comparisons is ignored
     */
    public MethodComparisons(Map<String, List<Figure>> figures, Confidence confidence) {
        Map<String, List<Figure>> copy = new LinkedHashMap<>();
        figures.forEach((method, ofMethod) -> copy.put(method, List.copyOf(ofMethod)));
        this.figures = copy;
        this.confidence = confidence;
        variances = MethodVariances.of(copy);
    }

    /**
     * The comparison of a method with another one.
     *
     * @param effect method ÷ other
     * @param ratios that it was computed from, with at least one unit
     * @param spread what determines the interval's width; empty if there is no interval, or nothing varies
     */
    public record Comparison(String method, String other, Ratios ratios, Effect effect, Optional<Spread> spread) {

        /** Whether the interval excludes 1, and the ratio differs from 1 by more than {@code floor}, 0.02 for 2 %. */
        public boolean isApart(double floor) {
            return effect.interval() instanceof Interval.Range range
                    && !range.contains(1)
                    && !Margin.isWithin(effect.ratio(), floor);
        }
    }

    /** A comparison before the correction for the family. */
    private record Uncorrected(
            Ratios ratios, double log, double deviation, double freedom, OptionalDouble shareOfOther) {

        int units() {
            return ratios.units();
        }

        boolean varies() {
            return units() > 1 && deviation > 0;
        }

        double standardError() {
            return deviation / Math.sqrt(units());
        }
    }

    /** The methods, in the order given. */
    public Collection<String> methods() {
        return figures.keySet();
    }

    public Confidence confidence() {
        return confidence;
    }

    /**
     * All other methods against the baseline (Dunnett's comparisons with a control), in the order given, without those
     * that share no unit with it.
     */
    public List<Comparison> to(String baseline) {
        List<String> others = figures.keySet().stream()
                .filter(method ->
                        !method.equals(baseline) && estimate(method, baseline).isPresent())
                .toList();
        Confidence together = confidence.among(Math.max(1, others.size()));
        double tail = tail(others, baseline, together);
        return others.stream()
                .map(method -> comparison(
                        method,
                        baseline,
                        together,
                        estimate -> estimate.shareOfOther.isPresent() ? tail : together.tail()))
                .toList();
    }

    /**
     * The probability with which each interval of the comparisons with {@code one} may miss on one side, so that all
     * hold together.
     */
    private double tail(List<String> others, String one, Confidence together) {
        List<ManyToOne.MeanDifference> differences = others.stream()
                .flatMap(method -> estimate(method, one).stream())
                .filter(Uncorrected::varies)
                // an estimate that is not moderated counts as independent here; its own interval uses Bonferroni's
                // smaller tail
                .map(estimate -> new ManyToOne.MeanDifference(estimate.shareOfOther.orElse(0), estimate.freedom))
                .toList();
        return differences.isEmpty() ? together.tail() : ManyToOne.tail(differences, together.misses());
    }

    /**
     * One method against another, as one of all pairs of {@code family} methods (the comparisons of Tukey and Kramer);
     * empty if they share no unit.
     */
    public Optional<Comparison> pair(String method, String other, int family) {
        Confidence together = confidence.among(Math.max(1, family * (family - 1) / 2));
        return estimate(method, other)
                .map(estimate -> comparison(method, other, together, known -> {
                    if (known.shareOfOther.isEmpty() || family < 3) {
                        return together.tail();
                    }
                    double quantile = StudentizedRange.quantile(family, known.freedom, PAIR_MISSES * together.misses());
                    return TDistribution.of(known.freedom).survivalProbability(quantile);
                }));
    }

    /**
     * The other candidates against the best of them, in the order given, without those that share no unit with it.
     *
     * <p>If comparisons with the best show that it is ahead of every other one (J. C. Hsu, "Multiple Comparisons",
     * 1996; two-sided intervals after D. G. Edwards and J. C. Hsu, J. Amer. Statist. Assoc. 78, 1983), these are its
     * intervals: for each other candidate, as wide as if all were compared with that candidate. They need not allow for
     * the choice of the best from the same figures: a wrong one is named only if the interval between it and the true
     * best misses. The method says nothing about the second best, so if the best is not ahead of all, these are the
     * wider intervals of all pairs.
     *
     * @param candidates the best first
     * @param floor differences up to this share do not count: 0.02 for 2 %
     */
    public List<Comparison> toBest(List<String> candidates, double floor) {
        List<Comparison> pairs = candidates.stream()
                .skip(1)
                .flatMap(other -> pair(other, candidates.get(0), candidates.size()).stream())
                .toList();
        if (pairs.isEmpty() || pairs.size() < candidates.size() - 1) {
            return pairs;
        }
        List<Comparison> ahead = new ArrayList<>();
        for (Comparison pair : pairs) {
            // without a correction the interval is narrowest, so the expensive one is not needed if this does not
            // exclude 1
            Comparison alone = comparison(
                    pair.method,
                    pair.other,
                    confidence.among(1),
                    estimate -> confidence.among(1).tail());
            if (!alone.isApart(floor)) {
                return pairs;
            }
            Comparison ofHsu = withBest(pair.method, candidates);
            if (!ofHsu.isApart(floor)) {
                return pairs;
            }
            ahead.add(ofHsu);
        }
        return ahead;
    }

    private Comparison withBest(String method, List<String> candidates) {
        List<String> others =
                candidates.stream().filter(other -> !other.equals(method)).toList();
        Confidence together = confidence.among(others.size());
        double tail = tail(others, method, together);
        return comparison(
                method,
                candidates.get(0),
                together,
                estimate -> estimate.shareOfOther.isPresent() ? tail : together.tail());
    }

    /**
     * Groups of tied methods, by comparisons of all pairs.
     *
     * @param ranked the best first
     * @param floor differences up to this share do not count: 0.02 for 2 %
     */
    public Tiers tiers(List<String> ranked, double floor) {
        return tiers(ranked, floor, Set.of());
    }

    /**
     * The same.
     *
     * @param undecided methods that are not distinguished from any, whatever their figures
     */
    public Tiers tiers(List<String> ranked, double floor, Set<String> undecided) {
        List<Comparison> toBest = toBest(ranked, floor);
        BiPredicate<String, String> areApart = (better, worse) -> toBest.stream()
                .filter(comparison -> comparison.other.equals(better) && comparison.method.equals(worse))
                .findFirst()
                .or(() -> pair(worse, better, ranked.size()))
                .filter(comparison -> comparison.isApart(floor))
                .filter(comparison -> !undecided.contains(better) && !undecided.contains(worse))
                .isPresent();
        return Tiers.of(ranked, areApart);
    }

    private interface TailOf {
        public double of(Uncorrected estimate);
    }

    private Comparison comparison(String method, String other, Confidence together, TailOf tails) {
        Uncorrected estimate = estimate(method, other).orElseThrow();
        int units = estimate.units();
        Unit unit = estimate.ratios.unit();
        double ratio = Math.exp(estimate.log);
        if (!estimate.varies()) {
            Interval interval =
                    units < 2 ? Interval.none(unit, units) : Interval.reaching(estimate.log, 0, together, unit, units);
            return new Comparison(method, other, estimate.ratios, new Effect(ratio, interval), Optional.empty());
        }
        Spread spread = new Spread(estimate.deviation, estimate.freedom, tails.of(estimate), units);
        Interval interval = Interval.reaching(estimate.log, spread.reach(), together, unit, units);
        return new Comparison(method, other, estimate.ratios, new Effect(ratio, interval), Optional.of(spread));
    }

    /** Empty if the two share no unit. */
    private Optional<Uncorrected> estimate(String method, String other) {
        return estimates.computeIfAbsent(new MethodPair(method, other), pair -> {
            if (!figures.containsKey(method) || !figures.containsKey(other)) {
                return Optional.empty();
            }
            Ratios ratios = Ratios.matched(figures.get(method), figures.get(other));
            return ratios.units() == 0 ? Optional.empty() : Optional.of(estimate(pair, ratios));
        });
    }

    private Uncorrected estimate(MethodPair pair, Ratios ratios) {
        double[] means = ratios.unitMeans();
        double log = Mean.of(means).getAsDouble();
        double own = means.length < 2 ? 0 : Variance.of(means).getAsDouble();
        double ownFreedom = means.length - 1;
        Optional<MethodVariances.OfDifference> known = own == 0
                ? Optional.empty()
                : variances.flatMap(moderated -> moderated.ofDifference(pair.method, pair.other, ratios));
        if (known.isEmpty()) {
            return new Uncorrected(ratios, log, Math.sqrt(own), ownFreedom, OptionalDouble.empty());
        }
        double variance = OWN_SHARE * own + (1 - OWN_SHARE) * known.get().variance();
        // the moderated part is a mean over all comparisons, so its covariance with the own estimate is its own
        // variance
        double own2 = OWN_SHARE * OWN_SHARE;
        double freedom = 1 / ((1 - own2) / known.get().freedom() + own2 / ownFreedom);
        return new Uncorrected(
                ratios,
                log,
                Math.sqrt(variance),
                freedom,
                OptionalDouble.of(known.get().shareOfSecond()));
    }
}
