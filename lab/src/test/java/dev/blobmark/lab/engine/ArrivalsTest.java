package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.study.Window;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalsTest {

    private static final Load.Open THOUSAND = new Load.Open(Load.Spacing.CONSTANT, 1_000);

    private static Window seconds(long seconds) {
        return new Window.Time(Duration.ofSeconds(seconds));
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }

    @Test
    void evenArrivalsBeginHalfAGapAfterTheStartAndEndHalfAGapBeforeTheEnd() {
        Arrivals arrivals = Arrivals.in(seconds(2), THOUSAND, 42);
        assertThat(arrivals.begin(7_000)).isEqualTo(7_000);
        assertThat(arrivals.begin(9_000)).isEqualTo(7_000);

        long[] taken =
                LongStream.generate(() -> arrivals.take(7_000)).limit(2_001).toArray();

        for (int i = 0; i < 2_000; i++) {
            assertThat(taken[i]).isEqualTo(7_000 + 500_000 + i * 1_000_000L);
        }
        assertThat(taken[2_000]).isEqualTo(Arrivals.NONE);
        arrivals.end();
        assertThat(arrivals.offered()).isEqualTo(2_000);
        assertThat(arrivals.dropped()).isZero();
    }

    @Test
    void noRoundingAddsUp() {
        // 1/7 s is no whole number of nanoseconds
        Arrivals arrivals = Arrivals.in(seconds(86_400), new Load.Open(Load.Spacing.CONSTANT, 7), 42);
        arrivals.end();

        assertThat(arrivals.offered()).isEqualTo(7 * 86_400);
    }

    @Test
    void whoeverIsLateGetsTheOldestThatHasNotWaitedForASecond() {
        Arrivals arrivals = Arrivals.in(seconds(10), THOUSAND, 42);
        arrivals.begin(0);

        assertThat(arrivals.take(nanos(0.9))).isEqualTo(500_000);
        assertThat(arrivals.take(nanos(3))).isEqualTo(nanos(2.0005));
        assertThat(arrivals.dropped()).isEqualTo(1_999);
        assertThat(arrivals.take(nanos(3))).isEqualTo(nanos(2.0015));
    }

    @Test
    void whatIsNotStartedInTheWindowIsDroppedAndAllAddsUp() {
        Arrivals arrivals = Arrivals.in(seconds(1), THOUSAND, 42);
        arrivals.begin(0);
        for (int i = 0; i < 10; i++) {
            arrivals.take(nanos(0.5));
        }

        assertThat(arrivals.take(nanos(1))).isEqualTo(Arrivals.NONE);
        arrivals.end();
        assertThat(arrivals.offered()).isEqualTo(1_000);
        assertThat(arrivals.dropped()).isEqualTo(990);
    }

    @Test
    void aNumberOfOperationsLastsAsLongAsTheyTakeAtTheRate() {
        Arrivals arrivals = Arrivals.in(new Window.Count(500), THOUSAND, 42);
        arrivals.end();

        assertThat(arrivals.spanNanos()).isEqualTo(nanos(0.5));
        assertThat(arrivals.offered()).isEqualTo(500);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void poissonGapsAreExponential(long seed) {
        int n = 100_000;
        Arrivals arrivals = Arrivals.endless(new Load.Open(Load.Spacing.POISSON, 1_000), seed);
        arrivals.begin(0);
        double[] gaps = new double[n];
        long last = 0;
        for (int i = 0; i < n; i++) {
            long next = arrivals.take(last);
            gaps[i] = (next - last) / 1e6;
            last = next;
        }
        // mean and deviation 1 ms, known to a third of a percent each; e^-x of the gaps are longer than x
        assertThat(last / 1e6 / n).isCloseTo(1, within(0.015));
        for (double x : new double[] {0.1, 0.5, 1, 2, 4}) {
            long longer = Arrays.stream(gaps).filter(gap -> gap > x).count();
            assertThat(longer / (double) n).as("longer than %s", x).isCloseTo(Math.exp(-x), within(0.006));
        }
    }

    @Test
    void aSeedMakesTheSameArrivalsAndAnotherMakesOthers() {
        assertThat(first(42)).isEqualTo(first(42)).isNotEqualTo(first(43));
    }

    private static long first(long seed) {
        Arrivals arrivals = Arrivals.endless(new Load.Open(Load.Spacing.POISSON, 1_000), seed);
        arrivals.begin(0);
        return arrivals.take(0);
    }

    @Test
    void anOverloadTakesNoMemory() {
        Arrivals arrivals = Arrivals.in(seconds(600), new Load.Open(Load.Spacing.POISSON, 100_000), 42);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        arrivals.begin(0);
        long before = threads.getCurrentThreadAllocatedBytes();

        // one worker, which needs a minute for each
        long now = 0;
        while (arrivals.take(now) != Arrivals.NONE) {
            now += TimeUnit.SECONDS.toNanos(60);
        }
        arrivals.end();

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
        assertThat(arrivals.offered() - arrivals.dropped()).isEqualTo(10);
        assertThat(arrivals.offered()).isCloseTo(60_000_000L, within(50_000L));
    }

    @ParameterizedTest
    @CsvSource({
        "closed, closed",
        "1000, constant:1000",
        "1000/s, constant:1000",
        "constant:5, constant:5",
        "poisson:20000, poisson:20000",
        "0100, constant:100"
    })
    void ratesAreReadAndWrittenInOneWay(String level, String canonical) {
        assertThat(Load.FACTOR.canonical(level)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "open", "1.5", "-3", "poisson", "poisson:", "uniform:9", "1000 "})
    void whatIsNoRateIsToldSo(String level) {
        assertThatThrownBy(() -> Load.FACTOR.parse(level))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rate '" + level
                        + "' is not valid; write closed, constant:1000 or poisson:1000 (operations per second)");
    }

    @Test
    void severalProcessesOfferTheRateTogether() {
        assertThat(THOUSAND.share(3, 8)).isEqualTo(new Load.Open(Load.Spacing.CONSTANT, 375));
        assertThat(THOUSAND.share(8, 8)).isEqualTo(THOUSAND).hasToString("constant:1000");
        assertThat(new Load.Open(Load.Spacing.POISSON, 1).share(1, 8)).hasToString("poisson:0.125");
        assertThat(new Load.Closed().share(3, 8)).isEqualTo(new Load.Closed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1000001", "999999999"})
    void ratesHaveBounds(String level) {
        assertThatThrownBy(() -> Load.FACTOR.parse(level))
                .hasMessage("a rate of " + level + " per second is not between 1 and 1000000");
    }
}
