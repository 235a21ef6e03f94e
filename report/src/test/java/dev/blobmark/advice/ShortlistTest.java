package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.probe.CodecFigures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ShortlistTest {

    private static List<String> raced(AdviceQuestion question, Map<String, Double> costs) {
        List<Candidate> all = AdviceFixture.candidates();
        Map<String, Double> complete = new LinkedHashMap<>();
        all.forEach(candidate -> complete.put(candidate.id(), costs.getOrDefault(candidate.id(), 1e9)));
        return Shortlist.of(all, complete, Shortlist.excluded(all, question), question).stream()
                .map(Candidate::id)
                .toList();
    }

    private static final Map<String, Double> COSTS =
            Map.of("as-is", 100.0, "lz4", 98.0, "zstd-3", 112.0, "brotli-11", 150.0, "mysql-6", 400.0);

    @Test
    void whatTheForecastCannotTellApartIsRaced() {
        assertThat(raced(AdviceFixture.question(Goal.SPEED, "loopback", 1), COSTS))
                .contains("as-is", "lz4", "zstd-3", "compressed-table", "mysql-6-uncompress")
                .doesNotContain("brotli-11", "mysql-6");
        assertThat(raced(AdviceFixture.question(Goal.DISK, "loopback", 1), COSTS))
                .contains("brotli-11")
                .doesNotContain("mysql-6");
    }

    @Test
    void thePresentWayIsAlwaysRaced() {
        assertThat(raced(AdviceFixture.question(Goal.SPEED, "loopback", 1), Map.of("as-is", 1e6, "lz4", 10.0)))
                .contains("as-is", "lz4");
    }

    @Test
    void packetsAreCompressedOverSlowLinksOnly() {
        assertThat(raced(AdviceFixture.question(Goal.SPEED, "loopback", 1), COSTS))
                .doesNotContain("compressed-protocol");
        assertThat(raced(AdviceFixture.question(Goal.SPEED, "25mbit", 1), COSTS))
                .contains("compressed-protocol");
    }

    @Test
    void requirementsExclude() {
        AdviceQuestion inSql = question(OptionalDouble.of(100_000), OptionalLong.empty(), true);
        assertThat(Shortlist.excluded(AdviceFixture.candidates(), inSql))
                .containsEntry("lz4", "SQL cannot read it")
                .containsEntry("brotli-11", "SQL cannot read it, encoding a value takes longer than allowed")
                .doesNotContainKeys("as-is", "mysql-6", "compressed-table");
    }

    private static AdviceQuestion question(
            OptionalDouble maxEncodeNanos, OptionalLong maxMemoryBytes, boolean mustReadInSql) {
        return new AdviceQuestion(
                "dir:x",
                "16KB",
                "loopback",
                1,
                OptionalInt.empty(),
                Goal.DISK,
                1,
                maxEncodeNanos,
                maxMemoryBytes,
                mustReadInSql,
                42);
    }

    @Test
    void whatNeedsMoreMemoryThanAllowedIsExcluded() {
        CodecFigures frugal = AdviceFixture.codec("lz4", 2, 2, 0.3);
        CodecFigures greedy = AdviceFixture.codec("zstd:19", 4, 4, 1);
        List<Candidate> all = Candidate.of(List.of(
                AdviceFixture.codec("none", 1, 0, 0),
                new CodecFigures(frugal.codec(), frugal.classes(), OptionalLong.of(1 << 20)),
                new CodecFigures(greedy.codec(), greedy.classes(), OptionalLong.of(3 << 19))));
        assertThat(Shortlist.excluded(all, question(OptionalDouble.empty(), OptionalLong.of(1 << 20), false)))
                .containsOnly(Map.entry("zstd-19", "it needs 1.5 MB a thread, more than allowed"));
        assertThat(Shortlist.excluded(all, question(OptionalDouble.empty(), OptionalLong.empty(), false)))
                .isEmpty();
    }
}
