package dev.blobmark.lab.machine;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * CPU time that a process has used so far, in user and kernel mode.
 *
 * <p>Linux counts a process's CPU time, including that of ended threads, with a resolution of two clock ticks: a tenth
 * of what a window of a fifth of a second takes. The CPU time of threads, in {@code /proc/PID/task/TID/schedstat}, is
 * in nanoseconds, but is lost when a thread ends. So the sum over the threads is used if it agrees with the CPU time of
 * the process, and else the latter.
 *
 * @param nanos of all threads, including ended ones, with the resolution of clock ticks
 * @param threadNanos of each live thread, by its number; empty if the system does not report it
 */
public record ProcessCpu(long nanos, Map<String, Long> threadNanos) {

    /**
     * User and kernel time are each truncated to a tick of 10 ms; see {@code sysconf(_SC_CLK_TCK)}, 100 on all current
     * Linux platforms.
     */
    static final long GRAIN_NANOS = Duration.ofMillis(20).toNanos();

    public ProcessCpu {
        threadNanos = Map.copyOf(threadNanos);
    }

    /** CPU time that a process has used so far; empty if it has ended, or the system does not report it. */
    public static Optional<ProcessCpu> of(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(total -> new ProcessCpu(total.toNanos(), threads(pid)));
    }

    private static Map<String, Long> threads(long pid) {
        Map<String, Long> nanos = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads) {
                String schedstat = Files.readString(thread.resolve("schedstat"));
                nanos.put(
                        thread.getFileName().toString(),
                        Long.parseLong(schedstat.substring(0, schedstat.indexOf(' '))));
            }
        } catch (IOException | DirectoryIteratorException e) {
            return Map.of(); // not Linux, or the thread has ended
        }
        return nanos;
    }

    /** CPU time since an earlier reading. */
    public long nanosSince(ProcessCpu earlier) {
        long byProcess = nanos - earlier.nanos;
        if (threadNanos.isEmpty() || earlier.threadNanos.isEmpty()) {
            return byProcess;
        }
        long byThreads = threadNanos.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - earlier.threadNanos.getOrDefault(thread.getKey(), 0L))
                .sum();
        return Math.abs(byThreads - byProcess) <= GRAIN_NANOS ? byThreads : byProcess;
    }
}
