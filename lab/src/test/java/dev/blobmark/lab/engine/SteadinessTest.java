package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.engine.TrialRunTest.Nothing;
import dev.blobmark.lab.engine.TrialRunTest.OwnTime;
import dev.blobmark.lab.engine.TrialRunTest.Work;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.stats.SteadyState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores whose course is known, on a clock that is exact: what is seen of them does not depend on the machine. */
@Timeout(60)
class SteadinessTest {

    private static final Duration WARM_UP = Duration.ofMillis(1_500);
    private static final Duration WINDOW = Duration.ofSeconds(1);

    /** As of a fetch on a busy machine: each operation is off by up to so much, to either side. */
    private static final double NOISE = 0.3;

    private static EncodedValues values;

    @BeforeAll
    static void encode(@TempDir Path directory) throws IOException {
        values = EncodedValues.of(ListedValues.random(10, 100), Codecs.parse("none"), directory, bytes -> {});
    }

    /**
     * Runs a store with one operation in flight.
     *
     * @param warmUpNanos what an operation takes, by the share of the warm-up's cap that is over
     * @param windowNanos by the share of the window
     */
    private static TrialRun run(
            DoubleUnaryOperator warmUpNanos, DoubleUnaryOperator windowNanos, long seed, String rate)
            throws InterruptedException {
        return run(warmUpNanos, windowNanos, seed, rate, "warm");
    }

    private static TrialRun run(
            DoubleUnaryOperator warmUpNanos, DoubleUnaryOperator windowNanos, long seed, String rate, String pool)
            throws InterruptedException {
        OwnTime clock = new OwnTime();
        SplittableRandom random = new SplittableRandom(seed);
        Work work = Work.of(() -> new Nothing() {
            private long windowStart = -1;

            @Override
            public long perform(int type, int row) {
                long now = clock.nanoTime();
                double nanos = windowStart < 0
                        ? warmUpNanos.applyAsDouble((double) now / WARM_UP.toNanos())
                        : windowNanos.applyAsDouble((double) (now - windowStart) / WINDOW.toNanos());
                clock.pass((long) (nanos * random.nextDouble(1 - NOISE, 1 + NOISE)));
                return TrialRunTest.VALUE_BYTES;
            }

            @Override
            public void verifyEffective() {
                windowStart = clock.nanoTime();
            }
        });
        return WindowedTrial.run(new TrialSpec(
                work,
                new Setup(Design.of(Map.of("pool", pool)), values, null, null, null),
                Share.whole(1),
                Load.FACTOR.parse(rate),
                new Window.Time(WINDOW),
                WARM_UP,
                clock,
                seed));
    }

    private static double clamp(double share) {
        return Math.min(1, share);
    }

    @ParameterizedTest
    @CsvSource({"1, closed", "2, closed", "3, closed", "4, poisson:1000"})
    void aStoreThatSlowsBy30PercentDuringTheWarmUpIsUnsteady(long seed, String rate) throws Exception {
        TrialRun run = run(share -> 500_000 * (1 + 0.3 * clamp(share)), share -> 650_000, seed, rate);

        assertThat(run.outcome())
                .isEqualTo(new Outcome.Unsteady(
                        "still changing after 1500 ms of warm-up; a longer --warm-up or a quieter machine helps"));
        assertThat(run.warmUp().steady()).isFalse();
        assertThat(run.operations().get("work").latency().mean()).isCloseTo(650_000, within(10_000.0));
    }

    /** No store is steady in it, so it is not said to be still changing. */
    @Test
    void aWarmUpThatIsTooShortToBeJudgedIsNamed() {
        assertThat(SteadyWatch.judges(Duration.ofMillis(100))).isFalse();
        assertThat(SteadyWatch.judges(Duration.ofMillis(179))).isFalse();
        assertThat(SteadyWatch.judges(Duration.ofMillis(180))).isTrue();
        assertThat(SteadyWatch.subWindows(1, Duration.ofMillis(179)).parts()).isLessThan(SteadyState.SUB_WINDOWS);
        assertThat(SteadyWatch.subWindows(1, Duration.ofMillis(180)).parts()).isEqualTo(SteadyState.SUB_WINDOWS);
        assertThat(SteadyState.warmUp(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(360));
        assertThat(SteadyState.warmUp(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource({"1, closed", "2, closed", "3, closed", "4, poisson:1000"})
    void aStoreThatSettlesIsSteadyOnceItHas(long seed, String rate) throws Exception {
        // three times as slow at first, within 1 % of its level after a quarter of the warm-up
        DoubleUnaryOperator settling = share -> 500_000 * (1 + 2 * Math.exp(-20 * share));

        TrialRun run = run(settling, share -> 500_000, seed, rate);

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(run.warmUp().steady()).isTrue();
        assertThat(run.operations().get("work").latency().mean()).isCloseTo(500_000, within(10_000.0));
        assertThat(run.remarks().flags()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aStoreThatKeepsJumpingIsUnsteady(long seed) throws Exception {
        // 28 and 97 µs in turns, as where client and server share a core at times; longer in each than a sub-window
        DoubleUnaryOperator jumping = share -> (int) (share * 10) % 2 == 0 ? 28_000 : 97_000;

        TrialRun run = run(jumping, jumping, seed, "closed");

        assertThat(run.outcome()).isInstanceOf(Outcome.Unsteady.class);
        assertThat(run.remarks().flags()).containsExactly(Sample.BIMODAL);
        assertThat(run.remarks().events()).hasSize(1);
        assertThat(run.remarks().events().get(0))
                .matches("work ran at two levels: 2[78]\\.\\d µs an operation in (4[5-9]|5[0-5]) % of the window,"
                        + " 9[67]\\.\\d µs in (4[5-9]|5[0-5]) %");
    }

    /** With a cold pool, the first operations that touch a page are the slow ones. */
    @Test
    void aColdWindowMayHaveTwoLevels() throws Exception {
        DoubleUnaryOperator filling = share -> share < 0.5 ? 97_000 : 28_000;

        assertThat(run(share -> 28_000, filling, 1, "closed", "cold").remarks().flags())
                .isEmpty();
        assertThat(run(share -> 28_000, filling, 1, "closed", "warm").remarks().flags())
                .containsExactly(Sample.BIMODAL);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aFewSlowMomentsAreNoSecondLevel(long seed) throws Exception {
        TrialRun run = run(share -> 28_000, share -> share > 0.50 && share < 0.55 ? 97_000 : 28_000, seed, "closed");

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(run.remarks().flags()).isEmpty();
        assertThat(run.remarks().events()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void tooFewOperationsShowNoLevels(long seed) throws Exception {
        // 150 in the window: 7 sub-windows of 20
        TrialRun run = run(share -> 6e6, share -> share < 0.5 ? 5e6 : 9e6, seed, "closed");

        assertThat(run.operations().get("work").count()).isBetween(120L, 190L);
        assertThat(run.remarks().flags()).isEmpty();
    }
}
