package dev.blobmark.cli;

import dev.blobmark.lab.run.RunDirectory;
import java.io.PrintWriter;

final class Reports {

    private Reports() {}

    static void print(RunDirectory directory, PrintWriter out) {
        directory
                .samples()
                .forEach(s -> s.operations()
                        .forEach((type, o) -> out.printf(
                                "%-22s %-40s %-7s %-9s %9.1f MB/s %9.0f/s p50 %d steady=%s %.2f%n",
                                s.method(),
                                s.condition(),
                                type,
                                s.outcome().word(),
                                o.throughputBytesPerSecond() / 1e6,
                                o.operationsPerSecond(),
                                o.latency().p50(),
                                s.warmUp().map(w -> w.steady()).orElse(null),
                                s.warmUp().map(w -> w.seconds()).orElse(0.0))));
        out.flush();
    }
}
