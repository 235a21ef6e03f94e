package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.nanos;

import java.util.List;
import java.util.Set;

/** The clock that times operations, {@link System#nanoTime}. */
record Clocks(SystemTree tree) {

    private static final int READS = 100_000;
    private static final int BATCHES = 10;

    /** Two reads enclose each operation. The shortest measured operations take about a microsecond. */
    private static final double DEAR_NANOS = 100;

    private static final long COARSE_NANOS = 1_000;

    /**
     * Sources that need a read of a device or an interrupt, about 1 µs each (kernel:
     * Documentation/timers/timekeeping.rst).
     */
    private static final Set<String> SLOW = Set.of("hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies");

    private static final String SOURCES = "sys/devices/system/clocksource/clocksource0/";

    /**
     * @param costNanos duration of one read, in the fastest of some batches
     * @param stepNanos the smallest difference between two reads that differ
     */
    record ClockReading(double costNanos, long stepNanos) {

        static ClockReading measure() {
            double cost = Double.MAX_VALUE;
            long step = Long.MAX_VALUE;
            for (int batch = 0; batch < BATCHES; batch++) {
                long start = System.nanoTime();
                long last = start;
                for (int read = 0; read < READS; read++) {
                    long now = System.nanoTime();
                    if (now != last) {
                        step = Math.min(step, now - last);
                    }
                    last = now;
                }
                cost = Math.min(cost, (double) (last - start) / READS);
            }
            return new ClockReading(cost, step);
        }

        Finding finding() {
            String observed = nanos(costNanos) + " to read, in steps of at most " + nanos(stepNanos)
                    + " (System.nanoTime, measured)";
            return costNanos <= DEAR_NANOS && stepNanos <= COARSE_NANOS
                    ? Finding.ok("clock", observed)
                    : Finding.warning(
                            "clock",
                            observed,
                            "Each operation reads the clock twice. A short operation takes no longer than these reads.",
                            "Compare only operations of 100 µs and more, or use a machine with a faster clock source.");
        }
    }

    List<Finding> findings() {
        return List.of(source(), ClockReading.measure().finding());
    }

    Finding source() {
        return tree.text(SOURCES + "current_clocksource")
                .map(source -> SLOW.contains(source)
                        ? Finding.warning(
                                "clock source",
                                source,
                                "A read takes about 1 µs, partly in the kernel.",
                                "Choose another of /" + SOURCES + "available_clocksource ("
                                        + tree.text(SOURCES + "available_clocksource")
                                                .orElse("none is named")
                                        + "), such as tsc. The kernel's log has the reason for its choice.")
                        : Finding.ok("clock source", source))
                .orElseGet(() -> Finding.unknown(
                        "clock source",
                        tree.isLinux() ? "the kernel shows none below /" + SOURCES : SystemTree.NOT_LINUX));
    }
}
