package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.lab.engine.Garbage;
import dev.blobmark.lab.engine.ServerAccount;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.OpenLoop;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class HostFiguresTest {

    private static final long SECOND = 1_000_000_000;
    private static final Instant BEGUN = Instant.parse("2026-11-27T10:00:00Z");
    private static final int THREADS = 4;
    private static final HostFacts HOST =
            new HostFacts("a", "", "Linux", "6.1", "amd64", "", 4, 4, 8L << 30, "Debian 17", 1_000_000_000);

    /** Four threads, each with 100 operations that fill a window. */
    static TrialRun honest(Instant startedAt, long nanos) {
        Histogram times = new Histogram(3_600 * SECOND, 3);
        times.recordValueWithCount(nanos / 100, 400);
        double rate = 400.0 * SECOND / nanos;
        Operations fetch = new Operations(
                400,
                1_000 * rate,
                rate,
                Latency.of(times),
                new Operations.ByteCounts(
                        400_000, OptionalLong.of(500_000), OptionalLong.of(1), OptionalLong.of(400_000)));
        return new TrialRun(
                new Outcome.Measured(),
                new TrialRun.Span(
                        startedAt,
                        nanos,
                        LongStream.range(0, 40).mapToObj(i -> 10L).toList()),
                new WarmUp(1, true),
                new TreeMap<>(Map.of("fetch", fetch)),
                new TreeMap<>(Map.of("fetch", times)),
                Optional.empty(),
                new TrialRun.Usage(
                        nanos,
                        400,
                        nanos / 2,
                        1_000,
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

    private static TrialRun honest() {
        return honest(BEGUN.plusSeconds(1), SECOND);
    }

    private static Optional<String> contradiction(TrialRun run) {
        return HostFigures.contradiction(run, HOST, THREADS, BEGUN, BEGUN.plusSeconds(3));
    }

    @Test
    void whatCanBeTrueIsAccepted() {
        assertThat(contradiction(honest())).isEmpty();
        assertThat(contradiction(TrialRun.failed("refused", new WarmUp(0, false))))
                .isEmpty();
    }

    /** Three operations at the begin of a window of which nothing more arrives, and threads that wait for its begin. */
    @Test
    void aWindowMayGoOnAfterTheLastOperation() {
        TrialRun honest = honest();
        Latency latency = honest.operations().get("fetch").latency();
        TrialRun open =
                with(honest, Optional.of(new OpenLoop(400, 400, 400, 400, 0, latency)), 4 * SECOND + SECOND / 2);
        Operations slow = new Operations(
                400, 100_000, 100, latency, open.operations().get("fetch").bytes());
        open.operations().put("fetch", slow);

        assertThat(contradiction(open)).isEmpty();
        assertThat(contradiction(with(open, Optional.empty(), SECOND)))
                .hasValueSatisfying(reason -> assertThat(reason).contains("a rate of"));
    }

    /** Of an executor with {@code -XX:ActiveProcessorCount=1}, whose processes use two processors of the machine. */
    @Test
    void processesMayUseMoreThanTheJvmOfTheTaskCounts() {
        HostFacts few = new HostFacts("a", "", "Linux", "6.1", "amd64", "", 1, 2, 8L << 30, "Debian 17", 1_000_000_000);
        TrialRun busy = with(honest(), Optional.empty(), 2 * SECOND);
        TrialRun more = with(honest(), Optional.empty(), 3 * SECOND);

        assertThat(HostFigures.contradiction(busy, few, THREADS, BEGUN, BEGUN.plusSeconds(3)))
                .isEmpty();
        assertThat(HostFigures.contradiction(more, few, THREADS, BEGUN, BEGUN.plusSeconds(3)))
                .hasValueSatisfying(reason -> assertThat(reason).contains("of CPU time of 2 processors"));
    }

    private static TrialRun with(TrialRun run, Optional<OpenLoop> openLoop, long cpuNanos) {
        TrialRun.Usage usage = run.usage();
        return new TrialRun(
                run.outcome(),
                run.span(),
                run.warmUp(),
                run.operations(),
                run.latency(),
                openLoop,
                new TrialRun.Usage(
                        usage.elapsedNanos(),
                        usage.operations(),
                        cpuNanos,
                        usage.allocatedBytes(),
                        usage.server(),
                        usage.garbage(),
                        usage.pool(),
                        usage.sqlNodes()),
                run.visits(),
                run.remarks());
    }

    /** A thread cannot have been busy for longer than the window, whatever the rate. */
    @Test
    void moreTimeThanThereWasIsNamed() {
        TrialRun honest = honest();
        Histogram times = new Histogram(3_600 * SECOND, 3);
        times.recordValueWithCount(SECOND / 2, 400);
        Operations before = honest.operations().get("fetch");
        honest.latency().put("fetch", times);
        honest.operations()
                .put(
                        "fetch",
                        new Operations(
                                400,
                                before.throughputBytesPerSecond(),
                                before.operationsPerSecond(),
                                Latency.of(times),
                                before.bytes()));

        assertThat(contradiction(honest))
                .hasValueSatisfying(reason -> assertThat(reason).contains("on average"));
    }

    /** One figure at a time, in the message as a host sends it. */
    @ParameterizedTest
    @CsvSource({
        "run.operations.fetch.count, 443, operations",
        "run.operations.fetch.operations_per_s, 1e300, a rate of",
        "run.operations.fetch.operations_per_s, 4000, a rate of",
        "run.operations.fetch.operations_per_s, 100, a rate of",
        "run.operations.fetch.throughput_bytes_per_s, 1e300, bytes/s",
        "run.operations.fetch.throughput_bytes_per_s, 0, bytes/s",
        "run.operations.fetch.latency_ns.mean, 1, percentiles",
        "run.operations.fetch.latency_ns.p50, 1, percentiles",
        "run.operations.fetch.latency_ns.max, 99000000, percentiles",
        "run.usage.cpuNanos, -1, CPU time",
        "run.usage.cpuNanos, 90000000000, CPU time",
        "run.usage.elapsedNanos, 0, operations within",
        "run.usage.elapsedNanos, 2000000000, operations within",
        "run.usage.operations, 399, in all",
        "run.usage.allocatedBytes, -1, in all",
        "run.span.nanos, 0, a window of",
        "run.span.nanos, 3000000000, a window of",
        "run.span.nanos, 9223372036854775807, a window of",
        "run.span.startedAt, 2026-11-27T09:59:59Z, a window of",
        "run.span.startedAt, 2026-11-27T10:00:02.5Z, a window of",
        "run.span.progress, [500], parts of a window",
        "run.span.progress, [-1], parts of a window"
    })
    void whatCannotBeTrueIsNamed(String figure, String value, String named) {
        JsonNode message = ForkMessage.MAPPER.readTree(new ForkMessage.Finished(honest()).toLine());
        String[] path = figure.split("\\.");
        JsonNode at = message;
        for (int i = 0; i < path.length - 1; i++) {
            at = at.path(path[i]);
        }
        assertThat(at.has(path[path.length - 1])).as(figure).isTrue();
        ((ObjectNode) at)
                .set(
                        path[path.length - 1],
                        ForkMessage.MAPPER.readTree(value.matches("20.*Z") ? '"' + value + '"' : value));
        TrialRun changed = ((ForkMessage.Finished) ForkMessage.ofLine(message.toString())).run();

        assertThat(contradiction(changed))
                .hasValueSatisfying(reason -> assertThat(reason).contains(named));
    }

    /** In one second, clocks may drift by half a millisecond, and are compared to a tenth. */
    @ParameterizedTest
    @CsvSource({"200000, true", "12000000, false", "10000000000, false"})
    void aClockThatWasSetIsNotDrift(long movedNanos, boolean isDrift) {
        HostClock before = new HostClock(3_600 * SECOND, 100_000);
        HostClock after = new HostClock(3_600 * SECOND + movedNanos, 100_000);

        assertThat(after.movedNanos(before) <= HostFigures.mostDriftNanos(before, after, Duration.ofSeconds(1)))
                .isEqualTo(isDrift);
        assertThat(after.since(before).boundNanos()).isEqualTo(100_000 + movedNanos);
    }
}
