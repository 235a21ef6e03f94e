package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ToBaselineTest {

    private static final double EQUAL_WITHIN = 0.02;

    /** A figure for each fork. */
    private static List<Figure> figures(double... values) {
        List<Figure> figures = new ArrayList<>();
        for (double value : values) {
            figures.add(new Figure(0, figures.size(), figures.size(), value));
        }
        return figures;
    }

    private static ToBaseline compared(Optional<String> control) {
        Map<String, List<Figure>> figures = new TreeMap<>(Map.of(
                "base", figures(100, 101, 99, 100),
                "fast", figures(150, 152, 149, 150),
                "twin", figures(101, 100, 100, 99),
                "wild", figures(60, 180, 90, 140)));
        return ToBaseline.of(new MethodComparisons(figures, Confidence.USUAL), "base", control, EQUAL_WITHIN, true);
    }

    @Test
    void theControlShowsTheNoiseFloorAndIsJudgedWithoutIt() {
        ToBaseline compared = compared(Optional.of("twin"));

        assertThat(compared.margin().wanted()).isEqualTo(EQUAL_WITHIN);
        assertThat(compared.margin().noiseFloor()).isPositive().isFinite();
        MethodComparisons.Comparison twin = compared.find("twin").orElseThrow();
        assertThat(compared.verdict(twin)).isEqualTo(Verdict.of(twin.effect(), true, Margin.of(EQUAL_WITHIN)));
    }

    @Test
    void differencesWithinTheNoiseOfTheControlAreOpenAndTheControlNeverIs() {
        assertThat(compared(Optional.empty()).open()).contains("wild").doesNotContain("fast");
        assertThat(compared(Optional.of("wild")).open()).contains("fast").doesNotContain("wild");
    }

    @Test
    void aControlThatWasNotComparedLeavesNothingEqual() {
        ToBaseline compared = compared(Optional.of("absent"));

        assertThat(compared.margin().noiseFloor()).isInfinite();
        assertThat(compared.open()).contains("twin");
    }
}
