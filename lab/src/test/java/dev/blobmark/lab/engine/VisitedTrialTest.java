package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Visits;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import dev.blobmark.lab.workload.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Visits of operations that take a time of their own clock, so that what is found is known beforehand. */
@Timeout(60)
class VisitedTrialTest {

    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long VISIT_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long OPERATION_NANOS = 100_000;

    private static EncodedValues values;

    private final TrialRunTest.OwnTime clock = new TrialRunTest.OwnTime();
    private final AtomicInteger begun = new AtomicInteger();

    @BeforeAll
    static void encode(@TempDir Path directory) throws IOException {
        values = EncodedValues.of(
                ListedValues.random(10, TrialRunTest.VALUE_BYTES), Codecs.parse("none"), directory, bytes -> {});
    }

    /** Takes longer by a share for some time after each visit has begun. */
    private final class SlowAtFirst extends TrialRunTest.Nothing {

        private final double share;
        private final long nanos;
        private int visit;
        private long since;

        SlowAtFirst(double share, long millis) {
            this.share = share;
            nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public long perform(int type, int row) throws Exception {
            if (visit != begun.get()) {
                visit = begun.get();
                since = clock.nanoTime();
            }
            boolean isSlow = clock.nanoTime() - since < nanos;
            clock.pass(Math.round(OPERATION_NANOS * (isSlow ? 1 + share : 1)));
            return super.perform(type, row);
        }
    }

    private VisitedTrial open(Supplier<Operation> opened, int workers) throws InterruptedException {
        TrialSpec spec = new TrialSpec(
                TrialRunTest.Work.of(opened),
                new Setup(Design.of(Map.of()), values, null, null, null),
                workers,
                new Window.Time(Duration.ofSeconds(1)),
                Duration.ofMillis(400),
                clock,
                42);
        VisitedTrial trial = new VisitedTrial(spec, ServerWatch.none("no server"), new Compilation(), SETTLE_NANOS);
        assertThat(trial.awaitWarm()).isTrue();
        return trial;
    }

    private TrialRun visited(Supplier<Operation> opened, int workers, int times) throws InterruptedException {
        try (VisitedTrial trial = open(opened, workers)) {
            for (int visit = 0; visit < times; visit++) {
                begun.incrementAndGet();
                assertThat(trial.visit(visit, VISIT_NANOS)).isTrue();
            }
            return trial.finish();
        }
    }

    private static double meanRate(Visits visits) {
        return visits.operationsPerS().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow();
    }

    @Test
    void eachVisitHasItsOwnRateAndTheTimeBetweenThemDoesNotCount() throws Exception {
        TrialRun run = visited(
                () -> new TrialRunTest.Nothing() {
                    @Override
                    public long perform(int type, int row) throws Exception {
                        clock.pass(OPERATION_NANOS * (1 + begun.get() % 2));
                        return super.perform(type, row);
                    }
                },
                1,
                4);

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        Visits visits = run.visits().orElseThrow();
        assertThat(visits.rounds()).containsExactly(0, 1, 2, 3);
        assertThat(visits.operationsPerS()).containsExactly(5_000.0, 10_000.0, 5_000.0, 10_000.0);
        assertThat(visits.bytesPerS()).containsExactly(500_000.0, 1_000_000.0, 500_000.0, 1_000_000.0);
        assertThat(run.operations().get("work").count()).isEqualTo(2 * 125 + 2 * 250);
        assertThat(run.usage().elapsedNanos()).isEqualTo(4 * VISIT_NANOS);
    }

    @Test
    void ratesOfWorkersAddUp() throws Exception {
        Visits visits = visited(() -> new SlowAtFirst(0, 0), 3, 2).visits().orElseThrow();

        assertThat(visits.operationsPerS()).containsExactly(30_000.0, 30_000.0);
    }

    @Test
    void everyThirdWorkerThatIsSlowIsShown() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        TrialRun run = visited(
                () -> {
                    int times = opened.getAndIncrement() % 3 == 0 ? 2 : 1;
                    return new TrialRunTest.Nothing() {
                        @Override
                        public long perform(int type, int row) throws Exception {
                            clock.pass(OPERATION_NANOS * times);
                            return super.perform(type, row);
                        }
                    };
                },
                9,
                4);

        assertThat(run.remarks().flags()).contains(Sample.BIMODAL);
        assertThat(run.remarks().events())
                .contains("workers ran at two levels: 3 of 9 at 5000 operations per second, the others at 10000");
    }

    @Test
    void anOperationThatTakesLongerThanAVisitIsMeasuredOnce() throws Exception {
        TrialRun run = visited(
                () -> new TrialRunTest.Nothing() {
                    @Override
                    public long perform(int type, int row) throws Exception {
                        clock.pass(TimeUnit.SECONDS.toNanos(2));
                        return super.perform(type, row);
                    }
                },
                1,
                3);

        assertThat(run.operations().get("work").count()).isEqualTo(3);
        assertThat(run.visits().orElseThrow().operationsPerS()).containsExactly(0.5, 0.5, 0.5);
        assertThat(run.visits().orElseThrow().halves()).isEmpty();
    }

    @Test
    void whatIsSlowRightAfterASwitchIsNotMeasured() throws Exception {
        TrialRun run = visited(() -> new SlowAtFirst(0.10, 5), 1, 20);

        assertThat(meanRate(run.visits().orElseThrow())).isCloseTo(10_000, within(20.0));
        assertThat(run.remarks().events()).isEmpty();
        assertThat(run.remarks().flags()).isEmpty();
    }

    @Test
    void visitsThatBeginSlowlySettleForLonger() throws Exception {
        TrialRun run = visited(() -> new SlowAtFirst(0.10, 15), 1, 40);

        Visits visits = run.visits().orElseThrow();
        assertThat(meanRate(visits)).isCloseTo(10_000, within(100.0));
        assertThat(visits.settleMs()).isGreaterThan(5);
        assertThat(visits.count()).isBetween(8, 32);
        assertThat(visits.rounds().get(0)).isGreaterThanOrEqualTo(8);
        assertThat(run.remarks().events()).isNotEmpty().allMatch(event -> event.contains("slower in the first half"));
        assertThat(run.remarks().flags()).isEmpty();
    }

    @Test
    void visitsThatNeverSettleAreFlagged() throws Exception {
        AtomicInteger operations = new AtomicInteger();
        TrialRun run = visited(
                () -> new TrialRunTest.Nothing() {
                    private int visit;

                    @Override
                    public long perform(int type, int row) throws Exception {
                        if (visit != begun.get()) {
                            visit = begun.get();
                            operations.set(0);
                        }
                        clock.pass(OPERATION_NANOS - 100L * Math.min(900, operations.getAndIncrement()));
                        return super.perform(type, row);
                    }
                },
                1,
                80);

        assertThat(run.remarks().flags()).contains(Sample.UNSETTLED);
        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
    }

    @Test
    void aFailureInAVisitEndsTheTrial() throws Exception {
        try (VisitedTrial trial = open(
                () -> new TrialRunTest.Nothing() {
                    @Override
                    public long perform(int type, int row) throws Exception {
                        if (begun.get() > 1) {
                            throw new IllegalStateException("no more");
                        }
                        clock.pass(OPERATION_NANOS);
                        return super.perform(type, row);
                    }
                },
                2)) {
            begun.incrementAndGet();
            assertThat(trial.visit(0, VISIT_NANOS)).isTrue();
            begun.incrementAndGet();
            assertThat(trial.visit(1, VISIT_NANOS)).isFalse();

            assertThat(trial.finish().outcome().reason()).contains("no more");
        }
    }
}
