package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Ranking.Row;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.analysis.Summary;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.analysis.Undecided;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.PageTimes;
import dev.blobmark.lab.measurement.Resources;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Position;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.Progress;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankingTest {

    private static final LevelWords LOCAL = new LevelWords(false);

    private static final Levels FETCH = Levels.of(Map.of("workload", "fetch", "size", "4KB"));

    private static final long APPLICATION_BYTES = 1_000_000_000_000L;

    private static final Outcome MEASURED = new Outcome.Measured();

    @Test
    void medianAndRangeByArithmetic() {
        assertThat(Summary.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Summary(2, 1, 3, 3));
        assertThat(Summary.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Summary(2.5, 1, 4, 4));
        assertThat(Summary.of(List.of(7.0))).isEqualTo(new Summary(7, 7, 7, 1));
    }

    @Test
    void theEffectIsTheGeometricMeanOfTheRatiosOfEachRoundWithItsInterval() {
        Row fast = only(Metric.THROUGHPUT, samples("base", 100, 200, 300), samples("fast", 110, 242, 399.3))
                .find("fast")
                .orElseThrow();
        // ratios 1.1, 1.21 and 1.331; t of 2 degrees of freedom at 97.5 % is 4.30265; ln 1.1 = 0.0953102
        double reach = 4.30265273 * Math.log(1.1) / Math.sqrt(3);
        Judgement judgement = fast.toBaseline().orElseThrow();
        assertThat(judgement.effect().ratio()).isCloseTo(1.21, within(1e-9));
        Interval.Range range = judgement.range().orElseThrow();
        assertThat(range.low()).isCloseTo(1.21 * Math.exp(-reach), within(1e-6));
        assertThat(range.high()).isCloseTo(1.21 * Math.exp(reach), within(1e-6));
        assertThat(range.unit()).isEqualTo(Unit.FORK);
        assertThat(range.units()).isEqualTo(3);
        assertThat(judgement.verdict()).isInstanceOf(Verdict.Inconclusive.class);
        assertThat(fast.value()).isEqualTo(new Summary(242, 110, 399.3, 3));
        assertThat(fast.headline().mean().orElseThrow().ratio()).isCloseTo(Math.cbrt(110 * 242 * 399.3), within(1e-9));
    }

    /** Ratios of the passes are 1.1, 1.21 and 1.331, as in the test above: but the unit says what they cover. */
    @Test
    void methodsOnServersOfDifferentEnvironmentsAreComparedPassByPass() {
        List<Sample> fast = samples("a", 110, 242, 399.3).stream()
                .map(sample -> sample.renumbered(1, sample.fork()))
                .toList();
        Judgement judgement = only(Metric.THROUGHPUT, samples("base", 100, 200, 300), fast)
                .find("a")
                .flatMap(Row::toBaseline)
                .orElseThrow();

        assertThat(judgement.effect().ratio()).isCloseTo(1.21, within(1e-9));
        Interval.Range range = judgement.range().orElseThrow();
        double reach = 4.30265273 * Math.log(1.1) / Math.sqrt(3);
        assertThat(range.low()).isCloseTo(1.21 * Math.exp(-reach), within(1e-6));
        assertThat(range.unit()).isEqualTo(Unit.BLOCK);
        assertThat(range.units()).isEqualTo(3);
        assertThat(judgement.unmatched()).isZero();
    }

    @Test
    void intervalsHoldForAllMethodsTogetherAndAreNarrowerThanBonferronis() {
        List<List<Sample>> methods = Stream.of("base", "a", "b", "c", "d")
                .map(method -> noisy(method, 100, 5, 2, new SplittableRandom(method.hashCode())))
                .toList();
        Ranking ranking = only(Metric.THROUGHPUT, methods.toArray(List[]::new));
        assertThat(ranking.anyRange())
                .hasValueSatisfying(range -> assertThat(range.confidence()).isEqualTo(Confidence.USUAL.among(4)));
        double width = 0;
        double bonferroni = 0;
        for (List<Sample> method : methods.subList(1, 5)) {
            width += width(ranking.find(method.get(0).method()).orElseThrow());
            Interval.Range alone = (Interval.Range)
                    Effect.of(Ratios.byRound(figures(method), figures(methods.get(0))), Confidence.USUAL.among(4))
                            .interval();
            bonferroni += Math.log(alone.high() / alone.low());
        }
        assertThat(width).isLessThan(0.85 * bonferroni);
    }

    @Test
    void intervalsOfAMergedRunAreThoseOfItsMostCautiousPart() {
        Manifest fixed = TestRuns.manifest("plain", "zstd");
        Study study = fixed.study();
        Manifest decided = fixed.with(study.with(study.schedule().decidingWithin(Duration.ofMinutes(10))));
        Manifest merged =
                fixed.withSources(List.of(new Manifest.MergedRun(0, fixed), new Manifest.MergedRun(1, decided)));

        assertThat(Rankings.confidence(fixed)).isEqualTo(Confidence.USUAL);
        assertThat(Rankings.confidence(merged)).isEqualTo(Confidence.USUAL.whenDecided());
    }

    private static List<Figure> figures(List<Sample> samples) {
        return samples.stream()
                .flatMap(sample -> sample.figures(Metric.THROUGHPUT, "fetch").stream())
                .toList();
    }

    @Test
    void smallValuesAreRankedByOperationsPerSecondButForCodecs() {
        Levels codec = Levels.of(Map.of("workload", "codec", "size", "4KB"));
        for (Metric metric : List.of(Metric.THROUGHPUT, Metric.P50)) {
            List<Sample> small = Stream.of(FETCH, codec)
                    .flatMap(condition -> IntStream.range(0, 3)
                            .mapToObj(round -> sized(sample("base", condition, round, MEASURED, 5), 1023)))
                    .toList();
            assertThat(rankings(manifest(metric), small))
                    .extracting(Ranking::metric)
                    .containsExactly(metric == Metric.P50 ? Metric.P50 : Metric.OPERATIONS, metric);
        }
        assertThat(only(Metric.THROUGHPUT, List.of(sized(sample("base", 0, MEASURED, 5), 1024)))
                        .metric())
                .isEqualTo(Metric.THROUGHPUT);
    }

    private static Sample sized(Sample sample, long bytesPerOperation) {
        String bytes = "\"application\":";
        String json = sample.toJson();
        assertThat(json).contains(bytes + APPLICATION_BYTES);
        return Sample.ofJson(json.replace(bytes + APPLICATION_BYTES, bytes + 1000 * bytesPerOperation));
    }

    @Test
    void theTimeOfAWindowIsAFigureWhereItWasCounted() {
        List<Sample> samples = samples("base", 100, 101);

        assertThat(only(Metric.THROUGHPUT, samples).rows().get(0).median(Metric.ELAPSED))
                .hasValue(1);
        assertThat(Analysis.of(TestRuns.manifest("plain"), TestRuns.samples("plain", new double[] {100}))
                        .rankings()
                        .get(0)
                        .rows()
                        .get(0)
                        .median(Metric.ELAPSED))
                .isEmpty();
    }

    @Test
    void whatTheStudyDoesNotStateIsNotInTheHead() {
        Manifest manifest = TestRuns.manifest("plain");
        assertThat(RunFacts.of(Analysis.of(manifest, List.of()))).containsEntry("Link", "loopback");
        assertThat(RunFacts.of(Analysis.of(manifest(Metric.THROUGHPUT), List.of())))
                .doesNotContainKey("Link");
    }

    private static double width(Row row) {
        Interval.Range range = row.toBaseline().orElseThrow().range().orElseThrow();
        return Math.log(range.high() / range.low());
    }

    @Test
    void twinsAreCalledInNoMoreThanOneOfTwentyStudies() {
        int studies = 400;
        int called = 0;
        for (int seed = 0; seed < studies; seed++) {
            List<Sample> samples = new ArrayList<>();
            for (String twin : List.of("base", "a", "b", "c", "d")) {
                samples.addAll(noisy(twin, 100, 5, 2, new SplittableRandom(31L * seed + twin.hashCode())));
            }
            called += only(Metric.THROUGHPUT, samples).rows().stream()
                            .anyMatch(row ->
                                    row.toBaseline().filter(Judgement::isCalled).isPresent())
                    ? 1
                    : 0;
        }
        // 20 are expected at 95 %; more than 34 would be seen once in 1,000 times
        assertThat(called).isBetween(1, 34);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aDifferenceOf30PercentIsCalledAndItsSwapIsItsInverse(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> slow = noisy("base", 100, 5, 2, random);
        List<Sample> fast = noisy("a", 130, 5, 2, random);
        Judgement called = only(Metric.THROUGHPUT, slow, fast)
                .find("a")
                .orElseThrow()
                .toBaseline()
                .orElseThrow();
        assertThat(called.verdict()).isEqualTo(new Verdict.Faster(false));

        Judgement swapped = only(Metric.THROUGHPUT, renamed(slow, "a"), renamed(fast, "base"))
                .find("a")
                .orElseThrow()
                .toBaseline()
                .orElseThrow();
        assertThat(swapped.verdict()).isEqualTo(new Verdict.Slower(false));
        assertThat(swapped.effect().ratio() * called.effect().ratio()).isCloseTo(1, within(1e-12));
        assertThat(swapped.range().orElseThrow().low()
                        * called.range().orElseThrow().high())
                .isCloseTo(1, within(1e-12));

        assertThat(only(Metric.P50, slow, fast)
                        .find("a")
                        .orElseThrow()
                        .toBaseline()
                        .orElseThrow()
                        .verdict())
                .isEqualTo(new Verdict.Slower(false));
    }

    @Test
    void onlyRoundsThatBothHaveAreCompared() {
        Row more = only(Metric.THROUGHPUT, samples("base", 100, 100), samples("more", 200, 200, 800, 900, 900))
                .find("more")
                .orElseThrow();
        assertThat(more.value().median()).isEqualTo(800);
        assertThat(more.toBaseline().orElseThrow().effect().ratio()).isCloseTo(2, within(1e-12));
        assertThat(more.toBaseline().orElseThrow().unmatched()).isEqualTo(3);
    }

    @Test
    void theOrderIsThatOfTheEffects() {
        // a machine that slowed down after the third round: the median of a is lower, its ratio in each round higher
        List<Sample> base = samples("base", 200, 200, 200, 100, 100);
        List<Sample> a = new ArrayList<>(samples("a", 220, 220, 220, 110, 110)).subList(2, 5);
        Ranking ranking = only(Metric.THROUGHPUT, base, a);
        assertThat(ranking.rows()).extracting(Row::method).containsExactly("a", "base");
        assertThat(ranking.rows()).extracting(row -> row.value().median()).containsExactly(110.0, 200.0);
    }

    @Test
    void withoutABaselineThereIsNoEffectButStillABest() {
        Ranking ranking = only(Metric.THROUGHPUT, samples("a", 1.9, 2), samples("b", 1, 1.01));
        assertThat(ranking.rows())
                .allSatisfy(row -> assertThat(row.toBaseline()).isEmpty());
        assertThat(ranking.toBest())
                .singleElement()
                .satisfies(judgement -> assertThat(judgement.effect().ratio()).isBetween(0.5, 0.53));
    }

    @ParameterizedTest
    @EnumSource(
            value = Metric.class,
            names = {
                "CPU",
                "SERVER_CPU",
                "ROUND_TRIPS",
                "ELAPSED",
                "ALLOCATION",
                "COMPRESSION_RATIO",
                "POOL",
                "DISK_USED"
            },
            mode = EnumSource.Mode.EXCLUDE)
    void theBetterEndOfTheMetricComesFirst(Metric metric) {
        Ranking ranking = only(metric, timed("base", 200, 210), timed("low", 100, 110), timed("high", 300, 310));
        List<String> order = metric.higherIsBetter() ? List.of("high", "base", "low") : List.of("low", "base", "high");
        assertThat(ranking.rows()).extracting(Row::method).isEqualTo(order);
    }

    /** Samples with times of pages, whose ratio is the figure. */
    private static List<Sample> timed(String method, double... figures) {
        List<Sample> samples = samples(method, figures);
        return IntStream.range(0, figures.length)
                .mapToObj(i -> samples.get(i).with(new PageTimes(1, figures[i] * figures[i], 0, 1, figures[i], 0)))
                .toList();
    }

    @Test
    void theOrderOfTheSamplesDoesNotMatter() {
        List<Sample> samples = new ArrayList<>(
                Stream.of(samples("base", 100, 120, 130), samples("a", 140, 90, 125), samples("b", 119, 121, 125))
                        .flatMap(List::stream)
                        .toList());
        List<Ranking> expected = rankings(manifest(Metric.THROUGHPUT), samples);
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(samples, new Random(seed));
            assertThat(rankings(manifest(Metric.THROUGHPUT), samples)).isEqualTo(expected);
        }
    }

    @Test
    void theFourKindsOfBytesGiveTheRatios() {
        Manifest manifest = manifest(Metric.THROUGHPUT)
                .with(new LoadedStore(
                        "mysql",
                        Levels.of(Map.of("codec", "of-base", "size", "4KB")),
                        "t",
                        "CREATE TABLE t",
                        new TreeMap<>(),
                        new LoadedStore.LoadedContent(10, 40_960, 8_192, OptionalDouble.empty()),
                        new DiskSpace(OptionalLong.of(16_384), OptionalLong.empty()),
                        Placement.UNKNOWN));
        Row row = rankings(manifest, samples("base", 8_192)).get(0).best().orElseThrow();
        // the figure of each sample is the factor by which it compresses, and its bytes on disk
        assertThat(row.median(Metric.COMPRESSION_RATIO).orElseThrow()).isCloseTo(8_192, within(0.1));
        assertThat(row.stored().bytesPerDiskByte()).hasValue(5);
        assertThat(row.median(Metric.DISK)).hasValue(8_192);
    }

    @Test
    void aFailureInOneRoundTakesTheMethodOutOfTheRanking() {
        List<Sample> broken = new ArrayList<>(samples("broken", 900, 900));
        broken.add(sample("broken", 2, new Outcome.Failed("wrong bytes"), 0));
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", 100, 100), broken);
        assertThat(ranking.rows()).extracting(Row::method).containsExactly("base");
        assertThat(ranking.unranked())
                .containsExactly(new Ranking.Unranked("broken", new Outcome.Failed("wrong bytes"), 1, 3));
    }

    @Test
    void aCrashTakesARoundAndNotTheMethod() {
        List<Sample> crashed = new ArrayList<>(samples("a", 130, 131, 129));
        crashed.add(flagged(sample("a", 3, new Outcome.Failed("exit code 137"), 0), "crashed"));
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", 100, 100, 101, 101), crashed);
        assertThat(ranking.find("a").orElseThrow().doubts().crashed()).containsExactly("exit code 137");
        assertThat(ranking.find("a")
                        .orElseThrow()
                        .toBaseline()
                        .orElseThrow()
                        .range()
                        .orElseThrow()
                        .units())
                .isEqualTo(3);
        assertThat(notes(ranking)).containsExactly("a lost 1 of 4 rounds to a crash of its JVM: exit code 137");

        List<Sample> failedToo = new ArrayList<>(crashed);
        failedToo.add(sample("a", 4, new Outcome.Failed("wrong bytes"), 0));
        assertThat(only(Metric.THROUGHPUT, samples("base", 100), failedToo).unranked())
                .containsExactly(new Ranking.Unranked("a", new Outcome.Failed("wrong bytes"), 1, 5));

        List<Sample> nothingElse = List.of(flagged(sample("a", 0, new Outcome.Failed("exit code 137"), 0), "crashed"));
        assertThat(only(Metric.THROUGHPUT, samples("base", 100), nothingElse).unranked())
                .containsExactly(new Ranking.Unranked("a", new Outcome.Failed("exit code 137"), 1, 1));
    }

    @Test
    void whatOneForkIsLeftOfSaysThatItsIntervalCoversLess() {
        Ranking ranking = only(
                Metric.THROUGHPUT,
                noisy("base", 100, 3, 2, new SplittableRandom(1)),
                noisy("a", 100, 3, 2, new SplittableRandom(2)),
                noisy("b", 100, 1, 2, new SplittableRandom(3)));
        assertThat(notes(ranking))
                .contains(
                        "only one fork is left of b: the interval covers within one JVM; variance between forks is not"
                                + " covered");
    }

    @Test
    void unsteadyRoundsAreRankedAndCounted() {
        List<Sample> restless =
                List.of(sample("a", 0, MEASURED, 5), sample("a", 1, new Outcome.Unsteady("still rising"), 6));
        Ranking ranking = only(Metric.THROUGHPUT, restless);
        assertThat(ranking.best().orElseThrow().doubts().unsteady()).containsExactly("still rising");
        assertThat(notes(ranking)).containsExactly("not steady: a in 1 of 2 rounds: still rising");
    }

    @Test
    void theNoiseFloorBoundsWhatIsCalledEqual() {
        List<Sample> base = samples("base", 100, 100, 100);
        List<Sample> close = samples("a", 100.5, 99.8, 100.1);
        Judgement plain = judgement(only(Metric.THROUGHPUT, base, close), "a");
        assertThat(plain.verdict()).isEqualTo(new Verdict.Equal(0.02));

        Ranking withControl = only(Metric.THROUGHPUT, base, close, samples("control", 101, 99, 100.5));
        Interval.Range control = judgement(withControl, "control").range().orElseThrow();
        double floor = Math.max(1 - control.low(), control.high() - 1);
        assertThat(floor).isGreaterThan(0.02);
        assertThat(withControl.margin().noiseFloor()).isEqualTo(floor);
        assertThat(judgement(withControl, "a").verdict()).isEqualTo(new Verdict.Equal(floor));
        assertThat(notes(withControl))
                .singleElement()
                .asString()
                .matches("noise floor ± \\d\\.\\d %: the control, a twin of base, lies within that;"
                        + " smaller differences are not called");

        Ranking withoutInterval = only(Metric.THROUGHPUT, base, close, samples("control", 100));
        assertThat(judgement(withoutInterval, "a").verdict()).isInstanceOf(Verdict.Inconclusive.class);
        assertThat(notes(withoutInterval))
                .contains("noise floor unknown: the control has no interval (1 round measured; an interval needs 2 or"
                        + " more); nothing is called equal");
        Ranking failed = only(
                Metric.THROUGHPUT, base, close, List.of(sample("control", 0, new Outcome.Failed("wrong bytes"), 0)));
        assertThat(judgement(failed, "a").verdict()).isInstanceOf(Verdict.Inconclusive.class);
        assertThat(notes(failed))
                .startsWith("noise floor unknown: the control was not measured; nothing is called equal");
    }

    @Test
    void theControlIsNeverTheBestAndNoRival() {
        Ranking ranking = only(
                Metric.THROUGHPUT,
                samples("base", 100, 101, 99),
                samples("a", 99, 100, 98),
                samples("control", 103, 101, 104));
        assertThat(ranking.rows().get(0).method()).isEqualTo("control");
        assertThat(ranking.best().orElseThrow().method()).isEqualTo("base");
        assertThat(ranking.rivals()).doesNotContain("control");
        assertThat(Answer.of(ranking, Set.of(), LOCAL))
                .startsWith("At 4 KB, base, the baseline, ")
                .doesNotContain("control");
    }

    @Test
    void aControlThatIsCalledIsALoudWarning() {
        Ranking ranking = only(
                Metric.THROUGHPUT,
                samples("base", 100, 101, 99),
                samples("a", 150, 151, 149),
                samples("control", 120, 121, 119));
        assertThat(RankingNotes.of(ranking)).first().satisfies(note -> {
            assertThat(note.tone()).isEqualTo(Tone.ALARM);
            assertThat(note.text())
                    .startsWith(
                            "THE INTERVALS DO NOT HOLD HERE: the control, a twin of base, came out faster, 1.200 × (");
        });
        assertThat(Answer.of(ranking, Set.of(), LOCAL))
                .endsWith(" But the control, a twin of base, came out faster as well: the intervals do not hold here.");
        assertThat(judgement(ranking, "a").verdict()).isInstanceOf(Verdict.Faster.class);
    }

    @Test
    void twoLevelsOfOneMethodAreNamed() {
        double[] jumping = {10.1, 35.8, 9.9, 36.3, 10.0, 10.2, 36.1, 9.8, 10.1, 35.9};
        double[] one = {35.1, 35.8, 36.2, 36.3, 35.7, 35.4, 36.1, 36.9, 36.1, 35.9};
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", millions(jumping)), samples("a", millions(one)));
        assertThat(ranking.find("a").orElseThrow().headline().levels()).isEmpty();
        assertThat(notes(ranking))
                .containsExactly(
                        "two levels, which the others do not have: base at 10.0 MB/s and 36.0 MB/s (40 % of its rounds)");
    }

    @Test
    void flagsAreShownGroupedWithWhatHappened() {
        List<Sample> a = new ArrayList<>(samples("a", 5, 6, 5));
        a.replaceAll(sample -> sample.round() == 1 ? sample : flagged(sample, "link not sustained"));
        List<Sample> base = new ArrayList<>(samples("base", 5, 6, 5));
        base.replaceAll(sample -> sample.round() == 1 ? flagged(sample, "link not sustained") : sample);
        assertThat(notes(only(Metric.THROUGHPUT, base, a)))
                .containsExactly("link not sustained: base in 1 of 3 rounds, a in 2 of 3 rounds");
    }

    /** Whatever the figures: they are those of the clients. */
    @Test
    void noVerdictIsBasedOnSamplesThatTheClientsLimited() {
        List<Sample> base = samples("base", 5, 5.1, 5);
        List<Sample> a = new ArrayList<>(samples("a", 9, 9.1, 9));
        assertThat(only(Metric.THROUGHPUT, base, a)
                        .find("a")
                        .orElseThrow()
                        .toBaseline()
                        .orElseThrow()
                        .verdict())
                .isInstanceOf(Verdict.Faster.class);

        a.replaceAll(sample -> sample.round() == 1 ? sample : flagged(sample, Sample.CLIENT_LIMITED));
        Ranking limited = only(Metric.THROUGHPUT, base, a);

        assertThat(limited.find("a").orElseThrow().toBaseline().orElseThrow().verdict())
                .isEqualTo(new Verdict.Inconclusive("clients, not the server, limited the rate"));
        assertThat(limited.rivals()).containsExactly("base");
        assertThat(Answer.of(limited, Set.of(), LOCAL)).contains("statistically tied with base");
    }

    @Test
    void aConditionOfFailuresAloneIsShownToo() {
        Ranking ranking = only(Metric.P50, List.of(sample("a", 0, new Outcome.Unavailable("no TLS"), 0)));
        assertThat(ranking.operation()).isEqualTo("fetch");
        assertThat(ranking.rows()).isEmpty();
        assertThat(ranking.unranked()).hasSize(1);
        assertThat(Answer.of(ranking, Set.of(), LOCAL)).isEqualTo("At 4 KB, nothing was measured of fetch.");
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
        assertThat(rankings(manifest(Metric.THROUGHPUT), samples))
                .extracting(r -> r.condition().toString())
                .containsExactly(
                        "size=64KB,workload=fetch",
                        "size=4KB,workload=fetch",
                        "size=64KB,workload=codec",
                        "size=4KB,workload=codec");
    }

    @Test
    void theAnswerIsOneSentence() {
        assertThat(answer(samples("base", 100, 100, 100), samples("fast", 131, 132, 133)))
                .isEqualTo("At 4 KB, fast is read back fastest: 1.32 × (1.30–1.35) the throughput of base, on"
                        + " 76 % of the disk [3 rounds in 3 forks].");
    }

    @Test
    void theAnswerOfOneForkSaysWhatIsNotCovered() {
        assertThat(answer(
                        noisy("base", 100, 1, 3, new SplittableRandom(1)),
                        noisy("fast", 200, 1, 3, new SplittableRandom(2))))
                .endsWith(" [3 rounds in one fork; variance between forks is not covered].");
    }

    @Test
    void theAnswerSaysWhatTheBestCannotBeToldFrom() {
        assertThat(answer(samples("base", 100, 101, 99), samples("a", 128, 140, 132), samples("b", 119, 142, 129)))
                .startsWith("At 4 KB, a is in the lead, statistically tied with b: 1.33 × (");
        assertThat(answer(
                        samples("base", 100, 300),
                        samples("a", 250, 290),
                        samples("b", 200, 280),
                        samples("c", 150, 270),
                        samples("d", 140, 270)))
                .startsWith("At 4 KB, a is in the lead, statistically tied with b, c and 2 more: ");
    }

    @Test
    void diskIsToldOfByUsedPagesAlone() {
        List<Sample> base = samples("base", 100, 100, 100);
        List<Sample> fast = samples("fast", 131, 132, 133);
        Ranking known = only(Metric.THROUGHPUT, base, fast);
        Ranking unknown = only(Metric.THROUGHPUT, base, withUsedPages("null", fast));

        assertThat(known.diskShare(known.best().orElseThrow()).orElseThrow()).isCloseTo(0.757, within(0.001));
        assertThat(RankingTable.columns(known)).extracting(Column::head).contains("disk");
        assertThat(unknown.diskShare(unknown.best().orElseThrow())).isEmpty();
        assertThat(Answer.of(unknown, Set.of(), LOCAL)).doesNotContain("disk");
        assertThat(cells(unknown, "disk")).containsExactly("", "100 %");
    }

    private static List<Sample> concat(List<List<Sample>> samples) {
        return samples.stream().flatMap(List::stream).toList();
    }

    private static List<String> cells(Ranking ranking, String head) {
        return RankingTable.columns(ranking).stream()
                .filter(column -> column.head().equals(head))
                .flatMap(column -> column.cells().stream())
                .toList();
    }

    private static List<Sample> withUsedPages(String bytes, List<Sample> samples) {
        return samples.stream()
                .map(s -> Sample.ofJson(s.toJson().replaceAll("\"used_bytes\":\\d+", "\"used_bytes\":" + bytes)))
                .toList();
    }

    @Test
    void slowEncodingIsToldOfWithWhatItBuys() {
        Manifest manifest = manifest(Metric.THROUGHPUT)
                .with(store("small", OptionalDouble.of(6e5)))
                .with(store("a", OptionalDouble.of(3e8)))
                .with(store("b", OptionalDouble.of(4e7)));
        List<Sample> base = samples("base", 100, 100, 100);
        List<Sample> a = samples("a", 120, 120, 120);
        List<Sample> b = samples("b", 110, 110, 110);

        Ranking slow = rankings(manifest, concat(List.of(samples("small", 200, 200, 200), base, a, b)))
                .get(0);
        assertThat(Answer.of(slow, Set.of(), LOCAL))
                .contains(" of base, on 50 % of the disk, but encodes at 0.600 MB/s of a core [");
        assertThat(cells(slow, "enc")).containsExactly("0.600", "300", "40.0", "");
        assertThat(Answer.of(rankings(manifest, concat(List.of(base, a, b))).get(0), Set.of(), LOCAL))
                .doesNotContain("encodes");
    }

    /** Figures of these samples are also the factor by which they compress: it is what a tie is settled by. */
    @Test
    void aTieGoesToTheSmallestAndTheTiersFollow() {
        Ranking ranking = only(
                Metric.P50,
                samples("base", 4000, 4100, 3900, 4000),
                samples("a", 1000, 1010, 990, 1000),
                samples("b", 1016, 1035, 991, 1030),
                samples("c", 2000, 2010, 1990, 2002));
        assertThat(ranking.rivals()).containsExactly("b");
        assertThat(Answer.of(ranking, Set.of(), LOCAL))
                .matches("At 4 KB, b is as fast as any within ± \\d\\.\\d %, and smallest: 0\\.25.*");
        assertThat(TierText.of(ranking)).contains("fastest, tied: a, b · half as fast: c · a quarter: base");
        assertThat(ranking.tiers().letters("b")).isEqualTo("a");
        Ranking unknown = only(
                Metric.P50,
                samples("base", 4000, 4100, 3900, 4000),
                samples("a", 1000, 1010, 990, 1000),
                withUsedPages("null", samples("b", 1016, 1035, 991, 1030)));
        assertThat(Answer.of(unknown, Set.of(), LOCAL))
                .startsWith("At 4 KB, a is in the lead, statistically tied with b: ");
    }

    @Test
    void aLeaderThatIsTheSmallestOfATieIsNamed() {
        List<Sample> samples = Stream.of(
                        samples("base", 4000, 4100, 3900, 4000),
                        samples("a", 1016, 1035, 991, 1030),
                        withUsedPages("4096", samples("b", 1000, 1010, 990, 1000)))
                .flatMap(List::stream)
                .toList();
        Analysis report = Analysis.of(manifest(Metric.P50), samples);
        Ranking ranking = report.rankings().get(0);
        assertThat(ranking.best().orElseThrow().method()).isEqualTo("b");
        assertThat(ranking.rivals()).containsExactly("a");
        assertThat(Answer.of(ranking, Set.of(), LOCAL)).startsWith("At 4 KB, b is as fast as any, and smallest: 0.2");
        assertThat(Headline.of(report)).isEqualTo("b is as fast as any, and smallest.");
    }

    @Test
    void whatIsLeftOpenSaysWhatWouldSettleIt() {
        List<Sample> samples = Stream.of(samples("base", 100, 130, 80, 110), samples("a", 105, 95, 120, 100))
                .flatMap(List::stream)
                .toList();
        Manifest manifest = manifest(Metric.THROUGHPUT);
        Undecided undecided =
                Undecided.of(rankings(manifest, samples), samples, manifest).orElseThrow();
        List<Sample> clear = Stream.of(samples("base", 100, 101, 99), samples("a", 200, 201, 199))
                .flatMap(List::stream)
                .toList();
        assertThat(Undecided.of(rankings(manifest, clear), clear, manifest)).isEmpty();
        assertThat(Captions.words(undecided))
                .matches("\\d comparisons? (is|are) left open; about \\d+ more minutes? would settle (it|them):"
                        + " blobmark run --resume RUN --budget \\d+m");
        assertThat(Captions.words(new Undecided(3, 9, Duration.ofSeconds(61), true)))
                .isEqualTo("3 comparisons are left open; about 2 more minutes would settle them: blobmark run"
                        + " --resume RUN --budget 2m");
        assertThat(Captions.words(new Undecided(3, 9, Duration.ofSeconds(61), false)))
                .isEqualTo("3 comparisons are left open; a run with --forks 9 would settle them");
        assertThat(Captions.words(new Undecided(1, 9, Duration.ofHours(13), true)))
                .isEqualTo("1 comparison is left open; it would take more than 12 hours to settle it: a quieter"
                        + " machine helps more, 'blobmark doctor' looks into it.");
    }

    @Test
    void whatHasNoRoundInCommonWithTheBestCannotBeToldFromIt() {
        List<Sample> other = List.of(sample("b", 7, MEASURED, 10), sample("b", 8, MEASURED, 11));
        assertThat(answer(samples("base", 100, 101, 99), samples("a", 150, 151, 149), other))
                .startsWith("At 4 KB, a is in the lead, statistically tied with b: 1.50");
        assertThat(answer(samples("a", 150, 151, 149), other))
                .isEqualTo(
                        "At 4 KB, a is in the lead, statistically tied with b; the baseline, base, was not measured.");
    }

    @Test
    void theAnswerWhenTheBaselineLeads() {
        assertThat(answer(samples("base", 100, 100), samples("slow", 50, 50)))
                .isEqualTo("At 4 KB, base, the baseline, is read back fastest; next is slow with 0.50 × (0.50–0.50) its"
                        + " throughput [2 rounds in 2 forks].");
        assertThat(answer(samples("base", 100, 100), samples("slow", 50, 120)))
                .startsWith("At 4 KB, base, the baseline, is in the lead, statistically tied with slow; next is slow");
    }

    @Test
    void theAnswerOfOneRoundClaimsNoInterval() {
        assertThat(answer(samples("base", 100), samples("fast", 150)))
                .isEqualTo("At 4 KB, fast was ahead in the only round: 1.50 × the throughput of base, on 67 % of"
                        + " the disk; one round has no interval.");
    }

    @Test
    void theAnswerWithoutABaselineAndOfAnUnsteadyBest() {
        assertThat(answer(samples("a", 5, 5), samples("b", 1, 1)))
                .isEqualTo("At 4 KB, a is read back fastest; the baseline, base, was not measured [2 rounds in 2"
                        + " forks].");
        assertThat(answer(List.of(sample("base", 0, new Outcome.Unsteady("still rising"), 5))))
                .isEqualTo("At 4 KB, base, the baseline, is the only method measured. It was not steady.");
    }

    @Test
    void lessIsBetterSaysSo() {
        Ranking ranking = only(Metric.P50, samples("base", 200, 200), samples("quick", 100, 100));
        assertThat(Answer.of(ranking, Set.of(), LOCAL))
                .startsWith("At 4 KB, quick is read back fastest: 0.50 × (0.50–0.50) the median latency of base");
        Ranking disk = only(Metric.DISK, samples("base", 200, 200), samples("small", 100, 100));
        assertThat(Answer.of(disk, Set.of(), LOCAL))
                .isEqualTo("At 4 KB, small takes the least disk: 0.50 × (0.50–0.50) the disk of base [2 rounds in 2"
                        + " forks].");
        assertThat(disk.rows().stream().map(row -> RankingTable.verdict(disk, row)))
                .containsExactly("better", "baseline");
    }

    /** The figure that methods are ranked by; other percentiles give way. */
    @Test
    void aNarrowTableKeepsTheMetricOfTheRanking() {
        for (Metric metric : List.of(Metric.P50, Metric.P99, Metric.DISK)) {
            Ranking ranking = only(metric, samples("base", 200, 200), samples("quick", 100, 100));
            assertThat(RankingTable.of(ranking).expendable())
                    .doesNotContain(metric.word())
                    .contains("wire", "tier");
        }
    }

    @Test
    void aDifferenceThatDoesNotMatterIsNotedWithTheVerdict() {
        Ranking ranking = only(Metric.THROUGHPUT, samples("base", 1000, 1000, 1000), samples("a", 1010, 1011, 1009));
        assertThat(RankingTable.verdict(ranking, ranking.find("a").orElseThrow()))
                .isEqualTo("faster <2.0 %");
    }

    @Test
    void theAnswerNamesWhatVaries() {
        Levels one = Levels.of(Map.of("size", "4KB", "dataset", "random:62", "threads", "1", "link", "loopback"));
        Levels other = Levels.of(Map.of("size", "34011", "dataset", "random:2", "threads", "8", "link", "loopback"));
        var varying = Answer.varying(List.of(one, other));
        assertThat(varying).containsExactly("dataset", "size", "threads");
        Ranking ranking = only(Metric.THROUGHPUT, List.of(sample("base", other, 0, MEASURED, 1)));
        assertThat(Answer.of(ranking, varying, LOCAL)).startsWith("At 34,011 bytes (random:2, 8 threads), ");
    }

    @Test
    void numbersKeepThreeDigits() {
        assertThat(Stream.of(0.0, 0.0123, 0.5, 4.205, 65.31, 812.4, 1215.4).map(Figures::number))
                .containsExactly("0", "0.0123", "0.500", "4.21", "65.3", "812", "1215");
        assertThat(Stream.of(1.0, 1.319, 0.0584, 0.00002, 12.3, 123.4, 12_345.0).map(Figures::ratio))
                .containsExactly("1.00", "1.32", "0.058", "<0.001", "12.30", "123", ">9999");
        assertThat(Stream.of(0.0, 0.0314, 0.25).map(Figures::plusMinus))
                .containsExactly("± 0.0 %", "± 3.1 %", "± 25 %");
        assertThat(Figures.range(789.6, 830.2)).isEqualTo("790 – 830");
        assertThat(Figures.range(1.5, 12.34)).isEqualTo("1.5 – 12.3");
    }

    @Test
    void effectsShowThatTheyHaveAWidth() {
        assertThat(times(1.32, 1.28, 1.36)).isEqualTo("1.32 × (1.28–1.36)");
        assertThat(times(1.328, 1.3241, 1.3319)).isEqualTo("1.328 × (1.324–1.332)");
        assertThat(times(0.0101, 0.00993, 0.01027)).isEqualTo("0.0101 × (0.0099–0.0103)");
        assertThat(times(2, 2, 2)).isEqualTo("2.00 × (2.00–2.00)");
        assertThat(times(250, 180, 350)).isEqualTo("250 × (180–350)");
        assertThat(times(0.00003, 0.00002, 0.00004)).isEqualTo("<0.001 ×");
        assertThat(Figures.times(new Effect(1.5, new Interval.None("1 round")))).isEqualTo("1.50 ×");
    }

    private static String times(double ratio, double low, double high) {
        return Figures.times(new Effect(ratio, new Interval.Range(low, high, Confidence.USUAL, Unit.FORK, 5)));
    }

    private static List<String> notes(Ranking ranking) {
        return RankingNotes.of(ranking).stream().map(Note::text).toList();
    }

    private static Judgement judgement(Ranking ranking, String method) {
        return ranking.find(method).orElseThrow().toBaseline().orElseThrow();
    }

    private static String answer(List<?>... samples) {
        return Answer.of(only(Metric.THROUGHPUT, samples), Set.of(), LOCAL);
    }

    /** The one ranking of the samples of all methods. */
    private static Ranking only(Metric metric, List<?>... samples) {
        List<Sample> all = Arrays.stream(samples)
                .flatMap(List::stream)
                .map(Sample.class::cast)
                .toList();
        boolean hasControl = all.stream().anyMatch(sample -> sample.method().equals("control"));
        List<Ranking> rankings = rankings(hasControl ? withControl(metric) : manifest(metric), all);
        assertThat(rankings).hasSize(1);
        return rankings.get(0);
    }

    private static List<Ranking> rankings(Manifest manifest, List<Sample> samples) {
        return Analysis.of(manifest, samples).rankings();
    }

    /** One round in each of as many forks. */
    private static List<Sample> samples(String method, double... figures) {
        List<Sample> samples = new ArrayList<>();
        for (double figure : figures) {
            samples.add(sample(method, samples.size(), MEASURED, figure));
        }
        return samples;
    }

    private static double[] millions(double... figures) {
        return Arrays.stream(figures).map(x -> x * 1e6).toArray();
    }

    /** Rounds that differ by 2 %, in forks that differ by another 2 %. */
    private static List<Sample> noisy(String method, double figure, int forks, int rounds, SplittableRandom random) {
        Random normal = new Random(random.nextLong());
        List<Sample> samples = new ArrayList<>();
        for (int fork = 0; fork < forks; fork++) {
            double ofFork = figure * Math.exp(0.02 * normal.nextGaussian());
            for (int round = 0; round < rounds; round++) {
                double its = ofFork * Math.exp(0.02 * normal.nextGaussian());
                samples.add(sample(method, FETCH, fork, fork * rounds + round, MEASURED, its));
            }
        }
        return samples;
    }

    private static List<Sample> renamed(List<Sample> samples, String method) {
        return samples.stream()
                .map(s -> sample(
                        method,
                        FETCH,
                        s.fork(),
                        s.round(),
                        MEASURED,
                        s.value(Metric.THROUGHPUT, "fetch").orElseThrow()))
                .toList();
    }

    private static Sample flagged(Sample sample, String flag) {
        return Sample.ofJson(sample.toJson().replace("\"flags\":[]", "\"flags\":[\"" + flag + "\"]"));
    }

    /**
     * As version 0.1 measured 448 KB with 64 threads: most operations were updates, and "5.19 × faster" was the
     * verdict.
     */
    @Test
    void aMixThatWasNotDoneDecidesNothing() {
        Levels condition = Levels.of(Map.of("workload", "mix:90", "size", "448KB", "threads", "64"));
        List<Sample> samples = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            samples.add(mixed(sample("plain", condition, round, new Outcome.Measured(), 10 + round), 12, 129));
            samples.add(mixed(sample("zstd", condition, round, new Outcome.Measured(), 52 + round), 218, 144));
        }
        List<Ranking> rankings =
                Analysis.of(manifest(Metric.OPERATIONS), samples).rankings();

        assertThat(rankings).hasSize(1);
        assertThat(rankings.get(0).rows()).isEmpty();
        assertThat(rankings.get(0).unranked())
                .extracting(each -> each.outcome().toString())
                .anyMatch(reason -> reason.contains("8.5 % of 141 operations fetched, instead of 90 %"))
                .anyMatch(reason -> reason.contains("60.2 % of 362 operations fetched, instead of 90 %"));
    }

    private static Sample mixed(Sample sample, long fetches, long updates) {
        Operations of = sample.operations().get("fetch");
        return new Sample(
                sample.trial(),
                sample.position(),
                sample.outcome(),
                sample.remarks(),
                sample.warmUp(),
                new TreeMap<>(Map.of("fetch", counted(of, fetches), "update", counted(of, updates))),
                sample.openLoop(),
                sample.resources(),
                sample.disk(),
                Optional.empty());
    }

    private static Operations counted(Operations of, long count) {
        return new Operations(
                count,
                of.throughputBytesPerSecond(),
                of.operationsPerSecond(),
                of.latency(),
                new Operations.ByteCounts(of.applicationBytes(), of.wireBytesIn(), of.wireBytesOut(), of.storedBytes()),
                of.response(),
                of.time(),
                of.bySize());
    }

    private static Sample sample(String method, int round, Outcome outcome, double figure) {
        return sample(method, FETCH, round, outcome, figure);
    }

    private static Sample sample(String method, Levels condition, int round, Outcome outcome, double figure) {
        return sample(method, condition, round, round, outcome, figure);
    }

    private static Sample sample(String method, Levels condition, int fork, int round, Outcome outcome, double figure) {
        long whole = Math.round(figure);
        Latency latency = new Latency(figure, whole, whole, whole, whole, whole, whole);
        return new Sample(
                new Trial("method=" + method, method, Levels.of(Map.of("codec", "of-" + method)), condition),
                new Position(0, fork, round, Instant.EPOCH),
                outcome,
                new Remarks(List.of(), List.of(), new TreeMap<>(), new TreeMap<>()),
                Optional.of(new WarmUp(0, true)),
                outcome.isMeasurement()
                        ? new TreeMap<>(Map.of(
                                "fetch",
                                new Operations(
                                        1000,
                                        figure,
                                        figure,
                                        latency,
                                        new Operations.ByteCounts(
                                                APPLICATION_BYTES,
                                                OptionalLong.of(whole * 1000),
                                                OptionalLong.of(whole * 1000),
                                                OptionalLong.of(Math.round(APPLICATION_BYTES / figure))),
                                        Optional.of(latency),
                                        Optional.of(new TimeSpent(figure, figure, figure, figure, 0, 0, 0)),
                                        new TreeMap<>())))
                        : new TreeMap<>(),
                Optional.of(new OpenLoop(1000, 1000, 1000, 1000, 0, latency)),
                new Resources(
                        OptionalLong.of(1),
                        OptionalDouble.of(figure),
                        OptionalDouble.of(figure),
                        OptionalDouble.of(figure),
                        OptionalDouble.of(figure),
                        Optional.of(new Resources.ServerCounters(
                                OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(whole * 1000), 0, 0)),
                        new TreeMap<>(),
                        List.of()),
                new DiskSpace(OptionalLong.of(whole), OptionalLong.of(Math.round(APPLICATION_BYTES / figure))),
                Optional.empty());
    }

    private static Manifest withControl(Metric metric) {
        return manifest(metric, new Method("control", Levels.of(Map.of("control", "on"))));
    }

    /** Of all methods, or of the one whose codec it is. */
    private static LoadedStore store(String method, OptionalDouble encodedBytesPerS) {
        return new LoadedStore(
                "mysql",
                Levels.of(method.isEmpty() ? Map.of("size", "4KB") : Map.of("size", "4KB", "codec", "of-" + method)),
                "t" + method,
                "CREATE TABLE t",
                new TreeMap<>(),
                new LoadedStore.LoadedContent(10, APPLICATION_BYTES, APPLICATION_BYTES, encodedBytesPerS),
                DiskSpace.UNKNOWN,
                Placement.UNKNOWN);
    }

    private static Manifest manifest(Metric metric, Method... more) {
        List<Method> methods = Stream.concat(
                        Stream.of("base", "a", "b", "c", "d").map(id -> new Method(id, Levels.of(Map.of()))),
                        Stream.of(more))
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
                new Schedule(3, 1, new Window.Count(1000), Duration.ZERO, 1),
                List.of());
        return new Manifest(
                        1,
                        Program.of("0"),
                        Progress.startedAt(Instant.EPOCH),
                        study,
                        new Manifest.PlannedSamples(List.of(), 1, 0),
                        TestRuns.machine(Map.of("default", new Machine.MeasuringJvm("", "", List.of()))),
                        new TreeMap<>(),
                        List.of(),
                        List.of(),
                        List.of())
                .with(store("", OptionalDouble.empty()));
    }
}
