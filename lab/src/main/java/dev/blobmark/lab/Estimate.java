package dev.blobmark.lab;

import dev.blobmark.lab.engine.Processes;
import dev.blobmark.lab.machine.Need;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run is going to do and to take.
 *
 * @param trials in the order in which the study names them
 * @param blocks number of blocks
 * @param samples number of samples
 * @param preparing starting the server, encoding, loading and reading back
 * @param measuring warm-ups and windows of all rounds
 * @param diskBytes of the tables of the largest block, about
 * @param workingSetBytes of the trial with the largest table, as stored
 * @param bufferPoolBytes of the server that will be started
 * @param ddl the statements that make the tables
 */
public record Estimate(
        List<Trial> trials,
        int blocks,
        long samples,
        Duration preparing,
        Duration measuring,
        long diskBytes,
        long workingSetBytes,
        long bufferPoolBytes,
        List<String> ddl) {

    /** The heap of the parent, and of a fork. */
    private static final long JVM_BYTES = 1L << 30;

    /** Mostly its redo log. */
    private static final long EMPTY_SERVER_BYTES = 1L << 30;

    public Duration total() {
        return preparing.plus(measuring);
    }

    /**
     * What a run takes of the machine, at most: the buffer pool and two JVMs; on disk the tables of a block, the encoded values
     * of about their size, and an empty server.
     *
     * @param study its name
     */
    public Need need(String study) {
        return new Need(study, bufferPoolBytes + 2 * JVM_BYTES, 2 * diskBytes + EMPTY_SERVER_BYTES, workingSetBytes);
    }

    static Estimate of(List<Trial> trials, List<Block> blocks, Schedule schedule, Costs costs, Path values) {
        double preparing = Costs.SERVER_START_SECONDS;
        double measuring = 0;
        double disk = 0;
        double workingSet = 0;
        List<String> ddl = new ArrayList<>();
        for (Block block : blocks) {
            double blockDisk = 0;
            for (Block.Encoding encoding : block.encodings()) {
                preparing += costs.encoding(encoding, values);
            }
            for (Levels store : block.stores()) {
                preparing += costs.loading(store);
                blockDisk += costs.diskBytes(store);
                workingSet = Math.max(workingSet, costs.storedBytes(store));
                ddl.add(block.ddl(store));
            }
            disk = Math.max(disk, blockDisk);
            measuring += Costs.FORK_SECONDS * Processes.startedFor(block.trials()) * schedule.forks();
            for (Trial trial : block.trials()) {
                measuring += costs.measuring(trial) * schedule.rounds();
            }
        }
        return new Estimate(
                trials,
                blocks.size(),
                (long) trials.size() * schedule.rounds(),
                seconds(preparing),
                seconds(measuring),
                (long) disk,
                (long) workingSet,
                Laboratory.BUFFER_POOL_BYTES,
                ddl);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
