package dev.blobmark.lab.fork;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.study.Trial;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/**
 * The heap of a measuring JVM. Its size is fixed, so that growth does not affect results, and all pages are touched
 * before anything is measured. Otherwise each 4 KB of garbage costs a page fault until all of the heap has been used
 * once. On a machine whose memory had not been in use since it was started, a fetch of 1 MB then took 6 ms of the
 * client instead of 0.12 ms.
 *
 * @param megabytes 256 to 1,024
 */
public record Heap(int megabytes) {

    private static final int MAX = 1_024;
    private static final int MIN = 256;

    /**
     * All JVMs of a fork together take at most one part in this many of the machine's memory, unless the minimum is
     * more.
     */
    private static final int PART = 4;

    /**
     * For a fork that measures these trials, by the memory of the machine or its container. It depends on nothing that
     * changes between runs.
     */
    public static Heap of(Collection<Trial> trials) {
        return of(
                Processes.startedFor(trials),
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : Long.MAX_VALUE);
    }

    /**
     * For a number of JVMs that run at the same time.
     *
     * @param memory of the machine, in bytes
     */
    static Heap of(int jvms, long memory) {
        long each = memory / PART / Math.max(1, jvms) >> 20;
        return new Heap((int) Math.max(MIN, Math.min(MAX, each / MIN * MIN)));
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
