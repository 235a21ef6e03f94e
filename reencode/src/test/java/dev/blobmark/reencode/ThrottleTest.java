package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.mysql.Clock;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.throttle.Throttle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Speed and rate on a clock of its own. */
class ThrottleTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final VirtualClock clock = new VirtualClock();
    private final List<String> notes = new ArrayList<>();

    /** Time passes only while the work goes on or waits. */
    private static final class VirtualClock implements Clock {
        private long now = -5_000_000_000L; // System.nanoTime may be negative

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void waitUntil(long nanos) {
            now = Math.max(now, nanos);
        }

        void pass(long nanos) {
            now += nanos;
        }
    }

    private Throttle throttle(int speed, OptionalLong rate) {
        return new Throttle(speed, rate, clock, notes::add);
    }

    private static Percentage percent(double percent) {
        return Percentage.withPercentage(percent);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 50, 99, 100})
    void theShareOfTheTimeIsTheSpeed(int speed) {
        Throttle throttle = throttle(speed, OptionalLong.empty());
        Random random = new Random(speed);
        long begin = clock.nanoTime();
        long worked = 0;
        for (int i = 0; i < 200; i++) {
            throttle.awaitPermission();
            long took = MILLI + random.nextInt(60_000_000);
            clock.pass(took);
            worked += took;
            throttle.worked(took, 0);
        }
        throttle.awaitPermission();
        long all = clock.nanoTime() - begin;
        assertThat(100.0 * worked / all).isCloseTo(speed, within(0.01));
        assertThat(throttle.pausedNanos()).isEqualTo(all - worked);
    }

    @Test
    void theSpeedMayChangeWhileItWorks() {
        Throttle throttle = throttle(100, OptionalLong.empty());
        clock.pass(MILLI);
        throttle.worked(MILLI, 0);
        throttle.awaitPermission();
        assertThat(throttle.pausedNanos()).isZero();
        throttle.setSpeed(25);
        throttle.worked(MILLI, 0);
        throttle.awaitPermission();
        assertThat(throttle.pausedNanos()).isEqualTo(3 * MILLI);
        assertThatThrownBy(() -> throttle.setSpeed(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> throttle.setSpeed(101)).isInstanceOf(IllegalArgumentException.class);
        assertThat(throttle.speed()).isEqualTo(25);
    }

    /** Transactions of very different sizes, some larger than what may be written in a second. */
    @ParameterizedTest
    @ValueSource(longs = {100_000, 1_000_000, 50_000_000})
    void theRateOfTheLogIsHeldFromTheFirstTransactionOn(long rate) {
        Throttle throttle = throttle(100, OptionalLong.of(rate));
        assertThat(rate(throttle, 500)).isCloseTo(rate, percent(20));
        throttle.setBinlogRate(OptionalLong.of(rate / 2));
        assertThat(rate(throttle, 500)).isCloseTo(rate / 2.0, percent(20));
    }

    /** Bytes in a second until all that was written may have been. */
    private double rate(Throttle throttle, int transactions) {
        Random random = new Random(transactions);
        long begin = clock.nanoTime();
        long bytes = 0;
        for (int i = 0; i < transactions; i++) {
            long logged = random.nextInt(i % 50 == 0 ? 8 << 20 : 64 << 10);
            clock.pass(MILLI / 10);
            throttle.worked(MILLI / 10, logged);
            bytes += logged;
            throttle.awaitPermission();
        }
        return bytes / ((clock.nanoTime() - begin) / 1e9);
    }

    /** What was not used in an hour is not written at once afterwards. */
    @Test
    void onlyASecondIsSaved() {
        Throttle throttle = throttle(100, OptionalLong.of(1_000));
        throttle.awaitPermission();
        clock.pass(TimeUnit.HOURS.toNanos(1));
        throttle.awaitPermission();
        throttle.worked(MILLI, 11_000);
        long begin = clock.nanoTime();
        throttle.awaitPermission();
        assertThat(clock.nanoTime() - begin).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    void aLimitThatIsSetLaterCountsFromThenOn() {
        Throttle throttle = throttle(100, OptionalLong.empty());
        throttle.worked(MILLI, 1L << 40);
        throttle.setBinlogRate(OptionalLong.of(1_000));
        throttle.awaitPermission();
        assertThat(throttle.pausedNanos()).isZero();
        throttle.worked(MILLI, 1_000);
        throttle.awaitPermission();
        assertThat(throttle.pausedNanos()).isCloseTo(TimeUnit.SECONDS.toNanos(1), percent(1));
        throttle.worked(MILLI, 1L << 40);
        throttle.setSignals(List.of(() -> {
            throttle.setBinlogRate(OptionalLong.empty()); // another thread does, during the wait
            return Optional.empty();
        }));
        throttle.awaitPermission();
        assertThat(throttle.pausedNanos()).isLessThan(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void aRateOfNothingWouldNeverEnd() {
        assertThatThrownBy(() -> throttle(100, OptionalLong.of(0))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void signalsAreWaitedForAndAnnouncedOnce() {
        Throttle throttle = throttle(100, OptionalLong.empty());
        List<Optional<String>> waiting = new ArrayList<>();
        long until = clock.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        throttle.setSignals(List.of(() -> {
            waiting.add(throttle.waiting());
            return clock.nanoTime() < until ? Optional.of("a replica is late") : Optional.empty();
        }));
        throttle.awaitPermission();
        assertThat(notes).containsExactly("paused: a replica is late", "continuing");
        assertThat(waiting).contains(Optional.of("a replica is late"));
        assertThat(throttle.waiting()).isEmpty();
        assertThat(throttle.pausedNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(3));
    }

    /** Also while the work waits for its share of the time, or for the log. */
    @Test
    void aSignalEndsEachKindOfWait() {
        for (OptionalLong rate : List.of(OptionalLong.empty(), OptionalLong.of(1))) {
            Throttle throttle = throttle(1, rate);
            long stop = clock.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            throttle.setSignals(List.of(() -> {
                if (clock.nanoTime() >= stop) {
                    throw new StoppedException("test");
                }
                return Optional.empty();
            }));
            throttle.worked(rate.isPresent() ? MILLI : TimeUnit.HOURS.toNanos(1), 1_000_000);
            assertThatThrownBy(throttle::awaitPermission).isInstanceOf(StoppedException.class);
            assertThat(clock.nanoTime() - stop).isLessThanOrEqualTo(100 * MILLI);
        }
    }
}
