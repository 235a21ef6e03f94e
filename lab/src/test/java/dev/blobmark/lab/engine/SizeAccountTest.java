package dev.blobmark.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.engine.TrialRunTest.Nothing;
import dev.blobmark.lab.engine.TrialRunTest.OwnTime;
import dev.blobmark.lab.engine.TrialRunTest.Work;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operations by the size of their values, on a clock of their own: a value takes a microsecond for each of its bytes.
 */
@Timeout(60)
class SizeAccountTest {

    private static final int OPERATIONS = 400;

    @TempDir
    private Path directory;

    private TrialRun run(Map<String, String> levels, int... lengths) throws IOException, InterruptedException {
        ListedValues listed =
                ListedValues.of(Arrays.stream(lengths).mapToObj(byte[]::new).toArray(byte[][]::new));
        EncodedValues values = EncodedValues.of(listed, Codecs.parse("none"), directory, bytes -> {});
        OwnTime clock = new OwnTime();
        return WindowedTrial.run(new TrialSpec(
                Work.of(() -> new Nothing() {
                    @Override
                    public long perform(int type, int row) {
                        clock.pass(values.length(row) * 1_000L);
                        return values.length(row);
                    }
                }),
                new Setup(Design.of(levels), values, null, null, null),
                2,
                new Window.Count(OPERATIONS),
                Duration.ofSeconds(1),
                clock,
                42));
    }

    @Test
    void eachClassHasItsCountItsTimesAndItsRateOverThem() throws Exception {
        TrialRun run = run(Map.of(), 100, 5_000, 5_000, 80_000);

        Operations all = run.operations().get("work");
        assertThat(all.bySize()).containsOnlyKeys(SizeClass.TO_1KB, SizeClass.TO_16KB, SizeClass.TO_256KB);
        Operations small = all.bySize().get(SizeClass.TO_1KB);
        Operations middle = all.bySize().get(SizeClass.TO_16KB);
        Operations large = all.bySize().get(SizeClass.TO_256KB);
        assertThat(small.count() + middle.count() + large.count()).isEqualTo(OPERATIONS);
        assertThat(middle.count()).isBetween(150L, 250L); // half of the rows
        assertThat(small.applicationBytes()).isEqualTo(100 * small.count());
        assertThat(small.storedBytes()).hasValue(100 * small.count());
        assertThat(small.applicationBytes() + middle.applicationBytes() + large.applicationBytes())
                .isEqualTo(all.applicationBytes());
        assertThat(small.latency().max()).isBetween(100_000L, 100_100L);
        assertThat(large.latency().p50()).isBetween(80_000_000L, 80_100_000L);
        // two workers, each a byte in a microsecond, whatever the others take
        assertThat(small.throughputBytesPerSecond()).isCloseTo(2e6, withinPercentage(1e-9));
        assertThat(large.operationsPerSecond()).isCloseTo(2e6 / 80_000, withinPercentage(1e-9));
        assertThat(run.latency().keySet())
                .containsExactlyInAnyOrder("work", "work.0-1KB", "work.4KB-16KB", "work.64KB-256KB");
        assertThat(run.latency().get("work.4KB-16KB").getTotalCount()).isEqualTo(middle.count());
    }

    @Test
    void valuesOfOneClassAreNotToldApart() throws Exception {
        TrialRun run = run(Map.of(), 5_000, 16_383);

        assertThat(run.operations().get("work").bySize()).isEmpty();
        assertThat(run.latency()).containsOnlyKeys("work");
    }

    @Test
    void neitherIsAnOperationOnSeveralValues() throws Exception {
        assertThat(run(Map.of("batch", "2"), 100, 5_000)
                        .operations()
                        .get("work")
                        .bySize())
                .isEmpty();
    }

    @Test
    void ofSeveralProcessesCountsAndRatesAddUpAndLatenciesMerge() throws Exception {
        TrialRun one = run(Map.of(), 100, 5_000);

        TrialRun both = MergedRuns.of(List.of(one, told(one)));

        Operations its = both.operations().get("work").bySize().get(SizeClass.TO_16KB);
        Operations ofOne = one.operations().get("work").bySize().get(SizeClass.TO_16KB);
        assertThat(its.count()).isEqualTo(2 * ofOne.count());
        assertThat(its.throughputBytesPerSecond()).isCloseTo(4e6, withinPercentage(1e-9));
        assertThat(its.latency().p50()).isEqualTo(ofOne.latency().p50());
        assertThat(both.latency().get("work.4KB-16KB").getTotalCount()).isEqualTo(its.count());
    }

    /** As a measuring JVM tells it to its parent. */
    private static TrialRun told(TrialRun run) {
        return ((ForkMessage.Finished) ForkMessage.ofLine(new ForkMessage.Finished(run).toLine())).run();
    }
}
