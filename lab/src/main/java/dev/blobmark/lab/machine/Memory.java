package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.bytes;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Main memory: whether there is enough, and whether it is not swapped. */
record Memory(SystemTree tree) {

    private static final String MEM_INFO = "proc/meminfo";
    private static final String HUGE_PAGES = "sys/kernel/mm/transparent_hugepage/enabled";

    List<Finding> findings(Need need) {
        return List.of(free(need), swap(), hugePages());
    }

    /** Also a warning before a run. */
    Finding free(Need need) {
        OptionalLong machine = kilobytes("MemAvailable");
        OptionalLong container = new ControlGroups(tree).freeMemoryBytes();
        long free = machine.isPresent()
                ? Math.min(machine.getAsLong(), container.orElse(Long.MAX_VALUE))
                : ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getFreeMemorySize()
                        : -1;
        if (free < 0) {
            return Finding.unknown("free memory", "neither the system nor Java reports it");
        }
        String observed = bytes(free)
                + (container.isPresent() && container.getAsLong() == free ? " until the container's limit" : "")
                + "; a run needs up to " + bytes(need.memoryBytes()) + " for server and JVMs";
        return free >= need.memoryBytes()
                ? Finding.ok("free memory", observed)
                : Finding.warning(
                        "free memory",
                        observed,
                        "During a run the system may swap or kill a process, and it caches less of the files.",
                        "End programs that use much memory, or raise the container's limit.");
    }

    private Finding swap() {
        OptionalLong total = kilobytes("SwapTotal");
        OptionalLong free = kilobytes("SwapFree");
        if (total.isEmpty() || free.isEmpty()) {
            return Finding.unknown("swap", SystemTree.NOT_LINUX);
        }
        long used = total.getAsLong() - free.getAsLong();
        return used == 0
                ? Finding.ok("swap", total.getAsLong() == 0 ? "none" : "unused, " + bytes(total.getAsLong()))
                : Finding.note(
                        "swap",
                        bytes(used) + " of " + bytes(total.getAsLong()) + " used",
                        "Memory was short before. Pages in swap are slow when they are needed again.",
                        "With enough free memory: sudo swapoff -a, and sudo swapon -a");
    }

    private OptionalLong kilobytes(String name) {
        OptionalLong kilobytes = tree.numberField(MEM_INFO, name);
        return kilobytes.isPresent() ? OptionalLong.of(kilobytes.getAsLong() * 1024) : kilobytes;
    }

    private Finding hugePages() {
        Optional<String> enabled = tree.text(HUGE_PAGES);
        if (enabled.isEmpty()) {
            return Finding.unknown(
                    "huge pages", tree.isLinux() ? "this kernel has no /" + HUGE_PAGES : SystemTree.NOT_LINUX);
        }
        String chosen = enabled.get().replaceFirst(".*\\[(.*)].*", "$1");
        return chosen.equals("always")
                ? Finding.note(
                        "huge pages",
                        "always",
                        "The kernel joins pages of any process in the background. Processes pause, and memory grows by chance.",
                        "echo madvise | sudo tee /" + HUGE_PAGES)
                : Finding.ok("huge pages", chosen);
    }
}
