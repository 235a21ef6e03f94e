package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SparkDriverTest {

    @Test
    void aFailedTaskIsTheReason() {
        RuntimeException ofSpark =
                new RuntimeException("Job aborted: barrier task ResultTask(0, 1) finished unsuccessfully.\n"
                        + "java.net.UnknownHostException: h: Name or service not known\n\tat java.base/java.net.A.b(C.java:1)\n\n"
                        + "Driver stacktrace:");

        assertThat(SparkDriver.reason(ofSpark))
                .isEqualTo("RuntimeException: Job aborted: barrier task ResultTask(0, 1) finished unsuccessfully."
                        + " java.net.UnknownHostException: h: Name or service not known");
        assertThat(SparkDriver.reason(new RuntimeException("outer", new IllegalStateException("inner"))))
                .isEqualTo("RuntimeException: outer; IllegalStateException: inner");
        assertThat(SparkDriver.reason(new RuntimeException())).isEqualTo("RuntimeException: null");
    }

    @Test
    void anApplicationThatTheMasterDoesNotAcceptIsNamed() {
        assertThat(SparkDriver.notAccepted(
                        new IllegalStateException("SparkContext has been shutdown"), "spark://h:7077"))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .startsWith("the application was not accepted: the master spark://h:7077 has not answered"));
        // as the JVM words it
        assertThat(SparkDriver.notAccepted(
                        new NullPointerException(
                                "Cannot invoke \"org.apache.spark.SparkEnv.driverTmpDir()\" because the"
                                        + " return value of \"org.apache.spark.SparkEnv$.get()\" is null"),
                        "spark://h:7077"))
                .isPresent();
        assertThat(SparkDriver.notAccepted(new IllegalStateException("something else"), "spark://h:7077"))
                .isEmpty();
    }

    @Test
    void aFailedJobHasTheReasonOfTheExecutor() {
        AtomicLong now = new AtomicLong();
        ExecutorWatch watch = new ExecutorWatch(now::get, loss -> {});
        RuntimeException cancelled = new RuntimeException("Job 0 cancelled");
        assertThat(SparkDriver.ofJob(cancelled, watch)).isEqualTo("RuntimeException: Job 0 cancelled");
        watch.lost("Unable to create executor due to others may write\n\tat a.b.C");
        assertThat(SparkDriver.ofJob(cancelled, watch))
                .isEqualTo("RuntimeException: Job 0 cancelled; an executor has ended:"
                        + " Unable to create executor due to others may write");
        assertThat(SparkDriver.ofJob(
                        new IllegalStateException("Cannot call methods on a stopped SparkContext."), watch))
                .startsWith("the master has ended the application");
        ExecutorWatchTest.begin(watch);
        now.set(ExecutorWatch.PATIENCE_NANOS + 1);
        assertThat(SparkDriver.ofJob(cancelled, watch))
                .startsWith("no executor has worked for 120 s")
                .endsWith("others may write");
    }
}
