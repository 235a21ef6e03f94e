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
 * What a run is going to do and to take; of one that goes on, what is left of it. Forks that are added for precision are
 * counted as far as they are certain.
 *
 * @param trials in the order in which the study names them
 * @param blocks number of blocks that have to be loaded
 * @param samples number of samples
 * @param preparing starting the server, encoding, loading and reading back; in each pass again where there are passes
 * @param measuring warm-ups and windows of all rounds
 * @param diskBytes of the tables of the largest block, about
 * @param workingSetBytes of the trial with the largest table, as stored
 * @param bufferPoolBytes of the server that will be started, of several the largest
 * @param connections that are open at once, at most: of the largest trial, and two of the run's own
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
        int connections,
        List<String> ddl) {

    /** The heap of the parent, and of a fork. */
    private static final long JVM_BYTES = 1L << 30;

    /** Mostly its redo log. */
    public static final long EMPTY_SERVER_BYTES = 1L << 30;

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

    public static Estimate of(
            List<Trial> trials,
            List<Block> blocks,
            ForkSchedule agenda,
            Schedule schedule,
            CostModel costs,
            Path values,
            String schema) {
        boolean inPasses = Block.needPasses(blocks);
        double preparing = inPasses ? 0 : CostModel.SERVER_START_SECONDS;
        long bufferPool = blocks.stream()
                .mapToLong(block -> block.environment().bufferPoolBytes())
                .max()
                .orElse(Environment.ROOMY_POOL_BYTES);
        int roundsOfFork = schedule.roundsOf(0).size();
        double measuring = 0;
        double scheduled = 0;
        double disk = 0;
        double workingSet = 0;
        int toLoad = 0;
        long samples = 0;
        List<String> ddl = new ArrayList<>();
        for (Block block : blocks) {
            ForkSchedule.Left left = agenda.left(block);
            if (left.rounds().isEmpty()) {
                continue;
            }
            toLoad++;
            samples += left.samples();
            Block rest = block.only(left.rounds().keySet());
            double blockDisk = 0;
            for (Encoding encoding : rest.encodings()) {
                preparing += costs.encoding(encoding, values);
            }
            int loads = inPasses ? left.forks() : 1;
            preparing += inPasses ? loads * CostModel.SERVER_START_SECONDS : 0;
            List<StoreDesign> shared = rest.shared();
            // of trials that write, whose tables are there one at a time, or those of a group that stays open
            double ownDisk = VisitGroups.of(schedule, rest.trials()).stream()
                    .mapToDouble(group -> group.stream()
                            .filter(StoreDesign::isOwnedBy)
                            .mapToDouble(trial -> costs.diskBytes(StoreDesign.of(trial)))
                            .sum())
                    .max()
                    .orElse(0);
            for (StoreDesign store : rest.used()) {
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
            measuring += fork * left.forks();
            scheduled += fork * Math.min(left.forks(), schedule.forks());
            Map<Trial, Integer> visits = agenda.visits(block, 0);
            for (var trial : left.rounds().entrySet()) {
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
                connections(schedule, blocks, agenda, 1).get(0) + TrialConnections.OF_RUN,
                ddl);
    }

    /**
     * Connections that a trial, or trials that are visited in turns, have open at once, at most.
     *
     * @param servers that workers enter by
     * @return of each server
     */
    public static List<Integer> connections(Schedule schedule, List<Block> blocks, ForkSchedule agenda, int servers) {
        int[] most = new int[servers];
        for (Block block : blocks) {
            Set<Trial> left = agenda.left(block).rounds().keySet();
            for (Trial trial : left) {
                atLeast(most, opened(List.of(trial), servers));
            }
            for (List<Trial> group : VisitGroups.of(schedule, left)) {
                atLeast(most, opened(group, servers));
            }
        }
        return Arrays.stream(most).boxed().toList();
    }

    private static void atLeast(int[] most, int[] opened) {
        Arrays.setAll(most, server -> Math.max(most[server], opened[server]));
    }

    /** Of trials that are open at the same time. */
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
