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
 * Looks at this machine for what makes figures noisy or wrong. All at once for a user who asks ({@link #all}), and what is cheap
 * and often wrong around the preparations of a run ({@link #beforeRun}).
 *
 * @param cache where tables and encoded values will lie
 * @param runs where the run directory will be
 */
public record Checkup(SystemTree tree, Path cache, Path runs, Need need) {

    private static final long LOOK_NANOS = 1_000_000_000;

    /** 30 ticks of the kernel's accounting: enough to see a tenth of a core. */
    private static final long SHORT_LOOK_NANOS = 300_000_000;

    /** Of a run directory: samples and histograms. */
    private static final long RUN_BYTES = 100_000_000;

    private static final String WAKE = "idle wake";

    /** Takes about two seconds, more with {@code keepAwake}. Findings are handed over as they are made. */
    public void all(boolean keepAwake, Consumer<Finding> found) {
        new Processors(tree).findings().forEach(found);
        Load before = load();
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

    /** What the processors have done up to now; to be compared with a later moment. */
    public Load load() {
        return new Load(tree);
    }

    /** Counters of the processors at one moment. */
    public static final class Load {
        private final SystemTree tree;
        private final long nanos;
        private final Optional<Activity.Counters> counters;

        private Load(SystemTree tree) {
            this.tree = tree;
            nanos = System.nanoTime();
            counters = Activity.Counters.read(tree, ProcessHandle.current().pid());
        }

        /** Those of now, or when so much time has passed. */
        private Load later(long afterNanos) {
            for (long now = System.nanoTime(); now - nanos < afterNanos; now = System.nanoTime()) {
                LockSupport.parkNanos(afterNanos - (now - nanos));
            }
            return new Load(tree);
        }

        private Optional<Activity> until(Load later) {
            return counters.flatMap(from -> later.counters.flatMap(to -> Activity.between(from, to)));
        }
    }

    /**
     * The warnings that a run begins with: other load and steal since an earlier moment, which should be about a second ago,
     * governor, free memory and disk.
     */
    public List<Finding> beforeRun(Load since) {
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

    private Storage cacheDisk() {
        return new Storage("cache disk", cache, need.diskBytes());
    }

    private Storage runDisk() {
        return new Storage("run disk", runs, RUN_BYTES);
    }

    private void wakes(boolean keepAwake, Consumer<Finding> found) {
        Optional<CpuList> allowed = tree.allowed("self");
        if (allowed.isPresent() && allowed.get().size() == 1) {
            found.accept(Finding.unknown(WAKE, "it takes two cores, and this process may use one"));
            return;
        }
        try {
            CpuList cpus = allowed.orElseThrow(() -> new MachineException(SystemTree.NOT_LINUX));
            // the farthest by number: neighbours are often two threads of one core
            OptionalInt one = OptionalInt.of(cpus.cpus().first());
            OptionalInt other = OptionalInt.of(cpus.cpus().last());
            WakeCost same = WakeCost.measure(one, one);
            found.accept(placed(WakeCost.measure(one, other), same));
            if (keepAwake) {
                awake(one, other, same, found);
            }
        } catch (MachineException notPinned) {
            found.accept(free(WakeCost.measure(OptionalInt.empty(), OptionalInt.empty()), notPinned.getMessage()));
        }
    }

    private void awake(OptionalInt one, OptionalInt other, WakeCost same, Consumer<Finding> found) {
        try (KeepAwake awake = KeepAwake.start(tree)) {
            found.accept(keptAwake(WakeCost.measure(one, other), awake.cpus(), same));
        } catch (MachineException e) {
            found.accept(Finding.unknown(WAKE + ", awake", e.getMessage()));
        }
    }

    private static final String TWICE = "A fetch wakes two threads, one of the server and one of the client. ";

    static Finding placed(WakeCost idle, WakeCost same) {
        String observed = idle + " for a thread on an idle core, " + same + " on the waker's own: medians of "
                + idle.wakes() + ", after 0.5 ms of rest";
        return !idle.isDearerThan(same)
                ? Finding.ok(WAKE, observed)
                : Finding.warning(
                        WAKE,
                        observed,
                        TWICE
                                + "Whether they share a core is chance, and decides how long it takes: two levels in one result.",
                        "run --keep-awake (blobmark doctor --keep-awake shows what that gives; not with a server of yours on"
                                + " this machine), or"
                                + " --pin client=0,server=0 to share a core always.");
    }

    private static Finding keptAwake(WakeCost awake, CpuList cpus, WakeCost same) {
        String observed = awake + " for a thread on a core with a SCHED_IDLE spinner (cores " + cpus + ")";
        return !awake.isDearerThan(same)
                ? Finding.ok(WAKE + ", awake", observed)
                : Finding.warning(
                        WAKE + ", awake",
                        observed,
                        "The cores do not sleep, and a wake is still slow: other load, or the hypervisor's own pauses.",
                        "See steal and other load; --pin client=0,server=0 shares one core.");
    }

    /** Where threads cannot be pinned, it is not known which cores the figure is of. */
    static Finding free(WakeCost cost, String why) {
        return Finding.note(
                WAKE,
                cost + ", median of " + cost.wakes() + ", on the core that the system chose",
                "Threads cannot be pinned: " + why + ". " + TWICE + "So much of its time is waiting for a core.",
                "Compare figures of this machine with each other only.");
    }
}
