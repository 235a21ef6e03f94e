package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

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
}
