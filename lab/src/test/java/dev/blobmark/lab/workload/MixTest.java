package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.study.Levels;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MixTest {

    /** Wherever a window begins and ends. */
    @Test
    void eachPartOfTheOrderHasTheShare() {
        for (int percent = 1; percent < 100; percent++) {
            for (long seed = 0; seed < 3; seed++) {
                boolean[] order = new Mix(percent).order(seed);
                int fetches = 0;
                double most = 0;
                double least = 0;
                for (int i = 0; i < order.length; i++) {
                    fetches += order[i] ? 1 : 0;
                    double off = fetches - (i + 1) * percent / 100.0;
                    most = Math.max(most, off);
                    least = Math.min(least, off);
                }
                assertThat(fetches * 100).isEqualTo(order.length * percent);
                // of a group, in which the share is exact
                int group = order.length / 64;
                assertThat(most - least).isLessThanOrEqualTo(2.0 * Math.min(percent, 100 - percent) * group / 100);
            }
        }
    }

    /** Otherwise, a thread whose turns have a distance would update only, or never. */
    @Test
    void theOrderHasNoPeriod() {
        boolean[] order = new Mix(90).order(1);
        long places = IntStream.range(0, order.length)
                .filter(i -> !order[i])
                .map(i -> i % 10)
                .distinct()
                .count();
        assertThat(places).isGreaterThan(5);
        assertThat(Arrays.equals(order, new Mix(90).order(2))).isFalse();
        assertThat(order).isEqualTo(new Mix(90).order(1));
    }

    /** The second and third are of 448 KB and 64 threads, when each connection began a window with an update. */
    @ParameterizedTest
    @CsvSource({
        "mix:90, 900, 100, ''",
        "mix:90, 12, 129, '8.5 % of 141 operations fetched, instead of 90 %'",
        "mix:90, 218, 144, '60.2 % of 362 operations fetched, instead of 90 %'",
        "mix:90, 9, 0, ''",
        "mix:90, 0, 1, ''",
        "mix:90, 0, 9, '0.0 % of 9 operations fetched, instead of 90 %'",
        "mix:50, 5150, 4850, ''",
        "mix:50, 5300, 4700, '53.0 % of 10,000 operations fetched, instead of 50 %'",
        "mix:100, 10, 0, ''",
        "mix:0, 0, 10, ''",
        "fetch, 10, 10, ''"
    })
    void anotherMixThanWasAskedForIsNoticed(String workload, long fetches, long updates, String reason) {
        assertThat(Workload.contradiction(
                                Levels.of(Map.of("workload", workload)),
                                new TreeMap<>(Map.of("fetch", fetches, "update", updates)))
                        .orElse(""))
                .isEqualTo(reason);
    }
}
