package dev.blobmark.fleet;

import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Sample;
import java.util.Locale;

/** Whether a host had reached what it can do in a window. */
final class HostLimits {

    /** Of the processors or of the network interface: what is left is not usable without queues. */
    private static final double MOST = 0.9;

    /** CPU time is counted in ticks. */
    private static final double MORE = 1.1;

    private HostLimits() {}

    /**
     * The run, flagged if the host was the limit.
     *
     * @param processes of this trial on the host, which are taken to do the same
     */
    static TrialRun flagged(TrialRun run, HostFacts host, int processes) {
        long nanos = run.usage().elapsedNanos();
        if (run.operations().isEmpty() || nanos == 0) {
            return run;
        }
        double busy = (double) run.usage().cpuNanos() * processes / nanos;
        // who uses more than the JVM's number is not held to it
        int processors = busy > MORE * host.processors() ? host.machineProcessors() : host.processors();
        if (busy >= MOST * processors) {
            return run.flagged(
                    Sample.CLIENT_LIMITED,
                    String.format(
                            Locale.ROOT,
                            "measuring used %.1f of the %d processors of a host; add hosts",
                            busy,
                            processors));
        }
        double bits = 8e9 * processes * wireBytes(run) / nanos;
        return host.linkBitsPerS() > 0 && bits >= MOST * host.linkBitsPerS()
                ? run.flagged(
                        Sample.CLIENT_LIMITED,
                        String.format(
                                Locale.ROOT,
                                "a host received %.2f of the %.2f Gbit/s of its network interface; add hosts",
                                bits / 1e9,
                                host.linkBitsPerS() / 1e9))
                : run;
    }

    private static long wireBytes(TrialRun run) {
        return run.operations().entrySet().stream()
                .filter(type -> !type.getKey().equals(Sample.MIX))
                .map(type -> type.getValue())
                .map(Operations::wireBytesIn)
                .mapToLong(bytes -> bytes.orElse(0))
                .sum();
    }
}
