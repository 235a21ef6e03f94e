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
 * Which trials stay open and are visited in turns, and which of them at the same time.
 *
 * <p>A trial can be visited where one of its windows leaves nothing behind that the next one would see, and where it can be kept open beside
 * others: it reads or updates rows that are there and fit the buffer pool, in a closed loop, from one process, and an operation is short. All methods of a condition are visited, or none is.
 *
 * <p>Trials that write and trials that only read are never open at the same time, since the server goes on writing after a visit.
 */
public final class VisitGroups {

    /** Workers that are there at the same time, each with a connection, of several conditions. */
    static final int MOST_WORKERS = 64;

    /** The same of a condition alone, as its methods are not parted: two thirds of what servers take by default. */
    static final int MOST_OF_CONDITION = 100;

    /** Of a table that is scanned: longer ones would take all of a visit, and more. */
    private static final long MOST_SCANNED_BYTES = 64 << 20;

    private VisitGroups() {}

    /** Groups of trials that are open at the same time, whole conditions each; a trial that is in none has whole windows. */
    public static List<List<Trial>> of(Schedule schedule, Collection<Trial> trials) {
        if (schedule.visits().isEmpty()) {
            return List.of();
        }
        Map<Levels, List<Trial>> byCondition = trials.stream()
                .collect(Collectors.groupingBy(Trial::condition, LinkedHashMap::new, Collectors.toList()));
        List<List<Trial>> visited = byCondition.values().stream()
                .filter(condition -> workers(condition) <= MOST_OF_CONDITION
                        && condition.stream().allMatch(trial -> staysOpen(schedule, trial.design())))
                .toList();
        Map<Boolean, List<List<Trial>>> byWriting =
                visited.stream().collect(Collectors.partitioningBy(VisitGroups::writes));
        return Stream.of(byWriting.get(false), byWriting.get(true))
                .flatMap(conditions -> groups(conditions).stream())
                .toList();
    }

    private static boolean writes(List<Trial> condition) {
        return condition.get(0).design().get(Workload.FACTOR).start() != Workload.Start.SHARED;
    }

    private static int workers(List<Trial> trials) {
        return trials.stream()
                .mapToInt(trial -> trial.design().get(Threads.FACTOR))
                .sum();
    }

    private static List<List<Trial>> groups(List<List<Trial>> conditions) {
        List<List<Trial>> groups = new ArrayList<>();
        int room = 0;
        for (List<Trial> condition : conditions) {
            int workers = workers(condition);
            if (workers > room) {
                groups.add(new ArrayList<>());
                room = MOST_WORKERS;
            }
            groups.get(groups.size() - 1).addAll(condition);
            room -= workers;
        }
        return groups;
    }

    /** Application bytes; unknown, and so taken for many, where the study does not say of how many rows. */
    private static long scannedBytes(Design design) {
        return design.get(Datasets.FACTOR).hasSize() && design.get(Rows.FACTOR).isPresent()
                ? (long) design.get(Size.FACTOR).bytes()
                        * design.get(Rows.FACTOR).orElseThrow()
                : Long.MAX_VALUE;
    }

    private static boolean staysOpen(Schedule schedule, Design design) {
        Workload workload = design.get(Workload.FACTOR);
        return workload.start() != Workload.Start.EMPTY
                && !workload.typesApart()
                && !(workload.readsAll() && scannedBytes(design) > MOST_SCANNED_BYTES)
                && workload.window(design, schedule.window(), Integer.MAX_VALUE) instanceof Window.Time
                && design.get(Load.FACTOR) instanceof Load.Closed
                && design.get(Processes.FACTOR) == 1
                && design.get(Pool.FACTOR) != Pool.COLD
                && design.get(WorkingSet.FACTOR).ratio().isEmpty();
    }
}
