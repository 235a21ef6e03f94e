package dev.blobmark.reencode.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Copies in worlds of new seeds each time, and of those that have failed once. */
class WorldTest {

    private static final int SEEDS = 2_000;

    /** They have broken a promise once. */
    private static final List<Long> KEPT = List.of(4_958L, 213_620L, 238_108L, 260_781L);

    @Test
    void noPromiseIsBroken() {
        long first = Long.getLong("blobmark.seed", System.nanoTime() & Integer.MAX_VALUE);
        System.out.println("world: " + SEEDS + " seeds from " + first + "; -Dblobmark.seed=" + first + " repeats them");
        List<Worlds.Result> broken = new ArrayList<>();
        for (long seed = first; seed < first + SEEDS && broken.isEmpty(); seed++) {
            Worlds.Result result = Worlds.run(seed, Set.of(), null);
            if (result.isBroken()) {
                broken.add(result);
            }
        }
        assertThat(broken.stream().flatMap(each -> Worlds.told(each).stream())).isEmpty();
    }

    @Test
    void seedsThatFailedOnceHold() {
        assertThat(KEPT).noneMatch(seed -> Worlds.run(seed, Set.of(), null).isBroken());
    }

    /** The same seed has the same history. */
    @Test
    void aSeedRepeatsItsHistory() {
        for (long seed = 0; seed < 20; seed++) {
            List<String> first = new ArrayList<>();
            List<String> second = new ArrayList<>();
            Worlds.run(seed, Set.of(), first);
            Worlds.run(seed, Set.of(), second);
            assertThat(first).hasSizeGreaterThan(10).isEqualTo(second);
        }
    }
}
