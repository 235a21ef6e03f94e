package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidsTest {

    private static UUID uuid(byte[] bytes) {
        ByteBuffer both = ByteBuffer.wrap(bytes);
        return new UUID(both.getLong(), both.getLong());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7})
    void areUuidsAndAllDifferent(int version) {
        Values values = Datasets.parse("uuid:" + version).values(0, 42, 200_000);

        Set<UUID> different = new HashSet<>();
        for (int i = 0; i < values.count(); i++) {
            UUID uuid = uuid(values.get(i));
            assertThat(uuid.version()).isEqualTo(version);
            assertThat(uuid.variant()).isEqualTo(2);
            different.add(uuid);
        }
        assertThat(different).hasSize(200_000);
    }

    /** By hand from RFC 9562: the bits that are free are as often set as not. */
    @Test
    void versionFourIsRandomInAllOtherBits() {
        Values values = Datasets.parse("uuid:4").values(0, 1, 20_000);
        int[] set = new int[128];
        for (int i = 0; i < values.count(); i++) {
            byte[] bytes = values.get(i);
            for (int bit = 0; bit < set.length; bit++) {
                set[bit] += bytes[bit / 8] >> 7 - bit % 8 & 1;
            }
        }
        assertThat(IntStream.range(0, set.length).filter(bit -> bit < 48 || bit > 51 && bit < 64 || bit > 65))
                .hasSize(122)
                // five standard deviations of 20,000 tosses
                .allSatisfy(bit -> assertThat(set[bit]).isBetween(10_000 - 354, 10_000 + 354));
    }

    @Test
    void versionSevenRisesWithTheMillisecond() {
        Values values = Datasets.parse("uuid:7").values(0, 1, 25);
        long first = Instant.parse("2024-01-01T00:00:00Z").toEpochMilli();

        assertThat(IntStream.range(0, 25).mapToLong(i -> uuid(values.get(i)).getMostSignificantBits() >>> 16))
                .containsExactly(IntStream.range(0, 25)
                        .mapToLong(i -> first + i / 10)
                        .boxed()
                        .toArray(Long[]::new));
    }

    @Test
    void followFromTheSeed() {
        Values one = Datasets.parse("uuid:4").values(0, 1, 1_000);
        Values again = Datasets.parse("uuid:4").values(0, 1, 500);
        Values other = Datasets.parse("uuid:4").values(0, 2, 1_000);

        Set<UUID> ofOne = new HashSet<>();
        for (int i = 0; i < one.count(); i++) {
            ofOne.add(uuid(one.get(i)));
        }
        assertThat(again.get(499)).isEqualTo(one.get(499));
        assertThat(IntStream.range(0, 1_000).mapToObj(i -> uuid(other.get(i)))).doesNotContainAnyElementsOf(ofOne);
    }
}
