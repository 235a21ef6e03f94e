package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.fork.ForkOrder;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan.PlannedRound;
import dev.blobmark.lab.plan.ForkPlan.PlannedTrial;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.server.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ForkPlanTest {

    private static final List<PlannedTrial> TRIALS = IntStream.range(0, 8)
            .mapToObj(i -> new PlannedTrial(
                    new Trial(
                            "id" + i,
                            "method" + i,
                            Levels.of(Map.of("codec", "none")),
                            Levels.of(Map.of("size", "4KB"))),
                    "/values/digest" + i + "/zstd.values",
                    Optional.of(new ForkPlan.LoadedTable(
                            new Endpoint("127.0.0.1", 3306, "blobmark", "secret"),
                            "schema",
                            "t" + i,
                            new DiskSpace(OptionalLong.of(7), OptionalLong.of(5))))))
            .toList();

    private static Schedule schedule(int rounds, int forks, long seed) {
        return new Schedule(rounds, forks, new Window.Count(50_000), Duration.ofMillis(700), seed);
    }

    private static List<PlannedRound> rounds(int block, Schedule schedule) {
        return ForkPlan.ofAllForks(block, schedule, TRIALS).stream()
                .flatMap(plan -> plan.rounds().stream())
                .toList();
    }

    @Test
    void roundsAreDealtOutEvenly() {
        List<ForkPlan> plans = ForkPlan.ofAllForks(3, schedule(5, 2, 42), TRIALS);

        assertThat(plans).extracting(ForkPlan::block).containsOnly(3);
        assertThat(plans).extracting(ForkPlan::fork).containsExactly(0, 1);
        assertThat(plans.get(0).rounds()).extracting(PlannedRound::round).containsExactly(0, 2, 4);
        assertThat(plans.get(1).rounds()).extracting(PlannedRound::round).containsExactly(1, 3);
    }

    @Test
    void eachRoundVisitsEveryTrialOnceInAnOrderOfItsOwn() {
        Set<List<Integer>> orders = new HashSet<>();
        for (PlannedRound round : rounds(0, schedule(20, 1, 42))) {
            assertThat(round.order()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
            orders.add(round.order());
        }

        assertThat(orders).hasSize(20);
    }

    /** So that few rounds do not put one trial behind another in most of them. */
    @Test
    void everySecondRoundIsTheReverseOfTheOneBefore() {
        List<PlannedRound> rounds = rounds(0, schedule(20, 1, 42));
        for (int round = 0; round < 20; round += 2) {
            List<Integer> reverse = new ArrayList<>(rounds.get(round).order());
            Collections.reverse(reverse);
            assertThat(rounds.get(round + 1).order()).isEqualTo(reverse);
        }
    }

    /**
     * A bias would show as a drift of the machine in a result: each trial is as often in each place as in any other.
     */
    @Test
    void ordersHaveNoBias() {
        int[][] seen = new int[8][8];
        for (PlannedRound round : rounds(0, schedule(8_000, 1, 42))) {
            for (int place = 0; place < 8; place++) {
                seen[round.order().get(place)][place]++;
            }
        }

        // 1,000 expected, with a standard deviation of 30
        for (int[] places : seen) {
            for (int count : places) {
                assertThat(count).isBetween(850, 1_150);
            }
        }
    }

    @Test
    void orderIsDrawnFromSeedAndBlockWhateverTheForks() {
        List<PlannedRound> rounds = rounds(0, schedule(4, 1, 42));

        assertThat(rounds(0, schedule(4, 1, 42))).isEqualTo(rounds);
        assertThat(rounds(0, schedule(4, 4, 42))).isEqualTo(rounds);
        assertThat(rounds(1, schedule(4, 1, 42))).isNotEqualTo(rounds);
        assertThat(rounds(0, schedule(4, 1, 43))).isNotEqualTo(rounds);
    }

    /** A round that was stopped goes on in the order that it had. */
    @Test
    void theOrderOfSomeTrialsIsThatOfAll() {
        Schedule schedule = schedule(20, 2, 42);
        ForkPlan all = ForkPlan.of(0, 1, schedule, TRIALS, (trial, round) -> true);
        ForkPlan some = ForkPlan.of(
                0,
                1,
                schedule,
                TRIALS,
                (trial, round) -> round > 3 && (trial.id().hashCode() + round) % 3 > 0);

        assertThat(all).isEqualTo(ForkPlan.ofAllForks(0, schedule, TRIALS).get(1));
        assertThat(some.rounds()).extracting(PlannedRound::round).containsExactly(5, 7, 9, 11, 13, 15, 17, 19);
        for (PlannedRound round : some.rounds()) {
            List<Integer> whole = all.rounds().stream()
                    .filter(other -> other.round() == round.round())
                    .findFirst()
                    .orElseThrow()
                    .order();
            assertThat(round.order())
                    .isNotEmpty()
                    .isEqualTo(whole.stream().filter(round.order()::contains).toList());
        }
    }

    @Test
    void anAddedForkHasAsManyRoundsAsTheFullestAfterTheirs() {
        ForkPlan first = ForkPlan.of(0, 2, schedule(5, 2, 42), TRIALS, (trial, round) -> true);
        ForkPlan second = ForkPlan.of(0, 3, schedule(5, 2, 42), TRIALS, (trial, round) -> true);

        assertThat(first.rounds()).extracting(PlannedRound::round).containsExactly(5, 6, 7);
        assertThat(second.rounds()).extracting(PlannedRound::round).containsExactly(8, 9, 10);
        assertThat(first.rounds()).allSatisfy(round -> assertThat(round.order()).hasSize(8));
        // 5 rounds and 3,331 times 3 are 9,998
        assertThat(schedule(5, 2, 42).roundsOf(2 + 3_330)).containsExactly(9_995, 9_996, 9_997);
        assertThat(schedule(5, 2, 42).roundsOf(2 + 3_331)).isEmpty();
    }

    @Test
    void anOrderGoesThroughJsonAsOneLineWithoutAPathOfThisHostAndIsPrintedWithoutThePassword() {
        PlannedTrial planned = TRIALS.get(1);
        ForkOrder.Measure order = new ForkOrder.Measure(
                planned.trial(),
                planned.values(),
                planned.place(),
                new Share(2, 2, 5),
                Optional.of("/tmp/link"),
                "workload=fetch",
                new Window.Count(50_000),
                Duration.ofMillis(700),
                42);

        String line = order.toLine();

        assertThat(line).doesNotContain("\n", "/values/").contains("digest1/zstd.values");
        assertThat(planned.valuesDirectory()).isEqualTo("/values");
        assertThat(ForkOrder.ofLine(line)).isEqualTo(order);
        assertThat(order.toString()).doesNotContain("secret").contains("blobmark@127.0.0.1:3306");
        for (ForkOrder other : List.of(
                new ForkOrder.Begin(List.of("/values")),
                new ForkOrder.Go(Optional.empty()),
                new ForkOrder.Go(Optional.of(Instant.parse("2026-11-26T16:00:00.123456Z"))),
                new ForkOrder.Stop())) {
            assertThat(ForkOrder.ofLine(other.toLine())).isEqualTo(other);
        }
    }
}
