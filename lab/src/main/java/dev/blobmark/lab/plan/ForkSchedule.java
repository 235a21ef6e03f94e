package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Manifest.ConditionPrecision;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which fork measures what, and what of it is left. Both follow from the study and the samples there are, and from nothing
 * else: no clock, nothing kept in memory. A run that goes on after a kill thus adds the forks, and stops adding them,
 * as it would have done by itself.
 *
 * <p>Forks of a block run in the order of their numbers; what a fork is to measure is asked when those before it have run.
 */
public final class ForkSchedule {

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
                        .filter(condition -> !condition.isAlone())
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
                left -= ForkSeconds.of(samples(other).all().toList());
            } else if (other == block || mayNeedForks(other)) {
                weight += other.trials().size();
            } else {
                left -= ForkSeconds.of(samples(other).all().toList());
            }
        }
        List<Sample> before =
                samples(block).all().filter(sample -> sample.fork() < fork).toList();
        double next = ForkSeconds.ofFork(before);
        for (Trial trial : trials) {
            List<Sample> measured = samples(block).of(trial).stream()
                    .filter(sample -> sample.fork() < fork)
                    .toList();
            next += measured.stream().mapToDouble(Sample::seconds).average().orElse(0)
                    * schedule.roundsOf(fork).size();
        }
        return ForkSeconds.of(before) + next <= left * block.trials().size() / weight;
    }

    /** False where the schedule's own forks have decided all, so that nothing is added. */
    private boolean mayNeedForks(Block block) {
        return schedule.untilDecided().isEmpty()
                || samples(block).forks() < schedule.forks()
                || conditions(block).stream()
                        .anyMatch(condition -> condition.forksWanted(schedule.forks()) > schedule.forks());
    }

    /** How long measuring took, with the start of forks. */
    public static double seconds(Collection<Sample> samples) {
        return ForkSeconds.of(samples);
    }

    private List<ConditionForks> conditions(Block block) {
        Map<Levels, List<Trial>> byCondition = block.trials().stream()
                .collect(Collectors.groupingBy(Trial::condition, LinkedHashMap::new, Collectors.toList()));
        List<ConditionForks> conditions = new ArrayList<>();
        byCondition.forEach(
                (levels, trials) -> conditions.add(new ConditionForks(study, samples(block), levels, trials)));
        return conditions;
    }

    /** How often trials are visited in a round of visits, as {@link ConditionForks#visits} says; trials that are missing are visited once. */
    public Map<Trial, Integer> visits(Block block, int fork) {
        Map<Trial, Integer> visits = new HashMap<>();
        conditions(block).forEach(condition -> visits.putAll(condition.visits(fork)));
        return visits;
    }
}
