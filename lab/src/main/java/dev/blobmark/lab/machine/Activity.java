package dev.blobmark.lab.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The CPU time that was used between two readings of the counters.
 *
 * @param cores processors that were online
 * @param stolenCores CPU time, in processors, that the hypervisor gave to other guests while this machine wanted it
 * @param others the processes that used CPU time, busiest first, without this one and its descendants
 * @param unseenCores CPU time, in processors, that no visible process accounts for; negative values are noise
 * @param swappedPages pages written to or read from swap
 */
record Activity(int cores, double stolenCores, List<Busy> others, double unseenCores, long swappedPages) {

    /** Services of an idle machine use less. */
    private static final double NOTABLE_CORES = 0.03;

    private static final double DISTURBING_CORES = 0.1;

    /** Processes that start and end between two readings are not seen, and ticks are not attributed exactly. */
    private static final double UNSEEN_CORES = 0.3;

    /** Share of one core. A window of 200 ms has then lost 2 ms. */
    private static final double DISTURBING_STEAL = 0.01;

    private static final int SHOWN = 3;

    /** @param cores CPU time, in processors */
    record Busy(String command, long pid, double cores) {}

    Activity {
        others = others.stream()
                .sorted(Comparator.comparingDouble(Busy::cores).reversed())
                .toList();
    }

    /**
     * The counters at one time.
     *
     * @param ticks of all processors, in the ten columns of {@code /proc/stat}
     * @param own this process and its descendants
     */
    record Counters(int cores, long[] ticks, Map<Long, ProcessStat> processes, Set<Long> own, long swappedPages) {

        private static final int IDLE = 3;
        private static final int IO_WAIT = 4;
        private static final int STEAL = 7;

        /** Returns empty if the system has no such counters. */
        static Optional<Counters> read(SystemTree tree, long self) {
            Optional<String> cpu = tree.field("proc/stat", "cpu");
            if (cpu.isEmpty()) {
                return Optional.empty();
            }
            String[] columns = cpu.get().split("\\s+");
            long[] ticks = new long[STEAL + 1];
            for (int i = 0; i < Math.min(columns.length, ticks.length); i++) {
                ticks[i] = Long.parseLong(columns[i]);
            }
            Map<Long, ProcessStat> processes = new HashMap<>();
            for (String pid : tree.names("proc", "[0-9]*")) {
                ProcessStat.read(tree, pid).ifPresent(stat -> processes.put(Long.valueOf(pid), stat));
            }
            int cores = (int) tree.text("proc/stat").stream()
                    .flatMap(String::lines)
                    .filter(line -> line.matches("cpu\\d+ .*"))
                    .count();
            return Optional.of(new Counters(
                    cores,
                    ticks,
                    processes,
                    family(processes, self),
                    tree.numberField("proc/vmstat", "pswpin").orElse(0)
                            + tree.numberField("proc/vmstat", "pswpout").orElse(0)));
        }

        private static Set<Long> family(Map<Long, ProcessStat> processes, long self) {
            Set<Long> family = new HashSet<>(Set.of(self));
            boolean grown = true;
            while (grown) {
                grown = false;
                for (var process : processes.entrySet()) {
                    grown |= family.contains(process.getValue().parent()) && family.add(process.getKey());
                }
            }
            return family;
        }

        private long total() {
            long sum = 0;
            for (long column : ticks) {
                sum += column;
            }
            return sum;
        }

        private long used() {
            return total() - ticks[IDLE] - ticks[IO_WAIT] - ticks[STEAL];
        }
    }

    /** Empty if no tick has passed. */
    static Optional<Activity> between(Counters from, Counters to) {
        double ticksPerCore = (double) (to.total() - from.total()) / to.cores;
        if (ticksPerCore <= 0) {
            return Optional.empty();
        }
        Set<Long> own = new HashSet<>(from.own);
        own.addAll(to.own);
        List<Busy> others = new ArrayList<>();
        long seen = 0;
        for (var process : to.processes.entrySet()) {
            ProcessStat now = process.getValue();
            ProcessStat before = from.processes.get(process.getKey());
            // the process id may have been reused
            long ticks = now.ticks() - (before != null && before.started() == now.started() ? before.ticks() : 0);
            seen += ticks;
            if (ticks > 0 && !own.contains(process.getKey())) {
                others.add(new Busy(now.command(), process.getKey(), ticks / ticksPerCore));
            }
        }
        return Optional.of(new Activity(
                to.cores,
                (to.ticks[Counters.STEAL] - from.ticks[Counters.STEAL]) / ticksPerCore,
                others,
                (to.used() - from.used() - seen) / ticksPerCore,
                to.swappedPages - from.swappedPages));
    }

    /** CPU time of other processes, in processors, seen and unseen. */
    double othersCores() {
        return others.stream().mapToDouble(Busy::cores).sum() + (unseenCores > UNSEEN_CORES ? unseenCores : 0);
    }

    /** @param seen the activity of about a second; empty if the system has no counters */
    static List<Finding> findings(Optional<Activity> seen) {
        return seen.map(activity -> List.of(activity.steal(), activity.otherLoad(), activity.swapping()))
                .orElseGet(() -> Stream.of("steal", "other load", "swapping")
                        .map(what -> Finding.unknown(what, SystemTree.NOT_LINUX))
                        .toList());
    }

    Finding steal() {
        String observed = String.format(Locale.ROOT, "%.1f %% of the processors' time", 100 * stolenCores / cores);
        return stolenCores <= DISTURBING_STEAL * cores
                ? Finding.ok("steal", observed)
                : Finding.warning(
                        "steal",
                        observed,
                        "The host of this virtual machine runs other guests on its cores: operations stop for milliseconds.",
                        "Use a machine with cores of its own, or more rounds (--rounds) at another time of day.");
    }

    Finding otherLoad() {
        double used = othersCores();
        Map<String, DoubleSummaryStatistics> byName = others.stream()
                .collect(Collectors.groupingBy(Busy::command, TreeMap::new, Collectors.summarizingDouble(Busy::cores)));
        String who = byName.entrySet().stream()
                .sorted(Comparator.comparingDouble(entry -> -entry.getValue().getSum()))
                .limit(SHOWN)
                .filter(entry -> entry.getValue().getSum() >= 0.005)
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%s%s %.2f",
                        entry.getValue().getCount() > 1 ? entry.getValue().getCount() + " × " : "",
                        entry.getKey(),
                        entry.getValue().getSum()))
                .collect(Collectors.joining(", "));
        if (unseenCores > UNSEEN_CORES) {
            who += (who.isEmpty() ? "" : ", ") + String.format(Locale.ROOT, "not visible from here %.2f", unseenCores);
        }
        String observed = String.format(
                Locale.ROOT,
                "%.2f of %d cores%s",
                used,
                cores,
                who.isEmpty() || used < NOTABLE_CORES ? "" : ": " + who);
        if (used < NOTABLE_CORES) {
            return Finding.ok("other load", observed);
        }
        String why = "Other programs take CPU time and cache from some rounds and not from others.";
        return used < DISTURBING_CORES
                ? Finding.note("other load", observed, why, "")
                : Finding.warning("other load", observed, why, "End these programs, or wait until they have ended.");
    }

    Finding swapping() {
        return swappedPages == 0
                ? Finding.ok("swapping", "no page moved")
                : Finding.warning(
                        "swapping",
                        swappedPages + " pages moved in a second",
                        "An operation may wait while memory is read back from disk.",
                        "End programs that use much memory.");
    }
}
