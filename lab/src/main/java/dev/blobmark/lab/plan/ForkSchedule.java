package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Manifest.ConditionPrecision;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Figure;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Looks;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.MethodComparisons;
import dev.blobmark.lab.stats.Precision;
import dev.blobmark.lab.stats.Ratios;
import dev.blobmark.lab.stats.Verdict;
import dev.blobmark.lab.study.Durations;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.statistics.descriptive.Median;

/**
 * Which fork measures what, and what of it is left. Both follow from the study and the samples there are, and from nothing
 * else: no clock, nothing kept in memory. A run that goes on after a kill thus adds the forks, and stops adding them,
 * as it would have done by itself.
 *
 * <p>Forks of a block run in the order of their numbers; what a fork is to measure is asked when those before it have run.
 */
public final class ForkSchedule {

    private static final int VISITS_IF_OPEN = 2;

    private final Study study;
    private final Schedule schedule;
    private final List<Block> blocks;
    private final Map<Integer, BlockSamples> samples = new HashMap<>();

    public ForkSchedule(Study study, List<Block> blocks, Collection<Sample> samples) {
        this.study = study;
        this.blocks = blocks;
        schedule = study.schedule();
        samples.forEach(this::add);
    }

    /** The samples of a block by trial, in the order in which they came. */
    private static final class BlockSamples {

        private final Map<String, List<Sample>> byTrial = new HashMap<>();
        private final Set<Place> places = new HashSet<>();

        private record Place(String trial, int round) {}

        public void add(Sample sample) {
            byTrial.computeIfAbsent(sample.trial().id(), trial -> new ArrayList<>())
                    .add(sample);
            places.add(new Place(sample.trial().id(), sample.round()));
        }

        boolean has(Trial trial, int round) {
            return places.contains(new Place(trial.id(), round));
        }

        List<Sample> of(Trial trial) {
            return byTrial.getOrDefault(trial.id(), List.of());
        }

        Stream<Sample> all() {
            return byTrial.values().stream().flatMap(List::stream);
        }

        /** How many forks have begun. */
        int forks() {
            return 1 + all().mapToInt(Sample::fork).max().orElse(-1);
        }
    }

    public void add(Sample sample) {
        samples.computeIfAbsent(sample.block(), block -> new BlockSamples()).add(sample);
    }

    private BlockSamples samples(Block block) {
        return samples(block.number());
    }

    private BlockSamples samples(int block) {
        return samples.getOrDefault(block, new BlockSamples());
    }

    /** Whether a trial has been measured in a round, or failed in it, or is known not to be available. */
    public boolean has(int block, Trial trial, int round) {
        return samples(block).has(trial, round);
    }

    public boolean has(Block block, Trial trial, int round) {
        return has(block.number(), trial, round);
    }

    /** Whether a trial is known to end so, as one of its samples did. */
    public boolean has(Block block, Trial trial, Outcome outcome) {
        return samples(block).of(trial).stream()
                .anyMatch(sample -> sample.outcome().equals(outcome));
    }

    private boolean isUnavailable(Block block, Trial trial) {
        return samples(block).of(trial).stream().anyMatch(sample -> sample.outcome() instanceof Outcome.Unavailable);
    }

    /** Whether there is a sample of a fork. */
    public boolean hasBegun(Block block, int fork) {
        return samples(block).all().anyMatch(sample -> sample.fork() == fork);
    }

    /** The trials that a fork measures in each of its rounds in a whole run; none from the fork on that is no more needed. */
    public Set<Trial> due(Block block, int fork) {
        return due(block, fork, fork);
    }

    /** @param run how many forks have run: beyond them it is not known yet what else will be due */
    private Set<Trial> due(Block block, int fork, int run) {
        if (schedule.roundsOf(fork).isEmpty()) {
            return Set.of();
        }
        if (fork < schedule.forks()) {
            return new LinkedHashSet<>(block.trials());
        }
        int seen = Math.min(fork, run);
        Set<Trial> open = conditions(block).stream()
                .filter(condition -> condition.forksWanted(seen) > fork)
                .flatMap(condition -> condition.hopeful(seen).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return open.isEmpty() || isAffordable(block, fork, open) ? open : Set.of();
    }

    /** The forks that figures are first looked at after. */
    private int leastForks() {
        return schedule.untilPrecise().isPresent()
                ? Math.max(schedule.forks(), Precision.LEAST_UNITS)
                : schedule.forks();
    }

    /** What is left of a block, as far as it is known: how many forks, and how many rounds of each trial that has any. */
    public record Left(int forks, Map<Trial, Integer> rounds) {

        long samples() {
            return rounds.values().stream().mapToLong(Integer::longValue).sum();
        }
    }

    public Left left(Block block) {
        int begun = samples(block).forks();
        boolean isWhole = begun == 0 || left(block, begun - 1).isEmpty(); // or stopped in its midst
        int run = isWhole ? begun : begun - 1;
        int forks = 0;
        Map<Trial, Integer> rounds = new LinkedHashMap<>();
        for (int fork = 0; ; fork++) {
            Set<Trial> due = due(block, fork, run);
            if (due.isEmpty()) {
                return new Left(forks, rounds);
            }
            int before = rounds.values().stream().mapToInt(Integer::intValue).sum();
            for (int round : schedule.roundsOf(fork)) {
                for (Trial trial : due) {
                    if (!has(block, trial, round)) {
                        rounds.merge(trial, 1, Integer::sum);
                    }
                }
            }
            forks += rounds.values().stream().mapToInt(Integer::intValue).sum() > before ? 1 : 0;
        }
    }

    /** The trials that a fork has not measured in each of its rounds, but those that are known not to be available. */
    public Set<Trial> left(Block block, int fork) {
        return due(block, fork).stream()
                .filter(trial -> !isUnavailable(block, trial))
                .filter(trial -> schedule.roundsOf(fork).stream().anyMatch(round -> !has(block, trial, round)))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The number of samples of a whole run, as far as it is known. */
    public long planned() {
        long planned = 0;
        for (Block block : blocks) {
            int begun = samples(block).forks();
            for (int fork = 0; fork < Math.max(begun, schedule.forks()); fork++) {
                planned +=
                        (long) due(block, fork).size() * schedule.roundsOf(fork).size();
            }
        }
        return planned;
    }

    /** How many forks the conditions of a block want that are still open, when so many have run. */
    public int forksWanted(Block block, int run) {
        return conditions(block).stream()
                .mapToInt(condition -> condition.forksWanted(run))
                .max()
                .orElse(run);
    }

    /** What has become of the precision under each condition of a block whose forks have all run. */
    public List<ConditionPrecision> precision(Block block) {
        return schedule.untilPrecise()
                .map(until -> conditions(block).stream()
                        .filter(condition -> !condition.others.isEmpty())
                        .map(condition -> condition.reached(until))
                        .toList())
                .orElse(List.of());
    }

    /** A block's share of what is left of the budget: that of its trials among those of it and of the later blocks that may need some. */
    private boolean isAffordable(Block block, int fork, Set<Trial> trials) {
        Optional<Duration> budget = schedule.budget();
        if (budget.isEmpty()) {
            return true;
        }
        double left = budget.get().toMillis() / 1e3;
        double weight = 0;
        for (Block other : blocks) {
            if (other.number() < block.number()) {
                left -= seconds(samples(other).all().toList());
            } else if (other == block || mayNeedForks(other)) {
                weight += other.trials().size();
            } else {
                left -= seconds(samples(other).all().toList());
            }
        }
        List<Sample> before =
                samples(block).all().filter(sample -> sample.fork() < fork).toList();
        double next = forkSeconds(before);
        for (Trial trial : trials) {
            List<Sample> its = samples(block).of(trial).stream()
                    .filter(sample -> sample.fork() < fork)
                    .toList();
            next += its.stream().mapToDouble(Sample::seconds).average().orElse(0)
                    * schedule.roundsOf(fork).size();
        }
        return seconds(before) + next <= left * block.trials().size() / weight;
    }

    /** False where the schedule's own forks have decided all, so that nothing is added. */
    private boolean mayNeedForks(Block block) {
        return schedule.untilDecided().isEmpty()
                || samples(block).forks() < schedule.forks()
                || conditions(block).stream()
                        .anyMatch(condition -> condition.forksWanted(schedule.forks()) > schedule.forks());
    }

    /** What measuring took, the start of forks among it. */
    public static double seconds(Collection<Sample> samples) {
        long forks = samples.stream().map(ForkOfBlock::of).distinct().count();
        return samples.stream().mapToDouble(Sample::seconds).sum() + forks * forkSeconds(samples);
    }

    /**
     * What a fork took beside its samples: its JVM's start, and visits that do not count. It is the median of what forks took until the next one
     * of their block began, so that a pause before a run is resumed is not counted; at least what is expected before any was seen.
     */
    private static double forkSeconds(Collection<Sample> samples) {
        SortedMap<ForkOfBlock, List<Sample>> forks =
                samples.stream().collect(Collectors.groupingBy(ForkOfBlock::of, TreeMap::new, Collectors.toList()));
        List<Double> beside = new ArrayList<>();
        forks.forEach((fork, its) -> {
            List<Sample> next = forks.get(new ForkOfBlock(fork.block, fork.number + 1));
            if (next != null) {
                beside.add(Duration.between(begin(its), begin(next)).toMillis() / 1e3
                        - its.stream().mapToDouble(Sample::seconds).sum());
            }
        });
        return beside.isEmpty()
                ? CostModel.FORK_SECONDS
                : Math.max(
                        CostModel.FORK_SECONDS,
                        Median.withDefaults()
                                .evaluate(beside.stream()
                                        .mapToDouble(Double::doubleValue)
                                        .toArray()));
    }

    private static Instant begin(List<Sample> samples) {
        return samples.stream()
                .map(sample -> sample.position().startedAt())
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private record ForkOfBlock(int block, int number) implements Comparable<ForkOfBlock> {

        static ForkOfBlock of(Sample sample) {
            return new ForkOfBlock(sample.block(), sample.fork());
        }

        @Override
        public int compareTo(ForkOfBlock other) {
            return Comparator.comparingInt(ForkOfBlock::block)
                    .thenComparingInt(ForkOfBlock::number)
                    .compare(this, other);
        }
    }

    private List<Comparisons> conditions(Block block) {
        Map<Levels, List<Trial>> byCondition = block.trials().stream()
                .collect(Collectors.groupingBy(Trial::condition, LinkedHashMap::new, Collectors.toList()));
        List<Comparisons> conditions = new ArrayList<>();
        byCondition.forEach((levels, trials) -> conditions.add(new Comparisons(block, levels, trials)));
        return conditions;
    }

    /**
     * How often trials are visited in a round of visits, those aside that are visited once: the baseline, which each of k others is compared
     * with, √k times (Dunnett 1955), so that its share of the variance of a ratio is as small as that of the others together allows. Its twin is visited
     * half as often, since all verdicts hang on it: it shows the noise floor. In forks that are added to decide what is open, that is visited {@value
     * #VISITS_IF_OPEN} times too.
     */
    public Map<Trial, Integer> visits(Block block, int fork) {
        Map<Trial, Integer> visits = new HashMap<>();
        for (Comparisons condition : conditions(block)) {
            if (schedule.untilDecided().isPresent() && fork >= schedule.forks()) {
                Set<String> open = condition.open(condition.lastLook(fork));
                condition.others.stream()
                        .filter(trial -> open.contains(trial.id()))
                        .forEach(trial -> visits.put(trial, VISITS_IF_OPEN));
            }
            double often = Math.sqrt(condition.others.size());
            condition.baseline.ifPresent(trial -> visits.put(trial, (int) Math.max(1, Math.round(often))));
            condition.others.stream()
                    .filter(trial -> study.control().equals(Optional.of(trial.method())))
                    .forEach(trial -> visits.put(trial, (int) Math.max(1, Math.round(often / 2))));
        }
        return visits;
    }

    /** The methods of one condition against the baseline. */
    private final class Comparisons {

        private final BlockSamples its;
        private final Levels condition;

        /** Empty where it cannot be had here. */
        private final Optional<Trial> baseline;

        private final List<Trial> others;
        private final Confidence confidence;

        Comparisons(Block block, Levels condition, List<Trial> trials) {
            this.condition = condition;
            its = samples(block);
            baseline = baseline(trials);
            others = trials.stream()
                    .filter(trial -> !trial.equals(baseline.orElse(null)))
                    .toList();
            confidence = schedule.confidence(Confidence.underCondition(others.size() + 1));
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
        public int forksWanted(int run) {
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
            List<MethodComparisons.Comparison> all = comparisons(ratios(run).keySet(), run);
            Optional<String> twin = others.stream()
                    .filter(trial -> study.control().equals(Optional.of(trial.method())))
                    .map(Trial::id)
                    .findFirst();
            Margin margin = all.stream()
                    .filter(comparison -> twin.equals(Optional.of(comparison.method())))
                    .map(comparison ->
                            Margin.of(Margin.USUAL, comparison.effect().interval()))
                    .max(Comparator.comparingDouble(Margin::noiseFloor))
                    .orElse(Margin.of(Margin.USUAL));
            return all.stream()
                    .filter(comparison -> !twin.equals(Optional.of(comparison.method())))
                    .filter(comparison ->
                            Verdict.of(comparison.effect(), study.metric().higherIsBetter(), margin)
                                    instanceof Verdict.Inconclusive)
                    .map(MethodComparisons.Comparison::method)
                    .collect(Collectors.toSet());
        }

        /** The trials that it makes sense to go on with. */
        List<Trial> hopeful(int run) {
            return Stream.concat(baseline.stream(), ratios(run).keySet().stream())
                    .toList();
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
            return its.of(trial).stream()
                    .flatMap(sample -> sample.operations().keySet().stream())
                    .distinct()
                    .map(type -> Ratios.byRound(figures(trial, type, run), figures(baseline.orElseThrow(), type, run)))
                    .toList();
        }

        /** Of these trials with the baseline, for each type of operation: as the report will show them. */
        private List<MethodComparisons.Comparison> comparisons(Collection<Trial> trials, int run) {
            List<Trial> all = Stream.concat(baseline.stream(), trials.stream()).toList();
            Set<String> types = all.stream()
                    .flatMap(trial -> its.of(trial).stream())
                    .flatMap(sample -> sample.operations().keySet().stream())
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            if (schedule.untilDecided().isPresent() && types.contains(Sample.MIX)) {
                types.retainAll(Set.of(Sample.MIX)); // what competes for one window is decided together
            }
            return types.stream()
                    .flatMap(type -> {
                        Map<String, List<Figure>> figures = new LinkedHashMap<>();
                        all.forEach(trial -> figures.put(trial.id(), figures(trial, type, run)));
                        return new MethodComparisons(figures, confidence)
                                .to(baseline.orElseThrow().id()).stream();
                    })
                    .toList();
        }

        private List<Figure> figures(Trial trial, String type, int run) {
            return its.of(trial).stream()
                    .filter(sample -> sample.fork() < run)
                    .flatMap(sample -> sample.figures(study.metric(), type).stream())
                    .toList();
        }

        ConditionPrecision reached(Schedule.UntilPrecise until) {
            int run = 1
                    + Stream.concat(others.stream(), baseline.stream())
                            .flatMap(trial -> its.of(trial).stream())
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
}
