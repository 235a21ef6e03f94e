package dev.blobmark.lab.machine;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The limits of the control groups of this process, version 1 or 2: see cgroups(7). */
public record ControlGroups(SystemTree tree) {

    private static final String MOUNT = "sys/fs/cgroup";

    /**
     * CPU time that this process may use, in processors, by the lowest quota on the path to the root; empty without a
     * quota.
     */
    OptionalDouble quotaCores() {
        Stream<Double> second = groups("")
                .flatMap(group -> tree.text(group + "/cpu.max").stream())
                .map(text -> text.split(" "))
                .filter(pair -> pair.length == 2 && !pair[0].equals("max"))
                .map(pair -> Double.parseDouble(pair[0]) / Double.parseDouble(pair[1]));
        Stream<Double> first = groups("cpu").flatMap(group -> {
            OptionalLong quota = tree.number(group + "/cpu.cfs_quota_us");
            OptionalLong period = tree.number(group + "/cpu.cfs_period_us");
            return quota.orElse(-1) > 0 && period.isPresent()
                    ? Stream.of((double) quota.getAsLong() / period.getAsLong())
                    : Stream.empty();
        });
        return Stream.concat(second, first).mapToDouble(cores -> cores).min();
    }

    /**
     * Bytes that may still be allocated before a limit is reached; empty without a limit. Cached pages of files count
     * as used.
     */
    OptionalLong freeMemoryBytes() {
        return Stream.concat(
                        groups("").map(group -> left(group, "/memory.max", "/memory.current")),
                        groups("memory").map(group -> left(group, "/memory.limit_in_bytes", "/memory.usage_in_bytes")))
                .flatMapToLong(OptionalLong::stream)
                .min();
    }

    /** Threads and processes that may still be started before a limit is reached; empty without a limit. */
    public OptionalLong freeThreads() {
        return Stream.concat(groups(""), groups("pids"))
                .map(group -> left(group, "/pids.max", "/pids.current"))
                .flatMapToLong(OptionalLong::stream)
                .min();
    }

    private OptionalLong left(String group, String limit, String used) {
        OptionalLong most = tree.number(group + limit);
        OptionalLong taken = tree.number(group + used);
        // version 1 represents "no limit" by a number near 2^63
        return most.isPresent() && taken.isPresent() && most.getAsLong() < 1L << 60
                ? OptionalLong.of(most.getAsLong() - taken.getAsLong())
                : OptionalLong.empty();
    }

    /** The directories of a controller's group and of its parents. A controller without a name is that of version 2. */
    private Stream<String> groups(String controller) {
        Optional<String> path = tree.text("proc/self/cgroup").stream()
                .flatMap(String::lines)
                .map(line -> line.split(":", 3))
                .filter(parts -> parts.length == 3
                        && (controller.isEmpty()
                                ? parts[1].isEmpty()
                                : Stream.of(parts[1].split(",")).anyMatch(controller::equals)))
                .map(parts -> parts[2])
                .findFirst();
        String mount = controller.isEmpty() ? MOUNT : MOUNT + "/" + controller;
        return path.stream()
                .flatMap(own -> Stream.iterate(
                        own.equals("/") ? "" : own,
                        p -> p != null,
                        p -> p.isEmpty() ? null : p.substring(0, p.lastIndexOf('/'))))
                .map(own -> mount + own);
    }
}
