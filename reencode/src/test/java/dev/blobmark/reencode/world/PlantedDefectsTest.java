package dev.blobmark.reencode.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each guard that is taken out is found: the world is worth as much as this. */
class PlantedDefectsTest {

    private static final long MOST_SEEDS = 1_000;

    static Stream<Defect> defects() {
        return Defect.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("defects")
    void isFound(Defect defect, @TempDir Path directory) throws Exception {
        long seed = PlantedDefects.firstSeed(defect, directory, MOST_SEEDS);
        System.out.println("found by seed " + seed + ": " + defect.name());
        assertThat(seed).as(defect.name()).isNotNegative();
    }
}
