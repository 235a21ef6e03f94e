package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.Choice.Contender;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChoiceTest {

    private static Contender contender(String id, double cost, double disk) {
        return new Contender(AdviceFixture.candidate(id), cost, disk);
    }

    private static String chosen(Goal goal, Contender... contenders) {
        return Choice.of(List.of(contenders), goal).orElseThrow().id();
    }

    @Test
    void eachGoalTakesTheSmallestOfThoseThatAreFastEnough() {
        Contender[] all = {
            contender("as-is", 100, 1_000),
            contender("lz4", 101, 800),
            contender("zstd-3", 108, 400),
            contender("brotli-11", 190, 200),
            contender("mysql-6", 210, 100)
        };
        assertThat(chosen(Goal.SPEED, all)).isEqualTo("lz4");
        assertThat(chosen(Goal.BALANCED, all)).isEqualTo("zstd-3");
        assertThat(chosen(Goal.DISK, all)).isEqualTo("brotli-11");
    }

    @Test
    void ofEquallySmallOnesTheEasiestToReadIsTaken() {
        assertThat(chosen(Goal.SPEED, contender("zstd-3", 100, 970), contender("as-is", 101, 1_000)))
                .isEqualTo("as-is");
        assertThat(chosen(Goal.SPEED, contender("zstd-3", 100, 970), contender("mysql-6", 101, 1_000)))
                .isEqualTo("mysql-6");
        assertThat(chosen(Goal.SPEED, contender("lz4", 101, 970), contender("zstd-3", 100, 1_000)))
                .isEqualTo("zstd-3");
    }

    @Test
    void withoutContendersThereIsNoChoice() {
        assertThat(Choice.of(List.of(), Goal.SPEED)).isEmpty();
    }

    @Test
    void aRecommendationHoldsUntilItIsClearlyWorse() {
        Candidate zstd = AdviceFixture.candidate("zstd-3");
        assertThat(Stream.of(105.0, 109.0, 111.0)
                        .map(cost -> Choice.holds(
                                zstd,
                                List.of(contender("lz4", 100, 800), contender("zstd-3", cost, 400)),
                                Goal.BALANCED,
                                0)))
                .containsExactly(true, true, false);
        assertThat(Stream.of(111.0, 114.0, 117.0)
                        .map(cost -> Choice.holds(
                                zstd,
                                List.of(contender("lz4", 100, 800), contender("zstd-3", cost, 400)),
                                Goal.BALANCED,
                                0.05)))
                .as("costs that are known within 5 %")
                .containsExactly(true, true, false);
        assertThat(Stream.of(400.0, 380.0, 350.0)
                        .map(disk -> Choice.holds(
                                zstd,
                                List.of(contender("brotli-11", 100, disk), contender("zstd-3", 100, 400)),
                                Goal.BALANCED,
                                0)))
                .containsExactly(true, true, false);
    }
}
