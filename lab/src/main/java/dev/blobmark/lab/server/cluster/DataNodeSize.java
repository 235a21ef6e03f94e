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
 * The share of a machine that each of two data nodes uses.
 *
 * @param dataMemoryBytes DataMemory, for rows, their indexes and parts
 * @param threads execution threads
 * @param redoFiles files of each of the four parts of the redo log
 */
record DataNodeSize(long dataMemoryBytes, int threads, int redoFiles) {

    /** Data nodes of a cluster, one for each replica. */
    static final int NODES = 2;

    private static final long MIB = 1L << 20;

    /** Memory of a data node in addition to DataMemory: buffers, redo and undo, memory of threads. */
    private static final long OTHER_RESIDENT_BYTES = 800 * MIB;

    private static final long PART_FILE_BYTES = 64 * MIB;
    private static final int REDO_PARTS = 4;
    private static final long MIN_DATA_BYTES = 256 * MIB;
    private static final long MAX_DATA_BYTES = 1024 * MIB;
    private static final int MAX_THREADS = 8;

    /** Fewer files fill up before the first checkpoint ("REDO log files overloaded"). */
    private static final int MIN_REDO_FILES = 4;

    private static final int MAX_REDO_FILES = 16;

    /**
     * Together the nodes use at most a quarter of the disk for redo logs, but at least the minimum.
     *
     * @throws ServerException if they would use more than three quarters of the memory
     */
    static DataNodeSize of(long memoryBytes, int cores, long diskBytes) {
        long data = Math.min(MAX_DATA_BYTES, Math.max(MIN_DATA_BYTES, memoryBytes / 16 / (32 * MIB) * (32 * MIB)));
        long files = diskBytes / 4 / (NODES * REDO_PARTS * PART_FILE_BYTES);
        DataNodeSize size = new DataNodeSize(data, Math.min(MAX_THREADS, Math.max(2, cores / NODES)), (int)
                Math.max(MIN_REDO_FILES, Math.min(MAX_REDO_FILES, files)));
        if (size.residentBytes() > memoryBytes * 3 / 4) {
            throw new ServerException(String.format(
                    Locale.ROOT,
                    "two data nodes need at least %.1f GB of memory, and this machine has %.1f GB in all. Use a larger"
                            + " machine, or name an SQL node of a running cluster.",
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

    /** Memory of both nodes. */
    long residentBytes() {
        return NODES * (dataMemoryBytes + OTHER_RESIDENT_BYTES);
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
