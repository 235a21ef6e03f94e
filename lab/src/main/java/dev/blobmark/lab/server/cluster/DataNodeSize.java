package dev.blobmark.lab.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The share of a machine that each of two data nodes uses.
 *
 * @param parameters for the group {@code [ndbd default]} of a cluster's configuration; names in any case
 */
record DataNodeSize(SortedMap<String, String> parameters) {

    /** Data nodes of a cluster, one for each replica. */
    static final int NODES = 2;

    private static final long MIB = 1L << 20;

    private static final String DATA_MEMORY = "DataMemory";
    private static final String SEND_BUFFERS = "TotalSendBufferMemory";
    private static final String THREADS = "MaxNoOfExecutionThreads";
    private static final String REDO_PARTS = "NoOfFragmentLogParts";
    private static final String REDO_FILES = "NoOfFragmentLogFiles";
    private static final String REDO_FILE_BYTES = "FragmentLogFileSize";

    /** Parameters that decide about threads in another way. A cluster does not accept them all at once. */
    private static final List<String> OTHER_THREADS = List.of("ThreadConfig", "AutomaticThreadConfig", "NumCPUs");

    /** Memory of a data node in addition to rows and send buffers: other buffers, redo and undo, memory of threads. */
    private static final long OTHER_RESIDENT_BYTES = 784 * MIB;

    private static final long PART_FILE_BYTES = 64 * MIB;
    private static final int PARTS = 4;
    private static final long MIN_DATA_BYTES = 256 * MIB;
    private static final long MAX_DATA_BYTES = 1024 * MIB;
    private static final int MAX_THREADS = 8;

    /** The published study had 128 MB. */
    private static final long MAX_SEND_BYTES = 128 * MIB;

    private static final long MIN_SEND_BYTES = 16 * MIB;

    /** Of an SQL node. Otherwise it would have the limit of a connection for each data node. */
    private static final long SQL_NODE_SEND_BYTES = 32 * MIB;

    /** Fewer files fill up before the first checkpoint ("REDO log files overloaded"). */
    private static final int MIN_REDO_FILES = 4;

    private static final int MAX_REDO_FILES = 16;

    DataNodeSize {
        SortedMap<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        copy.putAll(parameters);
        parameters = Collections.unmodifiableSortedMap(copy);
    }

    /**
     * Together the nodes use at most a quarter of the disk for redo logs, but at least the minimum.
     *
     * @param given instead of what the machine suggests
     * @throws ServerException if they would use more than three quarters of the memory
     */
    static DataNodeSize of(long memoryBytes, int cores, long diskBytes, DataNodeParameters given) {
        long data = Math.min(MAX_DATA_BYTES, Math.max(MIN_DATA_BYTES, memoryBytes / 16 / (32 * MIB) * (32 * MIB)));
        long files = diskBytes / 4 / (NODES * PARTS * PART_FILE_BYTES);
        SortedMap<String, String> parameters = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        parameters.put("NoOfReplicas", "" + NODES);
        parameters.put(DATA_MEMORY, "" + data);
        if (OTHER_THREADS.stream().noneMatch(given.byName()::containsKey)) {
            parameters.put(THREADS, "" + Math.min(MAX_THREADS, Math.max(2, cores / NODES)));
        }
        parameters.put(REDO_PARTS, "" + PARTS);
        parameters.put(REDO_FILE_BYTES, "" + PART_FILE_BYTES);
        parameters.put(REDO_FILES, "" + Math.max(MIN_REDO_FILES, Math.min(MAX_REDO_FILES, files)));
        parameters.put("RedoBuffer", "" + 64 * MIB);
        parameters.put("SharedGlobalMemory", "" + 64 * MIB);
        parameters.put("TransactionMemory", "" + 64 * MIB);
        parameters.put(
                SEND_BUFFERS, "" + Math.min(MAX_SEND_BYTES, Math.max(MIN_SEND_BYTES, memoryBytes / 128 / MIB * MIB)));
        parameters.putAll(given.byName());
        DataNodeSize size = new DataNodeSize(parameters);
        if (size.residentBytes() > memoryBytes * 3 / 4) {
            throw new ServerException(String.format(
                    Locale.ROOT,
                    "two data nodes need at least %.1f GB of memory, and this machine has %.1f GB in all. Use a larger"
                            + " machine, or name an SQL node of a running cluster%s.",
                    size.residentBytes() / 1e9,
                    memoryBytes / 1e9,
                    given.byName().isEmpty() ? "" : ", or lower the values in " + given.place()));
        }
        return size;
    }

    static DataNodeSize ofThisMachine(Path directory, DataNodeParameters given) throws IOException {
        return of(
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize(),
                Runtime.getRuntime().availableProcessors(),
                Files.getFileStore(directory).getUsableSpace(),
                given);
    }

    private long number(String name) {
        return DataNodeParameters.number(parameters.get(name)).orElse(0);
    }

    /** Memory of both nodes. */
    long residentBytes() {
        return NODES * (number(DATA_MEMORY) + number(SEND_BUFFERS) + OTHER_RESIDENT_BYTES);
    }

    /**
     * Lines of a cluster's configuration. A single connection may fill all send buffers of its node: NDB's own limit of
     * 2 MB is error 1218 with 64 threads and values of 448 KB (9.7.4), however large the buffers are.
     */
    List<String> configuration() {
        List<String> lines = new ArrayList<>(List.of("[ndbd default]"));
        parameters.forEach((name, value) -> lines.add(name + "=" + value));
        lines.addAll(List.of(
                "[mysqld default]",
                SEND_BUFFERS + "=" + SQL_NODE_SEND_BYTES,
                "[tcp default]",
                "SendBufferMemory=" + parameters.get(SEND_BUFFERS)));
        return lines;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "each with %d MiB for data, %d MiB of send buffers, %sa redo log of %d MiB; about %.1f GB of memory in all",
                number(DATA_MEMORY) / MIB,
                number(SEND_BUFFERS) / MIB,
                parameters.containsKey(THREADS) ? number(THREADS) + " threads and " : "and ",
                number(REDO_PARTS) * number(REDO_FILES) * number(REDO_FILE_BYTES) / MIB,
                residentBytes() / 1e9);
    }
}
