package dev.blobmark.lab.machine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** The processors: how many may be used, and what makes their speed vary. */
final class Processors {

    private static final String CPU = "sys/devices/system/cpu/";

    private final SystemTree tree;
    private final Optional<CpuList> allowed;

    Processors(SystemTree tree) {
        this.tree = tree;
        allowed = tree.allowed("self");
    }

    List<Finding> findings() {
        return List.of(cores(), siblings(), governor(), turbo());
    }

    private Finding cores() {
        if (allowed.isEmpty()) {
            int cores = Runtime.getRuntime().availableProcessors();
            return cores == 1 ? alone("1, from Java") : Finding.ok("cores", cores + ", from Java");
        }
        int usable = allowed.get().size();
        String online = tree.text(CPU + "online")
                .map(list -> " of " + CpuList.parse(list).size() + " online")
                .orElse("");
        OptionalDouble quota = new ControlGroups(tree).quotaCores();
        if (quota.isPresent() && quota.getAsDouble() < usable) {
            return Finding.warning(
                    "cores",
                    String.format(Locale.ROOT, "%d%s, with a quota of %.2f", usable, online, quota.getAsDouble()),
                    "When the container has used up its quota, all of its threads stop for the rest of a period, usually"
                            + " 100 ms.",
                    "Lift the container's CPU quota, and give it whole processors instead (docker run --cpuset-cpus).");
        }
        return usable == 1 ? alone("1" + online) : Finding.ok("cores", usable + online + ", no quota");
    }

    private static Finding alone(String observed) {
        return Finding.warning(
                "cores",
                observed,
                "Client and server take turns on one core, so their times add up.",
                "Run on at least 2 cores.");
    }

    /**
     * The cores that this process may use, each with its hardware threads, in the order of their first threads; empty
     * if the system does not report them.
     */
    static List<CpuList> cores(SystemTree tree) {
        Map<String, TreeSet<Integer>> cores = new LinkedHashMap<>();
        tree.allowed("self")
                .map(CpuList::cpus)
                .orElseGet(TreeSet::new)
                .forEach(cpu -> cores.computeIfAbsent(
                                tree.text(CPU + "cpu" + cpu + "/topology/thread_siblings_list")
                                        .orElse("" + cpu),
                                siblings -> new TreeSet<>())
                        .add(cpu));
        return cores.values().stream().map(CpuList::new).toList();
    }

    private Finding siblings() {
        Optional<String> active = tree.text(CPU + "smt/active");
        if (active.isEmpty()) {
            return Finding.unknown("SMT", tree.isLinux() ? "the kernel has no /" + CPU + "smt" : SystemTree.NOT_LINUX);
        }
        if (active.get().equals("0")) {
            return Finding.ok("SMT", "off, or not visible in this virtual machine");
        }
        Set<String> cores = new LinkedHashSet<>();
        for (int cpu : allowed.map(CpuList::cpus).orElseGet(TreeSet::new)) {
            tree.text(CPU + "cpu" + cpu + "/topology/thread_siblings_list").ifPresent(cores::add);
        }
        return Finding.note(
                "SMT",
                "on; threads by core: " + String.join(" ", cores),
                "A thread whose sibling is busy gets about half of their core.",
                cores.size() < 2 ? "" : pinning(new ArrayList<>(cores)));
    }

    /** The remedy: client and server on separate cores. */
    private static String pinning(List<String> cores) {
        return "Keep client and server on different cores: --pin client="
                + cores.get(1).replace(',', '+') + ",server=" + cores.get(0).replace(',', '+');
    }

    /** Also a warning before a run. */
    Finding governor() {
        Set<String> governors = new TreeSet<>();
        for (int cpu : allowed.map(CpuList::cpus).orElseGet(TreeSet::new)) {
            tree.text(CPU + "cpu" + cpu + "/cpufreq/scaling_governor").ifPresent(governors::add);
        }
        if (governors.isEmpty()) {
            return Finding.unknown("governor", whyNoFrequency());
        }
        String observed = String.join(", ", governors);
        return governors.equals(Set.of("performance"))
                ? Finding.ok("governor", observed)
                : Finding.warning(
                        "governor",
                        observed,
                        "The clock frequency of a core follows its load, so short operations, and operations after a pause, are slower.",
                        "sudo cpupower frequency-set -g performance");
    }

    private Finding turbo() {
        OptionalLong off = tree.number(CPU + "intel_pstate/no_turbo");
        OptionalLong on = tree.number(CPU + "cpufreq/boost");
        if (off.isEmpty() && on.isEmpty()) {
            return Finding.unknown("turbo", whyNoFrequency());
        }
        boolean turbo = off.isPresent() ? off.getAsLong() == 0 : on.getAsLong() == 1;
        return turbo
                ? Finding.note(
                        "turbo",
                        "on",
                        "The clock frequency depends on heat and on how many cores are busy, so more threads are slower threads.",
                        off.isPresent()
                                ? "echo 1 | sudo tee /" + CPU + "intel_pstate/no_turbo"
                                : "echo 0 | sudo tee /" + CPU + "cpufreq/boost")
                : Finding.ok("turbo", "off");
    }

    private String whyNoFrequency() {
        return !tree.isLinux()
                ? SystemTree.NOT_LINUX
                : tree.field("proc/cpuinfo", "flags")
                                .filter(flags -> flags.contains(" hypervisor"))
                                .isPresent()
                        ? "a virtual machine: its host decides, and does not report it"
                        : "the kernel shows no frequencies (no cpufreq driver)";
    }
}
