package dev.blobmark.lab.machine;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process of {@link KeepAwake} and {@link CompetingLoad}. It spins until its standard input ends, which happens
 * when its parent ends in any way.
 */
final class Spinners {

    /** Prefix by which the spinning threads are found among the threads of the JVM. */
    static final String NAME = "awake-";

    /** Printed when all threads with nice values run where they should. */
    static final String READY = "spinning";

    private static final long PATIENCE_SECONDS = 60;

    /** On standard input: the threads resume, or rest. */
    static final int RESUME = '+';

    static final int REST = '-';

    private static final long NAP_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final Object CHANGED = new Object();

    private static volatile boolean resting;

    private Spinners() {}

    /**
     * @param arguments processors, optionally followed by nice values of threads on the first processor; without nice
     *     values, each processor gets one thread with SCHED_IDLE
     */
    public static void main(String[] arguments) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> await(ended), "await-parent"));
        try {
            CpuList cpus = CpuList.parse(arguments[0]);
            List<CompletableFuture<Void>> ready = new ArrayList<>();
            if (arguments.length > 1) {
                for (String nice : arguments[1].split(",")) {
                    ready.add(spin(cpus.cpus().first(), () -> ThisThread.giveWay(Integer.parseInt(nice)), false));
                }
            } else {
                cpus.cpus().forEach(cpu -> ready.add(spin(cpu, ThisThread::yieldToAll, true)));
            }
            // a thread that could not be placed ends the process
            ready.forEach(CompletableFuture::join);
            if (arguments.length > 1) {
                announce();
            }
            for (int command = System.in.read(); command >= 0; command = System.in.read()) {
                synchronized (CHANGED) {
                    resting = command == REST;
                    CHANGED.notifyAll();
                }
            }
        } finally {
            ended.countDown();
        }
    }

    private static CompletableFuture<Void> spin(int cpu, Runnable weigh, boolean naps) {
        CompletableFuture<Void> spinning = new CompletableFuture<>();
        Thread thread = new Thread(() -> spin(cpu, weigh, naps, spinning), NAME + cpu);
        thread.setDaemon(true);
        thread.start();
        return spinning;
    }

    private static void announce() throws IOException {
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write((READY + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * Ctrl-C also reaches this process, but the run continues until its parent has ended it, so its cores stay awake
     * until then.
     */
    private static void await(CountDownLatch ended) {
        try {
            ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A thread stays on its processor. Unpinned threads gather on some cores, and the kernel does not migrate a thread
     * for a core that is idle for some microseconds. The loop has no pause instruction, because a hypervisor preempts a
     * core that loops on it. A thread that keeps a core awake sleeps now and then. Otherwise a kernel thread may never
     * get the processor: on Linux 6.18 a kernel thread that held a lock on a JVM's memory did not run for five minutes
     * (ADR 44).
     */
    private static void spin(int cpu, Runnable weigh, boolean naps, CompletableFuture<Void> spinning) {
        try {
            ThisThread.pin(cpu);
            weigh.run();
            spinning.complete(null);
        } catch (RuntimeException e) {
            spinning.completeExceptionally(e);
            return;
        }
        try {
            for (long nap = System.nanoTime() + NAP_EVERY_NANOS; ; ) {
                if (resting) {
                    awaitResume();
                }
                if (naps && System.nanoTime() - nap > 0) {
                    LockSupport.parkNanos(NAP_NANOS);
                    nap = System.nanoTime() + NAP_EVERY_NANOS;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitResume() throws InterruptedException {
        synchronized (CHANGED) {
            while (resting) {
                CHANGED.wait();
            }
        }
    }
}
