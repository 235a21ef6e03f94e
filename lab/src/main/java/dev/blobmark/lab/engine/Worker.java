package dev.blobmark.lab.engine;

import com.sun.management.ThreadMXBean;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Operation;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * One of a trial's operations in flight: does them back to back on a thread of its own and keeps the account. Warm-up
 * and window run through the same code, so that the window finds it compiled. Nothing is allocated per operation.
 */
final class Worker implements Runnable {

    /** Attempts at an operation that meets an error which may be tried again; the time of all counts. */
    private static final int ATTEMPTS = 10;

    /** In the window, content is checked once in so many operations; in the warm-up always. */
    private static final int CONTENT_CHECK_INTERVAL = 64;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final TrialSpec spec;
    private final int number;
    private final Phase phase;
    private final SplittableRandom warmUpRows;
    private final SplittableRandom windowRows;
    private final int rows;

    /** Per type: operations, then busy nanoseconds, since the start of the warm-up. Read by the trial's thread. */
    private final AtomicLongArray warmUpProgress;

    private Account account;

    Worker(TrialSpec spec, int number, Phase phase, long seed) {
        this.spec = spec;
        this.number = number;
        this.phase = phase;
        // two, for the rows of the window are not to depend on how long the warm-up takes
        this.warmUpRows = new SplittableRandom(seed);
        this.windowRows = warmUpRows.split();
        this.rows = spec.setup().values().count();
        this.warmUpProgress =
                new AtomicLongArray(2 * spec.workload().operationTypes().size());
    }

    /** What a worker did in its window. Not shared between threads until the worker has ended. */
    static final class Account {
        final Histogram[] latency;
        final long[] count;
        final long[] busyNanos;
        final long[] applicationBytes;
        final long[] storedBytes;
        final Map<String, Long> errors = new HashMap<>();
        long operations;
        long startNanos;
        long endNanos;
        long verifyNanos;
        /** Time of the window up to the last completed operation, less verification. */
        long elapsedNanos;

        long allocatedBytes;

        Account(int types) {
            latency = new Histogram[types];
            for (int i = 0; i < types; i++) {
                latency[i] = Latencies.newHistogram();
            }
            count = new long[types];
            busyNanos = new long[types];
            applicationBytes = new long[types];
            storedBytes = new long[types];
        }
    }

    @Override
    public void run() {
        try (Operation operation = spec.workload().open(spec.setup())) {
            int types = spec.workload().operationTypes().size();
            Account warmUp = new Account(types);
            account = new Account(types);
            if (spec.workload().usesTable()) {
                for (int row = number;
                        row < rows && phase.isWarmUp();
                        row += spec.share().all()) {
                    step(operation, warmUp, row, true);
                }
            }
            publish(warmUp);
            phase.swept();
            while (phase.isWarmUp()) {
                step(operation, warmUp, warmUpRows.nextInt(rows), true);
                publish(warmUp);
            }
            operation.verifyEffective();
            measure(operation);
        } catch (Throwable e) {
            phase.fail(e);
        } finally {
            phase.ended();
        }
    }

    private void measure(Operation operation) throws Exception {
        Account account = this.account;
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        account.startNanos = spec.clock().nanoTime();
        account.endNanos = account.startNanos;
        if (spec.window() instanceof Window.Time time) {
            long nanos = time.length().toNanos();
            do {
                step(operation, account, windowRows.nextInt(rows), account.operations % CONTENT_CHECK_INTERVAL == 0);
            } while (account.endNanos - account.startNanos < nanos && !phase.hasFailed());
        } else if (spec.window() instanceof Window.Count count) {
            int all = spec.share().all();
            long share = count.operations() / all + (number < count.operations() % all ? 1 : 0);
            while (account.operations < share && !phase.hasFailed()) {
                step(operation, account, windowRows.nextInt(rows), account.operations % CONTENT_CHECK_INTERVAL == 0);
            }
        }
        account.allocatedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }

    private void step(Operation operation, Account account, int row, boolean checkContent) throws Exception {
        int type = operation.nextType(account.busyNanos);
        operation.prepare(type, row);
        long before = spec.clock().nanoTime();
        int bytes = perform(operation, account, type, row);
        long after = spec.clock().nanoTime();
        account.latency[type].recordValue(Math.min(after - before, Latencies.MAX_NANOS));
        account.count[type]++;
        account.busyNanos[type] += after - before;
        account.applicationBytes[type] += bytes;
        account.storedBytes[type] += spec.setup().values().storedLength(row);
        account.operations++;
        account.endNanos = after;
        account.elapsedNanos = after - account.startNanos - account.verifyNanos;
        operation.verify(type, row, checkContent);
        if (checkContent) {
            account.verifyNanos += spec.clock().nanoTime() - after;
        }
    }

    private int perform(Operation operation, Account account, int type, int row) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return operation.perform(type, row);
            } catch (Exception e) {
                String code = operation.transientCode(e).orElse(null);
                if (code == null || attempt == ATTEMPTS) {
                    throw e;
                }
                account.errors.merge(code, 1L, Long::sum);
            }
        }
    }

    private void publish(Account warmUp) {
        int types = warmUp.count.length;
        for (int type = 0; type < types; type++) {
            warmUpProgress.lazySet(type, warmUp.count[type]);
            warmUpProgress.lazySet(types + type, warmUp.busyNanos[type]);
        }
    }

    long warmUpOperations(int type) {
        return warmUpProgress.get(type);
    }

    long warmUpBusyNanos(int type) {
        return warmUpProgress.get(warmUpProgress.length() / 2 + type);
    }

    /** To be called when the worker has ended. */
    Account account() {
        return account;
    }
}
