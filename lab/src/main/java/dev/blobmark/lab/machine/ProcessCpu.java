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
 * <p>What the system tells of a process has threads in it that have ended, but on Linux a grain of two clock ticks: a tenth of what
 * a window of a fifth of a second takes. What it tells of threads, in {@code /proc/PID/task/TID/schedstat}, is in nanoseconds, but
 * gone with a thread. So the sum over the threads counts where the other bears it out, and else the other.
 *
 * @param nanos of all threads there have ever been, in clock ticks
 * @param threadNanos of each that lives, by its number; empty where the system does not tell
 */
public record ProcessCpu(long nanos, Map<String, Long> threadNanos) {

    /** User and kernel time are cut to a tick of 10 ms each; see {@code sysconf(_SC_CLK_TCK)}, 100 on all Linux platforms of today. */
    static final long GRAIN_NANOS = Duration.ofMillis(20).toNanos();

    public ProcessCpu {
        threadNanos = Map.copyOf(threadNanos);
    }

    /** What a process has used until now; empty if it has ended, or the system does not tell. */
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
            return Map.of(); // no Linux, or a thread that has just ended
        }
        return nanos;
    }

    /** CPU time from then to now. */
    public long nanosSince(ProcessCpu then) {
        long byProcess = nanos - then.nanos;
        if (threadNanos.isEmpty() || then.threadNanos.isEmpty()) {
            return byProcess;
        }
        long byThreads = threadNanos.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - then.threadNanos.getOrDefault(thread.getKey(), 0L))
                .sum();
        return Math.abs(byThreads - byProcess) <= GRAIN_NANOS ? byThreads : byProcess;
    }
}
