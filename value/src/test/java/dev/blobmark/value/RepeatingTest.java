package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // tasks repeat until the end of a block
class RepeatingTest {

    private static final Duration NEVER = Duration.ofDays(1);

    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch done = new CountDownLatch(1);

    /** Such as one for lack of memory, which others have taken. */
    @Test
    void anErrorEndsNothing() throws InterruptedException {
        try (Repeating repeating = new Repeating("test", Duration.ofMillis(1), Duration.ofMinutes(1), NEVER, () -> {
            switch (runs.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("as a test wants it");
                case 2 -> throw new StackOverflowError("as a test wants it");
                case 3 -> throw new IllegalStateException("as a test wants it");
                default -> done.countDown();
            }
        })) {
            done.await();
        }
    }

    /** Such as by a container that interrupts all threads. */
    @Test
    void onlyCloseEndsIt() throws InterruptedException {
        try (Repeating repeating =
                new Repeating("by others", Duration.ofMillis(1), Duration.ofMinutes(1), NEVER, () -> {
                    if (runs.incrementAndGet() >= 3) {
                        done.countDown();
                    }
                })) {
            Thread[] threads = new Thread[Thread.activeCount() + 100];
            int count = Thread.currentThread().getThreadGroup().enumerate(threads);
            for (int i = 0; i < count; i++) {
                if (threads[i].getName().equals("by others")) {
                    threads[i].interrupt();
                }
            }
            done.await();
        }
    }

    /** Such as one whose connection never answers. */
    @Test
    void aRunThatDoesNotReturnEndsNothing() throws InterruptedException {
        Semaphore never = new Semaphore(0);
        try (Repeating repeating = new Repeating("test", Duration.ofMillis(1), Duration.ofMillis(50), NEVER, () -> {
            if (runs.incrementAndGet() <= 2) {
                never.acquireUninterruptibly();
            } else {
                done.countDown();
            }
        })) {
            done.await();
        }
        never.release(2);
    }

    @Test
    void noMoreThanThreeRunAtATime() throws InterruptedException {
        Semaphore never = new Semaphore(0);
        try (Repeating repeating = new Repeating("test", Duration.ofMillis(1), Duration.ofMillis(1), NEVER, () -> {
            runs.incrementAndGet();
            never.acquireUninterruptibly();
        })) {
            while (runs.get() < 3) {
                Thread.sleep(10);
            }
            Thread.sleep(3_000);
            assertThat(runs).hasValue(3);
        }
        never.release(3);
    }

    /** A source whose connections never answered may answer again. */
    @Test
    void oneMoreRunsRarelyWhereThreeDoNotReturn() throws InterruptedException {
        Semaphore never = new Semaphore(0);
        try (Repeating repeating =
                new Repeating("test", Duration.ofMillis(1), Duration.ofMillis(50), Duration.ofMillis(1), () -> {
                    if (runs.incrementAndGet() <= 5) {
                        never.acquireUninterruptibly();
                    } else {
                        done.countDown();
                    }
                })) {
            done.await();
        }
        never.release(5);
    }

    /** In another JVM, whose heap is full for seconds: not even a thread can be made. */
    @Test
    void aFullHeapEndsNothing() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FullHeap.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Ends with 0 when the task has run again after the heap was full. */
    static final class FullHeap {

        private static final int FULL_SECONDS = 4;
        private static final AtomicInteger RUNS = new AtomicInteger();

        private FullHeap() {}

        public static void main(String... none) throws InterruptedException {
            try (Repeating repeating =
                    new Repeating("test", Duration.ofMillis(1), Duration.ofMinutes(1), NEVER, RUNS::incrementAndGet)) {
                while (RUNS.get() == 0) {
                    Thread.sleep(10);
                }
                fill(System.nanoTime() + Duration.ofSeconds(FULL_SECONDS).toNanos());
                int before = RUNS.get();
                for (int i = 0; i < 600 && RUNS.get() < before + 2; i++) {
                    Thread.sleep(100);
                }
                System.exit(RUNS.get() < before + 2 ? 1 : 0);
            }
        }

        private static void fill(long until) {
            Object[] kept = null;
            while (System.nanoTime() - until < 0) {
                try {
                    kept = new Object[] {kept};
                } catch (OutOfMemoryError full) {
                    Thread.yield();
                }
            }
        }
    }
}
