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
 * What each fork measures, and what remains to be measured. Both follow only from the study and the samples, and not
 * from a clock or other state. So a run that is resumed after a kill adds the same forks as it would have added without
 * the kill.
 *
 * <p>Forks of a block run in the order of their numbers. What a fork measures must be asked after the forks before it
 * have run.
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

    /** Whether there is a sample of a trial in a round, with any outcome. */
    public boolean has(int block, Trial trial, int round) {
        return samples(block).has(trial, round);
    }

    public boolean has(Block block, Trial trial, int round) {
        return has(block.number(), trial, round);
    }

    /** Whether there is a sample of a trial with this outcome. */
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

    /** The trials that a fork measures in each of its rounds in a complete run; empty if the fork is not needed. */
    public Set<Trial> due(Block block, int fork) {
        return due(block, fork, fork);
    }

    /** @param run number of forks that have run; what later forks measure is known only in part */
    private Set<Trial> due(Block block, int fork, int run) {
        if (schedule.roundsOf(fork).isEmpty()) {
            return Set.of();
        }
        if (fork < schedule.forks()) {
            return new LinkedHashSet<>(block.trials());
        }
        int known = Math.min(fork, run);
        Set<Trial> open = conditions(block).stream()
                .filter(condition -> condition.forksWanted(known) > fork)
                .flatMap(condition -> condition.worthMoreForks(known).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return open.isEmpty() || isAffordable(block, fork, open) ? open : Set.of();
    }

    /** What remains of a block, as far as it is known: the number of forks, and the number of rounds by trial. */
    public record Remaining(int forks, Map<Trial, Integer> rounds) {

        long samples() {
            return rounds.values().stream().mapToLong(Integer::longValue).sum();
        }
    }

    public Remaining remaining(Block block) {
        int begun = samples(block).forks();
        boolean isLastComplete = begun == 0 || remaining(block, begun - 1).isEmpty();
        int run = isLastComplete ? begun : begun - 1;
        int forks = 0;
        Map<Trial, Integer> rounds = new LinkedHashMap<>();
        for (int fork = 0; ; fork++) {
            Set<Trial> due = due(block, fork, run);
            if (due.isEmpty()) {
                return new Remaining(forks, rounds);
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

    /** The trials that a fork has not measured in all of its rounds, except those that are unavailable. */
    public Set<Trial> remaining(Block block, int fork) {
        return due(block, fork).stream()
                .filter(trial -> !isUnavailable(block, trial))
                .filter(trial -> schedule.roundsOf(fork).stream().anyMatch(round -> !has(block, trial, round)))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The number of samples of a complete run, as far as it is known. */
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

    /**
     * The number of forks that a block needs, as far as it is known after some forks.
     *
     * @param run number of forks that have run
     */
    public int forksWanted(Block block, int run) {
        return conditions(block).stream()
                .mapToInt(condition -> condition.forksWanted(run))
                .max()
                .orElse(run);
    }

    /** The precision that each condition of a block has reached after all forks have run. */
    public List<ConditionPrecision> precision(Block block) {
        return schedule.untilPrecise()
                .map(until -> conditions(block).stream()
                        .filter(condition -> !condition.isAlone())
                        .map(condition -> condition.reached(until))
                        .toList())
                .orElse(List.of());
    }

    /**
     * Whether a block's share of the remaining budget is enough for another fork. The budget is shared among this block
     * and later blocks that may need forks, in proportion to their numbers of trials.
     */
    private boolean isAffordable(Block block, int fork, Set<Trial> trials) {
        Optional<Duration> budget = schedule.budget();
        if (budget.isEmpty()) {
            return true;
        }
        double remaining = budget.get().toMillis() / 1e3;
        double weight = 0;
        for (Block other : blocks) {
            if (other.number() < block.number()) {
                remaining -= ForkSeconds.of(samples(other).all().toList());
            } else if (other == block || mayNeedForks(other)) {
                weight += other.trials().size();
            } else {
                remaining -= ForkSeconds.of(samples(other).all().toList());
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
        return ForkSeconds.of(before) + next <= remaining * block.trials().size() / weight;
    }

    /** False if all comparisons were decided after the scheduled forks, so that no fork is added. */
    private boolean mayNeedForks(Block block) {
        return schedule.untilDecided().isEmpty()
                || samples(block).forks() < schedule.forks()
                || conditions(block).stream()
                        .anyMatch(condition -> condition.forksWanted(schedule.forks()) > schedule.forks());
    }

    /** The measuring time, including the start of forks. */
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

    /** How often trials are visited in a round of visits, see {@link ConditionForks#visits}. */
    public Map<Trial, Integer> visits(Block block, int fork) {
        Map<Trial, Integer> visits = new HashMap<>();
        conditions(block).forEach(condition -> visits.putAll(condition.visits(fork)));
        return visits;
    }
}
