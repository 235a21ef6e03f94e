package dev.blobmark.analysis;

import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.GradedClaim.ClaimComparison;
import dev.blobmark.analysis.GradedClaim.MissingMeasurements;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Sides;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Difference;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.RatioVariances;
import dev.blobmark.stats.Ratios;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Tests a study's claims against samples: a pure function of both. {@code docs/claims.md} has the rules and their
 * reasons.
 *
 * @param confidence of all intervals of a claim together
 * @param margin within which sides are called equal
 */
public record Claims(Confidence confidence, Margin margin) {

    /** 95 %, and ± 2 % as a negligible difference. */
    static final Claims USUAL = new Claims(Confidence.USUAL, Margin.of(0.02));

    /** All claims of a study, in the study's order. */
    List<GradedClaim> grade(Study study, Collection<Sample> samples) {
        Map<String, List<Sample>> byTrial =
                samples.stream().collect(groupingBy(sample -> sample.trial().id(), LinkedHashMap::new, toList()));
        Map<Claim, ClaimedPairs> compared = new LinkedHashMap<>();
        study.claims().forEach(claim -> compared.put(claim, compared(claim, byTrial.values())));
        Map<Metric, RatioVariances> variances = compared.keySet().stream()
                .collect(groupingBy(
                        Claim::metric,
                        collectingAndThen(
                                toList(),
                                claims -> RatioVariances.of(claims.stream()
                                        .flatMap(claim -> compared.get(claim).pairs.stream())
                                        .flatMap(pair -> pair.matched().stream())
                                        .toList()))));
        return study.claims().stream()
                .map(claim -> grade(claim, compared.get(claim), variances.get(claim.metric())))
                .toList();
    }

    /**
     * The subjects and pairs of a claim in a run.
     *
     * @param measurable all trials, including those that the claim does not name
     * @param named all pairs of what the claim names
     * @param pairs those of them that the claim is about
     * @param outside why the claim is not about the others; empty if it is about all
     */
    private record ClaimedPairs(
            List<ClaimSubject> measurable, List<Pair> named, List<Pair> pairs, Optional<MissingMeasurements> outside) {}

    private static ClaimedPairs compared(Claim claim, Collection<List<Sample>> trials) {
        List<ClaimSubject> measurable =
                trials.stream().map(samples -> subject(claim, samples)).toList();
        List<ClaimSubject> subjects = measurable.stream()
                .filter(subject -> subject.isIn(claim.where()))
                .toList();
        if (claim.effect().isPresent()) {
            subjects = effects(claim.effect().get(), subjects);
        }
        List<Pair> named = claim.relation() instanceof Claim.Ratio ratio
                ? ratios(ratio, subjects)
                : pairs(claim.relation().sides(), subjects);
        return claim.given()
                .map(given -> compared(claim, given, trials, measurable, named))
                .orElseGet(() -> new ClaimedPairs(measurable, named, named, Optional.empty()));
    }

    private static ClaimedPairs compared(
            Claim claim,
            Claim.Given given,
            Collection<List<Sample>> trials,
            List<ClaimSubject> measurable,
            List<Pair> named) {
        Map<Trial, Double> medians = new LinkedHashMap<>();
        for (List<Sample> samples : trials) {
            Optional<String> operation = operation(claim, samples);
            Summary.median(
                            samples,
                            sample -> operation.flatMap(type -> sample.figure(given.metric(), type)).stream()
                                    .mapToDouble(Figure::value)
                                    .findFirst())
                    .ifPresent(median -> medians.put(samples.get(0).trial(), median));
        }
        Map<Pair, Double> known = new LinkedHashMap<>();
        for (Pair pair : named) {
            Stream.of(pair.left(), pair.right())
                    .filter(side -> side.isIn(given.of()))
                    .findFirst()
                    .map(side -> medians.get(side.trial()))
                    .ifPresent(median -> known.put(pair, median));
        }
        List<Pair> pairs = known.entrySet().stream()
                .filter(pair -> given.includes(pair.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        DoubleSummaryStatistics found =
                known.values().stream().mapToDouble(median -> median).summaryStatistics();
        MissingMeasurements outside = new MissingMeasurements(
                false,
                List.of(given.metric().word() + " of " + given.of() + " from " + millis(given.lowNanos()) + " to "
                        + millis(given.highNanos()) + " ms"),
                known.isEmpty()
                        ? Optional.empty()
                        : Optional.of("it is " + millis(found.getMin()) + " to " + millis(found.getMax()) + " ms"));
        return new ClaimedPairs(measurable, named, pairs, Optional.of(outside));
    }

    private static String millis(double nanos) {
        return BigDecimal.valueOf(nanos / 1e6)
                .round(new MathContext(3))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** The operation type of the claim, or the only one of the samples. */
    private static Optional<String> operation(Claim claim, List<Sample> samples) {
        Set<String> types = new TreeSet<>();
        samples.forEach(sample -> types.addAll(sample.operations().keySet()));
        return claim.operation().or(() -> types.stream().findFirst().filter(type -> types.size() == 1));
    }

    /** @param variances of all comparisons in the run by the claim's metric */
    private GradedClaim grade(Claim claim, ClaimedPairs compared, RatioVariances variances) {
        List<Pair> all = compared.pairs;
        List<Pair> measured = all.stream().filter(Pair::isMeasured).toList();
        int unmeasured = all.size() - measured.size();
        Set<String> unmet =
                unmet(claim, compared.named.stream().filter(Pair::isMeasured).toList());
        if (all.isEmpty() && !compared.named.isEmpty() && unmet.isEmpty()) {
            return new GradedClaim(claim, Grade.NOT_TESTED, List.of(), Optional.empty(), compared.outside, 0);
        }
        if (measured.isEmpty() || !unmet.isEmpty()) {
            Optional<String> why = compared.named.stream()
                    .flatMap(
                            pair -> Stream.of(pair.left().reason(), pair.right().reason()))
                    .filter(reason -> !reason.isEmpty())
                    .findFirst()
                    .or(() -> compared.named.stream()
                            .flatMap(pair -> pair.unequalDraws().stream())
                            .findFirst());
            MissingMeasurements missing = missing(claim, compared.measurable, unmet, why);
            return new GradedClaim(
                    claim, Grade.NOT_TESTED, List.of(), Optional.empty(), Optional.of(missing), unmeasured);
        }
        List<ClaimComparison> comparisons = measured.stream()
                .map(pair -> compare(claim, pair, measured.size(), variances))
                .toList();
        if (claim.holds() == Holds.ON_AVERAGE) {
            Optional<Effect> average = PairMean.of(measured, confidence);
            Grade grade = average.map(effect -> Grade.of(claim.relation(), effect.interval(), margin))
                    .orElse(Grade.INCONCLUSIVE);
            return new GradedClaim(claim, grade, comparisons, average, Optional.empty(), unmeasured);
        }
        Grade grade = Grade.of(
                claim.holds(), comparisons.stream().map(ClaimComparison::grade).toList());
        return new GradedClaim(claim, grade, comparisons, Optional.empty(), Optional.empty(), unmeasured);
    }

    private static ClaimSubject subject(Claim claim, List<Sample> samples) {
        Sample first = samples.get(0);
        Trial trial = first.trial();
        Optional<String> operation = operation(claim, samples);
        List<Figure> figures = samples.stream()
                .flatMap(sample -> operation.stream().flatMap(type -> sample.figures(claim.metric(), type).stream()))
                .toList();
        String reason = samples.stream()
                .map(Sample::outcome)
                .filter(outcome -> figures.isEmpty() && !outcome.isMeasurement())
                .findFirst()
                .map(outcome -> trial.method() + ": " + outcome.reason().strip().replaceAll("\\s+", " "))
                .orElse("");
        double draws = claim.metric() == Metric.MAX ? draws(samples, operation) : 0;
        return new ClaimSubject(List.of(trial), figures, draws, samples.size(), unsteady(samples), reason);
    }

    private static double draws(List<Sample> samples, Optional<String> operation) {
        return Summary.median(
                        samples,
                        sample -> operation.map(sample.operations()::get).stream()
                                .mapToDouble(Operations::count)
                                .findFirst())
                .orElse(0);
    }

    private static int unsteady(List<Sample> samples) {
        return (int) samples.stream()
                .filter(sample -> sample.outcome() instanceof Outcome.Unsteady)
                .count();
    }

    /** The ratios of an effect's two trials, round by round. */
    private static List<ClaimSubject> effects(Claim.ClaimedEffect effect, List<ClaimSubject> subjects) {
        return pairs(List.of(new Sides(effect.of(), effect.to())), subjects).stream()
                .map(pair -> {
                    List<Figure> ratios = new ArrayList<>();
                    Map<PairMean.CommonRound, Double> divisors =
                            PairMean.byRound(pair.right().figures());
                    PairMean.byRound(pair.left().figures())
                            .forEach((at, value) -> Optional.ofNullable(divisors.get(at))
                                    .ifPresent(by ->
                                            ratios.add(new Figure(at.block(), at.fork(), at.round(), value / by))));
                    return new ClaimSubject(
                            List.of(pair.left().trial(), pair.right().trial()),
                            ratios,
                            pair.left().draws(),
                            pair.left().samples() + pair.right().samples(),
                            pair.left().unsteady() + pair.right().unsteady(),
                            pair.left().reason() + pair.right().reason());
                })
                .toList();
    }

    /** All pairs of subjects on different sides that agree in everything that the sides do not name. */
    private static List<Pair> pairs(List<Sides> allSides, List<ClaimSubject> subjects) {
        List<Pair> pairs = new ArrayList<>();
        for (Sides sides : allSides) {
            Set<String> named = new TreeSet<>(sides.left().factors());
            named.addAll(sides.right().factors());
            Map<List<Object>, List<ClaimSubject>> rights = subjects.stream()
                    .filter(subject -> subject.isIn(sides.right()))
                    .collect(groupingBy(subject -> subject.matched(named)));
            for (ClaimSubject left : subjects) {
                if (left.isIn(sides.left())) {
                    for (ClaimSubject right : rights.getOrDefault(left.matched(named), List.of())) {
                        if (!left.trials().equals(right.trials())) {
                            pairs.add(new Pair(sides, left, right));
                        }
                    }
                }
            }
        }
        return pairs;
    }

    /** The figures of a claim about a ratio, each with 1 as the other side. */
    private static List<Pair> ratios(Claim.Ratio ratio, List<ClaimSubject> subjects) {
        Sides sides = ratio.sides().get(0);
        return subjects.stream()
                .filter(subject -> subject.isIn(ratio.of()))
                .map(subject -> new Pair(sides, subject, subject.ones()))
                .toList();
    }

    /** The levels that the claim names and no comparison has. */
    private static Set<String> unmet(Claim claim, List<Pair> measured) {
        Set<String> unmet = new LinkedHashSet<>();
        for (Sides sides : claim.relation().sides()) {
            List<Pair> ofSides =
                    measured.stream().filter(pair -> pair.sides().equals(sides)).toList();
            unmet.addAll(sides.left()
                    .unmet(trials(ofSides, pair -> List.of(pair.left().trial()))));
            unmet.addAll(sides.right()
                    .unmet(trials(ofSides, pair -> List.of(pair.right().trial()))));
        }
        claim.effect().ifPresent(effect -> {
            unmet.addAll(effect.of()
                    .unmet(trials(measured, pair -> List.of(pair.left().trial()))));
            unmet.addAll(effect.to()
                    .unmet(trials(measured, pair -> List.of(pair.left().trials().get(1)))));
        });
        unmet.addAll(claim.where()
                .unmet(trials(
                        measured,
                        pair -> List.of(pair.left().trial(), pair.right().trial()))));
        return unmet;
    }

    /** What was not measured, or else what was measured without a counterpart. */
    private static MissingMeasurements missing(
            Claim claim, List<ClaimSubject> measurable, Set<String> unmet, Optional<String> why) {
        List<Trial> trials = measurable.stream()
                .filter(subject -> !subject.figures().isEmpty())
                .map(ClaimSubject::trial)
                .toList();
        if (trials.isEmpty()) {
            return new MissingMeasurements(
                    false,
                    List.of(claim.metric().word()
                            + claim.operation().map(type -> " of " + type).orElse("")),
                    why);
        }
        Set<String> absent = new LinkedHashSet<>(claim.where().unmet(trials));
        claim.effect().ifPresent(effect -> {
            absent.addAll(effect.of().unmet(trials));
            absent.addAll(effect.to().unmet(trials));
        });
        claim.relation().sides().forEach(sides -> {
            absent.addAll(sides.left().unmet(trials));
            absent.addAll(sides.right().unmet(trials));
        });
        return new MissingMeasurements(absent.isEmpty(), List.copyOf(absent.isEmpty() ? unmet : absent), why);
    }

    private static List<Trial> trials(List<Pair> pairs, Function<Pair, List<Trial>> side) {
        return pairs.stream()
                .flatMap(pair -> side.apply(pair).stream())
                .distinct()
                .toList();
    }

    private ClaimComparison compare(Claim claim, Pair pair, int family, RatioVariances variances) {
        Confidence corrected = confidence.among(family);
        Optional<Ratios> matched = pair.matched();
        Effect effect = matched.isPresent()
                ? variances.effect(matched.get(), corrected)
                : PairMean.of(List.of(pair), corrected).orElseThrow();
        Optional<Difference> difference =
                claim.metric().unit().isTime() && claim.effect().isEmpty()
                        ? Difference.byRound(pair.left().figures(), pair.right().figures(), corrected)
                        : Optional.empty();
        Levels left = pair.left().trial().levels();
        Levels right = pair.right().trial().levels();
        Levels conditions = pair.left().trial().condition();
        boolean isOneMethod = pair.left().name().equals(pair.right().name());
        List<String> differing = left.byFactor().entrySet().stream()
                .filter(level -> isOneMethod || conditions.find(level.getKey()).isPresent())
                .filter(level -> !right.find(level.getKey()).equals(Optional.of(level.getValue())))
                .map(level -> level.getKey() + " " + level.getValue() + " ÷ "
                        + right.find(level.getKey()).orElse("none"))
                .toList();
        return new ClaimComparison(
                pair.left().name(),
                pair.right().name(),
                differing,
                conditions.only(factor -> conditions.find(factor).equals(right.find(factor))),
                effect,
                difference,
                matched.isPresent(),
                pair.left().samples() + pair.right().samples(),
                pair.left().unsteady() + pair.right().unsteady(),
                claim.relation() instanceof Claim.Apart apart
                        ? Grade.of(apart, difference, effect.interval(), margin)
                        : Grade.of(claim.relation(), effect.interval(), margin));
    }
}
