package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;

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
}
