package dev.blobmark.bench.reencode.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.bench.reencode.random.Seat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Some random changes without a log on a server with a replica; {@code bench/reencode-witness} makes many. */
class UnloggedChangesIT {

    /** Small tables; rows are brought over. */
    private static final List<Integer> SEEDS = List.of(7, 9);

    private static final Path CACHE = Path.of("target", "test-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();

    @Test
    void allAreFound() throws Exception {
        List<String> wrong = new ArrayList<>();
        int unlogged = 0;
        try (Pair pair = Pair.open(Seat.MARIADB_LOG, Optional.empty(), CACHE)) {
            for (int seed : SEEDS) {
                Trial.Result result = pair.run(Plan.of(seed));
                unlogged += result.unlogged();
                if (!result.isRight()) {
                    wrong.add("bench/reencode-witness --servers mariadb-log --seed " + seed + ": " + result);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(unlogged).isGreaterThan(SEEDS.size());
    }

    @Test
    void aSeedDrawsTheSamePlan() {
        assertThat(Plan.of(7)).isEqualTo(Plan.of(7));
    }
}
