package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.run.Host;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Metric;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankingTest {

    private static final Levels FETCH = Levels.of(Map.of("workload", "fetch", "size", "4KB"));

    private static final Outcome MEASURED = new Outcome.Measured();

    @Test
    void medianAndRangeByArithmetic() {
        assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 3, 3));
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Spread(2.5, 1, 4, 4));
        assertThat(Spread.of(List.of(7.0))).isEqualTo(new Spread(7, 7, 7, 1));
    }

    @Test
    void rangesThatTouchOverlap() {
        Spread low = new Spread(2, 1, 3, 3);
        assertThat(low.overlaps(new Spread(4, 3, 5, 3))).isTrue();
        assertThat(low.overlaps(new Spread(4, 3.01, 5, 3))).isFalse();
        assertThat(new Spread(4, 3.01, 5, 3).overlaps(low)).isFalse();
        assertThat(low.overlaps(new Spread(2, 1.9, 2.1, 3))).isTrue();
    }

    @Test
    void ratioToTheBaselineIsThatOfTheMediansAndItsRangeThatOfTheRounds() {
        Ranking.Row fast = only(Metric.THROUGHPUT, samples("base", 100, 200, 300), samples("fast", 220, 300, 330))
                .find("fast")
                .orElseThrow();
        assertThat(fast.value()).isEqualTo(new Spread(300, 220, 330, 3));
        Spread ratio = fast.ratio().orElseThrow();
        assertThat(ratio.median()).isEqualTo(1.5);
        assertThat(ratio.min()).isCloseTo(1.1, within(1e-12));
        assertThat(ratio.max()).isCloseTo(2.2, within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theRatioOfTheMediansLiesInTheRangeOfTheRounds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 500; i++) {
            int rounds = 1 + random.nextInt(7);
            double[] base = random.doubles(rounds, 1, 100).toArray();
            double[] other = random.doubles(rounds, 1, 100).toArray();
            Spread ratio = only(Metric.THROUGHPUT, samples("base", base), samples("other", other))
                    .find("other")
                    .orElseThrow()
                    .ratio()
                    .orElseThrow();
            assertThat(ratio.median()).isBetween(ratio.min() - 1e-12, ratio.max() + 1e-12);
        }
    }

    @Test
    void onlyRoundsThatBothHaveAreCompared() {
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", 100), samples("more", 200, 800, 900));
        assertThat(ranking.find("more").orElseThrow().value().median()).isEqualTo(800);
        assertThat(ranking.find("more").orElseThrow().ratio()).contains(new Spread(2, 2, 2, 1));
    }

    @Test
    void withoutABaselineThereIsNoRatio() {
        Ranking ranking = only(Metric.THROUGHPUT, samples("a", 1, 2));
        assertThat(ranking.best().orElseThrow().ratio()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Metric.class)
    void theBetterEndOfTheMetricComesFirst(Metric metric) {
        Ranking ranking = only(metric, samples("base", 200, 210), samples("low", 100, 110), samples("high", 300, 310));
        List<String> order = metric.higherIsBetter() ? List.of("high", "base", "low") : List.of("low", "base", "high");
        assertThat(ranking.rows()).extracting(Ranking.Row::method).isEqualTo(order);
    }

    @Test
    void theOrderOfTheSamplesDoesNotMatter() {
        List<Sample> samples = new ArrayList<>(
                Stream.of(samples("base", 100, 120, 130), samples("a", 140, 90, 125), samples("b", 119, 121, 125))
                        .flatMap(List::stream)
                        .toList());
        List<Ranking> expected = Ranking.of(manifest(Metric.THROUGHPUT), samples);
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(samples, new Random(seed));
            assertThat(Ranking.of(manifest(Metric.THROUGHPUT), samples)).isEqualTo(expected);
        }
    }

    @Test
    void theFourKindsOfBytesGiveTheRatios() {
        Manifest manifest = manifest(Metric.THROUGHPUT)
                .with(new Manifest.LoadedStore(
                        "mysql",
                        Levels.of(Map.of("codec", "of-base", "size", "4KB")),
                        "t",
                        "CREATE TABLE t",
                        new TreeMap<>(),
                        10,
                        40_960,
                        8_192,
                        OptionalLong.of(16_384)));
        Ranking.Row row =
                Ranking.of(manifest, samples("base", 8_192)).get(0).best().orElseThrow();
        // each sample: 4,096,000 application bytes, 1,024,000 stored bytes; its disk bytes are its figure, 8,192
        assertThat(row.compressionRatio()).hasValue(4);
        assertThat(row.diskRatio()).hasValue(5);
        assertThat(row.diskBytes()).hasValue(8_192);
    }

    @Test
    void aFailureInOneRoundTakesTheMethodOutOfTheRanking() {
        List<Sample> broken = new ArrayList<>(samples("broken", 900, 900));
        broken.add(sample("broken", 2, new Outcome.Failed("wrong bytes"), 0));
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", 100, 100), broken);
        assertThat(ranking.rows()).extracting(Ranking.Row::method).containsExactly("base");
        assertThat(ranking.unranked())
                .containsExactly(new Ranking.Unranked("broken", new Outcome.Failed("wrong bytes"), 1, 3));
    }

    @Test
    void unsteadyRoundsAreRankedAndCounted() {
        List<Sample> restless =
                List.of(sample("a", 0, MEASURED, 5), sample("a", 1, new Outcome.Unsteady("still rising"), 6));
        assertThat(only(Metric.THROUGHPUT, restless).best().orElseThrow().unsteady())
                .containsExactly("still rising");
    }

    @Test
    void aConditionOfFailuresAloneIsShownToo() {
        Ranking ranking = only(Metric.P50, List.of(sample("a", 0, new Outcome.Unavailable("no TLS"), 0)));
        assertThat(ranking.operation()).isEqualTo("fetch");
        assertThat(ranking.rows()).isEmpty();
        assertThat(ranking.unranked()).hasSize(1);
        assertThat(Answer.of(ranking, Set.of())).isEqualTo("At 4 KB, nothing was measured of fetch.");
    }

    @Test
    void conditionsStandInTheOrderOfTheStudyWorkloadByWorkload() {
        List<Sample> samples = new ArrayList<>();
        for (String condition : List.of("codec 64KB", "fetch 64KB", "fetch 4KB", "codec 4KB")) {
            Levels levels = Levels.of(Map.of(
                    "workload", condition.split(" ")[0],
                    "size", condition.split(" ")[1]));
            samples.add(sample("base", levels, 0, MEASURED, 1));
        }
        assertThat(Ranking.of(manifest(Metric.THROUGHPUT), samples))
                .extracting(r -> r.condition().toString())
                .containsExactly(
                        "size=64KB,workload=fetch",
                        "size=4KB,workload=fetch",
                        "size=64KB,workload=codec",
                        "size=4KB,workload=codec");
    }

    @Test
    void theAnswerIsOneSentence() {
        assertThat(answer(samples("base", 100, 100, 100), samples("fast", 128, 132, 135)))
                .isEqualTo("At 4 KB, fast is read back fastest: 1.32 times the bytes per second of base"
                        + " (range 1.28 to 1.35 over 3 rounds), on 132 % of the disk.");
    }

    @Test
    void theAnswerSaysWhenTheLeadIsNotSeparated() {
        assertThat(answer(samples("base", 100, 120), samples("a", 128, 140), samples("b", 119, 129)))
                .startsWith("At 4 KB, a is ahead, but not separated from b (ranges overlap): 1.22 times");
        assertThat(answer(
                        samples("base", 100, 300),
                        samples("a", 250, 290),
                        samples("b", 200, 280),
                        samples("c", 150, 270),
                        samples("d", 140, 270)))
                .contains("a is ahead, but not separated from b, c and 2 more (ranges overlap)");
    }

    @Test
    void theAnswerWhenTheBaselineLeads() {
        assertThat(answer(samples("base", 100, 100), samples("slow", 50, 52)))
                .isEqualTo("At 4 KB, base, the baseline, is read back fastest; next is slow with 0.51 times its bytes"
                        + " per second (range 0.50 to 0.52 over 2 rounds).");
    }

    @Test
    void theAnswerOfOneRoundClaimsNoRange() {
        assertThat(answer(samples("base", 100), samples("fast", 150)))
                .isEqualTo("At 4 KB, fast was ahead in the only round: 1.50 times the bytes per second of base"
                        + " (one round shows no range), on 150 % of the disk.");
    }

    @Test
    void theAnswerWithoutABaselineAndOfAnUnsteadyBest() {
        assertThat(answer(samples("a", 5, 6), samples("b", 1, 2)))
                .isEqualTo("At 4 KB, a is read back fastest; the baseline, base, was not measured.");
        assertThat(answer(List.of(sample("base", 0, new Outcome.Unsteady("still rising"), 5))))
                .isEqualTo("At 4 KB, base, the baseline, is the only method measured. It was not steady.");
    }

    @Test
    void lessIsBetterSaysSo() {
        Ranking ranking = only(Metric.P50, samples("base", 200, 200), samples("quick", 100, 100));
        assertThat(Answer.of(ranking, Set.of()))
                .startsWith("At 4 KB, quick is read back fastest: 0.50 times the median latency of base (in each of 2"
                        + " rounds)");
        assertThat(Answer.of(only(Metric.DISK, samples("base", 200, 200), samples("small", 100, 100)), Set.of()))
                .isEqualTo("At 4 KB, small takes the least disk: 0.50 times the disk of base (in each of 2 rounds).");
    }

    @Test
    void theAnswerNamesWhatVaries() {
        Levels one = Levels.of(Map.of("size", "4KB", "dataset", "random:62", "threads", "1", "link", "loopback"));
        Levels other = Levels.of(Map.of("size", "34011", "dataset", "random:2", "threads", "8", "link", "loopback"));
        var varying = Answer.varying(List.of(one, other));
        assertThat(varying).containsExactly("dataset", "size", "threads");
        Ranking ranking = new Ranking(other, "fetch", Metric.THROUGHPUT, "base", List.of(), List.of());
        assertThat(Answer.of(ranking, varying)).startsWith("At 34,011 bytes (random:2, 8 threads), ");
    }

    @Test
    void numbersKeepThreeDigits() {
        assertThat(Stream.of(0.0, 0.0123, 0.5, 4.205, 65.31, 812.4, 1215.4).map(Figures::number))
                .containsExactly("0", "0.0123", "0.500", "4.21", "65.3", "812", "1215");
        assertThat(Stream.of(1.0, 1.319, 0.0584, 0.00002, 12.3).map(Figures::ratio))
                .containsExactly("1.00", "1.32", "0.058", "<0.001", "12.30");
        assertThat(Figures.range(789.6, 830.2)).isEqualTo("790 – 830");
        assertThat(Figures.range(1.5, 12.34)).isEqualTo("1.5 – 12.3");
    }

    private static String answer(List<?>... samples) {
        return Answer.of(only(Metric.THROUGHPUT, samples), Set.of());
    }

    /** The one ranking of the samples of all methods. */
    private static Ranking only(Metric metric, List<?>... samples) {
        List<Ranking> rankings = Ranking.of(
                manifest(metric),
                Arrays.stream(samples)
                        .flatMap(List::stream)
                        .map(Sample.class::cast)
                        .toList());
        assertThat(rankings).hasSize(1);
        return rankings.get(0);
    }

    private static List<Sample> samples(String method, double... figures) {
        List<Sample> samples = new ArrayList<>();
        for (double figure : figures) {
            samples.add(sample(method, samples.size(), MEASURED, figure));
        }
        return samples;
    }

    private static Sample sample(String method, int round, Outcome outcome, double figure) {
        return sample(method, FETCH, round, outcome, figure);
    }

    /** Every metric of the sample is the same figure. */
    private static Sample sample(String method, Levels condition, int round, Outcome outcome, double figure) {
        long whole = Math.round(figure);
        Sample.Latency latency = new Sample.Latency(figure, whole, whole, whole, whole, whole, whole);
        return new Sample(
                "method=" + method,
                0,
                0,
                round,
                Instant.EPOCH,
                method,
                Levels.of(Map.of("codec", "of-" + method)),
                condition,
                outcome,
                List.of(),
                List.of(),
                new TreeMap<>(),
                Optional.of(new Sample.WarmUp(0, true)),
                OptionalLong.of(1),
                outcome.isMeasurement()
                        ? new TreeMap<>(Map.of(
                                "fetch",
                                new Sample.Operations(
                                        1000,
                                        figure,
                                        figure,
                                        latency,
                                        4_096_000,
                                        OptionalLong.of(0),
                                        OptionalLong.of(0),
                                        OptionalLong.of(1_024_000))))
                        : new TreeMap<>(),
                OptionalLong.of(whole),
                OptionalDouble.of(0),
                OptionalDouble.of(0),
                OptionalDouble.of(0),
                new TreeMap<>());
    }

    private static Manifest manifest(Metric metric) {
        List<Method> methods = Stream.of("base", "a", "b", "c", "d")
                .map(id -> new Method(id, Levels.of(Map.of())))
                .toList();
        Study study = new Study(
                "s",
                "?",
                "",
                "",
                metric,
                "base",
                methods,
                List.of(new ConditionBlock(
                        new TreeMap<>(Map.of("workload", List.of("fetch", "codec"), "size", List.of("64KB", "4KB"))))),
                new Schedule(3, 1, new Window.Count(1000), Duration.ZERO, 1));
        return new Manifest(
                1,
                "0",
                Manifest.State.RUNNING,
                Instant.EPOCH,
                Optional.empty(),
                study,
                new Manifest.Plan(List.of(), 1, 0),
                new Host("", "", "", Optional.empty(), 1, OptionalLong.empty()),
                new Manifest.Jvm("", "", List.of()),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }
}
