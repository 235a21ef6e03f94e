package dev.blobmark.lab.plan;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Threads;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/**
 * The heap of a measuring JVM. Its size is fixed, so that growth does not affect results, and all pages are touched
 * before anything is measured. Otherwise each 4 KB of garbage costs a page fault until all of the heap has been used
 * once. On a machine whose memory had not been in use since it was started, a fetch of 1 MB then took 6 ms of the
 * client instead of 0.12 ms.
 *
 * @param megabytes 256 or more: 1,024, unless the machine has less or the threads need more
 */
public record Heap(int megabytes) {

    private static final int USUAL = 1_024;
    private static final int MIN = 256;

    /**
     * All JVMs of a fork together take at most one part in this many of the machine's memory, unless the minimum is
     * more.
     */
    private static final int PART = 4;

    /** Copies of a value that a thread may hold: its own, the encoded one, the driver's buffers, and garbage. */
    private static final int COPIES = 8;

    /**
     * For a fork that measures these trials, by what their threads hold, and the memory of the machine or its
     * container. It depends on nothing that changes between runs.
     */
    public static Heap of(Collection<Trial> trials) {
        return of(
                Processes.startedFor(trials),
                trials.stream().mapToLong(Heap::held).max().orElse(0),
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : Long.MAX_VALUE);
    }

    /** The bytes that the threads of a JVM hold at once. */
    private static long held(Trial trial) {
        int processes = trial.design().get(Processes.FACTOR);
        long threads = (trial.design().get(Threads.FACTOR) + processes - 1) / processes;
        return threads * ValuesSource.of(trial.design()).size() * COPIES;
    }

    /**
     * For a number of JVMs that run at the same time.
     *
     * @param held bytes that the threads of one hold at once
     * @param memory of the machine, in bytes
     */
    static Heap of(int jvms, long held, long memory) {
        long most = (memory / PART / Math.max(1, jvms) >> 20) / MIN * MIN;
        long wanted = Math.max(USUAL, ((held >> 20) + MIN - 1) / MIN * MIN);
        return new Heap((int) Math.max(MIN, Math.min(wanted, most)));
    }

    public long bytes() {
        return (long) megabytes << 20;
    }

    /**
     * Flags for the JVM. They also make the choice of the garbage collector independent of pinning: with one processor,
     * a JVM would choose the serial one.
     */
    public List<String> flags() {
        return List.of(
                "-Xms" + megabytes + "m",
                "-Xmx" + megabytes + "m",
                "-XX:+AlwaysPreTouch",
                "-XX:+AlwaysActAsServerClassMachine");
    }
}
