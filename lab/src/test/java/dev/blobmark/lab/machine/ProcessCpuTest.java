package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessCpuTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The JDK asks the system for the clock of its own process, which it cannot do for another's. */
    @Test
    void agreesWithWhatTheProcessItselfSees() {
        long pid = ProcessHandle.current().pid();
        long least = PROCESS.getProcessCpuTime();
        ProcessCpu before = ProcessCpu.of(pid).orElseThrow();
        long most = PROCESS.getProcessCpuTime();
        while (PROCESS.getProcessCpuTime() - most < 300 * MILLI) {
            // works
        }
        most = PROCESS.getProcessCpuTime() - most;
        ProcessCpu after = ProcessCpu.of(pid).orElseThrow();
        least = PROCESS.getProcessCpuTime() - least;

        assertThat(after.nanosSince(before))
                .isBetween(most - 2 * ProcessCpu.GRAIN_NANOS, least + 2 * ProcessCpu.GRAIN_NANOS);
    }

    @Test
    void countsNanosecondsOfThreadsWhereTicksBearThemOut() {
        ProcessCpu before = new ProcessCpu(100 * MILLI, Map.of("1", 60 * MILLI, "2", 30 * MILLI + 1));
        ProcessCpu after =
                new ProcessCpu(400 * MILLI, Map.of("1", 260 * MILLI, "2", 100 * MILLI + 8, "3", 20 * MILLI + 5));

        assertThat(after.nanosSince(before)).isEqualTo(290 * MILLI + 12);
    }

    @Test
    void countsTicksWhereAThreadTookItsNanosecondsWithIt() {
        ProcessCpu before = new ProcessCpu(100 * MILLI, Map.of("1", 60 * MILLI, "2", 30 * MILLI));
        ProcessCpu after = new ProcessCpu(400 * MILLI, Map.of("1", 260 * MILLI));

        assertThat(after.nanosSince(before)).isEqualTo(300 * MILLI);
    }

    @Test
    void countsTicksWhereTheSystemDoesNotTellOfThreads() {
        assertThat(new ProcessCpu(400 * MILLI, Map.of()).nanosSince(new ProcessCpu(100 * MILLI, Map.of())))
                .isEqualTo(300 * MILLI);
    }

    @Test
    void aProcessThatHasEndedTellsNothing() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();

        assertThat(ProcessCpu.of(process.pid())).isEmpty();
    }
}
