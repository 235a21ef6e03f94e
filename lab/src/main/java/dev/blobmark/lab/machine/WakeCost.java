package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.nanos;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from waking a waiting thread until it runs, in nanoseconds. Client and server wake each other in every
 * fetch, once in each direction.
 *
 * @param wakes number of measured wakes
 */
record WakeCost(long medianNanos, long p90Nanos, int wakes) {

    /** If a wake on an idle core takes this much longer than on a busy core, fetches are bimodal. */
    private static final long SLOW_WAKE_NANOS = 10_000;

    private static final int WARM_UP = 100;
    private static final int WAKES = 300;

    /**
     * How long the waker works between wakes, while the sleeper's core may go idle. It is well above the 200 µs for
     * which a virtual core polls before that (kernel: Documentation/virt/guest-halt-polling.rst, guest_halt_poll_ns).
     */
    private static final long WORK_NANOS = 500_000;

    private static final class Handover {
        volatile long sentNanos;
        volatile int asked;
        volatile int answered;
    }

    /**
     * Measures, for about a fifth of a second.
     *
     * @param waker the processor of the waking thread; empty if it is not pinned
     * @param sleeper the processor of the woken thread; may be the same
     * @throws MachineException if threads cannot be pinned here
     */
    static WakeCost measure(OptionalInt waker, OptionalInt sleeper) {
        Handover exchange = new Handover();
        long[] nanos = new long[WARM_UP + WAKES];
        CompletableFuture<Thread> ready = new CompletableFuture<>();
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread asking = thread("wake-waker", done, () -> {
            waker.ifPresent(ThisThread::pin);
            wake(exchange, ready.join(), nanos.length);
            done.complete(null);
        });
        Thread answering = thread("wake-sleeper", ready, () -> {
            sleeper.ifPresent(ThisThread::pin);
            ready.complete(Thread.currentThread());
            answer(exchange, asking, nanos);
        });
        answering.start();
        asking.start();
        try {
            done.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof MachineException refused ? refused : e;
        } finally {
            answering.interrupt();
        }
        long[] sorted = Arrays.copyOfRange(nanos, WARM_UP, nanos.length);
        Arrays.sort(sorted);
        return new WakeCost(sorted[WAKES / 2], sorted[WAKES * 9 / 10], WAKES);
    }

    /** Whether this cost exceeds another by enough to dominate a short operation. */
    boolean isSlowerThan(WakeCost other) {
        return medianNanos - other.medianNanos > SLOW_WAKE_NANOS;
    }

    private static Thread thread(String name, CompletableFuture<?> result, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        result.completeExceptionally(e instanceof CompletionException c ? c.getCause() : e);
                    }
                },
                name);
        thread.setDaemon(true);
        return thread;
    }

    private static void wake(Handover exchange, Thread sleeper, int times) {
        for (int wake = 1; wake <= times; wake++) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < WORK_NANOS) {
                Thread.onSpinWait();
            }
            exchange.sentNanos = System.nanoTime();
            exchange.asked = wake;
            LockSupport.unpark(sleeper);
            // parking also lets the sleeper run if both share a core
            while (exchange.answered < wake) {
                LockSupport.park(exchange);
            }
        }
    }

    private static void answer(Handover exchange, Thread waker, long[] nanos) {
        for (int wake = 1; wake <= nanos.length; wake++) {
            while (exchange.asked < wake) {
                if (Thread.interrupted()) {
                    return;
                }
                LockSupport.park(exchange);
            }
            nanos[wake - 1] = System.nanoTime() - exchange.sentNanos;
            exchange.answered = wake;
            LockSupport.unpark(waker);
        }
    }

    /** {@code 57.3 µs (p90 80.1 µs)}. */
    @Override
    public String toString() {
        return nanos(medianNanos) + " (p90 " + nanos(p90Nanos) + ")";
    }
}
