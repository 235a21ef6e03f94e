package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.measurement.Latency;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.WarmUp;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Remarks;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Skew;
import dev.blobmark.mysql.server.Incident;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What several processes measured, put together by arithmetic that can be done by hand. */
class MergedRunsTest {

    private static final Instant START = Instant.parse("2026-11-21T10:15:00.123456Z");
    private static final long MILLI = 1_000_000;

    private static Histogram latencies(int count, long nanos) {
        Histogram histogram = Latencies.newHistogram();
        histogram.recordValueWithCount(nanos, count);
        return histogram;
    }

    /** Of 1,000-byte values, stored in 300 bytes. */
    private static TrialRun run(
            Outcome outcome, long startMillis, long windowMillis, String type, int count, long nanos, double perOp) {
        return run(
                outcome,
                startMillis,
                windowMillis,
                type,
                count,
                nanos,
                perOp,
                ServerAccount.unknown("another process of the trial watches the server"));
    }

    private static TrialRun run(
            Outcome outcome,
            long startMillis,
            long windowMillis,
            String type,
            int count,
            long nanos,
            double perOp,
            ServerAccount server) {
        Histogram latency = latencies(count, nanos);
        return new TrialRun(
                outcome,
                new TrialRun.Span(START.plusMillis(startMillis), windowMillis * MILLI, List.of(count - 1L, 1L)),
                new WarmUp(startMillis / 1e3, outcome instanceof Outcome.Measured),
                new TreeMap<>(Map.of(
                        type,
                        new Operations(
                                count,
                                count * 1e3,
                                count,
                                Latency.of(latency),
                                new Operations.ByteCounts(
                                        count * 1_000L,
                                        OptionalLong.of(count * 320L),
                                        OptionalLong.of(count * 20L),
                                        OptionalLong.of(count * 300L))))),
                new TreeMap<>(Map.of(type, latency)),
                Optional.empty(),
                new TrialRun.Usage(
                        windowMillis * MILLI - 7,
                        count,
                        Math.round(perOp * count),
                        Math.round(perOp * count * 10),
                        server,
                        new Garbage(2, 3_000_000),
                        new TreeMap<>(Map.of("connections", "4")),
                        List.of(count * 0.5, count * 0.5)),
                Optional.empty(),
                new Remarks(
                        List.of("bimodal"),
                        List.of("a node died"),
                        new TreeMap<>(Map.of("1213", 2L)),
                        new TreeMap<>()));
    }

    private static TrialRun measured(long startMillis, long windowMillis) {
        return run(new Outcome.Measured(), startMillis, windowMillis, "fetch", 100, 5_000, 1);
    }

    @Test
    void countsAndRatesAddUpAndTheRestIsWeighted() {
        ServerAccount server = new ServerAccount(
                OptionalLong.of(7), OptionalLong.of(0), OptionalLong.of(3), OptionalLong.of(11), new TreeMap<>());
        TrialRun merged = MergedRuns.of(List.of(
                run(new Outcome.Measured(), 0, 1_000, "fetch", 300, 1_000, 40),
                run(new Outcome.Measured(), 5, 1_020, "fetch", 100, 9_000, 80, server)));

        Operations fetch = merged.operations().get("fetch");
        assertThat(fetch.count()).isEqualTo(400);
        assertThat(fetch.operationsPerSecond()).isEqualTo(400);
        assertThat(fetch.throughputBytesPerSecond()).isEqualTo(400_000);
        assertThat(fetch.applicationBytes()).isEqualTo(400_000);
        assertThat(fetch.storedBytes()).hasValue(120_000);
        assertThat(fetch.wireBytesIn()).hasValue(128_000);
        assertThat(fetch.wireBytesOut()).hasValue(8_000);
        assertThat(fetch.latency().p50()).isEqualTo(1_000);
        assertThat(fetch.latency().p90()).isBetween(9_000L, 9_007L);
        assertThat(merged.latency().get("fetch").getTotalCount()).isEqualTo(400);
        assertThat(merged.usage().elapsedNanos()).isEqualTo(1_020 * MILLI - 7);
        assertThat(merged.span().startedAt()).isEqualTo(START);
        assertThat(merged.usage().garbage()).isEqualTo(new Garbage(4, 6_000_000));
        assertThat(merged.usage().pool()).containsEntry("connections", "4");
        assertThat(merged.warmUp()).isEqualTo(new WarmUp(0.005, true));
        // (300 · 40 + 100 · 80) / 400
        assertThat(merged.usage().cpuNanosPerOp()).isEqualTo(50);
        assertThat(merged.usage().allocatedBytesPerOp()).isEqualTo(500);
        assertThat(merged.usage().server()).as("as the one that watched saw it").isEqualTo(server);
        assertThat(merged.remarks().errors()).isEqualTo(Map.of("1213", 4L));
        assertThat(merged.outcome()).isEqualTo(new Outcome.Measured());
        assertThat(merged.remarks().flags()).containsExactly("bimodal");
        assertThat(merged.remarks().events()).containsExactly("a node died");
        assertThat(merged.usage().sqlNodes()).containsExactly(200.0, 200.0);
        assertThat(merged.span().progress()).containsExactly(398L, 2L);
    }

    /** Each of two parts of the window completed some: the one in which it happened is in neither count. */
    @Test
    void whatHappensInAWindowIsToldByWhatWasCompletedBeforeAndAfterIt() {
        TrialRun run = run(new Outcome.Measured(), 0, 1_000, "fetch", 300, 1_000, 40);

        assertThat(run.with(lost(250)).remarks().events())
                .last()
                .isEqualTo("data node 3 was lost 0.25 s into a window of 1.00 s; at least 0 operations were completed"
                        + " before, and 1 after");
        assertThat(run.with(lost(750)).remarks().events())
                .last()
                .isEqualTo("data node 3 was lost 0.75 s into a window of 1.00 s; at least 299 operations were completed"
                        + " before, and 0 after");
        assertThat(run.with(lost(750)).remarks().flags()).containsExactly("bimodal", Sample.DEGRADED);
        assertThat(run.with(lost(-1)).remarks().events()).last().isEqualTo("data node 3 was lost before the window");
        assertThat(run.with(lost(-1)).with(lost(250)).remarks().flags()).containsOnlyOnce(Sample.DEGRADED);
        assertThat(run.with(lost(1_000))).as("the window was over").isEqualTo(run);
    }

    private static Incident lost(long millis) {
        return new Incident(START.plusMillis(millis), "data node 3 was lost");
    }

    @Test
    void steadyIsWhatAllProcessesWere() {
        TrialRun merged = MergedRuns.of(
                List.of(measured(0, 100), run(new Outcome.Unsteady("still changing"), 1, 100, "fetch", 1, 1, 1)));

        assertThat(merged.outcome()).isEqualTo(new Outcome.Unsteady("still changing"));
        assertThat(merged.warmUp().steady()).isFalse();
    }

    @Test
    void aTypeThatOneProcessDidNotComeToIsThatOfTheOther() {
        TrialRun merged =
                MergedRuns.of(List.of(measured(0, 100), run(new Outcome.Measured(), 0, 100, "encode", 7, 3_000, 1)));

        assertThat(merged.operations().get("fetch").count()).isEqualTo(100);
        assertThat(merged.operations().get("encode").count()).isEqualTo(7);
    }

    /** Start and length of the second window, the first being 1,000 ms from 0; and what they have in common. */
    @ParameterizedTest
    @CsvSource({"0, 1000, 100", "100, 1000, 90", "101, 1000, 89.9", "0, 500, 50", "0, 1200, 83.3", "1500, 1000, 0"})
    void windowsThatDoNotOverlapByNineTenthsAreTold(long start, long length, double percent) {
        TrialRun merged = MergedRuns.of(List.of(measured(0, 1_000), measured(start, length)));

        if (percent >= 90) {
            assertThat(merged.remarks().flags()).doesNotContain(Sample.APART);
            assertThat(merged.remarks().events()).containsExactly("a node died");
        } else {
            assertThat(merged.remarks().flags()).contains(Sample.APART);
            assertThat(merged.remarks().events())
                    .contains("the windows of 2 processes overlapped for " + Math.round(percent)
                            + " % of the longest, and began " + start + ".0 ms apart");
        }
    }

    @Test
    void skewIsFromTheFirstStartOrEndToTheLast() {
        TrialRun early = measured(0, 1_000).startedAt(START, 300_000);
        TrialRun late = measured(30, 960).startedAt(START.plusMillis(30), 200_000);
        TrialRun inTime = measured(10, 1_000).startedAt(START.plusMillis(10), 100_000);

        Skew skew = MergedRuns.of(List.of(late, early, inTime)).skew().orElseThrow();

        assertThat(skew.processes()).isEqualTo(3);
        assertThat(skew.startsMs()).isEqualTo(30);
        assertThat(skew.endsMs()).isEqualTo(20);
        assertThat(skew.common()).isEqualTo(0.96);
        assertThat(skew.clockMs()).as("the two worst, in opposite directions").hasValue(0.5);
        assertThat(MergedRuns.of(List.of(measured(0, 100), measured(0, 100)))
                        .skew()
                        .orElseThrow()
                        .clockMs())
                .isEmpty();
        assertThat(MergedRuns.of(List.of(early)).skew()).isEmpty();
    }

    /** Operations and threads of the second process; the first completed 300 with 3 threads. */
    @ParameterizedTest
    @CsvSource({"300, 3, false", "100, 1, false", "210, 3, false", "190, 3, true", "100, 3, true", "900, 3, true"})
    void aProcessThatIsMuchSlowerThanTheOthersWasLimitedByItself(int count, int threads, boolean isLimited) {
        TrialRun merged = MergedRuns.of(
                List.of(
                        run(new Outcome.Measured(), 0, 1_000, "fetch", 300, 1_000, 1),
                        run(new Outcome.Measured(), 0, 1_000, "fetch", count, 1_000, 1)),
                List.of(3, threads));

        assertThat(merged.remarks().flags().contains(Sample.CLIENT_LIMITED)).isEqualTo(isLimited);
        if (count == 100 && threads == 3) {
            assertThat(merged.remarks().events())
                    .last()
                    .asString()
                    .startsWith("the slowest of 2 processes completed 33 % of the usual operations per thread");
        }
    }

    /** Of 400 operations of two processes. */
    @ParameterizedTest
    @CsvSource({"400, false", "350, false", "330, true", "50000, false"})
    void theServerReceivedAtLeastAStatementForEachOperation(long statements, boolean differs) {
        OptionalLong none = OptionalLong.empty();
        ServerAccount server = new ServerAccount(none, none, none, none, OptionalLong.of(statements), new TreeMap<>());
        TrialRun merged = MergedRuns.of(List.of(
                run(new Outcome.Measured(), 0, 1_000, "fetch", 300, 1_000, 40),
                run(new Outcome.Measured(), 5, 1_000, "fetch", 100, 9_000, 80, server)));

        assertThat(merged.remarks().flags().contains(Sample.MISCOUNTED)).isEqualTo(differs);
        if (differs) {
            assertThat(merged.remarks().events())
                    .contains("the processes completed 400 operations, but the server received 330 statements");
        }
    }

    @Test
    void fewOperationsShowNothingAboutAProcess() {
        TrialRun merged = MergedRuns.of(
                List.of(
                        run(new Outcome.Measured(), 0, 1_000, "fetch", 300, 1_000, 1),
                        run(new Outcome.Measured(), 0, 1_000, "fetch", 20, 1_000, 1)),
                List.of(3, 3));

        assertThat(merged.remarks().flags()).doesNotContain(Sample.CLIENT_LIMITED);
    }

    @Test
    void theOrderOfTheProcessesDoesNotMatter() {
        List<TrialRun> runs = new ArrayList<>(List.of(measured(0, 1_000), measured(30, 990), measured(200, 1_010)));
        TrialRun merged = MergedRuns.of(runs);
        Collections.reverse(runs);

        assertThat(MergedRuns.of(runs)).isEqualTo(merged);
        assertThat(merged.remarks().events())
                .contains("the windows of 3 processes overlapped for 79 % of the longest, and began 200.0 ms apart");
    }

    static Stream<Outcome> outcomes() {
        return Stream.of(
                new Outcome.Measured(),
                new Outcome.Unsteady("still changing"),
                new Outcome.Saturated("9 of 10 offered"),
                new Outcome.Failed("a \"wrong\" value\nof 3 bytes"),
                new Outcome.Unavailable("no such format"));
    }

    @Test
    void theOutcomesBelowAreAllThereAre() {
        assertThat(outcomes().map(Object::getClass)).containsExactlyInAnyOrder(Outcome.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    void whatAProcessFoundGoesThroughJsonAsItIs(Outcome outcome) {
        ForkMessage finished = new ForkMessage.Finished(run(outcome, 3, 1_000, "fetch", 300, 123_456, 40.25));

        assertThat(ForkMessage.ofLine(finished.toLine())).isEqualTo(finished);
        assertThat(finished.toLine()).doesNotContain("\n");
    }

    @Test
    void whatHasFailedGoesThroughJsonAsItIs() {
        ForkMessage failed = new ForkMessage.Finished(TrialRun.failed("a wrong value", new WarmUp(0.5, false)));

        assertThat(ForkMessage.ofLine(failed.toLine())).isEqualTo(failed);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "8, 1, 8", "8, 2, 4 4", "7, 3, 3 2 2", "3, 3, 1 1 1"})
    void workersAreDealtOutEvenly(int workers, int processes, String counts) {
        List<Share> shares = Share.distribute(workers, processes);

        assertThat(shares.stream().map(share -> "" + share.count())).containsExactly(counts.split(" "));
        int first = 0;
        for (Share share : shares) {
            assertThat(share.first()).isEqualTo(first);
            assertThat(share.total()).isEqualTo(workers);
            first += share.count();
        }
        assertThat(first).isEqualTo(workers);
    }

    @Test
    void noProcessIsWithoutAWorker() {
        assertThatThrownBy(() -> Share.distribute(2, 3)).isInstanceOf(IllegalArgumentException.class);
    }
}
