package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.lab.engine.Garbage;
import dev.blobmark.lab.engine.ServerAccount;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostLimitsTest {

    private static final long SECOND = 1_000_000_000;

    private static final HostFacts HOST =
            new HostFacts("a", "", "Linux", "6.1", "amd64", "", 4, 4, 8L << 30, "Debian 17", 1_000_000_000);

    /** A run of a second. */
    private static TrialRun run(double processors, long wireBytes) {
        Operations fetch = new Operations(
                10,
                10,
                10,
                new Latency(1, 1, 1, 1, 1, 1, 1),
                new Operations.ByteCounts(10, OptionalLong.of(wireBytes), OptionalLong.of(1), OptionalLong.of(10)));
        return new TrialRun(
                new Outcome.Measured(),
                new TrialRun.Span(Instant.EPOCH, SECOND, List.of(10L)),
                new WarmUp(1, true),
                new TreeMap<>(Map.of("fetch", fetch)),
                new TreeMap<>(),
                Optional.empty(),
                new TrialRun.Usage(
                        SECOND,
                        10,
                        Math.round(processors * SECOND),
                        1,
                        new ServerAccount(
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                new TreeMap<>()),
                        new Garbage(0, 0),
                        new TreeMap<>(),
                        List.of()),
                Optional.empty(),
                Remarks.NONE);
    }

    @ParameterizedTest
    @CsvSource({"3.5, 1, false", "3.7, 1, true", "1.7, 2, false", "1.9, 2, true"})
    void nineTenthsOfTheProcessorsAreTheLimit(double processors, int processes, boolean isLimited) {
        TrialRun run = HostLimits.flagged(run(processors, 1), HOST, processes);

        assertThat(run.remarks().flags().contains(Sample.CLIENT_LIMITED)).isEqualTo(isLimited);
    }

    /** Who uses more than the JVM counts is limited by the machine. */
    @ParameterizedTest
    @CsvSource({"0.95, true", "1.5, false", "1.9, true"})
    void theNumberOfTheJvmIsALimitOnlyIfItHolds(double processors, boolean isLimited) {
        HostFacts few = new HostFacts("a", "", "Linux", "6.1", "amd64", "", 1, 2, 8L << 30, "Debian 17", 1_000_000_000);
        TrialRun run = HostLimits.flagged(run(processors, 1), few, 1);

        assertThat(run.remarks().flags().contains(Sample.CLIENT_LIMITED)).isEqualTo(isLimited);
    }

    @ParameterizedTest
    @CsvSource({"100000000, false", "115000000, true"})
    void nineTenthsOfTheInterfaceAreTheLimit(long bytes, boolean isLimited) {
        TrialRun run = HostLimits.flagged(run(1, bytes), HOST, 1);

        assertThat(run.remarks().flags().contains(Sample.CLIENT_LIMITED)).isEqualTo(isLimited);
    }

    @Test
    void aFailedTrialHasNoLimit() {
        TrialRun failed = TrialRun.failed(new IOException("gone"));

        assertThat(HostLimits.flagged(failed, HOST, 1)).isEqualTo(failed);
    }
}
