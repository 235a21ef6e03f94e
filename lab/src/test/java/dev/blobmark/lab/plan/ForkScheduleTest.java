package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.ForkPlan.PlannedTrial;
import dev.blobmark.lab.run.Manifest.ConditionPrecision;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Precision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left of a run, decided without a server: samples are made up, forks are carried out by a loop. */
class ForkScheduleTest {

    private static final String FETCH = "{workload: fetch, dataset: sites, size: [4KB, 8KB]}";
    private static final String PLAIN = "{rounds: 5, forks: 2, window: 50ms, warm-up: 1s, seed: 42}";
    private static final String PRECISE = "{rounds: 4, forks: 2, window: 50ms, warm-up: 1s, seed: 42, precision: %s}";

    private static final String DECIDING = "{rounds: 4, forks: 4, window: 50ms, warm-up: 1s, seed: 42, budget: %s}";

    private static Study study(String conditions, String schedule) {
        return new StudyReader(Factors.VOCABULARY)
                .read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {zstd: {codec: zstd}, plain: {}, zlib: {codec: zlib}}
                        conditions: [%s]
                        schedule: %s
                        """.formatted(conditions, schedule), "small.yaml", Optional.empty());
    }

    /** A block for each size. */
    private static List<Block> blocks(Study study) {
        Map<String, List<Trial>> bySize = study.trials(Factors.VOCABULARY).stream()
                .collect(Collectors.groupingBy(
                        trial -> trial.condition().find("size").orElse(""), TreeMap::new, Collectors.toList()));
        List<Block> blocks = new ArrayList<>();
        bySize.values().forEach(trials -> blocks.add(new Block(blocks.size(), trials)));
        return blocks;
    }

    /** A machine that is made up: what a trial gives in a round. */
    private interface Machine {

        /** Application bytes per second; empty where the trial fails. */
        OptionalDouble throughput(Trial trial, int fork, int round);
    }

    /** Deviations of 1 are a standard deviation; the same whenever the same trial is measured in the same round. */
    private static double noise(Trial trial, int fork, int round) {
        return new Random(Seeds.mix(7, trial.id().hashCode(), fork, round)).nextGaussian();
    }

    private static Machine noisy(double deviation) {
        return (trial, fork, round) -> OptionalDouble.of(1e8 * Math.exp(deviation * noise(trial, fork, round)));
    }

    private static Sample sample(int block, Trial trial, int fork, int round, OptionalDouble throughput) {
        Histogram nanos = new Histogram(3);
        nanos.recordValue(1000);
        TreeMap<String, Operations> operations = new TreeMap<>();
        throughput.ifPresent(value -> operations.put(
                "fetch",
                new Operations(
                        1,
                        value,
                        1,
                        Latency.of(nanos),
                        new Operations.ByteCounts(
                                1, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty()))));
        return new Sample(
                trial,
                new Position(block, fork, round, Instant.EPOCH),
                throughput.isPresent() ? new Outcome.Measured() : new Outcome.Failed("it broke"),
                new Remarks(
                        List.of(),
                        List.of(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of(
                                "wire_in",
                                "x",
                                "wire_out",
                                "x",
                                "stored",
                                "x",
                                "pages_read_per_op",
                                "x",
                                "time_ns",
                                "x"))),
                Optional.of(new WarmUp(0.75, true)),
                operations,
                Optional.empty(),
                Resources.of(
                        OptionalLong.of(250_000_000), OptionalDouble.of(1), OptionalDouble.of(1), OptionalDouble.of(1)),
                new DiskSpace(OptionalLong.of(1), OptionalLong.empty()),
                Optional.empty());
    }

    /** Runs what is left after some samples, at most so many more, and gives all. */
    private static List<Sample> run(Study study, List<Sample> before, Machine machine, int limit) {
        List<Sample> samples = new ArrayList<>(before);
        ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), before);
        for (Block block : blocks(study)) {
            List<PlannedTrial> planned = block.trials().stream()
                    .map(trial -> new PlannedTrial(trial, "", Optional.empty()))
                    .toList();
            Set<Trial> due;
            for (int fork = 0; !(due = forkSchedule.due(block, fork)).isEmpty(); fork++) {
                Set<Trial> its = due;
                ForkPlan plan = ForkPlan.of(
                        block.number(),
                        fork,
                        study.schedule(),
                        planned,
                        (trial, round) -> its.contains(trial) && !forkSchedule.has(block, trial, round));
                for (ForkPlan.PlannedRound round : plan.rounds()) {
                    for (int number : round.order()) {
                        if (samples.size() == before.size() + limit) {
                            return samples;
                        }
                        Trial trial = planned.get(number).trial();
                        Sample sample = sample(
                                block.number(),
                                trial,
                                fork,
                                round.round(),
                                machine.throughput(trial, fork, round.round()));
                        samples.add(sample);
                        forkSchedule.add(sample);
                    }
                }
            }
        }
        return samples;
    }

    private static List<Sample> whole(Study study, Machine machine) {
        return run(study, List.of(), machine, Integer.MAX_VALUE);
    }

    private static List<ConditionPrecision> precision(Study study, List<Sample> samples) {
        ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), samples);
        return blocks(study).stream()
                .flatMap(block -> forkSchedule.precision(block).stream())
                .toList();
    }

    @Test
    void ofAFreshRunAllIsLeft() {
        Study study = study(FETCH, PLAIN);
        ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), List.of());

        for (Block block : blocks(study)) {
            assertThat(forkSchedule.remaining(block).forks()).isEqualTo(2);
            assertThat(forkSchedule.remaining(block).rounds())
                    .containsOnlyKeys(block.trials())
                    .allSatisfy((trial, rounds) -> assertThat(rounds).isEqualTo(5));
        }
        assertThat(forkSchedule.planned()).isEqualTo(2 * 3 * 5);
        assertThat(whole(study, noisy(1))).hasSize(2 * 3 * 5);
    }

    /** Whatever is there, what is missing is measured, in its own round and fork, and nothing else. */
    @Test
    void whatIsMissingIsMeasuredAndNothingTwice() {
        Study study = study(FETCH, PLAIN);
        List<Sample> whole = whole(study, noisy(1));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 50; i++) {
            List<Sample> some =
                    whole.stream().filter(sample -> random.nextInt(3) > 0).toList();
            ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), some);

            assertThat(blocks(study).stream()
                            .mapToLong(block -> forkSchedule.remaining(block).samples())
                            .sum())
                    .isEqualTo(whole.size() - some.size());
            assertThat(forkSchedule.planned()).isEqualTo(whole.size());
            assertThat(run(study, some, noisy(1), Integer.MAX_VALUE)).containsExactlyInAnyOrderElementsOf(whole);
        }
    }

    @Test
    void aRunThatIsWholeLeavesNothing() {
        Study study = study(FETCH, PRECISE.formatted("5%"));
        List<Sample> whole = whole(study, noisy(0.05));
        ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), whole);

        for (Block block : blocks(study)) {
            assertThat(forkSchedule.remaining(block)).isEqualTo(new ForkSchedule.Remaining(0, Map.of()));
        }
        assertThat(forkSchedule.planned()).isEqualTo(whole.size());
    }

    @Test
    void whatHasFailedIsNotTriedAgain() {
        Study study = study(FETCH, PLAIN);
        Machine broken =
                (trial, fork, round) -> trial.method().equals("zlib") ? OptionalDouble.empty() : OptionalDouble.of(1e8);
        List<Sample> whole = whole(study, broken);

        assertThat(whole).hasSize(2 * 3 * 5);
        assertThat(run(study, whole, broken, Integer.MAX_VALUE)).isEqualTo(whole);
    }

    /** The forks that precision adds are those that would have been added without the kill, wherever it falls. */
    @ParameterizedTest
    @ValueSource(strings = {"2%", "2%, budget: 4m"})
    void aRunThatIsStoppedAnywhereEndsAsIfItHadNotBeen(String precision) {
        Study study = study(FETCH, PRECISE.formatted(precision));
        Machine machine = noisy(0.03);
        List<Sample> whole = whole(study, machine);
        assertThat(whole.size()).isGreaterThan(2 * 3 * 2 * Precision.MIN_UNITS);

        for (int stop = 0; stop < whole.size(); stop += 13) {
            List<Sample> stopped = run(study, List.of(), machine, stop);
            List<Sample> again = run(study, stopped, machine, 5);

            assertThat(run(study, again, machine, Integer.MAX_VALUE)).isEqualTo(whole);
        }
        assertThat(new ForkSchedule(study, blocks(study), whole).planned()).isEqualTo(whole.size());
    }

    /** At 8 KB all is clear; at 4 KB zlib is 5 % slower and figures vary by as much. */
    private static final Machine CLEAR_AT_8_KB = (trial, fork, round) -> {
        boolean isClear = trial.condition().find("size").equals(Optional.of("8KB"));
        double speed = trial.method().equals("zlib") ? isClear ? 0.5 : 0.95 : 1;
        return OptionalDouble.of(1e8 * speed * Math.exp((isClear ? 0.005 : 0.05) * noise(trial, fork, round)));
    };

    private static long forks(List<Sample> samples, String size) {
        return samples.stream()
                .filter(sample -> sample.condition().find("size").equals(Optional.of(size)))
                .map(Sample::fork)
                .distinct()
                .count();
    }

    @Test
    void forksAreAddedWhereSomethingIsOpenUntilNothingIs() {
        Study study = study(FETCH, DECIDING.formatted("600m"));
        List<Sample> whole = whole(study, CLEAR_AT_8_KB);
        List<Block> blocks = blocks(study);

        assertThat(forks(whole, "8KB")).isEqualTo(4);
        // looks are taken after 4, 6, 9, 14, 21, 32, ... forks
        assertThat(forks(whole, "4KB")).isIn(9L, 14L, 21L, 32L, 48L, 72L);
        assertThat(new ForkSchedule(study, blocks, whole)
                        .remaining(blocks.get(0))
                        .samples())
                .isZero();
    }

    @Test
    void whatIsOpenIsVisitedTwiceInForksThatAreAdded() {
        Study study = study(FETCH, DECIDING.formatted("600m"));
        Block block = blocks(study).get(0);
        List<Sample> some = run(study, List.of(), CLEAR_AT_8_KB, 3 * 4);
        ForkSchedule forkSchedule = new ForkSchedule(study, blocks(study), some);

        assertThat(forkSchedule.due(block, 4)).hasSize(3);
        assertThat(forkSchedule.visits(block, 0).values()).containsOnly(1);
        assertThat(forkSchedule.visits(block, 4).values()).contains(2);
    }

    @Test
    void aBudgetEndsWhatIsNotDecided() {
        Study study = study(FETCH, DECIDING.formatted("1m"));
        List<Sample> whole = whole(study, noisy(0.5));

        assertThat(forks(whole, "4KB")).isBetween(4L, 8L);
        assertThat(forks(whole, "8KB")).isBetween(4L, 8L);
    }

    /** A fork takes 6 s: half of 63 s would be enough for one more, what the decided block leaves is enough for two. */
    @Test
    void whatIsDecidedLeavesItsBudgetToWhatIsOpen() {
        List<Sample> own = whole(study(FETCH, DECIDING.formatted("1s")), CLEAR_AT_8_KB);
        assertThat(forks(own, "4KB")).isEqualTo(4);

        List<Sample> more = run(study(FETCH, DECIDING.formatted("63s")), own, CLEAR_AT_8_KB, Integer.MAX_VALUE);

        assertThat(forks(more, "4KB")).isEqualTo(6);
        assertThat(forks(more, "8KB")).isEqualTo(4);
    }

    /**
     * Forks that begin 12 s after each other cost 12 s, not the 6 s that are counted of them; a pause of a day is not
     * counted.
     */
    @Test
    void aBudgetCountsWhatForksTookInFact() {
        Study study = study(FETCH, DECIDING.formatted("1m"));
        List<Sample> samples = whole(study, noisy(0.5)).stream()
                .filter(sample -> sample.fork() < 4)
                .map(sample -> startedAt(
                        sample,
                        Instant.EPOCH.plusSeconds(
                                12L * sample.fork() + (sample.fork() == 3 ? TimeUnit.DAYS.toSeconds(1) : 0))))
                .toList();
        double counted = samples.stream().mapToDouble(Sample::seconds).sum();

        assertThat(counted).isLessThan(2 * 4 * 6);
        assertThat(ForkSchedule.seconds(samples)).isCloseTo(2 * 4 * 12, within(1e-6));
        assertThat(run(study, samples, noisy(0.5), Integer.MAX_VALUE)).hasSameSizeAs(samples);
    }

    private static Sample startedAt(Sample sample, Instant time) {
        Position position = sample.position();
        return new Sample(
                sample.trial(),
                new Position(position.block(), position.fork(), position.round(), time),
                sample.outcome(),
                sample.remarks(),
                sample.warmUp(),
                sample.operations(),
                sample.openLoop(),
                sample.resources(),
                sample.disk(),
                sample.visits());
    }

    @Test
    void aDecidingRunThatIsStoppedAnywhereEndsAsIfItHadNotBeen() {
        Study study = study(FETCH, DECIDING.formatted("5m"));
        List<Sample> whole = whole(study, CLEAR_AT_8_KB);

        for (int stop = 0; stop < whole.size(); stop += 7) {
            List<Sample> stopped = run(study, List.of(), CLEAR_AT_8_KB, stop);

            assertThat(run(study, stopped, CLEAR_AT_8_KB, Integer.MAX_VALUE)).isEqualTo(whole);
        }
    }

    @Test
    void forksAreAddedUntilEveryIntervalOfTheConditionIsNarrow() {
        Study study = study(FETCH, PRECISE.formatted("2%"));
        List<Sample> whole = whole(study, noisy(0.03));

        assertThat(precision(study, whole)).hasSize(2).allSatisfy(condition -> {
            assertThat(condition.reached()).isTrue();
            assertThat(condition.reason()).isEmpty();
            assertThat(condition.halfWidth().orElseThrow()).isBetween(0.01, 0.02);
            assertThat(condition.forks()).isGreaterThan(Precision.MIN_UNITS);
        });
        // added forks have as many rounds as the others
        assertThat(whole.stream()
                        .filter(s -> s.fork() == Precision.MIN_UNITS)
                        .map(Sample::round)
                        .distinct())
                .containsExactly(20, 21);
        // too few forks would not have done
        List<Sample> fewer =
                whole.stream().filter(s -> s.fork() < Precision.MIN_UNITS).toList();
        assertThat(precision(study, fewer)).noneMatch(ConditionPrecision::reached);
    }

    @Test
    void aConditionThatIsNarrowIsNotMeasuredAnyMore() {
        Study study = study("{workload: fetch, dataset: sites, size: 4KB, threads: [1, 2]}", PRECISE.formatted("2%"));
        Machine machine = (trial, fork, round) -> noisy(
                        trial.condition().find("threads").orElseThrow().equals("1") ? 0.001 : 0.03)
                .throughput(trial, fork, round);

        Map<String, Integer> forks = precision(study, whole(study, machine)).stream()
                .collect(Collectors.toMap(
                        condition -> condition.condition().find("threads").orElseThrow(), ConditionPrecision::forks));

        assertThat(forks.get("1")).isEqualTo(Precision.MIN_UNITS);
        assertThat(forks.get("2")).isGreaterThan(Precision.MIN_UNITS);
    }

    @Test
    void aMethodThatFailsIsGivenUpAndTheOthersAreNot() {
        Study study = study(FETCH, PRECISE.formatted("2%"));
        Machine machine = (trial, fork, round) -> trial.method().equals("zlib")
                ? OptionalDouble.empty()
                : noisy(0.03).throughput(trial, fork, round);
        List<Sample> whole = whole(study, machine);

        assertThat(precision(study, whole)).hasSize(2).allSatisfy(condition -> {
            assertThat(condition.reached()).isFalse();
            assertThat(condition.reason())
                    .isEqualTo("the method or the baseline has no figures in more than half of the forks: zlib");
            assertThat(condition.halfWidth().orElseThrow()).isLessThan(0.02);
        });
        assertThat(whole.stream().filter(s -> s.method().equals("zlib")).mapToInt(Sample::fork))
                .doesNotContain(Precision.MIN_UNITS)
                .contains(Precision.MIN_UNITS - 1);
        assertThat(whole.stream().filter(s -> s.method().equals("zstd")).mapToInt(Sample::fork))
                .contains(Precision.MIN_UNITS);
    }

    /** One fork of many that lost its rounds is no reason to give a method up. */
    @Test
    void aMethodThatFailedInAForkGoesOn() {
        Study study = study(FETCH, PRECISE.formatted("2%"));
        Machine machine = (trial, fork, round) -> trial.method().equals("zlib") && fork == 3
                ? OptionalDouble.empty()
                : noisy(0.03).throughput(trial, fork, round);

        assertThat(precision(study, whole(study, machine))).allMatch(ConditionPrecision::reached);
    }

    @Test
    void aBaselineThatFailsEndsTheCondition() {
        Study study = study(FETCH, PRECISE.formatted("2%"));
        Machine machine = (trial, fork, round) ->
                trial.method().equals("plain") ? OptionalDouble.empty() : OptionalDouble.of(1e8);
        List<Sample> whole = whole(study, machine);

        assertThat(whole.stream().mapToInt(Sample::fork).max()).hasValue(Precision.MIN_UNITS - 1);
        assertThat(precision(study, whole)).allSatisfy(condition -> {
            assertThat(condition.reached()).isFalse();
            assertThat(condition.halfWidth()).isEmpty();
            assertThat(condition.reason()).contains("zlib").contains("zstd");
        });
    }

    /** A round takes 1 s, a fork 3 s and 3 trials in 2 rounds: 9 s, which divides each block's share. */
    @ParameterizedTest
    @ValueSource(ints = {3, 6, 9})
    void theBudgetIsSharedByTheBlocksAndNotExceeded(int minutes) {
        Study study = study(FETCH, PRECISE.formatted("0.1%, budget: " + minutes + "m"));
        List<Sample> whole = whole(study, noisy(0.3));

        int forks = minutes * 30 / 9;
        assertThat(precision(study, whole)).hasSize(2).allSatisfy(condition -> {
            assertThat(condition.forks()).isEqualTo(forks);
            assertThat(condition.reached()).isFalse();
            assertThat(condition.reason()).isEqualTo("the budget of " + minutes + "m is used up");
        });
    }

    /** What the schedule itself says is measured in any case. */
    @Test
    void aBudgetAddsForksOrDoesNot() {
        Study study = study(FETCH, PRECISE.formatted("2%, budget: 1s"));

        assertThat(whole(study, noisy(0.001))).hasSize(2 * 3 * 4);
    }

    /** What one block leaves of its share is for the next. */
    @Test
    void aBlockThatIsSoonPreciseLeavesItsBudgetToTheNext() {
        Study study = study(FETCH, PRECISE.formatted("2%, budget: 5m"));
        Machine machine = (trial, fork, round) -> noisy(
                        trial.condition().find("size").orElseThrow().equals("4KB") ? 0.001 : 0.3)
                .throughput(trial, fork, round);

        assertThat(precision(study, whole(study, machine)))
                .extracting(ConditionPrecision::forks)
                .containsExactly(10, 23);
    }

    @Test
    void roundsHaveAnEndWithoutABudgetToo() {
        Study study = study(
                "{workload: fetch, dataset: sites, size: 4KB}",
                "{rounds: 1200, forks: 1, window: 50ms, warm-up: 1s, seed: 42, precision: 0.01%}");

        assertThat(precision(study, whole(study, noisy(1))).get(0)).satisfies(condition -> {
            assertThat(condition.forks()).isEqualTo(8);
            assertThat(condition.reason()).isEqualTo("the limit of 10000 rounds is reached");
        });
    }

    /** Layouts differ in nothing where codecs are measured alone: the baseline's trial has the name of another. */
    @Test
    void theBaselineIsFoundUnderAnotherName() {
        Study study = new StudyReader(Factors.VOCABULARY).read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {compressed: {layout: compressed}, plain: {}, zlib: {codec: zlib}}
                        conditions: [{workload: codec, dataset: sites, size: 4KB}]
                        schedule: {rounds: 4, forks: 2, window: 50ms, warm-up: 1s, seed: 42, precision: 2%}
                        """, "small.yaml", Optional.empty());
        assertThat(study.trials(Factors.VOCABULARY)).extracting(Trial::method).containsExactly("compressed", "zlib");

        assertThat(precision(study, whole(study, noisy(0.01))))
                .singleElement()
                .satisfies(condition -> assertThat(condition.reached()).isTrue());
    }

    @Test
    void aConditionWithOneMethodHasNothingToBePreciseAbout() {
        Study study = new StudyReader(Factors.VOCABULARY).read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}}
                        conditions: [{workload: fetch, dataset: sites, size: 4KB}]
                        schedule: {rounds: 4, forks: 2, window: 50ms, warm-up: 1s, seed: 42, precision: 2%}
                        """, "small.yaml", Optional.empty());
        List<Sample> whole = whole(study, noisy(1));

        assertThat(whole).hasSize(4);
        assertThat(precision(study, whole)).isEmpty();
    }
}
