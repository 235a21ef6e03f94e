package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompetingLoadTest {

    @Test
    void threadsHaveTheWeightThatLeavesTheShare() {
        assertThat(CompetingLoad.niceValues(0.5)).containsExactly(0);
        assertThat(CompetingLoad.niceValues(0.25)).containsExactly(0, 0, 0);
        assertThat(CompetingLoad.niceValues(0.3)).containsExactly(0, 0, 5);
        assertThat(CompetingLoad.niceValues(0.9)).containsExactly(10);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2, 0.33, 0.47, 0.6, 0.75, 0.8, 0.95})
    void anyShareIsMetWithinAHundredthOrTwo(double share) {
        Map<Integer, Integer> weights =
                Map.of(0, 1024, 1, 820, 2, 655, 3, 526, 4, 423, 5, 335, 6, 272, 8, 172, 13, 56, 14, 45);
        List<Integer> values = CompetingLoad.niceValues(share);
        int total = values.stream()
                .mapToInt(nice ->
                        Optional.ofNullable(weights.get(nice)).orElseGet(() -> (int) (1024 / Math.pow(1.25, nice))))
                .sum();

        assertThat(1024.0 / (1024 + total)).isCloseTo(share, within(0.03));
    }

    /** Beside other load the probe gets less than its share, never more. */
    @Test
    @Timeout(60)
    void aBusyThreadKeepsNoMoreThanItsShare() {
        Optional<String> reason = CompetingLoad.unavailable();
        assumeTrue(reason.isEmpty(), () -> reason.orElse(""));
        int cpu = SystemTree.HERE.allowed("self").orElseThrow().cpus().last();

        try (CompetingLoad rival = CompetingLoad.start(cpu, 0.25)) {
            assertThat(rival.share()).isBetween(0.01, 0.3125);
            assertThat(rival)
                    .hasToString("next to a load on processor " + cpu + " one busy thread of the server gets "
                            + String.format(Locale.ROOT, "%.2f", rival.share()) + " of it");
            long children = ProcessHandle.current().children().count();
            rival.rest();
            assertThat(ProcessHandle.current().children()).hasSize((int) children - 1);
            rival.resume();
            assertThat(ProcessHandle.current().children()).hasSize((int) children);
        }
    }
}
