package dev.blobmark.lab.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.dataset.Datasets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Real figures of codecs whose needs differ by factors. */
class CodecMemoryTest {

    private static final int MB = 1 << 20;

    @BeforeAll
    static void assumeMeasurable() {
        try {
            CodecMemory.requireMeasurable();
        } catch (IllegalStateException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    private static CodecMemory ofValue(int bytes) {
        return new CodecMemory(Datasets.parse("sites").values(bytes, 1).get(0));
    }

    /** Seen for 4 MB with zstd-jni 1.5.7: 0.3 MB for level 1, 49 MB for level 19, within 0.1 MB each time. */
    @Test
    void highLevelsOfZstdNeedMuchMoreThanLowOnes() {
        CodecMemory memory = ofValue(4 * MB);

        long low = memory.applyAsLong("zstd:1");
        long high = memory.applyAsLong("zstd:19");
        assertThat(low).isBetween(50_000L, 8L * MB);
        assertThat(high).isBetween(16L * MB, 160L * MB).isGreaterThan(4 * low);
    }

    @Test
    void lz4NeedsLessThanBrotliAndNoneNeedsNothing() {
        CodecMemory memory = ofValue(MB);

        assertThat(memory.applyAsLong("none")).isLessThan(MB);
        assertThat(memory.applyAsLong("brotli:11")).isGreaterThan(4 * memory.applyAsLong("lz4"));
    }

    @Test
    void aCodecThatDoesNotExistIsNamed() {
        CodecMemory memory = ofValue(100);

        assertThatThrownBy(() -> memory.applyAsLong("zstd:99"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the memory of zstd:99 could not be measured for a value of 100 bytes");
    }
}
