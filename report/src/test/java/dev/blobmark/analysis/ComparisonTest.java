package dev.blobmark.analysis;

import static dev.blobmark.analysis.TestRuns.run;
import static dev.blobmark.analysis.TestRuns.sample;
import static dev.blobmark.analysis.TestRuns.samples;
import static dev.blobmark.analysis.TestRuns.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.Comparison.Compared;
import dev.blobmark.analysis.Comparison.Incomparable;
import dev.blobmark.analysis.Comparison.RunDifference;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Study;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final Offset<Double> EXACTLY = within(1e-12);

    private static final double[][] PLAIN = {{100, 101}, {99, 100}, {100, 102}};
    private static final double[][] ZSTD = {{130, 132}, {126, 131}, {133, 129}};
    private static final double[][] PLAIN_LATER = {{90, 92}, {88, 87}, {95, 93}, {90, 91}};
    private static final double[][] ZSTD_LATER = {{105, 107}, {104, 99}, {110, 111}, {104, 104}};

    private static final ComparedRun BASE = run(samples("plain", PLAIN), samples("zstd", ZSTD));
    private static final ComparedRun LATER = run(samples("plain", PLAIN_LATER), samples("zstd", ZSTD_LATER));

    private static Comparison compare(
            List<ComparedRun> base, List<ComparedRun> other, boolean absolute, String... limits) {
        return Comparison.of(
                base,
                other,
                new Comparison.Options(
                        Optional.empty(),
                        absolute,
                        List.of(limits).stream().map(Limit::parse).toList()));
    }

    private static Comparison compare(ComparedRun base, ComparedRun other, String... limits) {
        return compare(List.of(base), List.of(other), false, limits);
    }

    private static Compared only(Comparison comparison) {
        assertThat(comparison.compared()).hasSize(1);
        return comparison.compared().get(0);
    }

    private static void assertEffect(Compared compared, double ratio, double low, double high, Unit unit) {
        assertThat(compared.effect().ratio()).isCloseTo(ratio, EXACTLY);
        Interval.Range range = (Interval.Range) compared.effect().interval();
        assertThat(range.low()).isCloseTo(low, EXACTLY);
        assertThat(range.high()).isCloseTo(high, EXACTLY);
        assertThat(range.unit()).isEqualTo(unit);
        assertThat(compared.unit()).isEqualTo(unit);
    }

    /**
     *
     *
     * <pre>
     * a = (log(ZSTD) - log(PLAIN)).mean(axis=1); b likewise of LATER
     * exp(b.mean() - a.mean()), exp(scipy.stats.ttest_ind(b, a, equal_var=False).confidence_interval(.95))
     * </pre>
     */
    @Test
    void anEffectIsARatioOfRatiosWithWelchsIntervalOverForks() {
        Compared zstd = only(compare(BASE, LATER));

        assertEffect(zstd, 0.8959945443274204, 0.8831617589775655, 0.9090137965143653, Unit.FORK);
        assertThat(zstd.baseValue()).isCloseTo(1.2972010431324397, EXACTLY);
        assertThat(zstd.otherValue()).isCloseTo(1.1622850575425048, EXACTLY);
        assertThat(zstd.method()).isEqualTo("zstd");
    }

    /** Both trials, each at 97.5 %: as above, of the logarithms themselves. */
    @Test
    void absoluteFiguresAreComparedWithTheBaselineAmongThem() {
        List<Compared> both = compare(List.of(BASE), List.of(LATER), true).compared();

        assertThat(both).extracting(Compared::method).containsExactly("plain", "zstd");
        assertEffect(both.get(0), 0.9041994036938829, 0.8537227830162266, 0.9576604700086043, Unit.FORK);
        assertEffect(both.get(1), 0.8101577326938254, 0.755853121267957, 0.8683638836372759, Unit.FORK);
        assertThat(both.get(0).baseValue()).isCloseTo(100328916.7863016, within(1e-6));
    }

    @Test
    void whatSlowsAllMethodsAlikeCancelsUnlessFiguresAreAbsolute() {
        ComparedRun slow = run(samples("plain", times(0.5, PLAIN)), samples("zstd", times(0.5, ZSTD)));

        assertThat(only(compare(BASE, slow)).effect().ratio()).isCloseTo(1, EXACTLY);
        assertThat(compare(List.of(BASE), List.of(slow), true).compared())
                .hasSize(2)
                .allSatisfy(c -> assertThat(c.effect().ratio()).isCloseTo(0.5, EXACTLY));
    }

    @Test
    void theOtherWayRoundEverythingIsInverse() {
        Interval.Range there =
                (Interval.Range) only(compare(BASE, LATER)).effect().interval();
        Compared back = only(compare(LATER, BASE));

        assertEffect(
                back, 1 / only(compare(BASE, LATER)).effect().ratio(), 1 / there.high(), 1 / there.low(), Unit.FORK);
    }

    @Test
    void aRunAgainstItselfIsNeitherFasterNorSlower() {
        assertThat(only(compare(BASE, BASE)).verdict()).isInstanceOf(Verdict.Inconclusive.class);
    }

    @Test
    void theRoundsOfASingleForkAreTheUnitAndSoIsTheLesserOfTwo() {
        ComparedRun one = run(samples("plain", PLAIN[0]), samples("zstd", ZSTD[0]));

        assertThat(only(compare(one, one)).unit()).isEqualTo(Unit.ROUND);
        assertThat(only(compare(one, LATER)).unit()).isEqualTo(Unit.ROUND);
        assertThat(only(compare(LATER, one)).unit()).isEqualTo(Unit.ROUND);
    }

    /**
     * Each run is one figure, the mean over its forks:
     *
     * <pre>
     * a = [mean of BASE, that × 1.02, that × 0.99]; b = [mean of LATER, that × 1.01]
     * </pre>
     */
    @Test
    void withSeveralRunsOfASideTheRunIsTheUnit() {
        Comparison comparison = compare(
                List.of(BASE, zstdTimes(1.02, ZSTD, PLAIN), zstdTimes(0.99, ZSTD, PLAIN)),
                List.of(LATER, zstdTimes(1.01, ZSTD_LATER, PLAIN_LATER)),
                false);

        assertEffect(only(comparison), 0.8975409316775528, 0.868616204972965, 0.9274288453571765, Unit.RUN);
        assertThat(comparison.coversRuns()).isTrue();
        assertThat(compare(BASE, LATER).coversRuns()).isFalse();
    }

    /** The same a, and one run: {@code s = a.std(ddof=1) * sqrt(1 + 1/3)}, and t with 2 degrees of freedom. */
    @Test
    void aSingleRunAgainstSeveralTakesTheirSpread() {
        List<ComparedRun> several = List.of(BASE, zstdTimes(1.02, ZSTD, PLAIN), zstdTimes(0.99, ZSTD, PLAIN));

        assertEffect(
                only(compare(several, List.of(LATER), false)),
                0.8930866067548879,
                0.8281689653782361,
                0.9630929442045479,
                Unit.RUN);
    }

    private static ComparedRun zstdTimes(double factor, double[][] zstd, double[][] plain) {
        return run(samples("plain", plain), samples("zstd", times(factor, zstd)));
    }

    @Test
    void intervalsAreWiderTheMoreAreShown() {
        ComparedRun base = run(samples("plain", PLAIN), samples("zstd", ZSTD), samples("gzip", ZSTD));
        ComparedRun later = run(samples("plain", PLAIN), samples("zstd", ZSTD), samples("gzip", ZSTD));
        Comparison comparison = compare(base, later, "p99 > +5%");

        assertThat(comparison.confidence().comparisons()).isEqualTo(4);
        assertThat(comparison.compared())
                .hasSize(4)
                .allSatisfy(c -> assertThat(((Interval.Range) c.effect().interval()).confidence())
                        .isEqualTo(comparison.confidence()));
        assertThat(comparison.metrics()).containsExactly(Metric.THROUGHPUT, Metric.P99);
    }

    @Test
    void figuresThatDoNotVaryAreEqualOrNot() {
        Comparison.Options disk =
                new Comparison.Options(Optional.of(Metric.DISK), true, List.of(Limit.parse("disk > +0%")));
        List<ComparedRun> seven = Collections.nCopies(7, BASE);

        for (Comparison same : List.of(
                Comparison.of(List.of(BASE), List.of(LATER), disk), Comparison.of(seven, List.of(LATER), disk))) {
            assertThat(same.compared()).hasSize(2).allSatisfy(c -> {
                assertThat(c.effect().ratio()).isEqualTo(1);
                assertThat(c.verdict()).isInstanceOf(Verdict.Equal.class);
            });
            assertThat(same.gates().get(0).kept()).hasSize(2);
        }
    }

    @Test
    void aFigureThatIsZeroHasNoRatio() {
        Comparison comparison = Comparison.of(
                List.of(BASE), List.of(LATER), new Comparison.Options(Optional.of(Metric.ALLOCATION), true, List.of()));

        assertThat(comparison.compared()).isEmpty();
        assertThat(comparison.incomparable())
                .extracting(Incomparable::reason)
                .containsOnly("no allocation of fetch in base");
    }

    @Test
    void theGateTellsALossFromNoise() {
        Comparison loss = compare(BASE, LATER, "throughput < -5%", "throughput < -10%", "throughput < -15%");

        assertThat(loss.gates().get(0).exceeded()).hasSize(1);
        assertThat(loss.gates().get(1).inconclusive()).hasSize(1);
        assertThat(loss.gates().get(2).kept()).hasSize(1);
        assertThat(loss.isExceeded()).isTrue();
        assertThat(compare(BASE, LATER, "throughput < -10%").isExceeded()).isFalse();
        assertThat(compare(LATER, BASE, "throughput < -5%").isExceeded()).isFalse();
        assertThat(compare(BASE, LATER).isExceeded()).isFalse();
    }

    @Test
    void trialsOfOneSideAreListed() {
        ComparedRun base = run(samples("plain", PLAIN), samples("zstd", ZSTD), samples("gzip", ZSTD));
        ComparedRun later = run(samples("plain", PLAIN), samples("zstd", ZSTD), samples("lz4", ZSTD));
        Comparison comparison = compare(base, later);

        assertThat(comparison.compared()).extracting(Compared::method).containsExactly("zstd");
        assertThat(comparison.incomparable())
                .extracting(Incomparable::method, Incomparable::reason)
                .containsExactly(tuple("gzip", "only in base"), tuple("lz4", "only in new"));
    }

    @Test
    void aTrialThatFailedInARoundIsNotCompared() {
        List<Sample> zstd = new ArrayList<>(samples("zstd", ZSTD));
        zstd.set(3, sample("zstd", 1, 3, new Outcome.Failed("row 7 is\nwrong"), 130));
        Comparison comparison = compare(BASE, run(samples("plain", PLAIN), zstd), "throughput < -5%");

        assertThat(comparison.compared()).isEmpty();
        assertThat(comparison.incomparable())
                .extracting(Incomparable::reason)
                .containsExactly("failed in new: row 7 is wrong");
        assertThat(comparison.gates().get(0).judged()).isZero();
    }

    @Test
    void withoutItsBaselineATrialHasNoRatio() {
        assertThat(compare(BASE, run(samples("zstd", ZSTD))).incomparable())
                .extracting(Incomparable::reason)
                .containsExactly("no throughput of fetch in new with one of the baseline in the same round");
        assertThat(compare(run(samples("zstd", ZSTD)), run(samples("zstd", ZSTD)))
                        .incomparable())
                .extracting(Incomparable::reason)
                .containsExactly("no run has the baseline under its condition");
    }

    @Test
    void otherValuesUnderTheSameNameAreNotCompared() {
        ComparedRun other = new ComparedRun(with(LATER.manifest(), Map.of(), "8e2b65238c333613"), LATER.trials());

        assertThat(compare(BASE, other).incomparable())
                .extracting(Incomparable::reason)
                .containsExactly("its values are not the same in all runs");
    }

    @Test
    void anUnsteadySampleIsRemembered() {
        List<Sample> zstd = new ArrayList<>(samples("zstd", ZSTD));
        zstd.set(0, sample("zstd", 0, 0, new Outcome.Unsteady("still rising"), 130));

        assertThat(only(compare(BASE, run(samples("plain", PLAIN), zstd))).unsteady())
                .isTrue();
        assertThat(only(compare(BASE, LATER)).unsteady()).isFalse();
    }

    @Test
    void theSurroundingsThatDifferAreTold() {
        ComparedRun moved = new ComparedRun(
                with(
                        LATER.manifest(),
                        Map.of(
                                "innodb_buffer_pool_size", "268435456",
                                "port", "46085",
                                "datadir", "/var/lib/mysql",
                                "innodb_new_in_this_version", "1"),
                        "7d1a54127b222502"),
                LATER.trials());

        assertThat(compare(BASE, moved).differences())
                .containsExactly(new RunDifference(
                        "server mysql innodb_buffer_pool_size", Set.of("1073741824"), Set.of("268435456")));
        assertThat(compare(List.of(BASE, moved), List.of(moved), false).differences())
                .containsExactly(new RunDifference(
                        "server mysql innodb_buffer_pool_size",
                        Set.of("1073741824", "268435456"),
                        Set.of("268435456")));
        assertThat(compare(BASE, LATER).differences()).isEmpty();
    }

    private static Manifest with(Manifest manifest, Map<String, String> variables, String digest) {
        return manifest.withDatasets(List.of(TestRuns.dataset(digest)))
                .with("mysql", TestRuns.server("11.4.5-MariaDB", variables));
    }

    @Test
    void studiesWithoutACommonMetricOrBaselineNeedAWord() {
        ComparedRun other = new ComparedRun(study(LATER.manifest(), Metric.P50, "plain"), LATER.trials());
        assertThatThrownBy(() -> compare(BASE, other))
                .hasMessage("the studies have different metrics (throughput, p50); choose one with --metric");

        ComparedRun third = new ComparedRun(study(LATER.manifest(), Metric.THROUGHPUT, "zstd"), LATER.trials());
        assertThatThrownBy(() -> compare(BASE, third))
                .hasMessage("the studies have different baselines (plain, zstd); compare the figures themselves with"
                        + " --absolute");
    }

    private static Manifest study(Manifest m, Metric metric, String baseline) {
        Study s = m.study();
        return m.with(new Study(
                s.name(),
                s.question(),
                s.source(),
                s.profile(),
                metric,
                baseline,
                s.methods(),
                s.conditions(),
                s.schedule(),
                s.claims()));
    }
}
