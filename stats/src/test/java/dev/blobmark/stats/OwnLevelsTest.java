package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OwnLevelsTest {

    private static final int FORKS = 5;
    private static final int ROUNDS = 20;

    private final SplittableRandom random = new SplittableRandom(42);

    private interface Speed {
        double of(int fork, int round);
    }

    /** With 3 % of noise. */
    private List<Figure> figures(Speed speed) {
        List<Figure> figures = new ArrayList<>();
        for (int fork = 0; fork < FORKS; fork++) {
            for (int round = 0; round < ROUNDS; round++) {
                figures.add(new Figure(0, fork, round, speed.of(fork, round) * Math.exp(0.03 * random.nextGaussian())));
            }
        }
        return figures;
    }

    private Map<String, OwnLevels> of(Speed... speeds) {
        Map<String, List<Figure>> figures = new LinkedHashMap<>();
        for (int i = 0; i < speeds.length; i++) {
            figures.put("m" + i, figures(speeds[i]));
        }
        return OwnLevels.of(figures);
    }

    @Test
    void aMachineThatIsSlowForAWhileIsNoLevelOfAMethod() {
        Speed slowAtTimes = (fork, round) -> round / 5 % 2 == 0 ? 100 : 60;

        assertThat(of(slowAtTimes, slowAtTimes, slowAtTimes, slowAtTimes)).isEmpty();
        assertThat(of(slowAtTimes)).containsOnlyKeys("m0");
    }

    @Test
    void aMethodThatJumpsAloneIsFoundWithItsOwnLevels() {
        Map<String, OwnLevels> levels = of(
                (fork, round) -> 100,
                (fork, round) -> round % 3 == 0 ? 50 : 100,
                (fork, round) -> 200,
                (fork, round) -> 10);

        assertThat(levels).containsOnlyKeys("m1");
        assertThat(levels.get("m1").levels().low()).isCloseTo(50, within(2.0));
        assertThat(levels.get("m1").levels().high()).isCloseTo(100, within(3.0));
        assertThat(levels.get("m1").slowForks()).isEmpty();
    }

    @Test
    void everyThirdConnectionThatIsSlowIsToldByItsForks() {
        Map<String, OwnLevels> levels = of(
                (fork, round) -> 100,
                (fork, round) -> fork % 3 == 1 ? 50 : 100,
                (fork, round) -> 200,
                (fork, round) -> 10);

        assertThat(levels).containsOnlyKeys("m1");
        assertThat(levels.get("m1").slowForks()).containsExactly(1, 4);
    }

    @Test
    void aFewSlowRoundsAreNoLevel() {
        assertThat(of(
                        (fork, round) -> 100,
                        (fork, round) -> round % 7 == 0 ? 50 : 100,
                        (fork, round) -> 200,
                        (fork, round) -> 10))
                .isEmpty();
    }

    @Test
    void fewFiguresAreNotJudged() {
        List<Figure> few = figures((fork, round) -> round % 2 == 0 ? 50 : 100).subList(0, OwnLevels.MIN_FIGURES - 1);

        assertThat(OwnLevels.of(Map.of("few", few))).isEmpty();
    }
}
