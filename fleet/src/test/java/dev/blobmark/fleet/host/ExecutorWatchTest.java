package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class ExecutorWatchTest {

    private static final long PATIENCE = ExecutorWatch.PATIENCE_NANOS;

    private final AtomicLong now = new AtomicLong(7);
    private final List<String> losses = new ArrayList<>();
    private final ExecutorWatch watch = new ExecutorWatch(now::get, losses::add);

    /** Begins a job. */
    static void begin(ExecutorWatch watch) {
        watch.onJobStart(new SparkListenerJobStart(
                1, 0, CollectionConverters.asScala(List.<StageInfo>of()).toSeq(), null));
    }

    private static TaskInfo task() {
        return new TaskInfo(5, 0, 0, 0, 0, "0", "h", TaskLocality.ANY(), false);
    }

    @Test
    void aJobWithoutATaskIsOverdueAfterTwoMinutes() {
        now.addAndGet(10 * PATIENCE);
        assertThat(watch.isOverdue()).as("there is no job").isFalse();
        begin(watch);
        now.addAndGet(PATIENCE);
        assertThat(watch.isOverdue()).isFalse();
        now.incrementAndGet();
        assertThat(watch.isOverdue()).isTrue();
        watch.onJobEnd(new SparkListenerJobEnd(1, 0, null));
        assertThat(watch.isOverdue()).as("its end was the answer").isTrue();
    }

    @Test
    void aTaskMayTakeAnyTimeAndTheNextOneHasTwoMinutes() {
        begin(watch);
        watch.onTaskStart(new SparkListenerTaskStart(0, 0, task()));
        now.addAndGet(10 * PATIENCE);
        assertThat(watch.isOverdue()).isFalse();
        watch.onTaskEnd(new SparkListenerTaskEnd(0, 0, "", null, task(), null, null));
        now.addAndGet(PATIENCE);
        assertThat(watch.isOverdue()).isFalse();
        now.incrementAndGet();
        assertThat(watch.isOverdue()).isTrue();
    }

    @Test
    void aJobThatHasEndedIsNotOverdue() {
        begin(watch);
        watch.onJobEnd(new SparkListenerJobEnd(1, 0, null));
        now.addAndGet(10 * PATIENCE);
        assertThat(watch.isOverdue()).isFalse();
    }

    /** The worker of the same executor knows its exit code only. */
    @Test
    void theReasonOfAnExecutorCountsMoreThanThatOfItsWorker() {
        for (String reason :
                List.of("Command exited with code 1", "Unable to create executor due to x", "Worker lost")) {
            watch.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "0", reason));
        }
        assertThat(watch.loss()).isEqualTo("Unable to create executor due to x");
        assertThat(losses).containsExactly("Command exited with code 1", "Unable to create executor due to x");
    }
}
