package dev.blobmark.lab.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on operations in this process, so that what it should find is known beforehand. */
@Timeout(60)
class TrialRunTest {

    private static final int ROWS = 10;
    static final int VALUE_BYTES = 100;
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    private static EncodedValues values;

    @BeforeAll
    static void encode(@TempDir Path directory) throws IOException {
        values = EncodedValues.of(ListedValues.random(ROWS, VALUE_BYTES), Codecs.parse("none"), directory, bytes -> {});
    }

    /** A clock for each thread, which goes on only when told to. */
    static final class OwnTime implements Clock {

        private final ThreadLocal<long[]> now = ThreadLocal.withInitial(() -> new long[1]);

        @Override
        public long nanoTime() {
            return now.get()[0];
        }

        @Override
        public void waitUntil(long nanos) {
            now.get()[0] = Math.max(now.get()[0], nanos);
        }

        void pass(long nanos) {
            now.get()[0] += nanos;
        }
    }

    /** An operation that does nothing. */
    static class Nothing implements Operation {

        @Override
        public long perform(int type, int row) throws Exception {
            return VALUE_BYTES;
        }

        @Override
        public void verify(int type, int row, boolean content) {}

        @Override
        public void close() {}
    }

    record Work(
            List<String> operationTypes, boolean usesTable, boolean timesTypesSeparately, Supplier<Operation> opened)
            implements Workload {

        static Work of(Supplier<Operation> opened) {
            return new Work(List.of("work"), true, false, opened);
        }

        @Override
        public String id() {
            return "work";
        }

        @Override
        public String description() {
            return "work for the engine";
        }

        @Override
        public Set<Factor.Use> uses() {
            return usesTable ? Set.of(Factor.Use.STORE) : Set.of();
        }

        @Override
        public Operation open(Setup setup) {
            return opened.get();
        }
    }

    private static TrialSpec spec(Workload workload, int workers, Window window, Clock clock) {
        return spec(workload, workers, window, WARM_UP, clock);
    }

    private static TrialSpec spec(Workload workload, int workers, Window window, Duration warmUp, Clock clock) {
        return new TrialSpec(
                workload, new Setup(Design.of(Map.of()), values, null, null, null), workers, window, warmUp, clock, 42);
    }

    private static Window time(long millis) {
        return new Window.Time(Duration.ofMillis(millis));
    }

    private static TrialRun run(Supplier<Operation> opened, int workers, Window window, Clock clock)
            throws InterruptedException {
        return WindowedTrial.run(spec(Work.of(opened), workers, window, clock));
    }

    @Test
    void aWindowBeginsAtTheAgreedInstant() throws Exception {
        Work work = Work.of(() -> new Nothing() {
            @Override
            public long perform(int type, int row) {
                LockSupport.parkNanos(100_000);
                return VALUE_BYTES;
            }
        });
        TrialPhase phase = new TrialPhase(2);
        AtomicReference<Instant> agreed = new AtomicReference<>();

        TrialRun run = WindowedTrial.run(
                spec(work, 2, time(50), Clock.SYSTEM),
                phase,
                () -> {
                    agreed.set(Instant.now().plusMillis(300));
                    phase.go(agreed.get());
                },
                ServerWatch.none("there is no server"));

        assertThat(run.span().startedAt()).isAfterOrEqualTo(agreed.get().minusMillis(1));
        assertThat(run.operations().get("work").count()).isPositive();
    }

    /** Of a table that is not in the buffer pool: reading a row again would be something else. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theRowsOfAColdWindowAreAllDifferentInAnOrderOfTheirOwn(int processes) throws Exception {
        Queue<Integer> rows = new ConcurrentLinkedQueue<>();
        OwnTime clock = new OwnTime();
        Supplier<Operation> opened = () -> new Nothing() {
            private boolean isWindow;

            @Override
            public long perform(int type, int row) {
                clock.pass(1_000_000);
                if (isWindow) {
                    rows.add(row);
                }
                return VALUE_BYTES;
            }

            @Override
            public void beginWindow() {
                isWindow = true;
            }
        };
        Setup setup = new Setup(Design.of(Map.of("pool", "cold")), values, null, null, null);

        for (Share share : Share.distribute(3, processes)) {
            WindowedTrial.run(new TrialSpec(
                    Work.of(opened), setup, share, new Load.Closed(), new Window.Count(ROWS), WARM_UP, clock, 42));
        }

        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, ROWS).boxed().toList());
        assertThat(List.copyOf(rows))
                .isNotEqualTo(IntStream.range(0, ROWS).boxed().toList());
    }

    /** As a commit of all that the window has written. */
    @Test
    void whatTheEndOfAWindowTakesIsTheWindowsTimeAndNoOperations() throws Exception {
        OwnTime clock = new OwnTime();
        List<String> order = new ArrayList<>();

        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        order.add("perform");
                        clock.pass(1_000_000);
                        return VALUE_BYTES;
                    }

                    @Override
                    public void beginWindow() {
                        order.add("begin");
                        clock.pass(3_000_000_000L);
                    }

                    @Override
                    public void endWindow() {
                        order.add("end");
                        clock.pass(500_000_000);
                    }
                },
                1,
                new Window.Count(10),
                clock);

        assertThat(run.usage().elapsedNanos()).isEqualTo(510_000_000);
        assertThat(run.span().nanos()).isEqualTo(510_000_000);
        assertThat(run.operations().get("work").operationsPerSecond()).isCloseTo(10 / 0.51, within(1e-9));
        assertThat(run.latency().get("work").getCountAtValue(1_000_000)).isEqualTo(10);
        assertThat(order.subList(order.indexOf("begin"), order.size()))
                .containsExactlyElementsOf(Stream.of(
                                Stream.of("begin"),
                                Stream.generate(() -> "perform").limit(10),
                                Stream.of("end"))
                        .flatMap(each -> each)
                        .toList());
    }

    /** Takes a millisecond on average: each operation ends at its place in a timetable, and makes up for late ones. */
    private static final class Millisecond extends Nothing {

        private long end = System.nanoTime();

        @Override
        public long perform(int type, int row) {
            end += MILLISECONDS.toNanos(1);
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            return VALUE_BYTES;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void aThousandOperationsASecondForEachWorker(int workers) throws Exception {
        TrialRun run = run(Millisecond::new, workers, time(1_000), Clock.SYSTEM);

        Operations work = run.operations().get("work");
        assertThat(work.operationsPerSecond()).isCloseTo(workers * 1_000, within(workers * 50.0));
        assertThat(work.throughputBytesPerSecond()).isCloseTo(work.operationsPerSecond() * VALUE_BYTES, within(1e-3));
        assertThat(work.latency().mean()).isCloseTo(1e6, within(5e4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void figuresAreExactOnAnExactClock(int workers) throws Exception {
        OwnTime clock = new OwnTime();

        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        clock.pass(1_000_000);
                        return VALUE_BYTES;
                    }

                    @Override
                    public void verify(int type, int row, boolean content) {
                        clock.pass(content ? 10_000_000 : 0);
                    }
                },
                workers,
                time(1_000),
                clock);

        // the window ends with the first operation n whose end, n + 10 ⌈(n - 1)/64⌉ ms, is not before 1,000 ms
        long each = 860;
        Operations work = run.operations().get("work");
        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(work.count()).isEqualTo(each * workers);
        assertThat(run.usage().elapsedNanos()).isEqualTo(each * 1_000_000);
        assertThat(work.operationsPerSecond()).isCloseTo(1_000 * workers, within(1e-9));
        assertThat(work.throughputBytesPerSecond()).isCloseTo(100_000 * workers, within(1e-6));
        assertThat(work.applicationBytes()).isEqualTo(each * workers * VALUE_BYTES);
        assertThat(work.storedBytes()).hasValue(each * workers * VALUE_BYTES);
        assertThat(run.latency().get("work").getTotalCount()).isEqualTo(each * workers);
        assertThat(run.latency().get("work").getCountAtValue(1_000_000)).isEqualTo(each * workers);
        assertThat(work.latency().p50()).isCloseTo(1_000_000, within(1_000L));
    }

    @Test
    void typesThatOnlyShareAWindowAreCountedOverTheirOwnTime() throws Exception {
        OwnTime clock = new OwnTime();
        Work work = new Work(List.of("slow", "fast"), false, true, () -> new Nothing() {
            @Override
            public int nextType(long turn, long[] busyNanos) {
                return busyNanos[0] <= busyNanos[1] ? 0 : 1;
            }

            @Override
            public void prepare(int type, int row) {
                clock.pass(5_000_000);
            }

            @Override
            public long perform(int type, int row) {
                clock.pass(type == 0 ? 4_000_000 : 1_000_000);
                return VALUE_BYTES;
            }
        });

        TrialRun run = WindowedTrial.run(spec(work, 1, new Window.Count(500), clock));

        assertThat(run.operations().get("slow").count()).isEqualTo(100);
        assertThat(run.operations().get("slow").operationsPerSecond()).isCloseTo(250, within(1e-9));
        assertThat(run.operations().get("fast").count()).isEqualTo(400);
        assertThat(run.operations().get("fast").operationsPerSecond()).isCloseTo(1_000, within(1e-9));
        // preparing is not timed, but the window goes on
        assertThat(run.usage().elapsedNanos()).isEqualTo(500 * 5_000_000L + 100 * 4_000_000L + 400 * 1_000_000L);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1000, 1", "1000, 3", "2, 4"})
    void aCountIsSharedOutOverTheWorkers(int operations, int workers) throws Exception {
        AtomicInteger inWindow = new AtomicInteger();
        OwnTime clock = new OwnTime();

        TrialRun run = run(
                () -> new Nothing() {
                    private boolean window;

                    @Override
                    public long perform(int type, int row) {
                        clock.pass(1_000);
                        inWindow.addAndGet(window ? 1 : 0);
                        return VALUE_BYTES;
                    }

                    @Override
                    public void verifyEffective() {
                        window = true;
                    }
                },
                workers,
                new Window.Count(operations),
                clock);

        assertThat(run.operations().get("work").count()).isEqualTo(operations);
        assertThat(inWindow).hasValue(operations);
        assertThat(run.latency().get("work").getTotalCount()).isEqualTo(operations);
    }

    /** Notes the rows it is asked for and whether their content is checked, before and in the window. */
    private static final class Noting extends Nothing {

        private final List<Integer> warmUpRows = new ArrayList<>();
        private final List<Boolean> warmUpChecks = new ArrayList<>();
        private final List<Boolean> windowChecks = new ArrayList<>();
        private boolean window;

        @Override
        public long perform(int type, int row) {
            if (!window) {
                warmUpRows.add(row);
            }
            LockSupport.parkNanos(10_000);
            return VALUE_BYTES;
        }

        @Override
        public void verify(int type, int row, boolean content) {
            (window ? windowChecks : warmUpChecks).add(content);
        }

        @Override
        public void verifyEffective() {
            window = true;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, ROWS, ROWS + 2})
    void theSweepReadsEachRowOnce(int workers) throws Exception {
        Queue<Noting> opened = new ConcurrentLinkedQueue<>();

        run(noted(opened), workers, new Window.Count(64), Clock.SYSTEM);

        List<Integer> swept = new ArrayList<>();
        for (Noting operation : opened) {
            // which worker it belongs to is told by its first row; those beyond the number of rows have no share
            int share = IntStream.range(0, workers)
                    .filter(number -> number < ROWS && operation.warmUpRows.get(0) == number)
                    .map(number -> (ROWS - number + workers - 1) / workers)
                    .findFirst()
                    .orElse(0);
            if (workers <= ROWS) {
                assertThat(share).isPositive();
                swept.addAll(operation.warmUpRows.subList(0, share));
            }
        }
        if (workers <= ROWS) {
            assertThat(swept)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, ROWS).boxed().toList());
        } else {
            assertThat(opened.stream().flatMap(o -> o.warmUpRows.stream())).contains(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void contentIsCheckedAlwaysInTheWarmUpAndOnceIn64After() throws Exception {
        Queue<Noting> opened = new ConcurrentLinkedQueue<>();

        run(noted(opened), 1, new Window.Count(1_000), Clock.SYSTEM);

        Noting operation = opened.element();
        assertThat(operation.warmUpChecks).hasSizeGreaterThan(ROWS).doesNotContain(false);
        assertThat(operation.windowChecks).hasSize(1_000);
        for (int i = 0; i < 1_000; i++) {
            assertThat(operation.windowChecks.get(i)).as("operation %d", i).isEqualTo(i % 64 == 0);
        }
    }

    private static Supplier<Operation> noted(Queue<Noting> opened) {
        return () -> {
            Noting operation = new Noting();
            opened.add(operation);
            return operation;
        };
    }

    @Test
    void theEngineAllocatesNothing() throws Exception {
        TrialSpec spec = spec(Work.of(Nothing::new), 1, new Window.Count(2_000_000), Clock.SYSTEM);

        TrialRun run = WindowedTrial.run(new TrialSpec(
                spec.workload(), spec.setup(), 1, spec.window(), Duration.ofMillis(500), spec.clock(), spec.seed()));

        assertThat(run.operations().get("work").count()).isEqualTo(2_000_000);
        assertThat(run.usage().allocatedBytesPerOp()).isLessThan(0.01);
    }

    @Test
    void whatOperationsAllocateIsCounted() throws Exception {
        TrialRun run = run(
                () -> new Nothing() {
                    private byte[] kept;

                    @Override
                    public long perform(int type, int row) {
                        kept = new byte[10_000];
                        return kept.length;
                    }
                },
                2,
                new Window.Count(20_000),
                Clock.SYSTEM);

        assertThat(run.usage().allocatedBytesPerOp()).isCloseTo(10_016, within(100.0));
    }

    @Test
    void cpuTimeIsCountedAndWaitingIsNot() throws Exception {
        TrialRun busy = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        for (long end = System.nanoTime() + 500_000; System.nanoTime() < end; ) {
                            Thread.onSpinWait();
                        }
                        return VALUE_BYTES;
                    }
                },
                1,
                new Window.Count(400),
                Clock.SYSTEM);
        TrialRun waiting = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        LockSupport.parkNanos(500_000);
                        return VALUE_BYTES;
                    }
                },
                1,
                new Window.Count(400),
                Clock.SYSTEM);

        // on a busy machine a spinning thread has less of the processor than of the time
        assertThat(busy.usage().cpuNanosPerOp()).isGreaterThan(100_000);
        assertThat(waiting.usage().cpuNanosPerOp()).isLessThan(busy.usage().cpuNanosPerOp() / 2);
    }

    @Test
    void whatIsNeverSteadyIsSaidToBe() throws Exception {
        OwnTime clock = new OwnTime();
        Work slower = Work.of(() -> new Nothing() {
            @Override
            public long perform(int type, int row) {
                // a share of the time that is over, until after the warm-up
                clock.pass(1_000 + Math.min(clock.nanoTime(), 3_600_000_000_000L) / 50);
                return VALUE_BYTES;
            }
        });
        TrialSpec spec = spec(slower, 1, new Window.Count(5), clock);

        TrialRun run = WindowedTrial.run(
                new TrialSpec(slower, spec.setup(), 1, spec.window(), Duration.ofMillis(400), clock, spec.seed()));

        assertThat(run.outcome()).isInstanceOf(Outcome.Unsteady.class);
        assertThat(run.outcome().reason())
                .isEqualTo("still changing after 400 ms of warm-up; a longer --warm-up or a quieter machine helps");
        assertThat(run.warmUp().steady()).isFalse();
        assertThat(run.operations().get("work").count()).isEqualTo(5);
    }

    @Test
    void aSweepThatIsSlowerThanAllAfterItDoesNotHoldUpTheWarmUp() throws Exception {
        OwnTime clock = new OwnTime();
        AtomicInteger performed = new AtomicInteger();

        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        clock.pass(performed.getAndIncrement() < ROWS ? 3_600_000_000_000L : 1_000);
                        return VALUE_BYTES;
                    }
                },
                1,
                new Window.Count(10),
                clock);

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(run.latency().get("work").getMaxValue()).isEqualTo(1_000);
    }

    /** Fails at a given operation of the window, or of the warm-up where that is negative. */
    private record Failing(
            int workers, int failing, RuntimeException failure, AtomicInteger opened, AtomicInteger closed) {

        Operation open() {
            boolean fails = opened.incrementAndGet() == failing;
            return new Nothing() {
                private int done;

                @Override
                public long perform(int type, int row) {
                    LockSupport.parkNanos(100_000);
                    return VALUE_BYTES;
                }

                @Override
                public void verify(int type, int row, boolean content) {
                    if (fails && ++done == 20) {
                        throw failure;
                    }
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                }
            };
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "4, 4"})
    void aFailureOfOneWorkerEndsTheTrialForAll(int workers, int failing) throws Exception {
        Failing failure = new Failing(
                workers,
                failing,
                new WrongValueException("key 7 gave 3 bytes instead of 100"),
                new AtomicInteger(),
                new AtomicInteger());

        TrialRun run = run(failure::open, workers, time(3_600_000), Clock.SYSTEM);

        assertThat(run.outcome())
                .isEqualTo(new Outcome.Failed("WrongValueException: key 7 gave 3 bytes instead of 100"));
        assertThat(run.operations()).isEmpty();
        assertThat(run.latency()).isEmpty();
        assertThat(failure.closed).hasValue(workers);
    }

    @Test
    void aFailureInTheWindowEndsIt() throws Exception {
        AtomicInteger opened = new AtomicInteger();

        TrialRun run = run(
                () -> new Nothing() {
                    private final boolean fails = opened.incrementAndGet() == 2;
                    private boolean window;

                    @Override
                    public long perform(int type, int row) throws Exception {
                        LockSupport.parkNanos(100_000);
                        if (fails && window) {
                            throw new IOException("gone", new IllegalStateException("the server is away\nat all"));
                        }
                        return VALUE_BYTES;
                    }

                    @Override
                    public void verifyEffective() {
                        window = true;
                    }
                },
                3,
                new Window.Count(Long.MAX_VALUE),
                Clock.SYSTEM);

        assertThat(run.outcome()).isEqualTo(new Outcome.Failed("IOException: gone: the server is away"));
    }

    @Test
    void whatCannotBeOpenedFailsTheTrial() throws Exception {
        TrialRun run = run(
                () -> {
                    throw new IllegalStateException("no connection to be had");
                },
                2,
                time(3_600_000),
                Clock.SYSTEM);

        assertThat(run.outcome()).isEqualTo(new Outcome.Failed("IllegalStateException: no connection to be had"));
    }

    @Test
    void whatTheServerDoesNotOfferIsUnavailableAndNoFailure() throws Exception {
        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) throws Exception {
                        throw new UnavailableException("there is no zlib here");
                    }
                },
                2,
                time(10),
                Clock.SYSTEM);

        assertThat(run.outcome()).isEqualTo(new Outcome.Unavailable("there is no zlib here"));
        assertThat(run.operations()).isEmpty();
    }

    @Test
    void whatIsNotInEffectFailsTheTrial() throws Exception {
        TrialRun run = run(
                () -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        LockSupport.parkNanos(1_000_000);
                        return VALUE_BYTES;
                    }

                    @Override
                    public void verifyEffective() throws Exception {
                        throw new SQLException("not prepared");
                    }
                },
                2,
                time(3_600_000),
                Clock.SYSTEM);

        assertThat(run.outcome()).isEqualTo(new Outcome.Failed("SQLException: not prepared"));
    }

    /** Fails so many times before each operation succeeds. */
    private static final class Deadlocked extends Nothing {

        private final OwnTime clock;
        private final int failures;
        private int attempts;
        private int performed;

        Deadlocked(OwnTime clock, int failures) {
            this.clock = clock;
            this.failures = failures;
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            clock.pass(1_000);
            performed++;
            if (attempts++ < failures) {
                throw new SQLException("deadlock", "40001", 1213);
            }
            attempts = 0;
            return VALUE_BYTES;
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return Optional.of(Integer.toString(((SQLException) error).getErrorCode()));
        }
    }

    @Test
    void errorsThatPassAreTriedAgainInTheOperationsTimeAndCounted() throws Exception {
        OwnTime clock = new OwnTime();

        // pauses are random: a sub-window of the warm-up has thousands, and so a mean that tells nothing of which they
        // were
        TrialRun run = WindowedTrial.run(
                spec(Work.of(() -> new Deadlocked(clock, 9)), 2, new Window.Count(100), Duration.ofMinutes(10), clock));

        assertThat(run.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(run.remarks().errors()).isEqualTo(Map.of("1213", 900L));
        assertThat(run.operations().get("work").count()).isEqualTo(100);
        // ten attempts of 1 µs, and pauses of up to 0.1, 0.2, … 25.6 ms
        Histogram latency = run.latency().get("work");
        assertThat(latency.getMinValue()).isBetween(10_000L, 51_110_000L);
        assertThat(latency.getMean()).isCloseTo(25.55e6 + 10_000, withinPercentage(20));
        assertThat(latency.getMaxValue()).isLessThanOrEqualTo(latency.highestEquivalentValue(51_110_000L));
    }

    @Test
    void errorsThatDoNotPassFailTheTrialAtTheTenthAttempt() throws Exception {
        OwnTime clock = new OwnTime();
        Deadlocked operation = new Deadlocked(clock, 10);

        TrialRun run = run(() -> operation, 1, new Window.Count(100), clock);

        assertThat(run.outcome()).isEqualTo(new Outcome.Failed("SQLException: deadlock"));
        assertThat(operation.performed).isEqualTo(10);
    }

    @Test
    void aWindowsRowsAreDrawnFromTheSeedHoweverLongTheWarmUpWas() throws Exception {
        List<List<Integer>> first = windowRows(2);
        List<List<Integer>> second = windowRows(2);

        assertThat(first).containsExactlyInAnyOrderElementsOf(second);
        assertThat(first.get(0)).isNotEqualTo(first.get(1));
        assertThat(Set.copyOf(first.get(0))).hasSize(ROWS);
    }

    private static List<List<Integer>> windowRows(int workers) throws InterruptedException {
        List<List<Integer>> all = new ArrayList<>();
        OwnTime clock = new OwnTime();
        run(
                () -> {
                    List<Integer> rows = new ArrayList<>();
                    synchronized (all) {
                        all.add(rows);
                    }
                    return new Nothing() {
                        private boolean window;

                        @Override
                        public long perform(int type, int row) {
                            clock.pass(1_000);
                            if (window) {
                                rows.add(row);
                            }
                            return VALUE_BYTES;
                        }

                        @Override
                        public void verifyEffective() {
                            window = true;
                        }
                    };
                },
                workers,
                new Window.Count(2_000),
                clock);
        return all;
    }

    @Test
    void anInterruptEndsWorkersToo() throws Exception {
        CountDownLatch closed = new CountDownLatch(2);
        CountDownLatch opened = new CountDownLatch(2);
        Thread trial = new Thread(() -> {
            try {
                run(
                        () -> new Nothing() {
                            {
                                opened.countDown();
                            }

                            @Override
                            public long perform(int type, int row) {
                                LockSupport.parkNanos(100_000);
                                return VALUE_BYTES;
                            }

                            @Override
                            public void close() {
                                closed.countDown();
                            }
                        },
                        2,
                        time(3_600_000),
                        Clock.SYSTEM);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        trial.start();
        opened.await();

        trial.interrupt();
        trial.join();

        assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
