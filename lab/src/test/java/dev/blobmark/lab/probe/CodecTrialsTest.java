package dev.blobmark.lab.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CodecTrialsTest {

    private static CodecFigures figures(String codec, double stored, double encode, double decode) {
        return new CodecFigures(
                codec,
                new TreeMap<>(Map.of(SizeClass.TO_4KB, new OfClass(100, 100, 100, 2_000, stored, encode, decode, 0))));
    }

    @Test
    void everyCandidateIsACodecAndTheFirstIsTheValueItself() {
        assertThat(CodecTrials.candidates())
                .startsWith("none")
                .contains("zstd:-7", "zstd:19", "lz4", "lz4hc:12", "brotli:11", "mysql:6", "snappy")
                .doesNotHaveDuplicates();
    }

    @Test
    void storedBytesAreThoseOfTheCodecAndTimesAreMeasured() {
        Values values = Datasets.parse("random:4").values(8_192, 1);
        StratifiedSample sample = StratifiedSample.of(values, 200_000, 1);
        List<String> started = new ArrayList<>();
        List<CodecFigures> all = CodecTrials.measure(List.of("none", "lz4", "zstd:3"), sample, started::add);
        assertThat(started).containsExactly("none", "lz4", "zstd:3");
        CodecFigures none = all.get(0);
        assertThat(none.ratio()).isEqualTo(1);
        assertThat(none.encodeNanos()).isZero();
        assertThat(none.decodeNanos()).isZero();
        // four letters take two bits each
        CodecFigures zstd = all.get(2);
        assertThat(zstd.ratio()).isBetween(2.5, 4.0);
        assertThat(zstd.rawBytes()).isEqualTo(8_192);
        assertThat(zstd.encodeNanos()).isPositive();
        assertThat(zstd.decodeNanos()).isPositive();
        assertThat(zstd.ratioInterval().get(0)).isLessThanOrEqualTo(zstd.ratio());
        assertThat(zstd.ratioInterval().get(1)).isGreaterThanOrEqualTo(zstd.ratio());
    }

    /** Only some of the values are encoded. The interval must still contain the ratio of all. */
    @Test
    void theRatioOfAFewValuesHoldsForAll() {
        Values values = Datasets.parse("sites").values(4_096, 7);
        CodecFigures few = CodecTrials.measure(List.of("zstd:3"), StratifiedSample.of(values, 400_000, 3), codec -> {})
                .get(0);
        CodecFigures all = CodecTrials.measure(
                        List.of("zstd:3"), StratifiedSample.of(values, Long.MAX_VALUE / 4, 3), codec -> {})
                .get(0);
        assertThat(all.ratioInterval()).containsExactly(all.ratio(), all.ratio());
        assertThat(few.ratioInterval().get(0)).isLessThan(few.ratio());
        double miss = Math.abs(Math.log(few.ratio() / all.ratio()));
        assertThat(miss)
                .isLessThan(2.5 * Math.log(few.ratio() / few.ratioInterval().get(0)));
    }

    @Test
    void theFrontierLeavesOutWhatIsWorseInEachRespect() {
        CodecFigures none = figures("none", 2_000, 0, 0);
        CodecFigures fast = figures("fast", 1_000, 10, 10);
        CodecFigures small = figures("small", 500, 100, 50);
        CodecFigures slower = figures("slower", 1_000, 20, 20);
        CodecFigures larger = figures("larger", 600, 100, 50);
        assertThat(CodecTrials.frontier(List.of(none, larger, slower, fast, small)))
                .containsExactly(none, fast, small);
    }

    /** What a codec dominates that needs too much memory is possible again. */
    @Test
    void theFrontierIsThatOfTheCodecsThatNeedLittleMemory() {
        CodecFigures fast = figures("fast", 1_000, 10, 10);
        CodecFigures small = figures("small", 500, 100, 50);
        CodecFigures larger = figures("larger", 600, 100, 50);
        CodecFigures slower = figures("slower", 1_000, 20, 20);
        Map<String, Long> bytes = Map.of("fast", 10L, "small", 101L, "larger", 100L);
        List<CodecFigures> kept = CodecTrials.frontier(List.of(fast, larger, slower, small), 100, bytes::get);

        assertThat(kept).extracting(CodecFigures::codec).containsExactly("fast", "larger", "small");
        assertThat(kept)
                .extracting(figures -> figures.memoryBytes().orElseThrow())
                .containsExactly(10L, 100L, 101L);
    }

    @Test
    void ofTwoThatAreAlikeTheFirstIsKept() {
        CodecFigures one = figures("one", 1_000, 100, 50);
        CodecFigures other = figures("other", 1_001, 101, 50.5);
        assertThat(CodecTrials.frontier(List.of(one, other))).containsExactly(one);
        assertThat(CodecTrials.frontier(List.of(other, one))).containsExactly(other);
    }
}
