package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ContextPoolTest {

    private static final int MOST = ContextPool.MOST;
    private static final String[] LIBRARIES = {"zstd:3", "deflate:6", "gzip:6", "mysql:6", "lz4", "lz4hc:9", "brotli:1"
    };

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();

    /** Counts itself, and finds out whether two calls have it at once. */
    private final class Context implements AutoCloseable {
        private final AtomicBoolean used = new AtomicBoolean();
        private final AtomicBoolean closed = new AtomicBoolean();

        Context() {
            made.incrementAndGet();
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
        }

        int call() {
            assertThat(closed).isFalse();
            assertThat(used.getAndSet(true)).isFalse();
            Thread.yield();
            used.set(false);
            return 1;
        }

        @Override
        public void close() {
            assertThat(used).isFalse();
            assertThat(closed.getAndSet(true)).isFalse();
            open.decrementAndGet();
        }
    }

    @Test
    void thereAreTwoContextsForEachProcessorAndAtLeastFour() {
        assertThat(MOST)
                .isGreaterThanOrEqualTo(4)
                .isBetween(
                        2 * Runtime.getRuntime().availableProcessors(),
                        4 * Math.max(2, Runtime.getRuntime().availableProcessors()));
        assertThat(Integer.bitCount(MOST)).isOne();
    }

    @Test
    void aThreadUsesOneContextAgainAndAgain() {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        for (int i = 0; i < 100; i++) use(pool, Context::call);
        assertThat(made).hasValue(1);
    }

    @Test
    void manyThreadsUseFewContexts() throws Exception {
        useFewContexts(Executors.newFixedThreadPool(10 * MOST), 10 * MOST, 500);
    }

    @Test
    void manyVirtualThreadsUseFewContexts() throws Exception {
        useFewContexts(virtualThreads(), 10_000, 5);
    }

    private void useFewContexts(ExecutorService threads, int tasks, int calls) throws Exception {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        run(threads, tasks, task -> {
            for (int i = 0; i < calls; i++) {
                assertThat(use(pool, Context::call)).isOne();
                if (task == 0 && i % 50 == 0) ContextPool.releaseAll();
            }
        });
        assertThat(most.get()).isBetween(1, MOST);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyThreadsEncodeAndDecodeRightBytes(boolean virtual) throws Exception {
        List<byte[]> values = Samples.various();
        List<Codec> codecs = new ArrayList<>();
        for (String id : LIBRARIES) codecs.add(Codecs.parse(id));
        run(virtual ? virtualThreads() : Executors.newFixedThreadPool(100), virtual ? 10_000 : 2_000, task -> {
            Codec codec = codecs.get(task % codecs.size());
            byte[] value = values.get(task % values.size());
            byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
            int length = codec.encode(value, 0, value.length, encoded, 0);
            byte[] decoded = new byte[value.length];
            assertThat(codec.decode(encoded, 0, length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
        });
    }

    @Test
    void whoFindsAllInUseWaitsEvenIfInterrupted() throws Exception {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        CountDownLatch inUse = new CountDownLatch(MOST);
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService users = Executors.newFixedThreadPool(MOST);
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < MOST; i++) {
                calls.add(users.submit(() -> use(pool, context -> {
                    inUse.countDown();
                    await(end);
                    return context.call();
                })));
            }
            inUse.await();
            AtomicBoolean interrupted = new AtomicBoolean();
            Thread waiter = new Thread(() -> {
                use(pool, Context::call);
                interrupted.set(Thread.currentThread().isInterrupted());
            });
            waiter.start();
            waiter.interrupt();
            while (waiter.getState() != Thread.State.WAITING) Thread.onSpinWait();
            end.countDown();
            waiter.join();
            for (Future<?> call : calls) call.get();
            assertThat(interrupted).isTrue();
            assertThat(made).hasValue(MOST);
        } finally {
            end.countDown();
            users.shutdownNow();
        }
    }

    @Test
    void whateverIsThrownTheContextIsGivenBack() {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        for (int i = 0; i < 2 * MOST; i++) {
            assertThatThrownBy(() -> use(pool, context -> {
                        throw new CodecException("x", "damaged");
                    }))
                    .isInstanceOf(CodecException.class);
            assertThatThrownBy(() -> use(pool, context -> {
                        throw new OutOfMemoryError("of a test");
                    }))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(made).hasValue(1);
        assertThat(use(pool, Context::call)).isOne();
    }

    @Test
    void aContextThatCannotBeMadeTakesNoPlace() {
        AtomicInteger failures = new AtomicInteger(2 * MOST);
        ContextPool<Context> pool = new ContextPool<>(() -> {
            if (failures.getAndDecrement() > 0) throw new IllegalStateException("no memory");
            return new Context();
        });
        for (int i = 0; i < 2 * MOST; i++) {
            assertThatThrownBy(() -> use(pool, Context::call)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(use(pool, Context::call)).isOne();
    }

    @Test
    void releasingClosesWhatNobodyUses() {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        use(pool, Context::call);
        assertThat(open).hasValue(1);
        use(pool, context -> {
            ContextPool.releaseAll();
            return context.call();
        });
        assertThat(open).hasValue(1);
        ContextPool.releaseAll();
        assertThat(open).hasValue(0);
        assertThat(use(pool, Context::call)).isOne();
        assertThat(made).hasValue(2);
    }

    @Test
    void contextsOfAnUnreachablePoolAreClosedWhenAnotherOneMakesOne() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> dropped = new PhantomReference<>(usedPool(), queue);
        assertThat(open).hasValue(1);
        Unreachable.await(queue);
        assertThat(dropped.refersTo(null)).isTrue();
        for (int i = 0; open.get() == 1 && i < 60_000; i++) { // both queues need not be filled at once
            use(new ContextPool<AutoCloseable>(() -> () -> {}), context -> 0);
            Thread.sleep(1);
        }
        assertThat(open).hasValue(0);
    }

    private static <T extends AutoCloseable> int use(ContextPool<T> pool, ToIntFunction<? super T> call) {
        try (ContextPool.LeasedContext<T> lease = pool.take()) {
            return call.applyAsInt(lease.context);
        }
    }

    private Object usedPool() {
        ContextPool<Context> pool = new ContextPool<>(Context::new);
        use(pool, Context::call);
        return pool;
    }

    private interface Task {
        void run(int number) throws Exception;
    }

    private static void run(ExecutorService threads, int tasks, Task task) throws Exception {
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                int number = i;
                calls.add(() -> {
                    task.run(number);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(calls)) done.get();
        } finally {
            threads.shutdownNow();
        }
    }

    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from JDK 21 on");
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
