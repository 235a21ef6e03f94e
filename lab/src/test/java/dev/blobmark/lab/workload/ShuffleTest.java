package dev.blobmark.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleTest {

    private static void assertHasAll(int count, long seed) {
        Shuffle shuffle = new Shuffle(count, seed);
        BitSet found = new BitSet(count);
        for (int place = 0; place < count; place++) {
            found.set(shuffle.at(place));
        }
        assertThat(found.cardinality()).as("%d numbers", count).isEqualTo(count);
        assertThat(found.length()).isEqualTo(count);
    }

    @Test
    void everyOrderHasEachNumberOnce() {
        for (int count = 1; count <= 300; count++) {
            for (long seed = -3; seed < 4; seed++) {
                assertHasAll(count, seed);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4_093, 65_535, 65_536, 65_537, 999_983, 999_999, 1_000_000, 1_000_001})
    void longOrdersToo(int count) {
        assertHasAll(count, 42);
    }

    @Test
    void theLongestHasOnlyNumbersBelowItsCount() {
        Shuffle shuffle = new Shuffle(Integer.MAX_VALUE, 42);
        assertThat(IntStream.range(0, 1_000).map(i -> shuffle.at(Integer.MAX_VALUE - 1 - i)))
                .doesNotHaveDuplicates()
                .allMatch(number -> number >= 0);
        assertThatThrownBy(() -> new Shuffle(0, 42)).hasMessage("there is no order of 0 numbers");
    }

    @Test
    void theOrderFollowsFromTheSeed() {
        int[] orders = IntStream.of(1, 1, 2)
                .flatMap(seed -> IntStream.range(0, 1_000).map(new Shuffle(1_000, seed)::at))
                .toArray();
        long equal = IntStream.range(0, 1_000)
                .filter(i -> orders[i] == orders[2_000 + i])
                .count();

        assertThat(IntStream.range(0, 1_000)).allMatch(i -> orders[i] == orders[1_000 + i]);
        assertThat(equal).isLessThan(10); // 1 is expected
    }

    /** Chi-squared over all numbers at each place; the limit is 6 standard deviations above the mean. */
    @ParameterizedTest
    @ValueSource(ints = {6, 16, 23, 100})
    void eachNumberIsEquallyLikelyAtEachPlace(int count) {
        int orders = 200 * count;
        int[][] found = new int[count][count];
        int[][] next = new int[count][count];
        for (int seed = 0; seed < orders; seed++) {
            Shuffle shuffle = new Shuffle(count, seed);
            for (int place = 0; place < count; place++) {
                found[place][shuffle.at(place)]++;
                next[shuffle.at(place)][shuffle.at((place + 1) % count)]++;
            }
        }
        double freedom = count - 1;
        for (int row = 0; row < count; row++) {
            assertThat(chiSquared(found[row], -1)).as("place %d", row).isLessThan(freedom + 6 * Math.sqrt(2 * freedom));
            // the number after another one, whatever the place
            assertThat(chiSquared(next[row], row)).as("after %d", row).isLessThan(freedom + 6 * Math.sqrt(2 * freedom));
        }
    }

    private static double chiSquared(int[] counts, int without) {
        int cells = counts.length - (without < 0 ? 0 : 1);
        double expected = IntStream.of(counts).sum() / (double) cells;
        return IntStream.range(0, counts.length)
                .filter(cell -> cell != without)
                .mapToDouble(cell -> Math.pow(counts[cell] - expected, 2) / expected)
                .sum();
    }
}
