package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Manifest.ConditionPrecision;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Looks;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.MethodComparisons;
import dev.blobmark.stats.Precision;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.ToBaseline;
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

/** How many forks the methods of one condition need, and how often each is visited in a fork. */
final class ConditionForks {

    private static final int VISITS_IF_OPEN = 2;

    private final Study study;
    private final Schedule schedule;
    private final BlockSamples samples;
    private final Levels condition;

    /** Empty if the block does not have it. */
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

    /** Finds the trial by its id. Its method may have another name if methods do not differ under this condition. */
    private Optional<Trial> baseline(List<Trial> trials) {
        Levels levels = study.methods().stream()
                .filter(method -> method.id().equals(study.baseline()))
                .findFirst()
                .orElseThrow()
                .levels();
        String id = Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(levels.with(condition)));
        return trials.stream().filter(trial -> trial.id().equals(id)).findFirst();
    }

    /**
     * The number of forks that the condition needs, as far as it is known after some forks. The decisions after earlier
     * forks are repeated, so that the result depends only on samples.
     *
     * @param run number of forks that have run
     */
    int forksWanted(int run) {
        int forks = firstLook();
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
            if (!comparisons.isEmpty() && precision.next(comparisons) instanceof Precision.Next.MeasureMore more) {
                forks += more.units();
            } else {
                return forks;
            }
        }
        return forks;
    }

    /**
     * How often trials are visited in a round of visits. Trials that are not in the map are visited once.
     *
     * <p>The baseline is compared with each of k other trials. It is visited √k times, which minimizes the variance of
     * all ratios together (Dunnett 1955). The control is visited half as often as the baseline, because it sets the
     * noise floor, on which all verdicts depend. In forks that are added until all is decided, trials with an open
     * verdict are visited {@value #VISITS_IF_OPEN} times.
     */
    Map<Trial, Integer> visits(int fork) {
        Map<Trial, Integer> visits = new HashMap<>();
        if (schedule.untilDecided().isPresent() && fork >= schedule.forks()) {
            Set<String> open = open(lastLook(fork));
            others.stream()
                    .filter(trial -> open.contains(trial.id()))
                    .forEach(trial -> visits.put(trial, VISITS_IF_OPEN));
        }
        double baselineVisits = Math.sqrt(others.size());
        baseline.ifPresent(trial -> visits.put(trial, (int) Math.max(1, Math.round(baselineVisits))));
        control().ifPresent(trial -> visits.put(trial, (int) Math.max(1, Math.round(baselineVisits / 2))));
        return visits;
    }

    /** Whether there is no other trial to compare with the baseline. */
    boolean isAlone() {
        return others.isEmpty();
    }

    private Optional<Trial> control() {
        return others.stream()
                .filter(trial -> study.control().equals(Optional.of(trial.method())))
                .findFirst();
    }

    /** The number of forks before the first look at figures. */
    private int firstLook() {
        return schedule.untilPrecise().isPresent() ? Math.max(schedule.forks(), Precision.MIN_UNITS) : schedule.forks();
    }

    /** The number of forks before the last look that precedes a fork. */
    private int lastLook(int fork) {
        int look = firstLook();
        while (Looks.after(look) <= fork) {
            look = Looks.after(look);
        }
        return look;
    }

    /** The ids of trials that are neither different from the baseline nor equal to it after some forks. */
    private Set<String> open(int run) {
        return toBaseline(ratios(run).keySet(), run)
                .flatMap(compared -> compared.open().stream())
                .collect(Collectors.toSet());
    }

    /** The trials that are worth more forks: the baseline, and those with figures in half of the forks or more. */
    List<Trial> worthMoreForks(int run) {
        return Stream.concat(baseline.stream(), ratios(run).keySet().stream()).toList();
    }

    /** The ratios of the trials that are worth more forks. Before the first look, all are. */
    private Map<Trial, List<Ratios>> ratios(int run) {
        Map<Trial, List<Ratios>> byTrial = new LinkedHashMap<>();
        for (Trial trial : others) {
            List<Ratios> ratios = ratios(trial, run);
            if (run < firstLook() || !ratios.isEmpty() && ratios.stream().allMatch(r -> 2 * r.units() >= run)) {
                byTrial.put(trial, ratios);
            }
        }
        return byTrial;
    }

    /** The ratios of a trial to the baseline, one for each type of operation. */
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
     * The comparisons of these trials with the baseline for each type of operation, computed like those of the report.
     * The control sets a noise floor only if it is among the trials.
     */
    private Stream<ToBaseline> toBaseline(Collection<Trial> trials, int run) {
        List<Trial> all = Stream.concat(baseline.stream(), trials.stream()).toList();
        Set<String> types = all.stream()
                .flatMap(trial -> samples.of(trial).stream())
                .flatMap(sample -> sample.operations().keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (schedule.untilDecided().isPresent() && types.contains(Sample.MIX)) {
            types.retainAll(Set.of(Sample.MIX)); // the types compete for one window, so they are decided together
        }
        return types.stream().map(type -> {
            Map<String, List<Figure>> figures = new LinkedHashMap<>();
            all.forEach(trial -> figures.put(trial.id(), figures(trial, type, run)));
            return ToBaseline.of(
                    new MethodComparisons(figures, confidence),
                    baseline.orElseThrow().id(),
                    control().filter(trials::contains).map(Trial::id),
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

    /** The precision after all forks have run. */
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
        Map<Trial, List<Ratios>> ratios = ratios(run);
        OptionalDouble widest = comparisons(ratios.keySet(), run).stream()
                .map(comparison -> comparison.effect().interval())
                .filter(Interval.Range.class::isInstance)
                .mapToDouble(interval -> ((Interval.Range) interval).relativeHalfWidth())
                .max();
        List<String> givenUp = others.stream()
                .filter(trial -> !ratios.containsKey(trial))
                .map(Trial::method)
                .toList();
        boolean isNarrow = widest.isPresent() && forksWanted(run) <= run;
        return new ConditionPrecision(
                condition, run, widest, isNarrow && givenUp.isEmpty(), reason(until, isNarrow, givenUp, run));
    }

    private String reason(Schedule.UntilPrecise until, boolean isNarrow, List<String> givenUp, int run) {
        if (!givenUp.isEmpty()) {
            return "the method or the baseline has no figures in more than half of the forks: "
                    + String.join(", ", givenUp);
        }
        if (isNarrow) {
            return "";
        }
        if (schedule.roundsOf(run).isEmpty()) {
            return "the limit of " + Schedule.MAX_ROUNDS + " rounds is reached";
        }
        return until.budget()
                .map(budget -> "the budget of " + Durations.print(budget) + " is used up")
                .orElse("a fork that it needs has no samples");
    }
}
