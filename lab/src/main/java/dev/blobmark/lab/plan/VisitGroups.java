package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.environment.WorkingSet;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.lab.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which trials are measured in visits, and which of them are open at the same time.
 *
 * <p>A trial can be visited if a window has no effect on the next one, and if the trial can stay open while others are
 * measured: it reads or updates existing rows that fit the buffer pool, in a closed loop and from one process, with
 * short operations. Either all methods of a condition are visited, or none.
 *
 * <p>Trials that write and trials that only read are never open at the same time, because the server continues to write
 * after a visit.
 */
public final class VisitGroups {

    /** Limit of the workers of a group of several conditions. Each worker has a connection. */
    static final int MAX_WORKERS = 64;

    /** Limit of the workers of a single condition: two thirds of the connections that servers accept by default. */
    static final int MAX_WORKERS_OF_CONDITION = 100;

    /** Limit of a table that is scanned. A scan of a larger table would take longer than a visit. */
    private static final long MAX_SCANNED_BYTES = 64 << 20;

    private VisitGroups() {}

    /**
     * Groups of trials that are open at the same time. A group has complete conditions. A trial that is in no group has
     * windows in one piece.
     */
    public static List<List<Trial>> of(Schedule schedule, Collection<Trial> trials) {
        if (schedule.visits().isEmpty()) {
            return List.of();
        }
        Map<Levels, List<Trial>> byCondition = trials.stream()
                .collect(Collectors.groupingBy(Trial::condition, LinkedHashMap::new, Collectors.toList()));
        List<List<Trial>> visited = byCondition.values().stream()
                .filter(condition -> workers(condition) <= MAX_WORKERS_OF_CONDITION
                        && condition.stream().allMatch(trial -> staysOpen(schedule, trial.design())))
                .toList();
        Map<Boolean, List<List<Trial>>> byWriting =
                visited.stream().collect(Collectors.partitioningBy(VisitGroups::writes));
        return Stream.of(byWriting.get(false), byWriting.get(true))
                .flatMap(conditions -> groups(conditions).stream())
                .toList();
    }

    private static boolean writes(List<Trial> condition) {
        return condition.get(0).design().get(Workload.FACTOR).start() != Workload.InitialTable.SHARED;
    }

    private static int workers(List<Trial> trials) {
        return trials.stream()
                .mapToInt(trial -> trial.design().get(Threads.FACTOR))
                .sum();
    }

    private static List<List<Trial>> groups(List<List<Trial>> conditions) {
        List<List<Trial>> groups = new ArrayList<>();
        int freeWorkers = 0;
        for (List<Trial> condition : conditions) {
            int workers = workers(condition);
            if (workers > freeWorkers) {
                groups.add(new ArrayList<>());
                freeWorkers = MAX_WORKERS;
            }
            groups.get(groups.size() - 1).addAll(condition);
            freeWorkers -= workers;
        }
        return groups;
    }

    /** Application bytes of a table; the largest number if the study does not state size and rows. */
    private static long scannedBytes(Design design) {
        return design.get(Datasets.FACTOR).hasSize() && design.get(Rows.FACTOR).isPresent()
                ? (long) design.get(Size.FACTOR).bytes()
                        * design.get(Rows.FACTOR).orElseThrow()
                : Long.MAX_VALUE;
    }

    private static boolean staysOpen(Schedule schedule, Design design) {
        Workload workload = design.get(Workload.FACTOR);
        return workload.start() != Workload.InitialTable.EMPTY
                && !workload.timesTypesSeparately()
                && !(workload.readsAll() && scannedBytes(design) > MAX_SCANNED_BYTES)
                && workload.window(design, schedule.window(), Integer.MAX_VALUE) instanceof Window.Time
                && design.get(Load.FACTOR) instanceof Load.Closed
                && design.get(Processes.FACTOR) == 1
                && design.get(Pool.FACTOR) != Pool.COLD
                && design.get(WorkingSet.FACTOR).ratio().isEmpty();
    }
}
