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

/** The process behind {@link KeepAwake} and {@link CompetingLoad}: spins until its standard input ends, which it does with its parent however that ends. */
final class Spinners {

    /** By which the threads are found among those of the JVM. */
    static final String NAME = "awake-";

    /** What it prints when all threads with nice values are where they belong. */
    static final String READY = "spinning";

    private static final long PATIENCE_SECONDS = 60;

    /** On standard input: the threads go on, or rest. */
    static final int GO_ON = '+';

    static final int REST = '-';

    private static final long NAP_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final Object CHANGED = new Object();

    private static volatile boolean resting;

    private Spinners() {}

    /** @param arguments processors; and the nice values of threads on the first of them, or one of SCHED_IDLE is on each */
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
                say();
            }
            for (int said = System.in.read(); said >= 0; said = System.in.read()) {
                synchronized (CHANGED) {
                    resting = said == REST;
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

    private static void say() throws IOException {
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write((READY + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Ctrl-C reaches this process too; but the run goes on until its parent has ended it, with its cores awake. */
    private static void await(CountDownLatch ended) {
        try {
            ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A thread stays on its processor: free ones gather, and a core that falls idle for some microseconds is not worth a
     * migration to the kernel. No pause instruction: a hypervisor takes a core away from a loop of them. One that keeps a core awake naps now and then, as a thread of the
     * kernel may wait for the processor in vain otherwise: on Linux 6.18 one that held a lock on a JVM's memory did not run for five minutes (ADR 44).
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
                    awaitGoOn();
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

    private static void awaitGoOn() throws InterruptedException {
        synchronized (CHANGED) {
            while (resting) {
                CHANGED.wait();
            }
        }
    }
}
