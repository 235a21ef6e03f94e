package dev.blobmark.lab.engine;

import dev.blobmark.lab.machine.ProcessCpu;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.store.ServerProbe;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Observes what a server does in a window, on a separate connection and on the thread that runs the trial. Its queries
 * are outside the time whose CPU is counted. What it cannot observe is recorded as unknown, with the reason.
 */
public final class ServerWatch implements AutoCloseable {

    private static final String CPU_UNKNOWN =
            "Blobmark did not start the server on this machine, and the server does not report the CPU time of statements;"
                    + " MySQL does if the consumer events_statements_cpu of the performance schema is enabled";

    private final List<Long> pids;

    private final Optional<ServerProbe> probe;
    private final SortedMap<String, String> unknown;
    private Optional<ServerProbe.ProbedCounts> countsBefore = Optional.empty();
    private OptionalLong waitsBefore = OptionalLong.empty();
    private List<ProcessCpu> cpuBefore = List.of();
    private OptionalLong statementCpuBefore = OptionalLong.empty();

    private ServerWatch(List<Long> pids, Optional<ServerProbe> probe, SortedMap<String, String> unknown) {
        this.pids = pids;
        this.probe = probe;
        this.unknown = unknown;
    }

    /** A watch that observes nothing, for a reason. */
    public static ServerWatch none(String reason) {
        return new ServerWatch(
                List.of(), Optional.empty(), ServerAccount.unknown(reason).unknown());
    }

    /** Watches the servers of a store. */
    public static ServerWatch of(ForkPlan.LoadedTable place, ServerProbe.ProbeSource probe) {
        return new ServerWatch(place.serverPids(), Optional.of(probe.open(place.endpoints())), new TreeMap<>());
    }

    /** To be called just before the window. */
    void begin() {
        begin(true);
    }

    /** @param queries whether to query the server, in addition to reading the CPU time of its process */
    void begin(boolean queries) {
        if (queries) {
            countsBefore = counts();
            waitsBefore = waits();
            statementCpuBefore = statementCpu();
        }
        cpuBefore = cpu();
    }

    /** To be called just after the window. */
    ServerAccount end() {
        return end(true);
    }

    /** @param queried as given to {@link #begin(boolean)} */
    ServerAccount end(boolean queried) {
        if (!queried && pids.isEmpty()) {
            return ServerAccount.unknown("the server was not queried");
        }
        OptionalLong cpu = cpuSinceBegin();
        if (!queried) {
            return new ServerAccount(
                    cpu, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), new TreeMap<>());
        }
        OptionalLong waits = waits();
        Optional<ServerProbe.ProbedCounts> counts = counts();
        OptionalLong read = sinceBegin(counts, ServerProbe.ProbedCounts::read);
        if (read.isEmpty()
                && count(counts, ServerProbe.ProbedCounts::read).isPresent()
                && count(countsBefore, ServerProbe.ProbedCounts::read).isPresent()) {
            unknown.put(ServerAccount.PAGES_READ, "the server has reset its counter");
        }
        return new ServerAccount(
                cpu,
                read,
                sinceBegin(counts, ServerProbe.ProbedCounts::flushed),
                waits.isPresent() && waitsBefore.isPresent() && waits.getAsLong() >= waitsBefore.getAsLong()
                        ? OptionalLong.of(waits.getAsLong() - waitsBefore.getAsLong())
                        : OptionalLong.empty(),
                sinceBegin(counts, ServerProbe.ProbedCounts::statements),
                new TreeMap<>(unknown));
    }

    private static OptionalLong count(
            Optional<ServerProbe.ProbedCounts> counts, Function<ServerProbe.ProbedCounts, OptionalLong> figure) {
        return counts.map(figure).orElse(OptionalLong.empty());
    }

    /** Empty if it is unknown, or was reset in the meantime. */
    private OptionalLong sinceBegin(
            Optional<ServerProbe.ProbedCounts> now, Function<ServerProbe.ProbedCounts, OptionalLong> figure) {
        OptionalLong before = count(countsBefore, figure);
        OptionalLong after = count(now, figure);
        return before.isEmpty() || after.isEmpty() || after.getAsLong() < before.getAsLong()
                ? OptionalLong.empty()
                : OptionalLong.of(after.getAsLong() - before.getAsLong());
    }

    /**
     * CPU time of the server's process; if that is not on this machine, of our account's statements as counted by the
     * server.
     */
    private OptionalLong cpuSinceBegin() {
        if (!pids.isEmpty()) {
            List<ProcessCpu> cpu = cpu();
            if (cpu.size() == pids.size() && cpuBefore.size() == pids.size()) {
                return OptionalLong.of(IntStream.range(0, pids.size())
                        .mapToLong(i -> cpu.get(i).nanosSince(cpuBefore.get(i)))
                        .sum());
            }
            unknown.put(ServerAccount.CPU, "the system does not report the CPU time of the server's process");
            return OptionalLong.empty();
        }
        OptionalLong cpu = statementCpu();
        if (cpu.isPresent() && statementCpuBefore.isPresent() && cpu.getAsLong() > statementCpuBefore.getAsLong()) {
            return OptionalLong.of(cpu.getAsLong() - statementCpuBefore.getAsLong());
        }
        unknown.putIfAbsent(ServerAccount.CPU, CPU_UNKNOWN);
        return OptionalLong.empty();
    }

    /** CPU times of the server's processes, without those that have ended. */
    private List<ProcessCpu> cpu() {
        return pids.stream().flatMap(pid -> ProcessCpu.of(pid).stream()).toList();
    }

    private OptionalLong waits() {
        return probe.map(ServerProbe::waits).orElse(OptionalLong.empty());
    }

    /** Queried only if the server's process is not on this machine. */
    private OptionalLong statementCpu() {
        return pids.isEmpty() ? probe.map(ServerProbe::cpuNanos).orElse(OptionalLong.empty()) : OptionalLong.empty();
    }

    private Optional<ServerProbe.ProbedCounts> counts() {
        Optional<ServerProbe.ProbedCounts> counts = probe.map(ServerProbe::counts);
        counts.flatMap(ServerProbe.ProbedCounts::unknown)
                .ifPresent(reason -> unknown.put(ServerAccount.PAGES_READ, reason));
        return counts;
    }

    @Override
    public void close() {
        probe.ifPresent(ServerProbe::close);
    }
}
