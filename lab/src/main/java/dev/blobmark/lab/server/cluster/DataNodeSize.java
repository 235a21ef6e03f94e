package dev.blobmark.lab.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.lab.server.ServerException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What each of two data nodes is given of a machine.
 *
 * @param dataMemoryBytes for rows, their indexes and parts
 * @param threads of execution
 * @param redoFiles of each of the four parts of the redo log
 */
record DataNodeSize(long dataMemoryBytes, int threads, int redoFiles) {

    /** Data nodes of a cluster, one for each replica. */
    static final int NODES = 2;

    private static final long MIB = 1L << 20;

    /** Of a data node, besides DataMemory: buffers, its redo and undo, and what a thread has. */
    private static final long RESIDENT_BESIDE_DATA = 800 * MIB;

    private static final long PART_FILE_BYTES = 64 * MIB;
    private static final int REDO_PARTS = 4;
    private static final long LEAST_DATA = 256 * MIB;
    private static final long MOST_DATA = 1024 * MIB;
    private static final int MOST_THREADS = 8;

    /** Fewer are full before their first checkpoint: "REDO log files overloaded". */
    private static final int LEAST_REDO_FILES = 4;

    private static final int MOST_REDO_FILES = 16;

    /** Both nodes may fill a quarter of the disk with their redo logs, and take less than three quarters of the memory. */
    static DataNodeSize of(long memoryBytes, int cores, long diskBytes) {
        long data = Math.min(MOST_DATA, Math.max(LEAST_DATA, memoryBytes / 16 / (32 * MIB) * (32 * MIB)));
        long files = diskBytes / 4 / (NODES * REDO_PARTS * PART_FILE_BYTES);
        DataNodeSize size = new DataNodeSize(data, Math.min(MOST_THREADS, Math.max(2, cores / NODES)), (int)
                Math.max(LEAST_REDO_FILES, Math.min(MOST_REDO_FILES, files)));
        if (size.residentBytes() > memoryBytes * 3 / 4) {
            throw new ServerException(String.format(
                    Locale.ROOT,
                    "two data nodes take %.1f GB of memory at least, and this machine has %.1f GB in all. Take a larger"
                            + " one, or name an SQL node of a cluster of yours.",
                    size.residentBytes() / 1e9,
                    memoryBytes / 1e9));
        }
        return size;
    }

    static DataNodeSize ofThisMachine(Path directory) throws IOException {
        return of(
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize(),
                Runtime.getRuntime().availableProcessors(),
                Files.getFileStore(directory).getUsableSpace());
    }

    /** Of both nodes. */
    long residentBytes() {
        return NODES * (dataMemoryBytes + RESIDENT_BESIDE_DATA);
    }

    /** Lines for the group {@code [ndbd default]} of a cluster's configuration. */
    List<String> configuration() {
        return List.of(
                "NoOfReplicas=" + NODES,
                "DataMemory=" + dataMemoryBytes,
                "MaxNoOfExecutionThreads=" + threads,
                "NoOfFragmentLogParts=" + REDO_PARTS,
                "FragmentLogFileSize=" + PART_FILE_BYTES,
                "NoOfFragmentLogFiles=" + redoFiles,
                "RedoBuffer=" + 64 * MIB,
                "SharedGlobalMemory=" + 64 * MIB,
                "TransactionMemory=" + 64 * MIB,
                "TotalSendBufferMemory=" + 16 * MIB);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "each with %d MiB for data, %d threads and a redo log of %d MiB; about %.1f GB of memory in all",
                dataMemoryBytes / MIB,
                threads,
                REDO_PARTS * redoFiles * PART_FILE_BYTES / MIB,
                residentBytes() / 1e9);
    }
}
