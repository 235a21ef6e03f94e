package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Manifest.ConditionPrecision;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Looks;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.MethodComparisons;
import dev.blobmark.lab.stats.Precision;
import dev.blobmark.lab.stats.Ratios;
import dev.blobmark.lab.stats.ToBaseline;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The methods of one condition against the baseline: how many forks they need, and how often each is visited in one. */
final class ConditionForks {

    private static final int VISITS_IF_OPEN = 2;

    private final Study study;
    private final Schedule schedule;
    private final BlockSamples samples;
    private final Levels condition;

    /** Empty where it cannot be had here. */
    private final Optional<Trial> baseline;

    private final List<Trial> others;
    private final Confidence confidence;

    ConditionForks(Study study, BlockSamples samples, Levels condition, List<Trial> trials) {
        this.condition = condition;
        this.study = study;
        this.samples = samples;
        schedule = study.schedule();
        baseline = baseline(trials);
        others = trials.stream()
                .filter(trial -> !trial.equals(baseline.orElse(null)))
                .toList();
        confidence = schedule.confidence();
    }

    /** Where methods differ in nothing that matters to the condition, the baseline's trial may bear another's name. */
    private Optional<Trial> baseline(List<Trial> trials) {
        Levels levels = study.methods().stream()
                .filter(method -> method.id().equals(study.baseline()))
                .findFirst()
                .orElseThrow()
                .levels();
        String id = Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(levels.with(condition)));
        return trials.stream().filter(trial -> trial.id().equals(id)).findFirst();
    }

    /** How many forks are to measure the condition, when so many have run. Each look back is taken once more. */
    int forksWanted(int run) {
        int forks = leastForks();
        if (baseline.isEmpty() || others.isEmpty()) {
            return schedule.forks();
        }
        if (schedule.untilDecided().isPresent()) {
            while (forks <= run && !open(forks).isEmpty()) {
                forks = Looks.after(forks);
            }
            return forks;
        }
        if (schedule.untilPrecise().isEmpty()) {
            return schedule.forks();
        }
        Precision precision = new Precision(schedule.untilPrecise().get().target(), confidence);
        while (forks <= run) {
            List<MethodComparisons.Comparison> comparisons =
                    comparisons(ratios(forks).keySet(), forks);
            if (!comparisons.isEmpty() && precision.next(comparisons) instanceof Precision.Next.Measure more) {
                forks += more.units();
            } else {
                return forks;
            }
        }
        return forks;
    }

    /**
     * How often trials are visited in a round of visits, those aside that are visited once: the baseline, which each of k others is compared
     * with, √k times (Dunnett 1955), so that its share of the variance of a ratio is as small as that of the others together allows. Its twin is visited
     * half as often, since all verdicts hang on it: it shows the noise floor. In forks that are added to decide what is open, that is visited {@value
     * #VISITS_IF_OPEN} times too.
     */
    Map<Trial, Integer> visits(int fork) {
        Map<Trial, Integer> visits = new HashMap<>();
        if (schedule.untilDecided().isPresent() && fork >= schedule.forks()) {
            Set<String> open = open(lastLook(fork));
            others.stream()
                    .filter(trial -> open.contains(trial.id()))
                    .forEach(trial -> visits.put(trial, VISITS_IF_OPEN));
        }
        double often = Math.sqrt(others.size());
        baseline.ifPresent(trial -> visits.put(trial, (int) Math.max(1, Math.round(often))));
        twin().ifPresent(trial -> visits.put(trial, (int) Math.max(1, Math.round(often / 2))));
        return visits;
    }

    /** Whether there is nothing to compare. */
    boolean isAlone() {
        return others.isEmpty();
    }

    /** The baseline's twin, by which the noise floor is known. */
    private Optional<Trial> twin() {
        return others.stream()
                .filter(trial -> study.control().equals(Optional.of(trial.method())))
                .findFirst();
    }

    /** After how many forks figures are looked at first. */
    private int leastForks() {
        return schedule.untilPrecise().isPresent()
                ? Math.max(schedule.forks(), Precision.LEAST_UNITS)
                : schedule.forks();
    }

    /** After how many forks figures were looked at last, before a fork. */
    int lastLook(int fork) {
        int look = leastForks();
        while (Looks.after(look) <= fork) {
            look = Looks.after(look);
        }
        return look;
    }

    /** Methods that so many forks say nothing of, by their trials: neither that they differ from the baseline nor that they equal it. */
    Set<String> open(int run) {
        return toBaseline(ratios(run).keySet(), run)
                .flatMap(compared -> compared.open().stream())
                .collect(Collectors.toSet());
    }

    /** The trials that it makes sense to go on with. */
    List<Trial> hopeful(int run) {
        return Stream.concat(baseline.stream(), ratios(run).keySet().stream()).toList();
    }

    /** What is known of the methods that may become precise: one that failed in most forks will not. */
    private Map<Trial, List<Ratios>> ratios(int run) {
        Map<Trial, List<Ratios>> hopeful = new LinkedHashMap<>();
        for (Trial trial : others) {
            List<Ratios> ratios = ratios(trial, run);
            if (run < leastForks() || !ratios.isEmpty() && ratios.stream().allMatch(r -> 2 * r.units() >= run)) {
                hopeful.put(trial, ratios);
            }
        }
        return hopeful;
    }

    /** For each type of operation that the trial was measured in. */
    private List<Ratios> ratios(Trial trial, int run) {
        return samples.of(trial).stream()
                .flatMap(sample -> sample.operations().keySet().stream())
                .distinct()
                .map(type -> Ratios.byRound(figures(trial, type, run), figures(baseline.orElseThrow(), type, run)))
                .toList();
    }

    private List<MethodComparisons.Comparison> comparisons(Collection<Trial> trials, int run) {
        return toBaseline(trials, run)
                .flatMap(compared -> compared.comparisons().stream())
                .toList();
    }

    /**
     * These trials against the baseline, for each type of operation: as the report will show them. A twin that is not among them shows no noise floor, which
     * more forks would not change.
     */
    private Stream<ToBaseline> toBaseline(Collection<Trial> trials, int run) {
        List<Trial> all = Stream.concat(baseline.stream(), trials.stream()).toList();
        Set<String> types = all.stream()
                .flatMap(trial -> samples.of(trial).stream())
                .flatMap(sample -> sample.operations().keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (schedule.untilDecided().isPresent() && types.contains(Sample.MIX)) {
            types.retainAll(Set.of(Sample.MIX)); // what competes for one window is decided together
        }
        return types.stream().map(type -> {
            Map<String, List<Figure>> figures = new LinkedHashMap<>();
            all.forEach(trial -> figures.put(trial.id(), figures(trial, type, run)));
            return ToBaseline.of(
                    new MethodComparisons(figures, confidence),
                    baseline.orElseThrow().id(),
                    twin().filter(trials::contains).map(Trial::id),
                    Margin.USUAL,
                    study.metric().higherIsBetter());
        });
    }

    private List<Figure> figures(Trial trial, String type, int run) {
        return samples.of(trial).stream()
                .filter(sample -> sample.fork() < run)
                .flatMap(sample -> sample.figures(study.metric(), type).stream())
                .toList();
    }

    ConditionPrecision reached(Schedule.UntilPrecise until) {
        int run = 1
                + Stream.concat(others.stream(), baseline.stream())
                        .flatMap(trial -> samples.of(trial).stream())
                        .mapToInt(Sample::fork)
                        .max()
                        .orElse(-1);
        if (baseline.isEmpty()) {
            return new ConditionPrecision(
                    condition, run, OptionalDouble.empty(), false, "the baseline is not available");
        }
        Map<Trial, List<Ratios>> hopeful = ratios(run);
        OptionalDouble widest = comparisons(hopeful.keySet(), run).stream()
                .map(comparison -> comparison.effect().interval())
                .filter(Interval.Range.class::isInstance)
                .mapToDouble(interval -> ((Interval.Range) interval).relativeHalfWidth())
                .max();
        List<String> hopeless = others.stream()
                .filter(trial -> !hopeful.containsKey(trial))
                .map(Trial::method)
                .toList();
        boolean narrow = widest.isPresent() && forksWanted(run) <= run;
        return new ConditionPrecision(
                condition, run, widest, narrow && hopeless.isEmpty(), reason(until, narrow, hopeless, run));
    }

    private String reason(Schedule.UntilPrecise until, boolean narrow, List<String> hopeless, int run) {
        if (!hopeless.isEmpty()) {
            return "figures of both sides in fewer than half of the forks: " + String.join(", ", hopeless);
        }
        if (narrow) {
            return "";
        }
        if (schedule.roundsOf(run).isEmpty()) {
            return "there are " + Schedule.MAX_ROUNDS + " rounds at most";
        }
        return until.budget()
                .map(budget -> "the budget of " + Durations.print(budget) + " was spent")
                .orElse("a fork that it needs has left no samples");
    }
}
