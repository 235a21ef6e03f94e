package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.GradedClaim.ClaimComparison;
import dev.blobmark.analysis.GradedClaim.MissingMeasurements;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.Unit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimsTest {

    private static final String LZ4_IS_FASTER = "greater: {method: lz4}, than: {method: plain}";

    /** What two methods gave in five forks of two rounds: one is about 1.2 times the other. */
    private static final double[][] FAST = {{120, 122}, {119, 121}, {125, 123}, {118, 118}, {121, 122}};

    private static final double[][] SLOW = {{100, 101}, {99, 101}, {104, 103}, {100, 98}, {101, 100}};

    @Test
    void aDifferenceThatTheWholeIntervalShowsIsReproduced() {
        GradedClaim graded = grade(LZ4_IS_FASTER, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW));

        assertThat(graded.grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(graded.comparisons()).singleElement().satisfies(comparison -> {
            assertThat(comparison.sides()).isEqualTo("lz4 ÷ plain");
            assertThat(comparison.condition().find("size")).hasValue("4KB");
            assertThat(comparison.isPaired()).isTrue();
            assertThat(comparison.effect())
                    .isEqualTo(Effect.of(Ratios.byRound(figures(0, FAST), figures(0, SLOW)), Confidence.USUAL));
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    greater: {method: lz4}, than: {method: plain}
                    greater: {method: lz4}, than: {method: plain}, by: [1.1, 1.3]
                    greater: {method: lz4}, than: {method: plain}, holds: mostly
                    greater: {method: lz4}, than: {method: plain}, holds: on average
                    """)
    void swappingTheSamplesOfTheArmsTurnsReproducedIntoReversed(String relation) {
        assertThat(grade(relation, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW))
                        .grade())
                .isEqualTo(Grade.REPRODUCED);
        assertThat(grade(relation, trial("lz4", "4KB", SLOW), trial("plain", "4KB", FAST))
                        .grade())
                .isEqualTo(Grade.REVERSED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [1.1, 1.3]  | REPRODUCED
                    [1.1, inf]  | REPRODUCED
                    '>= 1.5'    | DIRECTION_ONLY
                    [1.21, 1.3] | DIRECTION_ONLY
                    [1.05, 1.1] | DIRECTION_ONLY
                    """)
    void aPublishedSizeIsMetWhereTheWholeIntervalLiesInIt(String by, Grade expected) {
        String relation = LZ4_IS_FASTER + ", by: " + (by.startsWith(">") ? "'" + by + "'" : by);

        assertThat(grade(relation, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW))
                        .grade())
                .isEqualTo(expected);
    }

    @Test
    void aSizeThatTheWholeIntervalIsBelowIsNotThereWhicheverTheDirection() {
        double[][] noisy = {{90, 105}, {110, 99}, {130, 85}, {95, 100}, {80, 120}};

        assertThat(grade(LZ4_IS_FASTER + ", by: '>= 3'", trial("lz4", "4KB", noisy), trial("plain", "4KB", SLOW))
                        .grade())
                .isEqualTo(Grade.SMALLER);
    }

    /** The mean of an operation is told as 1000 s over the throughput: 10 s against about 8.3 s. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    plain | lz4   | [1.4 s, 2 s]   | REPRODUCED
                    plain | lz4   | [0.1 s, 1 s]   | DIRECTION_ONLY
                    plain | lz4   | [1.66 s, 2 s]  | DIRECTION_ONLY
                    lz4   | plain | [1.4 s, 2 s]   | REVERSED
                    plain | gzip  | [1.4 s, 2 s]   | NO_DIFFERENCE
                    plain | zstd  | [0.1 s, 2 s]   | INCONCLUSIVE
                    plain | zstd  | [1.4 s, 2 s]   | SMALLER
                    """)
    void aDifferenceInTimeIsJudgedByItsOwnInterval(String greater, String than, String by, Grade expected) {
        double[][] noisy = {{90, 105}, {110, 99}, {130, 85}, {95, 100}, {80, 120}};
        GradedClaim graded = grade(
                "metric: mean, greater: {method: " + greater + "}, than: {method: " + than + "}, by: " + by,
                trial("lz4", "4KB", FAST),
                trial("plain", "4KB", SLOW),
                trial("gzip", "4KB", SLOW),
                trial("zstd", "4KB", noisy));

        assertThat(graded.grade()).isEqualTo(expected);
    }

    @Test
    void twinsAreSeldomToldApartAndNeverMuch() {
        int told = 0;
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            DoubleSupplier noisy = () -> 100 * Math.exp(0.05 * random.nextGaussian());
            Grade grade = grade(LZ4_IS_FASTER, trial("lz4", "4KB", noise(noisy)), trial("plain", "4KB", noise(noisy)))
                    .grade();
            assertThat(grade).isIn(Grade.REPRODUCED, Grade.REVERSED, Grade.INCONCLUSIVE, Grade.NO_DIFFERENCE);
            told += grade == Grade.REPRODUCED || grade == Grade.REVERSED ? 1 : 0;
        }
        // 5 % of 400 is 20, give or take three times 4.4
        assertThat(told).isBetween(7, 33);
    }

    @Test
    void noiseIsInconclusiveAndQuietTwinsHaveNoDifference() {
        double[][] noisy = {{90, 105}, {110, 99}, {130, 85}, {95, 100}, {80, 120}};
        double[][] quiet = {{100, 100.2}, {99.9, 100}, {100.1, 100}, {100, 100}, {100, 99.8}};

        assertThat(grade(LZ4_IS_FASTER, trial("lz4", "4KB", noisy), trial("plain", "4KB", quiet))
                        .grade())
                .isEqualTo(Grade.INCONCLUSIVE);
        assertThat(grade(LZ4_IS_FASTER, trial("lz4", "4KB", quiet), trial("plain", "4KB", quiet))
                        .grade())
                .isEqualTo(Grade.NO_DIFFERENCE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    equal: {method: lz4}, to: {method: plain}, within: 25%             | REPRODUCED
                    equal: {method: lz4}, to: {method: plain}, within: 5%              | REVERSED
                    equal: {method: lz4}, to: {method: plain}, within: 20%             | INCONCLUSIVE
                    not-greater: {method: plain}, than: {method: lz4}                  | REPRODUCED
                    not-greater: {method: lz4}, than: {method: plain}, within: 25%     | REPRODUCED
                    not-greater: {method: lz4}, than: {method: plain}                  | REVERSED
                    """)
    void equalAndNotGreaterHoldWhereTheWholeIntervalIsNearEnough(String relation, Grade expected) {
        assertThat(grade(relation, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW))
                        .grade())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    where: {size: [4KB, 1MB]}       | size 1MB
                    where: {size: '>= 1MB'}         | size >= 1MB
                    where: {dataset: 'random:*'}    | dataset random:*
                    where: {link: loopback, size: 4KB}, operation: decode | throughput of decode
                    metric: cpu                     | cpu
                    """)
    void whatAClaimNamesAndNobodyMeasuredMakesItNotTestedHere(String more, String missing) {
        GradedClaim graded = grade(LZ4_IS_FASTER + ", " + more, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW));

        assertThat(graded.grade()).isEqualTo(Grade.NOT_TESTED);
        assertThat(graded.comparisons()).isEmpty();
        assertThat(graded.missing()).hasValueSatisfying(its -> {
            assertThat(its.isMeasured()).isFalse();
            assertThat(its.names()).contains(missing);
        });
    }

    private static Optional<MissingMeasurements> missing(boolean isMeasured, String... names) {
        return Optional.of(new MissingMeasurements(isMeasured, List.of(names), Optional.empty()));
    }

    @Test
    void eachMethodOfAListHasToBeMeasured() {
        String all = "greater: {method: plain}, than: {method: [gzip, zstd]}";

        assertThat(grade(all, trial("gzip", "4KB", SLOW), trial("plain", "4KB", FAST)))
                .extracting(GradedClaim::grade, GradedClaim::missing)
                .containsExactly(Grade.NOT_TESTED, missing(false, "method zstd"));
        assertThat(grade(all, trial("gzip", "4KB", SLOW), trial("zstd", "4KB", SLOW), trial("plain", "4KB", FAST))
                        .comparisons())
                .hasSize(2);
    }

    @Test
    void aSideThatFailedIsToldWithItsReason() {
        List<Sample> failed = trial("lz4", "1MB", FAST).stream()
                .map(sample -> with(sample, new Outcome.Failed("the server\nwent away")))
                .toList();

        assertThat(grade(
                        LZ4_IS_FASTER + ", where: {size: [4KB, 1MB]}",
                        trial("lz4", "4KB", FAST),
                        trial("plain", "4KB", SLOW),
                        failed,
                        trial("plain", "1MB", SLOW)))
                .extracting(GradedClaim::grade, GradedClaim::missing)
                .containsExactly(
                        Grade.NOT_TESTED,
                        Optional.of(new MissingMeasurements(
                                true, List.of("size 1MB"), Optional.of("lz4: the server went away"))));
        GradedClaim others = grade(
                LZ4_IS_FASTER,
                trial("lz4", "4KB", FAST),
                trial("plain", "4KB", SLOW),
                failed,
                trial("plain", "1MB", SLOW));
        assertThat(others.grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(others.unmeasured()).isEqualTo(1);
    }

    @Test
    void samplesThatWereNotSteadyCountAndAreCounted() {
        List<Sample> unsteady = trial("lz4", "4KB", FAST).stream()
                .map(sample -> sample.round() < 3 ? with(sample, new Outcome.Unsteady("slope")) : sample)
                .toList();

        assertThat(grade(LZ4_IS_FASTER, unsteady, trial("plain", "4KB", SLOW)).comparisons())
                .extracting(ClaimComparison::unsteady)
                .containsExactly(3);
    }

    @Test
    void intervalsAreCorrectedOverTheComparisonsOfAClaim() {
        List<ClaimComparison> comparisons = grade(
                        LZ4_IS_FASTER,
                        trial("lz4", "4KB", FAST),
                        trial("plain", "4KB", SLOW),
                        trial("lz4", "1MB", FAST),
                        trial("plain", "1MB", SLOW))
                .comparisons();

        Effect expected = Effect.of(Ratios.byRound(figures(0, FAST), figures(0, SLOW)), Confidence.USUAL.among(2));
        assertThat(comparisons).extracting(ClaimComparison::effect).containsExactly(expected, expected);
    }

    @Test
    void inEachAndMostlyDiffer() {
        List<List<Sample>> mixed = List.of(
                trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW),
                trial("lz4", "64KB", FAST), trial("plain", "64KB", SLOW),
                trial("lz4", "1MB", SLOW), trial("plain", "1MB", FAST));

        assertThat(grade(LZ4_IS_FASTER + ", holds: mostly", mixed).grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(grade(LZ4_IS_FASTER + ", holds: each", mixed).grade()).isEqualTo(Grade.DIRECTION_ONLY);
        assertThat(grade("greater: {method: plain}, than: {method: lz4}", mixed).grade())
                .isEqualTo(Grade.REVERSED);
        assertThat(grade(LZ4_IS_FASTER, mixed).held()).isEqualTo(2);
        assertThat(grade(LZ4_IS_FASTER, mixed)
                        .hardest()
                        .orElseThrow()
                        .condition()
                        .find("size"))
                .hasValue("1MB");
        assertThat(grade(LZ4_IS_FASTER + ", where: {size: '>= 64KB'}", mixed).grade())
                .as("for and against in equal parts")
                .isEqualTo(Grade.IN_PART);
    }

    /** The mean of an operation is 10 s of plain values of 4 KB, and 5 s of 1 MB. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [9s, 11s]         | 4KB | REPRODUCED
                    [4s, 6s]          | 1MB | REVERSED
                    [0ms, 11s]        |     | IN_PART
                    """)
    void onlyComparisonsWithTheGivenTimeCount(String in, String size, Grade expected) {
        GradedClaim graded = grade(
                LZ4_IS_FASTER + ", given: {of: {method: plain}, metric: mean, in: " + in + "}",
                trial("lz4", "4KB", FAST),
                trial("plain", "4KB", SLOW),
                trial("lz4", "1MB", times(1.6, SLOW)),
                trial("plain", "1MB", times(2, SLOW)));

        assertThat(graded.grade()).isEqualTo(expected);
        assertThat(graded.unmeasured()).isZero();
        if (size == null) {
            assertThat(graded.comparisons()).hasSize(2);
        } else {
            assertThat(graded.comparisons())
                    .singleElement()
                    .satisfies(comparison ->
                            assertThat(comparison.condition().find("size")).hasValue(size));
        }
    }

    @Test
    void aTimeThatNoComparisonHasMakesItNotTestedHere() {
        String given = LZ4_IS_FASTER + ", given: {of: {method: plain}, metric: mean, in: [1ms, 2.5s]}";
        GradedClaim graded = grade(given, trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW));

        assertThat(graded.grade()).isEqualTo(Grade.NOT_TESTED);
        assertThat(graded.missing())
                .hasValue(new MissingMeasurements(
                        false,
                        List.of("mean of method=plain from 1 to 2500 ms"),
                        Optional.of("it is 9950 to 9950 ms")));
        // what the claim names has to be there all the same
        assertThat(grade(given, trial("plain", "4KB", SLOW))
                        .missing()
                        .orElseThrow()
                        .names())
                .containsExactly("method lz4");
    }

    @ParameterizedTest
    @CsvSource({
        "EACH, RRR, REPRODUCED",
        "EACH, RRI, INCONCLUSIVE",
        "EACH, RRN, DIRECTION_ONLY",
        "EACH, RDD, DIRECTION_ONLY",
        "EACH, RVV, REVERSED",
        "EACH, RNN, NO_DIFFERENCE",
        "EACH, RV, IN_PART",
        "EACH, DI, INCONCLUSIVE",
        "EACH, RVI, IN_PART",
        "EACH, RSII, IN_PART",
        "EACH, SI, INCONCLUSIVE",
        "EACH, SSR, SMALLER",
        "EACH, SVN, SMALLER",
        "EACH, III, INCONCLUSIVE",
        "MOSTLY, RRI, REPRODUCED",
        "MOSTLY, RRV, REPRODUCED",
        "MOSTLY, RDI, DIRECTION_ONLY",
        "MOSTLY, RI, INCONCLUSIVE",
        "MOSTLY, RV, INCONCLUSIVE",
        "MOSTLY, VVR, REVERSED",
        "MOSTLY, NNR, NO_DIFFERENCE",
        "SOMETIMES, R, REPRODUCED",
        "SOMETIMES, VVNR, REPRODUCED",
        "SOMETIMES, VVDI, DIRECTION_ONLY",
        "SOMETIMES, VVI, INCONCLUSIVE",
        "SOMETIMES, VV, REVERSED",
        "SOMETIMES, VN, REVERSED",
        "SOMETIMES, NNV, NO_DIFFERENCE",
        "SOMETIMES, SSV, SMALLER"
    })
    void gradesOfComparisonsMakeThatOfTheClaim(Claim.Holds holds, String letters, Grade expected) {
        Map<Character, Grade> byLetter = Map.of(
                'R', Grade.REPRODUCED,
                'D', Grade.DIRECTION_ONLY,
                'I', Grade.INCONCLUSIVE,
                'N', Grade.NO_DIFFERENCE,
                'S', Grade.SMALLER,
                'V', Grade.REVERSED);

        assertThat(Grade.of(
                        holds,
                        letters.chars().mapToObj(c -> byLetter.get((char) c)).toList()))
                .isEqualTo(expected);
    }

    @Test
    void onAverageIsTheMeanOfWhatEachForkGave() {
        double[][] slower = {{110, 111}, {108, 109}, {112, 112}, {109, 108}, {110, 112}};
        GradedClaim graded = grade(
                LZ4_IS_FASTER + ", holds: on average",
                trial("lz4", "4KB", FAST),
                trial("plain", "4KB", SLOW),
                trial("lz4", "1MB", SLOW),
                trial("plain", "1MB", slower));

        assertThat(graded.grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(graded.held()).isEqualTo(1);
        // the mean over both sizes in each round is that of the products' square roots
        double[][] of = new double[5][2];
        double[][] to = new double[5][2];
        for (int fork = 0; fork < 5; fork++) {
            for (int round = 0; round < 2; round++) {
                of[fork][round] = Math.sqrt(FAST[fork][round] * SLOW[fork][round]);
                to[fork][round] = Math.sqrt(SLOW[fork][round] * slower[fork][round]);
            }
        }
        assertClose(
                graded.average().orElseThrow(),
                Effect.of(Ratios.byRound(figures(0, of), figures(0, to)), Confidence.USUAL));
    }

    @Test
    void sidesInDifferentBlocksAreNotPaired() {
        double[][] other = {{300, 303}, {297, 303}, {312, 309}};
        GradedClaim graded = grade(
                "greater: {size: 1MB}, than: {size: 4KB}, where: {method: lz4}",
                trial("lz4", "4KB", 0, FAST),
                trial("lz4", "1MB", 1, other));

        assertThat(graded.grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(graded.comparisons()).singleElement().satisfies(comparison -> {
            assertThat(comparison.sides()).isEqualTo("lz4, size 1MB ÷ 4KB");
            assertThat(comparison.isPaired()).isFalse();
            assertClose(comparison.effect(), Effect.unpaired(logs(other), logs(FAST), Unit.FORK, Confidence.USUAL));
        });
    }

    @Test
    void anAverageOverBlocksTakesForksOfDifferentBlocksAsIndependent() {
        Effect average = grade(
                        LZ4_IS_FASTER + ", holds: on average",
                        trial("lz4", "4KB", 0, FAST),
                        trial("plain", "4KB", 0, SLOW),
                        trial("lz4", "1MB", 1, FAST),
                        trial("plain", "1MB", 1, SLOW))
                .average()
                .orElseThrow();

        double[] half = Arrays.stream(
                        Ratios.byRound(figures(0, FAST), figures(0, SLOW)).unitMeans())
                .map(log -> log / 2)
                .toArray();
        assertClose(average, Effect.product(List.of(half, half), Unit.FORK, Confidence.USUAL));
    }

    @Test
    void aTrendOfAnEffectRisesAtEachStep() {
        String lead =
                "effect: {of: {method: lz4}, to: {method: plain}}, ordered: [{size: 4KB}, {size: 64KB}, {size: 1MB}]";
        List<List<Sample>> rising = List.of(
                trial("plain", "4KB", SLOW), trial("lz4", "4KB", SLOW),
                trial("plain", "64KB", SLOW), trial("lz4", "64KB", FAST),
                trial("plain", "1MB", SLOW), trial("lz4", "1MB", times(1.5, FAST)));

        GradedClaim graded = grade(lead, rising);
        assertThat(graded.grade()).isEqualTo(Grade.REPRODUCED);
        assertThat(graded.comparisons())
                .extracting(ClaimComparison::sides)
                .containsExactly("lz4/plain, size 64KB ÷ 4KB", "lz4/plain, size 1MB ÷ 64KB");
        assertThat(graded.comparisons().get(1).effect().ratio()).isCloseTo(1.5, within(1e-12));

        assertThat(grade(
                                lead.replace(
                                        "{size: 4KB}, {size: 64KB}, {size: 1MB}",
                                        "{size: 1MB}, {size: 64KB}, {size: 4KB}"),
                                rising)
                        .grade())
                .isEqualTo(Grade.REVERSED);
        assertThat(grade(lead, rising.subList(0, 4)).grade()).isEqualTo(Grade.NOT_TESTED);
        assertThat(grade(lead, rising.subList(0, 5)).missing()).isEqualTo(missing(true, "size 1MB", "size 64KB"));
        assertThat(grade(lead.replace("lz4}", "gzip}"), rising).missing()).isEqualTo(missing(false, "method gzip"));
    }

    @Test
    void methodsThatASettingHasMultipliedAreMatchedWithTheirOwn() {
        GradedClaim graded = grade(
                LZ4_IS_FASTER,
                trial("lz4@driver=mariadb", "4KB", FAST),
                trial("plain@driver=mariadb", "4KB", SLOW),
                trial("lz4@driver=connector-j", "4KB", FAST),
                trial("plain@driver=connector-j", "4KB", SLOW));

        assertThat(graded.comparisons())
                .extracting(ClaimComparison::sides)
                .containsExactlyInAnyOrder(
                        "lz4@driver=mariadb ÷ plain@driver=mariadb",
                        "lz4@driver=connector-j ÷ plain@driver=connector-j");
    }

    @Test
    void figuresThatDoNotVaryAreComparedExactly() {
        double[][] same = {{4096, 4096}, {4096, 4096}};
        double[][] less = {{4000, 4000}, {4000, 4000}};

        assertThat(grade(LZ4_IS_FASTER, trial("lz4", "4KB", same), trial("plain", "4KB", same))
                        .grade())
                .isEqualTo(Grade.NO_DIFFERENCE);
        assertThat(grade(LZ4_IS_FASTER, trial("lz4", "4KB", same), trial("plain", "4KB", less))
                        .grade())
                .isEqualTo(Grade.REPRODUCED);
    }

    @Test
    void oneRoundIsInconclusiveAndOneForkSaysSo() {
        GradedClaim oneRound = grade(
                LZ4_IS_FASTER, trial("lz4", "4KB", new double[][] {{120}}), trial("plain", "4KB", new double[][] {{100}
                }));
        GradedClaim oneFork = grade(LZ4_IS_FASTER, trial("lz4", "4KB", FAST[0]), trial("plain", "4KB", SLOW[0]));

        assertThat(oneRound.grade()).isEqualTo(Grade.INCONCLUSIVE);
        assertThat(oneFork.comparisons().get(0).effect().interval())
                .isInstanceOfSatisfying(
                        Interval.Range.class, range -> assertThat(range.unit()).isEqualTo(Unit.ROUND));
    }

    @Test
    void sidesThatShareABlockButNoRoundAreNotCompared() {
        List<Sample> second = trial("plain", "4KB", SLOW).subList(2, 10);

        assertThat(grade(LZ4_IS_FASTER, trial("lz4", "4KB", FAST[0]), second).grade())
                .isEqualTo(Grade.NOT_TESTED);
    }

    @Test
    void anAverageToWhichEachSizeBringsAnotherForkIsInconclusive() {
        GradedClaim graded = grade(
                LZ4_IS_FASTER + ", holds: on average",
                trial("lz4", "4KB", FAST).subList(0, 4),
                trial("plain", "4KB", SLOW).subList(0, 4),
                trial("lz4", "1MB", FAST).subList(4, 10),
                trial("plain", "1MB", SLOW).subList(4, 10));

        assertThat(graded.average()).isEmpty();
        assertThat(graded.grade()).isEqualTo(Grade.INCONCLUSIVE);
    }

    @Test
    void theOrderOfSamplesDoesNotMatter() {
        List<Sample> samples = new ArrayList<>(
                Stream.of(trial("lz4", "4KB", FAST), trial("plain", "4KB", SLOW), trial("gzip", "4KB", SLOW))
                        .flatMap(Collection::stream)
                        .toList());
        GradedClaim expected = grade(LZ4_IS_FASTER, List.of(samples));
        for (int seed = 0; seed < 10; seed++) {
            Collections.shuffle(samples, new Random(seed));
            GradedClaim graded = grade(LZ4_IS_FASTER, List.of(samples));
            assertClose(
                    graded.comparisons().get(0).effect(),
                    expected.comparisons().get(0).effect());
        }
    }

    // ---- what the tests are made of

    /** The longest of three times as many is longer, though the methods are equal. */
    @Test
    void theLongestOfMoreOperationsIsNotCompared() {
        String longest = "metric: max, greater: {method: plain}, than: {method: lz4}";
        Function<Integer, List<Sample>> plain = count -> figures(0, SLOW).stream()
                .map(figure -> sample("plain", "4KB", figure, count))
                .toList();
        List<Sample> lz4 = figures(0, FAST).stream()
                .map(figure -> sample("lz4", "4KB", figure, 1000))
                .toList();

        assertThat(grade(longest, plain.apply(1000), lz4).grade()).isEqualTo(Grade.REPRODUCED);
        GradedClaim unequal = grade(longest, plain.apply(3000), lz4);
        assertThat(unequal.grade()).isEqualTo(Grade.NOT_TESTED);
        assertThat(unequal.missing().orElseThrow().why().orElseThrow())
                .startsWith("the longest of 3,000 operations cannot be compared with the longest of 1,000");
    }

    @SafeVarargs
    private static GradedClaim grade(String relation, List<Sample>... trials) {
        List<List<Sample>> all = new ArrayList<>();
        for (List<Sample> trial : trials) {
            all.add(trial);
        }
        return grade(relation, all);
    }

    private static GradedClaim grade(String relation, List<List<Sample>> trials) {
        Study study =
                new StudyReader(Factors.VOCABULARY).read("""
                        study: small
                        metric: throughput
                        baseline: plain
                        methods: {plain: {}, gzip: {codec: gzip}, zstd: {codec: zstd}, lz4: {codec: lz4}}
                        conditions: [{workload: fetch, dataset: sites, size: [4KB, 64KB, 1MB]}]
                        schedule: {rounds: 10, forks: 5, window: 1s, warm-up: 0s, seed: 1}
                        claims: [{id: it, says: so,""" + " " + relation + "}]\n", "small.yaml", Optional.empty());
        return Claims.USUAL
                .grade(study, trials.stream().flatMap(Collection::stream).toList())
                .get(0);
    }

    private static List<Sample> trial(String method, String size, double[]... forks) {
        return trial(method, size, 0, forks);
    }

    /** One row of throughputs for each fork; rounds are numbered through. */
    private static List<Sample> trial(String method, String size, int block, double[]... forks) {
        return figures(block, forks).stream()
                .map(figure -> sample(method, size, figure))
                .toList();
    }

    private static List<Figure> figures(int block, double[]... forks) {
        List<Figure> figures = new ArrayList<>();
        for (int fork = 0; fork < forks.length; fork++) {
            for (double value : forks[fork]) {
                figures.add(new Figure(block, fork, figures.size(), value));
            }
        }
        return figures;
    }

    private static double[] logs(double[][] forks) {
        return Arrays.stream(forks)
                .mapToDouble(
                        rounds -> Arrays.stream(rounds).map(Math::log).average().orElseThrow())
                .toArray();
    }

    private static double[][] times(double factor, double[][] forks) {
        return Arrays.stream(forks)
                .map(rounds -> Arrays.stream(rounds).map(x -> factor * x).toArray())
                .toArray(double[][]::new);
    }

    private static double[][] noise(DoubleSupplier noise) {
        return Stream.generate(() -> DoubleStream.generate(noise).limit(2).toArray())
                .limit(5)
                .toArray(double[][]::new);
    }

    private static void assertClose(Effect actual, Effect expected) {
        assertThat(actual.ratio()).isCloseTo(expected.ratio(), within(1e-12));
        Interval.Range range = (Interval.Range) actual.interval();
        Interval.Range its = (Interval.Range) expected.interval();
        assertThat(range.low()).isCloseTo(its.low(), within(1e-9));
        assertThat(range.high()).isCloseTo(its.high(), within(1e-9));
        assertThat(range.unit()).isEqualTo(its.unit());
        assertThat(range.units()).isEqualTo(its.units());
        assertThat(range.confidence()).isEqualTo(its.confidence());
    }

    private static Sample sample(String method, String size, Figure figure) {
        return sample(method, size, figure, 1);
    }

    private static Sample sample(String method, String size, Figure figure, long count) {
        String codec = method.replaceFirst("@.*", "");
        String driver = method.contains("=") ? method.substring(method.indexOf('=') + 1) : "connector-j";
        Operations fetch = new Operations(
                count,
                figure.value(),
                1,
                new Latency(1e12 / figure.value(), 1, 1, 1, 1, 1, Math.round(1e9 / figure.value())),
                new Operations.ByteCounts(1, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty()));
        return new Sample(
                new Trial(
                        method + size,
                        method,
                        Levels.of(Map.of("codec", codec, "driver", driver)),
                        Levels.of(Map.of("workload", "fetch", "dataset", "sites", "size", size, "link", "loopback"))),
                new Position(figure.block(), figure.fork(), figure.round(), Instant.EPOCH),
                new Outcome.Measured(),
                new Remarks(
                        List.of(),
                        List.of(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of(
                                "disk", "-",
                                "client_cpu_ns_per_op", "-",
                                "server_cpu_ns_per_op", "-",
                                "pages_read_per_op", "-",
                                "time_ns", "-",
                                "allocated_bytes_per_op", "-",
                                "wire_in", "-",
                                "wire_out", "-",
                                "stored", "-"))),
                Optional.of(new WarmUp(0, true)),
                new TreeMap<>(Map.of("fetch", fetch)),
                Optional.empty(),
                Resources.of(
                        OptionalLong.of(1), OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty()),
                new DiskSpace(OptionalLong.empty(), OptionalLong.empty()),
                Optional.empty());
    }

    private static Sample with(Sample s, Outcome outcome) {
        boolean isMeasurement = outcome.isMeasurement();
        return new Sample(
                s.trial(),
                new Position(s.block(), s.fork(), s.round(), s.position().startedAt()),
                outcome,
                new Remarks(s.flags(), s.events(), s.remarks().errors(), s.unknown()),
                s.warmUp(),
                isMeasurement ? s.operations() : new TreeMap<>(),
                Optional.empty(),
                Resources.of(
                        s.resources().elapsedNanos(),
                        s.resources().clientCpuNanosPerOp(),
                        s.resources().serverCpuNanosPerOp(),
                        s.resources().allocatedBytesPerOp()),
                s.disk(),
                Optional.empty());
    }
}
