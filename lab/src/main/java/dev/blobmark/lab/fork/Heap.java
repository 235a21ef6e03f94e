package dev.blobmark.lab.fork;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.plan.Processes;
import dev.blobmark.lab.study.Trial;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/**
 * The heap of a measuring JVM. It is fixed, so that its growth is no part of a result; and all of it is touched before anything is measured. A heap that
 * is not costs a page fault for each 4 KB of garbage until it has gone round once: on a machine whose memory has not been in use since it was
 * started, a fetch of 1 MB took 6 ms of the client in such windows, and 0.12 ms in others.
 *
 * @param megabytes 256 to 1,024
 */
public record Heap(int megabytes) {

    private static final int MOST = 1_024;
    private static final int LEAST = 256;

    /** All JVMs of a fork together take no more than this part of the machine's memory, where that leaves each the least. */
    private static final int PART = 4;

    /** For a fork that measures these trials on this machine, or in its container. It depends on nothing that changes from run to run. */
    public static Heap of(Collection<Trial> trials) {
        return of(
                Processes.startedFor(trials),
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : Long.MAX_VALUE);
    }

    /**
     * For so many JVMs at a time.
     *
     * @param memory of the machine, in bytes
     */
    static Heap of(int jvms, long memory) {
        long each = memory / PART / Math.max(1, jvms) >> 20;
        return new Heap((int) Math.max(LEAST, Math.min(MOST, each / LEAST * LEAST)));
    }

    /** Of the JVM. Its collector is not to depend on how many processors it is held to: on one, a JVM would take the serial one. */
    public List<String> flags() {
        return List.of(
                "-Xms" + megabytes + "m",
                "-Xmx" + megabytes + "m",
                "-XX:+AlwaysPreTouch",
                "-XX:+AlwaysActAsServerClassMachine");
    }
}
