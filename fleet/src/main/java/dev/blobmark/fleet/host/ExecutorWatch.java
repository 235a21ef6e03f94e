package dev.blobmark.fleet.host;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Whether executors do anything for the jobs of an application, and why they end. Spark itself waits for executors
 * without a limit, and starts another one for each that ends. Time without a job does not count: Spark's driver may
 * look for files meanwhile.
 */
final class ExecutorWatch extends SparkListener {

    /** As long as hosts may take to join. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** Of an executor that could not begin ({@code CoarseGrainedExecutorBackend}); workers say less of the same end. */
    private static final String REFUSAL = "Unable to create executor";

    private final LongSupplier nanoClock;
    private final Consumer<String> losses;
    private final Set<Integer> jobs = new HashSet<>();
    private final Set<Long> tasks = new HashSet<>();
    private long idleSince;
    private boolean isOverdue;
    private String loss = "";

    /**
     * @param nanoClock of this JVM
     * @param losses receives why an executor has ended
     */
    ExecutorWatch(LongSupplier nanoClock, Consumer<String> losses) {
        this.nanoClock = nanoClock;
        this.losses = losses;
        idleSince = nanoClock.getAsLong();
    }

    /** Whether there has been a job for which no executor has worked for two minutes. */
    synchronized boolean isOverdue() {
        isOverdue |= !jobs.isEmpty() && tasks.isEmpty() && nanoClock.getAsLong() - idleSince > PATIENCE_NANOS;
        return isOverdue;
    }

    /** Why an executor has ended; empty if none has. */
    synchronized String loss() {
        return loss;
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart event) {
        if (jobs.isEmpty()) {
            idleSince = nanoClock.getAsLong();
        }
        jobs.add(event.jobId());
    }

    @Override
    public synchronized void onJobEnd(SparkListenerJobEnd event) {
        jobs.remove(event.jobId());
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart event) {
        tasks.add(event.taskInfo().taskId());
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
        tasks.remove(event.taskInfo().taskId());
        idleSince = nanoClock.getAsLong();
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
        lost(event.reason());
    }

    void lost(String reason) {
        synchronized (this) {
            if (loss.startsWith(REFUSAL) && !reason.startsWith(REFUSAL)) {
                return;
            }
            loss = reason;
        }
        losses.accept(reason);
    }
}
