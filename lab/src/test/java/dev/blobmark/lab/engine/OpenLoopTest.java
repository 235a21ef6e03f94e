package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.engine.TrialRunTest.Nothing;
import dev.blobmark.lab.engine.TrialRunTest.OwnTime;
import dev.blobmark.lab.engine.TrialRunTest.Work;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.mysql.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operations that arrive by the clock, whatever became of those before. */
@Timeout(60)
class OpenLoopTest {

    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;

    private static EncodedValues values;

    @BeforeAll
    static void encode(@TempDir Path directory) throws IOException {
        values = EncodedValues.of(ListedValues.random(10, 100), Codecs.parse("none"), directory, bytes -> {});
    }

    private static TrialRun run(Supplier<Operation> opened, int workers, String rate, Window window, Clock clock)
            throws InterruptedException {
        return WindowedTrial.run(new TrialSpec(
                Work.of(opened),
                new Setup(Design.of(Map.of()), values, null, null, null),
                Share.whole(workers),
                Load.FACTOR.parse(rate),
                window,
                Duration.ofMillis(200),
                clock,
                42));
    }

    private static Window seconds(long seconds) {
        return new Window.Time(Duration.ofSeconds(seconds));
    }

    /** Takes the time that its number in the window says; the warm-up's operations are all alike. */
    private abstract static class Timed extends Nothing {

        private final OwnTime clock;
        private int number = -1;

        Timed(OwnTime clock) {
            this.clock = clock;
        }

        abstract long nanos(int number);

        @Override
        public long perform(int type, int row) {
            clock.pass(number < 0 ? 100 * MICRO : nanos(number++));
            return TrialRunTest.VALUE_BYTES;
        }

        @Override
        public void verifyEffective() {
            number = 0;
        }
    }

    private static Supplier<Operation> constant(OwnTime clock, long nanos) {
        return () -> new Timed(clock) {
            @Override
            long nanos(int number) {
                return nanos;
            }
        };
    }

    @Test
    void whatIsDoneBeforeTheNextArrivesWaitsForNothing() throws Exception {
        OwnTime clock = new OwnTime();

        TrialRun run = run(constant(clock, 400 * MICRO), 1, "1000", seconds(2), clock);

        Operations work = run.operations().get("work");
        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(work.count()).isEqualTo(2_000);
        assertThat(work.operationsPerSecond()).isCloseTo(1_000, within(1e-6));
        assertThat(work.throughputBytesPerSecond()).isCloseTo(100_000, within(1e-4));
        assertThat(work.latency().max()).isCloseTo(400 * MICRO, within(400L));
        assertThat(work.response()).contains(work.latency());
        OpenLoop open = run.openLoop().orElseThrow();
        assertThat(open).isEqualTo(new OpenLoop(1_000, 2_000, 2_000, 2_000, 0, new Latency(0, 0, 0, 0, 0, 0, 0)));
        assertThat(run.latency()).containsOnlyKeys("work", "work.response", "schedule.lag");
    }

    /** One worker, so that each operation begins when it is due or when the last is done: Lindley's recursion. */
    @Test
    void aStallShowsInTheResponseTimeOfAllThatWaitAndInTheServiceTimeOfOne() throws Exception {
        OwnTime clock = new OwnTime();
        long service = 400 * MICRO;
        long stall = 200 * MILLI;
        Histogram expected = Latencies.newHistogram();
        long free = 0;
        for (int i = 0; i < 5_000; i++) {
            long intended = i * MILLI + MILLI / 2;
            free = Math.max(intended, free) + (i == 2_000 ? stall : service);
            expected.recordValue(free - intended);
        }

        TrialRun run = run(
                () -> new Timed(clock) {
                    @Override
                    long nanos(int number) {
                        return number == 2_000 ? stall : service;
                    }
                },
                1,
                "1000",
                seconds(5),
                clock);

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(run.latency().get("work.response")).isEqualTo(expected);
        Operations work = run.operations().get("work");
        // 200 arrivals wait for the stall to end and 133 more until they have been caught up with: 6.7 % of all
        assertThat(work.response().orElseThrow().p95()).isGreaterThan(40 * MILLI);
        assertThat(work.response().orElseThrow().p999()).isGreaterThan(190 * MILLI);
        assertThat(work.latency().p999()).isCloseTo(service, within(400L));
        assertThat(work.latency().max()).isCloseTo(stall, within(200 * MICRO));
        // a worker that is in an operation is not free: waiting for it is no lag of the lab's
        assertThat(run.openLoop().orElseThrow().scheduleLag().max()).isZero();
    }

    @Test
    void atTwiceTheCapacityAllThatIsOfferedIsAccountedForAndNothingWaitsForLongerThanASecond() throws Exception {
        OwnTime clock = new OwnTime();

        TrialRun run = run(constant(clock, 2 * MILLI), 1, "1000", seconds(10), clock);

        assertThat(run.outcome())
                .isEqualTo(new Outcome.Saturated(
                        "completed 500 of 1,000 offered per second; dropped 5,000 of 10,000; lower the --rate, or add"
                                + " --threads if the server has room for more at once"));
        OpenLoop open = run.openLoop().orElseThrow();
        assertThat(open.offered()).isEqualTo(10_000);
        assertThat(open.started()).isEqualTo(5_000);
        assertThat(open.completed()).isEqualTo(5_000);
        assertThat(open.dropped()).isEqualTo(5_000);
        Operations work = run.operations().get("work");
        assertThat(work.count()).isEqualTo(5_000);
        assertThat(work.operationsPerSecond()).isCloseTo(500, within(0.5));
        assertThat(work.latency().max()).isCloseTo(2 * MILLI, within(2 * MICRO));
        assertThat(work.response().orElseThrow().max()).isBetween(1_000 * MILLI, 1_003 * MILLI);
    }

    @Test
    void lagIsTheLabsOwnDelayOnceAWorkerIsFree() throws Exception {
        OwnTime clock = new OwnTime();

        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public void prepare(int type, int row) {
                        clock.pass(12 * MILLI);
                    }

                    @Override
                    public long perform(int type, int row) {
                        clock.pass(3 * MILLI);
                        return TrialRunTest.VALUE_BYTES;
                    }
                },
                1,
                "100",
                seconds(1),
                clock);

        // an operation is over 3 ms after it began, and the next one could begin 12 ms after that: lag from when it is
        // due
        Latency lag = run.openLoop().orElseThrow().scheduleLag();
        assertThat(lag.max()).isCloseTo(12 * MILLI, within(12 * MICRO));
        assertThat(run.operations().get("work").latency().max()).isCloseTo(3 * MILLI, within(3 * MICRO));
        // it is worse than that the rate is not reached: 15 ms for each of 10
        assertThat(run.outcome().reason()).startsWith("completed 67 of 100 offered per second; dropped 33 of 100;");
    }

    @Test
    void aWindowInWhichNothingArrivesMeasuresNothing() throws Exception {
        TrialRun run =
                run(constant(new OwnTime(), MILLI), 1, "1", new Window.Time(Duration.ofMillis(400)), new OwnTime());

        assertThat(run.outcome())
                .isEqualTo(
                        new Outcome.Failed(
                                "no operation arrived at constant:1 in a window of 400ms; give a longer window or a higher rate"));
    }

    @Test
    void aNumberOfOperationsArrivesAtTheRate() throws Exception {
        OwnTime clock = new OwnTime();

        TrialRun run = run(constant(clock, MILLI), 1, "200", new Window.Count(300), clock);

        assertThat(run.operations().get("work").count()).isEqualTo(300);
        assertThat(run.operations().get("work").operationsPerSecond()).isCloseTo(200, within(1e-6));
    }

    @Test
    void whoeverIsFreeTakesTheNext() throws Exception {
        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        LockSupport.parkNanos(5 * MILLI);
                        return TrialRunTest.VALUE_BYTES;
                    }
                },
                4,
                "poisson:400",
                seconds(1),
                Clock.SYSTEM);

        OpenLoop open = run.openLoop().orElseThrow();
        assertThat(open.started() + open.dropped()).isEqualTo(open.offered());
        assertThat(open.completed()).isEqualTo(open.started());
        assertThat(run.latency().get("work").getTotalCount()).isEqualTo(open.completed());
        assertThat(run.latency().get("work.response").getTotalCount()).isEqualTo(open.completed());
        // more than one worker can do
        assertThat(open.completed()).isGreaterThan(200);
        Operations work = run.operations().get("work");
        assertThat(work.response().orElseThrow().mean())
                .isGreaterThanOrEqualTo(work.latency().mean());
    }

    @Test
    void waitingAllocatesNothing() throws Exception {
        TrialRun run = run(Nothing::new, 2, "20000", new Window.Count(20_000), Clock.SYSTEM);

        assertThat(run.operations().get("work").count()).isGreaterThan(5_000);
        assertThat(run.usage().allocatedBytesPerOp()).isLessThan(0.5);
    }

    @Test
    void aFailureEndsThoseToo() throws Exception {
        AtomicInteger opened = new AtomicInteger();

        TrialRun run = run(
                () -> new Nothing() {
                    private final boolean fails = opened.incrementAndGet() == 1;

                    @Override
                    public void verifyEffective() throws IOException {
                        if (fails) {
                            throw new IOException("the server is away");
                        }
                    }
                },
                3,
                "1",
                seconds(3_600),
                Clock.SYSTEM);

        assertThat(run.outcome()).isEqualTo(new Outcome.Failed("IOException: the server is away"));
    }
}
