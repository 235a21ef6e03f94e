package dev.blobmark.lab.link;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.blobmark.lab.machine.ControlGroups;
import dev.blobmark.lab.machine.SystemTree;
import java.lang.management.ManagementFactory;

/**
 * How many connections a {@link LinkProxy} serves at once, by the memory they need. Their buffers never take more than
 * two thirds of the heap: each connection has its minimum reserved, and the rest is lent to connections whose buffers
 * must grow. Each connection also takes two threads, two open files, and up to 192 KB outside the heap, where the JDK
 * copies what sockets read and write.
 *
 * @param connections at least 1
 * @param growthBytes heap that the buffers of all connections together may take beyond the reserved part
 */
public record ConnectionLimit(int connections, long growthBytes) {

    /** Two thirds: the size of the old generation of the serial collector, which the launcher uses. */
    private static final double HEAP_SHARE = 2.0 / 3;

    /** Sockets, streams and threads of a connection. Measured as 5 KB on JDK 17. */
    private static final int OBJECT_BYTES = 8 << 10;

    /** Files and threads left for the rest of the process. */
    private static final int RESERVE = 64;

    private static final int THREADS_OR_FILES = 2;

    public ConnectionLimit {
        if (connections < 1 || growthBytes < 0) {
            throw new IllegalArgumentException(
                    "connections: " + connections + ", growth: " + growthBytes + " bytes; at least 1 and 0 are needed");
        }
    }

    /** The default: half of the buffers' share of the heap is reserved, half is for growth. */
    public static ConnectionLimit of(Link link) {
        return of(link, Math.max(1, Math.min(byHeap(link) / 2, byFilesAndThreads())));
    }

    /**
     * The number that a user asks for.
     *
     * @throws IllegalArgumentException if this process cannot serve that many; the message has the maximum
     */
    public static ConnectionLimit of(Link link, int connections) {
        int byHeap = byHeap(link);
        if (connections > byHeap) {
            throw new IllegalArgumentException(String.format(
                    "%d connections may need a heap of %d MB, and this process has %d MB; give at most %d, or a larger heap"
                            + " as in BLOBMARK_OPTS=-Xmx4g",
                    connections,
                    megabytes(connections * reservedBytes(link) / HEAP_SHARE) + 1,
                    megabytes(Runtime.getRuntime().maxMemory()),
                    byHeap));
        }
        int byFilesAndThreads = byFilesAndThreads();
        if (connections < 1 || connections > byFilesAndThreads) {
            throw new IllegalArgumentException(
                    connections
                            + " connections are not between 1 and the " + byFilesAndThreads
                            + " for which this process may open files (ulimit -n) and start threads (pids.max of its control group), two each");
        }
        return new ConnectionLimit(connections, heapBytes() - connections * reservedBytes(link));
    }

    private static int byHeap(Link link) {
        return (int) Math.max(1, heapBytes() / reservedBytes(link));
    }

    private static long heapBytes() {
        return (long) (HEAP_SHARE * Runtime.getRuntime().maxMemory());
    }

    private static long reservedBytes(Link link) {
        return OBJECT_BYTES + 2L * LinkProxy.MAX_BUFFER + (link.isEmulated() ? LinkedInput.MIN_BYTES : 0);
    }

    private static int byFilesAndThreads() {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount()
                : Integer.MAX_VALUE;
        long threads = new ControlGroups(SystemTree.HERE).freeThreads().orElse(Integer.MAX_VALUE);
        return (int) Math.max(1, (Math.min(files, threads) - RESERVE) / THREADS_OR_FILES);
    }

    private static long megabytes(double bytes) {
        return (long) bytes >> 20;
    }
}
