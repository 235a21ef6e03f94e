package dev.blobmark.lab.plan;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.machine.Need;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Trial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run, or the rest of a resumed run, will do and need. Forks that are added for precision are included as far as
 * it is known that they are needed.
 *
 * @param trials in the order of the study
 * @param blocks number of blocks that must be loaded
 * @param samples number of samples
 * @param preparing starting the server, encoding, loading and reading back, in each pass
 * @param measuring warm-ups and windows of all rounds
 * @param diskBytes approximate size of the tables of the largest block
 * @param workingSetBytes stored bytes of the largest table
 * @param bufferPoolBytes largest buffer pool of a server that is started
 * @param connections most connections that are open at the same time: those of a trial, and two for the run itself
 * @param ddl the statements that create the tables
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
        int connections,
        List<String> ddl) {

    /** Heap of the parent. */
    private static final long PARENT_BYTES = 1L << 30;

    /** Mostly redo log. */
    public static final long EMPTY_SERVER_BYTES = 1L << 30;

    public Duration total() {
        return preparing.plus(measuring);
    }

    /**
     * The most that a run needs: memory for the buffer pool, this JVM and a measuring one; disk space for the tables of
     * a block, encoded values of about the same size, and an empty server.
     *
     * @param study name of the study
     */
    public Need need(String study) {
        Heap heap = Heap.of(trials);
        return new Need(
                study,
                bufferPoolBytes + PARENT_BYTES + heap.bytes(),
                2 * diskBytes + EMPTY_SERVER_BYTES,
                workingSetBytes);
    }

    public static Estimate of(
            List<Trial> trials,
            List<Block> blocks,
            ForkSchedule forkSchedule,
            Schedule schedule,
            CostModel costs,
            Path values,
            String schema) {
        boolean inPasses = Block.needPasses(blocks);
        double preparing = inPasses ? 0 : CostModel.SERVER_START_SECONDS;
        long bufferPool = blocks.stream()
                .mapToLong(block -> block.environment().bufferPoolBytes())
                .max()
                .orElse(Environment.DEFAULT_POOL_BYTES);
        int roundsOfFork = schedule.roundsOf(0).size();
        double measuring = 0;
        double scheduled = 0;
        double disk = 0;
        double workingSet = 0;
        int toLoad = 0;
        long samples = 0;
        List<String> ddl = new ArrayList<>();
        for (Block block : blocks) {
            ForkSchedule.Remaining remaining = forkSchedule.remaining(block);
            if (remaining.rounds().isEmpty()) {
                continue;
            }
            toLoad++;
            samples += remaining.samples();
            Block rest = block.only(remaining.rounds().keySet());
            double blockDisk = 0;
            for (Encoding encoding : rest.encodings()) {
                preparing += costs.encoding(encoding, values);
            }
            int loads = inPasses ? remaining.forks() : 1;
            preparing += inPasses ? loads * CostModel.SERVER_START_SECONDS : 0;
            List<StoreDesign> shared = rest.sharedStores();
            // tables of trials that write exist one at a time, or all of a group of visited trials at once
            double ownDisk = VisitGroups.of(schedule, rest.trials()).stream()
                    .mapToDouble(group -> group.stream()
                            .filter(StoreDesign::isOwnedBy)
                            .mapToDouble(trial -> costs.diskBytes(StoreDesign.of(trial)))
                            .sum())
                    .max()
                    .orElse(0);
            for (StoreDesign store : rest.usedStores()) {
                if (shared.contains(store)) {
                    preparing += loads * costs.loading(store);
                    blockDisk += costs.diskBytes(store);
                } else {
                    ownDisk = Math.max(ownDisk, costs.diskBytes(store));
                }
                workingSet = Math.max(workingSet, costs.storedBytes(store));
                ddl.add(block.ddl(schema, store));
            }
            disk = Math.max(disk, blockDisk + ownDisk);
            double fork = CostModel.FORK_SECONDS * Processes.startedFor(rest.trials());
            measuring += fork * remaining.forks();
            scheduled += fork * Math.min(remaining.forks(), schedule.forks());
            Map<Trial, Integer> visits = forkSchedule.visits(block, 0);
            for (var trial : remaining.rounds().entrySet()) {
                double each = costs.measuring(trial.getKey(), visits.getOrDefault(trial.getKey(), 1), roundsOfFork)
                        / roundsOfFork;
                measuring += each * trial.getValue();
                scheduled += each * Math.min(trial.getValue(), schedule.rounds());
            }
        }
        double budget = schedule.budget().map(time -> time.toMillis() / 1e3).orElse(measuring);
        return new Estimate(
                trials,
                toLoad,
                samples,
                seconds(preparing),
                seconds(Math.min(measuring, Math.max(scheduled, budget))),
                (long) disk,
                (long) workingSet,
                bufferPool,
                connections(schedule, blocks, forkSchedule, 1).get(0) + TrialConnections.OF_RUN,
                ddl);
    }

    /**
     * The most connections that a trial, or a group of visited trials, has open at the same time.
     *
     * @param servers number of servers that workers connect to
     * @return connections to each server
     */
    public static List<Integer> connections(
            Schedule schedule, List<Block> blocks, ForkSchedule forkSchedule, int servers) {
        int[] most = new int[servers];
        for (Block block : blocks) {
            Set<Trial> remaining = forkSchedule.remaining(block).rounds().keySet();
            for (Trial trial : remaining) {
                raise(most, opened(List.of(trial), servers));
            }
            for (List<Trial> group : VisitGroups.of(schedule, remaining)) {
                raise(most, opened(group, servers));
            }
        }
        return Arrays.stream(most).boxed().toList();
    }

    private static void raise(int[] most, int[] opened) {
        Arrays.setAll(most, server -> Math.max(most[server], opened[server]));
    }

    /** Connections of trials that are open at the same time, to each server. */
    private static int[] opened(List<Trial> trials, int servers) {
        int[] opened = new int[servers];
        for (Trial trial : trials) {
            if (StoreDesign.isUsedBy(trial) && trial.design().get(StoreKinds.FACTOR) == StoreKinds.MYSQL) {
                int[] ofTrial = TrialConnections.of(trial.design(), servers);
                Arrays.setAll(opened, server -> opened[server] + ofTrial[server]);
            }
        }
        return opened;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
