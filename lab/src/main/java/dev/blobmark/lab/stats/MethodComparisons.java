package dev.blobmark.lab.stats;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiPredicate;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Variance;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The figures of all methods under one condition, and the comparisons of methods: all with a baseline, all pairs, and all with the best. The
 * intervals of each of these three families hold simultaneously.
 *
 * <p>A comparison uses {@link Ratios}: figures of the same rounds, and a mean for each unit. There are few units to estimate its variance from. So
 * {@value #OWN_SHARE} of the variance is the comparison's own estimate, which includes how the two methods correlate. The rest is the estimate of both
 * methods from all methods ({@link MethodVariances}), which has many degrees of freedom. If there is nothing to moderate a variance with (two methods,
 * servers of different environments, figures that do not vary), it is used alone, with Bonferroni's correction.
 *
 * <p>The simulated coverage, from which the share was chosen, is in {@code docs/statistics.md}.
 */
public final class MethodComparisons {

    /** The share of a comparison's own variance in its estimate. A smaller share misses correlated methods; a larger one widens intervals. */
    static final double OWN_SHARE = 0.4;

    /**
     * The studentized range assumes one variance, but each pair has its own. In simulations, twins were distinguished in up to 9 % of the studies
     * instead of 5. With this factor, it is up to 7 %.
     */
    private static final double PAIR_MISSES = 0.75;

    private final Map<String, List<Figure>> figures;
    private final Confidence confidence;
    private final Optional<MethodVariances> variances;
    private final Map<Pair, Optional<Estimate>> estimates = new HashMap<>();

    private record Pair(String method, String other) {}

    /**
     * @param figures of one metric, by method, in any order
     * @param confidence with which all intervals of a family hold simultaneously; its number of comparisons is not used
     */
    public MethodComparisons(Map<String, List<Figure>> figures, Confidence confidence) {
        Map<String, List<Figure>> copy = new LinkedHashMap<>();
        figures.forEach((method, ofMethod) -> copy.put(method, List.copyOf(ofMethod)));
        this.figures = copy;
        this.confidence = confidence;
        variances = MethodVariances.of(copy);
    }

    /**
     * A comparison of a method with another one.
     *
     * @param effect method ÷ other
     * @param ratios the ratios by unit, at least one unit
     * @param spread what determines the width of its interval; empty if there is no interval, or nothing varies
     */
    public record Comparison(String method, String other, Ratios ratios, Effect effect, Optional<Spread> spread) {

        /** Whether the interval excludes 1, and the ratio is farther from 1 than the share {@code floor}, 0.02 for 2 %. */
        public boolean isApart(double floor) {
            return effect.interval() instanceof Interval.Range range
                    && !range.contains(1)
                    && !Margin.isWithin(effect.ratio(), floor);
        }
    }

    /** A comparison before the family's correction. */
    private record Estimate(Ratios ratios, double log, double deviation, double freedom, OptionalDouble shareOfOther) {

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

    /** The methods, in the given order. */
    public Collection<String> methods() {
        return figures.keySet();
    }

    public Confidence confidence() {
        return confidence;
    }

    /**
     * All other methods compared with one (Dunnett's comparisons with a control), in the given order, without those that have no common units.
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

    /** The probability with which each comparison with one method may miss on a side, so that all hold simultaneously. */
    private double tail(List<String> others, String one, Confidence together) {
        List<ManyToOne.Difference> differences = others.stream()
                .flatMap(method -> estimate(method, one).stream())
                .filter(Estimate::varies)
                // a variance that is used alone has an unknown dependence; Bonferroni's is below what this gives
                .map(estimate -> new ManyToOne.Difference(estimate.shareOfOther.orElse(0), estimate.freedom))
                .toList();
        return differences.isEmpty() ? together.tail() : ManyToOne.tail(differences, together.misses());
    }

    /**
     * One method compared with another, as one of all pairs of {@code family} methods (Tukey and Kramer); empty if they have no common units.
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
     * The other candidates compared with the best, in the given order, without those that have no common units.
     *
     * <p>If the best is better than every other one by comparisons with the best (J. C. Hsu, "Multiple Comparisons", 1996; two-sided intervals after D. G. Edwards and
     * J. C. Hsu, J. Amer. Statist. Assoc. 78, 1983), these are its intervals: for each other candidate, as wide as if all were compared
     * with it. They need no correction for the choice of the best: to name a wrong one, the interval between it and the true best has to miss. But
     * this does not cover who is second. So if the best is not clearly the best, the wider intervals of all pairs are used.
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
            // no correction gives the narrowest possible interval
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
     * Groups of methods that cannot be distinguished, by all pairs.
     *
     * @param ranked the best first
     * @param floor differences up to this share do not count: 0.02 for 2 %
     */
    public Tiers tiers(List<String> ranked, double floor) {
        List<Comparison> toBest = toBest(ranked, floor);
        BiPredicate<String, String> areApart = (better, worse) -> toBest.stream()
                .filter(comparison -> comparison.other.equals(better) && comparison.method.equals(worse))
                .findFirst()
                .or(() -> pair(worse, better, ranked.size()))
                .filter(comparison -> comparison.isApart(floor))
                .isPresent();
        return Tiers.of(ranked, areApart);
    }

    private interface TailOf {
        public double of(Estimate estimate);
    }

    private Comparison comparison(String method, String other, Confidence together, TailOf tails) {
        Estimate estimate = estimate(method, other).orElseThrow();
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

    /** Empty if the two have no common units. */
    private Optional<Estimate> estimate(String method, String other) {
        return estimates.computeIfAbsent(new Pair(method, other), pair -> {
            if (!figures.containsKey(method) || !figures.containsKey(other)) {
                return Optional.empty();
            }
            Ratios ratios = Ratios.matched(figures.get(method), figures.get(other));
            return ratios.units() == 0 ? Optional.empty() : Optional.of(estimate(pair, ratios));
        });
    }

    private Estimate estimate(Pair pair, Ratios ratios) {
        double[] means = ratios.unitMeans();
        double log = Mean.of(means).getAsDouble();
        double own = means.length < 2 ? 0 : Variance.of(means).getAsDouble();
        double ownFreedom = means.length - 1;
        Optional<MethodVariances.OfDifference> known = own == 0
                ? Optional.empty()
                : variances.flatMap(moderated -> moderated.ofDifference(pair.method, pair.other, ratios));
        if (known.isEmpty()) {
            return new Estimate(ratios, log, Math.sqrt(own), ownFreedom, OptionalDouble.empty());
        }
        double variance = OWN_SHARE * own + (1 - OWN_SHARE) * known.get().variance();
        // the better-known part is that of all comparisons together, so its covariance with the own part is its
        // variance
        double own2 = OWN_SHARE * OWN_SHARE;
        double freedom = 1 / ((1 - own2) / known.get().freedom() + own2 / ownFreedom);
        return new Estimate(
                ratios,
                log,
                Math.sqrt(variance),
                freedom,
                OptionalDouble.of(known.get().shareOfSecond()));
    }
}
