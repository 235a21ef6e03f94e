package dev.blobmark.lab.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The process behind {@link KeepAwake}: spins until its standard input ends, which it does with its parent however that ends. */
final class Spinners {

    /** By which the threads are found among those of the JVM. */
    static final String NAME = "awake-";

    private static final long PATIENCE_SECONDS = 60;

    /** Read in every turn, so that the loop stays one; never set. */
    private static volatile boolean done;

    private Spinners() {}

    public static void main(String[] arguments) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> await(ended), "await-parent"));
        try {
            List<CompletableFuture<Void>> ready = new ArrayList<>();
            for (int cpu : CpuList.parse(arguments[0]).cpus()) {
                CompletableFuture<Void> spinning = new CompletableFuture<>();
                ready.add(spinning);
                Thread thread = new Thread(() -> spin(cpu, spinning), NAME + cpu);
                thread.setDaemon(true);
                thread.start();
            }
            // a thread that could not be placed ends the process
            ready.forEach(CompletableFuture::join);
            while (System.in.read() >= 0) {
                // nobody writes; the end is what counts
            }
        } finally {
            ended.countDown();
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
     * migration to the kernel. No pause instruction: a hypervisor takes a core away from a loop of them.
     */
    private static void spin(int cpu, CompletableFuture<Void> spinning) {
        try {
            ThisThread.pin(cpu);
            ThisThread.yieldToAll();
            spinning.complete(null);
        } catch (RuntimeException e) {
            spinning.completeExceptionally(e);
            return;
        }
        while (!done) {
            // keeps the core awake
        }
    }
}
