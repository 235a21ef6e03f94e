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
 * Keeps account of what a server does in a window, from outside: on a connection of its own, and on the thread that runs the trial.
 * What it asks the server is not within the time whose CPU is counted. What it cannot see is unknown, and does no harm.
 */
public final class ServerWatch implements AutoCloseable {

    private static final String NOT_TOLD =
            "the server is no process that Blobmark started on this machine, and does not tell the CPU time of our"
                    + " statements: MySQL does with the consumer events_statements_cpu of the performance schema on";

    private final List<Long> pids;

    private final Optional<ServerProbe> probe;
    private final SortedMap<String, String> unknown;
    private Optional<ServerProbe.Pages> pagesBefore = Optional.empty();
    private OptionalLong waitsBefore = OptionalLong.empty();
    private List<ProcessCpu> cpuBefore = List.of();
    private OptionalLong statementCpuBefore = OptionalLong.empty();

    private ServerWatch(List<Long> pids, Optional<ServerProbe> probe, SortedMap<String, String> unknown) {
        this.pids = pids;
        this.probe = probe;
        this.unknown = unknown;
    }

    /** Watches nothing, for a reason. */
    public static ServerWatch none(String reason) {
        return new ServerWatch(
                List.of(), Optional.empty(), ServerAccount.unknown(reason).unknown());
    }

    /** Watches the servers that a store is on. */
    public static ServerWatch of(ForkPlan.Place place, ServerProbe.Source probe) {
        return new ServerWatch(place.serverPids(), Optional.of(probe.open(place.endpoints())), new TreeMap<>());
    }

    /** The window is about to begin. */
    void begin() {
        begin(true);
    }

    /** @param asks whether the server is to be asked, beside what the system tells of its process */
    void begin(boolean asks) {
        if (asks) {
            pagesBefore = pages();
            waitsBefore = waits();
            statementCpuBefore = statementCpu();
        }
        cpuBefore = cpu();
    }

    /** The window is over. */
    ServerAccount end() {
        return end(true);
    }

    /** @param asked as its beginning was told */
    ServerAccount end(boolean asked) {
        if (!asked && pids.isEmpty()) {
            return ServerAccount.unknown("the server was not asked");
        }
        OptionalLong cpu = cpuSinceBegin();
        if (!asked) {
            return new ServerAccount(
                    cpu, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), new TreeMap<>());
        }
        OptionalLong waits = waits();
        Optional<ServerProbe.Pages> pages = pages();
        OptionalLong read = sinceBegin(pages, ServerProbe.Pages::read);
        if (read.isEmpty()
                && count(pages, ServerProbe.Pages::read).isPresent()
                && count(pagesBefore, ServerProbe.Pages::read).isPresent()) {
            unknown.put(ServerAccount.PAGES_READ, "the server has begun to count anew");
        }
        return new ServerAccount(
                cpu,
                read,
                sinceBegin(pages, ServerProbe.Pages::flushed),
                waits.isPresent() && waitsBefore.isPresent() && waits.getAsLong() >= waitsBefore.getAsLong()
                        ? OptionalLong.of(waits.getAsLong() - waitsBefore.getAsLong())
                        : OptionalLong.empty(),
                new TreeMap<>(unknown));
    }

    private static OptionalLong count(
            Optional<ServerProbe.Pages> pages, Function<ServerProbe.Pages, OptionalLong> figure) {
        return pages.map(figure).orElse(OptionalLong.empty());
    }

    /** Empty where it is not known, or was counted anew meanwhile. */
    private OptionalLong sinceBegin(Optional<ServerProbe.Pages> now, Function<ServerProbe.Pages, OptionalLong> figure) {
        OptionalLong before = count(pagesBefore, figure);
        OptionalLong after = count(now, figure);
        return before.isEmpty() || after.isEmpty() || after.getAsLong() < before.getAsLong()
                ? OptionalLong.empty()
                : OptionalLong.of(after.getAsLong() - before.getAsLong());
    }

    /** Of the server's process; where that is not here, of the statements of our account, as the server counts it. */
    private OptionalLong cpuSinceBegin() {
        if (!pids.isEmpty()) {
            List<ProcessCpu> cpu = cpu();
            if (cpu.size() == pids.size() && cpuBefore.size() == pids.size()) {
                return OptionalLong.of(IntStream.range(0, pids.size())
                        .mapToLong(i -> cpu.get(i).nanosSince(cpuBefore.get(i)))
                        .sum());
            }
            unknown.put(ServerAccount.CPU, "the system does not tell the CPU time of the server's process");
            return OptionalLong.empty();
        }
        OptionalLong cpu = statementCpu();
        if (cpu.isPresent() && statementCpuBefore.isPresent() && cpu.getAsLong() > statementCpuBefore.getAsLong()) {
            return OptionalLong.of(cpu.getAsLong() - statementCpuBefore.getAsLong());
        }
        unknown.putIfAbsent(ServerAccount.CPU, NOT_TOLD);
        return OptionalLong.empty();
    }

    /** Of all processes, or fewer where one is gone. */
    private List<ProcessCpu> cpu() {
        return pids.stream().flatMap(pid -> ProcessCpu.of(pid).stream()).toList();
    }

    private OptionalLong waits() {
        return probe.map(ServerProbe::waits).orElse(OptionalLong.empty());
    }

    /** Only asked where the process of the server is not on this machine. */
    private OptionalLong statementCpu() {
        return pids.isEmpty() ? probe.map(ServerProbe::cpuNanos).orElse(OptionalLong.empty()) : OptionalLong.empty();
    }

    private Optional<ServerProbe.Pages> pages() {
        Optional<ServerProbe.Pages> pages = probe.map(ServerProbe::pages);
        pages.flatMap(ServerProbe.Pages::unknown).ifPresent(reason -> unknown.put(ServerAccount.PAGES_READ, reason));
        return pages;
    }

    @Override
    public void close() {
        probe.ifPresent(ServerProbe::close);
    }
}
