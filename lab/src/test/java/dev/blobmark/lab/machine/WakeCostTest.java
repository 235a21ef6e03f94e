package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The measurement itself; what it gives depends on the machine, and is not judged here. */
class WakeCostTest {

    @Test
    void threadsThatAreLeftFreeCanBeMeasuredAnywhere() {
        WakeCost free = WakeCost.measure(OptionalInt.empty(), OptionalInt.empty());
        assertThat(free.medianNanos()).isPositive().isLessThanOrEqualTo(free.p90Nanos());
        assertThat(free.wakes()).isEqualTo(300);
        assertThat(free.toString()).matches("[\\d.]+ [µn]s \\(p90 [\\d.]+ [µn]s\\)");
    }

    @Test
    void aThreadIsHeldToOneProcessor() {
        CpuList allowed = allowed();
        int last = allowed.cpus().last();
        var before = SystemTree.HERE.allowed("thread-self");
        WakeCost same = WakeCost.measure(OptionalInt.of(last), OptionalInt.of(last));
        assertThat(same.medianNanos()).isPositive();
        // threads of its own are pinned, not the one that asks
        assertThat(SystemTree.HERE.allowed("thread-self")).isEqualTo(before);
        CpuList effective = CompletableFuture.supplyAsync(
                        () -> {
                            ThisThread.pin(last);
                            return SystemTree.HERE.allowed("thread-self").orElseThrow();
                        },
                        task -> new Thread(task).start())
                .join();
        assertThat(effective).isEqualTo(CpuList.of(last));
    }

    @Test
    void aProcessorThatIsNotThereIsAnErrorOnEitherSide() {
        OptionalInt first = OptionalInt.of(allowed().cpus().first());
        assertThatThrownBy(() -> WakeCost.measure(OptionalInt.of(8191), first))
                .isInstanceOf(MachineException.class)
                .hasMessageContaining("taskset -cp 8191");
        assertThatThrownBy(() -> WakeCost.measure(first, OptionalInt.of(8191)))
                .isInstanceOf(MachineException.class)
                .hasMessageContaining("taskset -cp 8191");
    }

    @Test
    void onlyACoreThatWakesMuchLaterThanABusyOneIsWarnedOf() {
        WakeCost quick = new WakeCost(6_000, 9_000, 300);
        assertThat(Checkup.placed(new WakeCost(15_000, 40_000, 300), quick).level())
                .isEqualTo(Finding.Level.OK);
        assertThat(Checkup.placed(new WakeCost(57_300, 80_000, 300), quick))
                .satisfies(finding -> assertThat(finding.isWarning()).isTrue())
                .extracting(Finding::observed)
                .isEqualTo("57.3 µs (p90 80.0 µs) for a thread on an idle core, 6.0 µs (p90 9.0 µs) on the waker's own:"
                        + " medians of 300, after 0.5 ms of rest");
    }

    @Test
    void aWakeOfAnUnknownCoreIsNotedWithTheReason() {
        Finding free = Checkup.free(new WakeCost(12_000, 30_000, 300), "there is no taskset");
        assertThat(free.level()).isEqualTo(Finding.Level.NOTE);
        assertThat(free.why()).startsWith("Threads cannot be pinned: there is no taskset. ");
    }

    private static CpuList allowed() {
        var allowed = SystemTree.HERE.allowed("self");
        assumeTrue(allowed.isPresent(), "only Linux pins threads");
        try {
            ThisThread.run(List.of("taskset", "--version"));
        } catch (MachineException e) {
            assumeTrue(false, e.getMessage());
        }
        return allowed.get();
    }
}
