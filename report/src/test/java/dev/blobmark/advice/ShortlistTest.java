package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ShortlistTest {

    private static List<String> raced(Question question, Map<String, Double> costs) {
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
        Question inSql =
                new Question("dir:x", "16KB", "loopback", 1, Goal.DISK, 1, OptionalDouble.of(100_000), true, 42);
        assertThat(Shortlist.excluded(AdviceFixture.candidates(), inSql))
                .containsEntry("lz4", "SQL cannot read it")
                .containsEntry("brotli-11", "SQL cannot read it, encoding a value takes longer than allowed")
                .doesNotContainKeys("as-is", "mysql-6", "compressed-table");
    }
}
