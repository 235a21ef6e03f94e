package dev.blobmark.lab.machine;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Checks this machine for causes of noisy or wrong figures. {@link #all} runs every check, for a user who asks.
 * {@link #beforeRun} runs those that are cheap and often find something.
 *
 * @param cache directory for tables and encoded values
 * @param runs directory for the run directory
 */
public record Checkup(SystemTree tree, Path cache, Path runs, Need need) {

    private static final long LOOK_NANOS = 1_000_000_000;

    /** 30 ticks of the kernel's accounting, enough to see a tenth of a core. */
    private static final long SHORT_LOOK_NANOS = 300_000_000;

    /** Samples and histograms of a run. */
    private static final long RUN_BYTES = 100_000_000;

    private static final String WAKE = "idle wake";

    /**
     * Runs all checks and passes on each finding as it is made. Takes about two seconds, more with {@code keepAwake}.
     */
    public void all(boolean keepAwake, Consumer<Finding> found) {
        new Processors(tree).findings().forEach(found);
        ProcessorLoad before = load();
        Activity.findings(before.until(before.later(LOOK_NANOS))).forEach(found);
        wakes(keepAwake, found);
        new Clocks(tree).findings().forEach(found);
        new Memory(tree).findings(need).forEach(found);
        found.accept(cacheDisk().finding());
        found.accept(runDisk().finding());
        found.accept(JavaRuntime.finding(
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                ManagementFactory.getRuntimeMXBean().getInputArguments()));
    }

    /** Reads the counters of the processors, to be compared with a later reading. */
    public ProcessorLoad load() {
        return new ProcessorLoad(tree);
    }

    /** Counters of the processors at one time. */
    public static final class ProcessorLoad {
        private final SystemTree tree;
        private final long nanos;
        private final Optional<Activity.Counters> counters;

        private ProcessorLoad(SystemTree tree) {
            this.tree = tree;
            nanos = System.nanoTime();
            counters = Activity.Counters.read(tree, ProcessHandle.current().pid());
        }

        /** Reads the counters again, at the given time after this reading or now, whichever is later. */
        private ProcessorLoad later(long afterNanos) {
            for (long now = System.nanoTime(); now - nanos < afterNanos; now = System.nanoTime()) {
                LockSupport.parkNanos(afterNanos - (now - nanos));
            }
            return new ProcessorLoad(tree);
        }

        private Optional<Activity> until(ProcessorLoad later) {
            return counters.flatMap(from -> later.counters.flatMap(to -> Activity.between(from, to)));
        }
    }

    /**
     * Returns the warnings before a run: other load and steal since an earlier reading, which should be about a second
     * ago, governor, free memory and disk.
     */
    public List<Finding> beforeRun(ProcessorLoad since) {
        return Stream.concat(
                        since.until(since.later(SHORT_LOOK_NANOS)).stream()
                                .flatMap(seen -> Stream.of(seen.otherLoad(), seen.steal())),
                        Stream.of(
                                new Processors(tree).governor(),
                                new Memory(tree).free(need),
                                cacheDisk().finding(),
                                runDisk().finding()))
                .filter(Finding::isWarning)
                .toList();
    }

    private StorageNeed cacheDisk() {
        return new StorageNeed("cache disk", cache, need.diskBytes());
    }

    private StorageNeed runDisk() {
        return new StorageNeed("run disk", runs, RUN_BYTES);
    }

    private void wakes(boolean keepAwake, Consumer<Finding> found) {
        Optional<CpuList> allowed = tree.allowed("self");
        if (allowed.isPresent() && allowed.get().size() == 1) {
            found.accept(Finding.unknown(WAKE, "the check needs two cores, and this process may use only one"));
            return;
        }
        try {
            CpuList cpus = allowed.orElseThrow(() -> new MachineException(SystemTree.NOT_LINUX));
            // the most distant by number: neighbours are often two threads of one core
            OptionalInt first = OptionalInt.of(cpus.cpus().first());
            OptionalInt last = OptionalInt.of(cpus.cpus().last());
            WakeCost same = WakeCost.measure(first, first);
            found.accept(placed(WakeCost.measure(first, last), same));
            if (keepAwake) {
                awake(first, last, same, found);
            }
        } catch (MachineException notPinned) {
            found.accept(free(WakeCost.measure(OptionalInt.empty(), OptionalInt.empty()), notPinned.getMessage()));
        }
    }

    private void awake(OptionalInt first, OptionalInt last, WakeCost same, Consumer<Finding> found) {
        try (KeepAwake awake = KeepAwake.start(tree)) {
            found.accept(keptAwake(WakeCost.measure(first, last), awake.cpus(), same));
        } catch (MachineException e) {
            found.accept(Finding.unknown(WAKE + ", awake", e.getMessage()));
        }
    }

    private static final String TWICE = "A fetch wakes a thread of the server and a thread of the client. ";

    static Finding placed(WakeCost idle, WakeCost same) {
        String observed = idle + " for a thread on an idle core, " + same + " on the waker's own: medians of "
                + idle.wakes() + ", after 0.5 ms of rest";
        return !idle.isSlowerThan(same)
                ? Finding.ok(WAKE, observed)
                : Finding.warning(
                        WAKE,
                        observed,
                        TWICE
                                + "Chance decides whether they share a core, and so how long a fetch takes: results have two levels.",
                        "run --keep-awake (blobmark doctor --keep-awake shows its effect; not with a server of your own on"
                                + " this machine), or"
                                + " --pin client=0,server=0 to always share a core.");
    }

    private static Finding keptAwake(WakeCost awake, CpuList cpus, WakeCost same) {
        String observed = awake + " for a thread on a core with a SCHED_IDLE spinner (cores " + cpus + ")";
        return !awake.isSlowerThan(same)
                ? Finding.ok(WAKE + ", awake", observed)
                : Finding.warning(
                        WAKE + ", awake",
                        observed,
                        "The cores do not sleep, but waking is still slow, because of other load or pauses of the hypervisor.",
                        "See steal and other load. With --pin client=0,server=0 both share one core.");
    }

    /** The cost of a wake where threads cannot be pinned. It is not known which cores were measured. */
    static Finding free(WakeCost cost, String why) {
        return Finding.note(
                WAKE,
                cost + ", median of " + cost.wakes() + ", on the core that the system chose",
                "Threads cannot be pinned: " + why + ". " + TWICE
                        + "So much of a fetch's time is spent waiting for a core.",
                "Compare figures of this machine only with each other.");
    }
}
