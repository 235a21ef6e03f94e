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
 * The figures of all methods under one condition, and what they say of each method against the others: of all against a baseline, of all pairs, and of
 * which is the best. The intervals of each of the three hold together.
 *
 * <p>A comparison is that of {@link Ratios}: figures of the same rounds, a mean for each unit. Its variance between units is estimated from few of them.
 * So {@value #OWN_SHARE} of it are its own estimate, and the rest what is known of both methods from all of them ({@link MethodVariances}): this has many degrees of
 * freedom, that one holds where two methods go together, or one against the other. Where there is nothing to moderate a variance with (two methods, servers of
 * different environments, figures that do not vary), it stands alone, with Bonferroni's correction.
 *
 * <p>How often intervals are right, and the share that was chosen for it, is in {@code docs/statistics.md}.
 */
public final class MethodComparisons {

    /** The share of a comparison's own variance in its estimate. With less, methods that go together are missed; with more, intervals are wider. */
    static final double OWN_SHARE = 0.4;

    /**
     * The range is studentized by one variance, where each pair has its own: twins were seen to be told apart in up to 9 % of the studies instead of 5. With this factor, in up to 7.
     */
    private static final double PAIR_MISSES = 0.75;

    private final Map<String, List<Figure>> figures;
    private final Confidence confidence;
    private final Optional<MethodVariances> variances;
    private final Map<Pair, Optional<Estimate>> estimates = new HashMap<>();

    private record Pair(String method, String other) {}

    /**
     * @param figures of one metric, by method; those of a method in any order
     * @param confidence with which all intervals of a kind hold together; how many comparisons it is of does not matter
     */
    public MethodComparisons(Map<String, List<Figure>> figures, Confidence confidence) {
        Map<String, List<Figure>> copy = new LinkedHashMap<>();
        figures.forEach((method, ofMethod) -> copy.put(method, List.copyOf(ofMethod)));
        this.figures = copy;
        this.confidence = confidence;
        variances = MethodVariances.of(copy);
    }

    /**
     * A method against another one.
     *
     * @param effect method ÷ other
     * @param ratios what it is made of, at least one unit
     * @param spread what the width of its interval comes of; empty without an interval, and where nothing varies
     */
    public record Comparison(String method, String other, Ratios ratios, Effect effect, Optional<Spread> spread) {

        /** Whether the interval excludes 1, and the ratio is farther from 1 than the share {@code floor}, 0.02 for 2 %. */
        public boolean isApart(double floor) {
            return effect.interval() instanceof Interval.Range range
                    && !range.contains(1)
                    && !Margin.isWithin(effect.ratio(), floor);
        }
    }

    /** A comparison before anything is said of the others. */
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

    /** The methods, in the order in which they were given. */
    public Collection<String> methods() {
        return figures.keySet();
    }

    public Confidence confidence() {
        return confidence;
    }

    /**
     * All other methods against one (Dunnett's comparisons with a control), in the order in which methods were given; those that have nothing in
     * common with it are left out.
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

    /** With what probability each interval of a comparison with one method misses on a side, so that they hold together. */
    private double tail(List<String> others, String one, Confidence together) {
        List<ManyToOne.Difference> differences = others.stream()
                .flatMap(method -> estimate(method, one).stream())
                .filter(Estimate::varies)
                // what stands alone is independent of nothing that is known: Bonferroni's is below what this gives
                .map(estimate -> new ManyToOne.Difference(estimate.shareOfOther.orElse(0), estimate.freedom))
                .toList();
        return differences.isEmpty() ? together.tail() : ManyToOne.tail(differences, together.misses());
    }

    /**
     * One method against another, as one of all pairs of {@code family} methods (the comparisons of Tukey and Kramer); empty where they have nothing in
     * common.
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
     * The other candidates against the best of them, in their order; those that have nothing in common with it are left out.
     *
     * <p>Where the best is ahead of every other one by comparisons with the best (J. C. Hsu, "Multiple Comparisons", 1996; two-sided intervals after D. G. Edwards and
     * J. C. Hsu, J. Amer. Statist. Assoc. 78, 1983), these are its intervals: for each other candidate, as wide as if it were the one that all are
     * compared with. They take no account of how the best was chosen, and need not: to name a wrong one, the interval between it and the one true best has
     * to miss. That says nothing of who is second; so where the best is not alone ahead, these are the wider intervals of all pairs.
     *
     * @param candidates the best first
     * @param floor differences up to this share are none: 0.02 for 2 %
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
            // the narrowest that it may come out is no correction at all
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
     * Methods that cannot be told apart, by all pairs.
     *
     * @param ranked the best first
     * @param floor differences up to this share are none: 0.02 for 2 %
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

    /** Empty where the two have nothing in common. */
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
        // the part that is known better is that of all comparisons together, so that its covariance with the own one is
        // its variance
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
