package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What every generated dataset keeps to besides. */
abstract class GeneratedDatasetContract extends DatasetContract {

    private static final int MIB = 1 << 20;

    /**
     * By size, the digests that seed 42 gave when the generator was made. One that differs means that values are no
     * longer those of earlier runs, whose figures can then not be compared.
     */
    abstract Map<Integer, String> goldenDigests();

    @Override
    int[] sizes() {
        return new int[] {100, 1, 2, 3, 7, 8, 9, 10, 30, 31, 100_000};
    }

    @Test
    void isASettingForSizeAndNobodysOwn() {
        assertThat(dataset().hasSize()).isTrue();
        assertThat(dataset().isPrivate()).isFalse();
    }

    @Test
    void neverChangesItsBytes() {
        Map<Integer, String> digests = new TreeMap<>();
        for (int size : goldenDigests().keySet()) {
            digests.put(size, dataset().values(size, SEED).digest());
        }
        assertThat(digests).isEqualTo(goldenDigests());
    }

    @Test
    void makes16MebibytesIn8To1000Values() {
        assertThat(dataset().values(100, SEED).count()).isEqualTo(1_000);
        assertThat(dataset().values(16_777, SEED).count()).isEqualTo(1_000);
        assertThat(dataset().values(34_011, SEED).count()).isEqualTo(494);
        assertThat(dataset().values(64 << 10, SEED).count()).isEqualTo(256);
        assertThat(dataset().values(MIB, SEED).count()).isEqualTo(16);
        assertThat(dataset().values(5 * MIB, SEED).count()).isEqualTo(8);
        assertThat(dataset().values(16 * MIB, SEED).count()).isEqualTo(8);
    }

    @Test
    void makesTheLongestValue() {
        Values values = dataset().values(16 * MIB, SEED);

        assertThat(values.get(7)).hasSize(16 * MIB).isNotEqualTo(values.get(6));
    }

    @Test
    void refusesSizesOutOfRange() {
        for (int size : new int[] {0, -1, 16 * MIB + 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> dataset().values(size, SEED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "dataset %s: size %d is out of range; use 1 to 16777216 bytes",
                            dataset().id(), size);
        }
    }

    @Test
    void givesOtherBytesForAnotherSeedOrIndex() {
        byte[] value = dataset().values(1_000, SEED).get(0);

        assertThat(dataset().values(1_000, SEED + 1).get(0)).isNotEqualTo(value);
        assertThat(dataset().values(1_000, -SEED).get(0)).isNotEqualTo(value);
        assertThat(dataset().values(1_000, SEED).get(1)).isNotEqualTo(value);
        assertThat(Arrays.copyOf(dataset().values(1_001, SEED).get(0), 1_000)).isNotEqualTo(value);
    }

    @Test
    void hasOneSize() {
        assertThat(dataset().values(MIB, SEED).sizes().describe())
                .isEqualTo("16 values of 1048576 bytes, 16777216 bytes in total");
    }
}
