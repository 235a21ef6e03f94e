package dev.blobmark.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TiersTest {

    @Test
    void methodsThatAreAllTiedShareOneLetter() {
        Tiers tiers = Tiers.of(List.of("a", "b", "c"), (better, worse) -> false);

        assertThat(tiers.groups()).containsExactly(List.of("a", "b", "c"));
        assertThat(tiers.letters("b")).isEqualTo("a");
        assertThat(tiers.steps()).containsExactly(List.of("a", "b", "c"));
    }

    @Test
    void aMethodBetweenTwoGroupsHasTheLettersOfBoth() {
        Map<String, Set<String>> apart =
                Map.of("fast", Set.of("slow", "slower"), "middle", Set.of("slower"), "slow", Set.of());
        Tiers tiers = Tiers.of(
                List.of("fast", "middle", "slow", "slower"),
                (better, worse) -> apart.getOrDefault(better, Set.of()).contains(worse));

        assertThat(tiers.letters("fast")).isEqualTo("a");
        assertThat(tiers.letters("middle")).isEqualTo("ab");
        assertThat(tiers.letters("slow")).isEqualTo("bc");
        assertThat(tiers.letters("slower")).isEqualTo("c");
        assertThat(tiers.steps()).containsExactly(List.of("fast", "middle"), List.of("slow", "slower"));
        assertThat(tiers.isBetween("middle")).isFalse();
        assertThat(tiers.isBetween("slow")).isTrue();
        assertThat(tiers.isBetween("slower")).isFalse();
        assertThat(tiers.letters("absent")).isEmpty();
    }

    /**
     * The example of Piepho (2004), section 2, in other words: letters show exactly what was told apart, also where
     * groups are no stretches of the order.
     */
    @Test
    void lettersShowExactlyWhatWasToldApart() {
        List<String> ranked = List.of("1", "2", "3", "4", "5", "6");
        Set<String> apart = Set.of("1 3", "1 5", "2 6", "3 6", "4 5", "1 6");
        Tiers tiers = Tiers.of(ranked, (better, worse) -> apart.contains(better + " " + worse));
        for (int i = 0; i < ranked.size(); i++) {
            for (int j = i + 1; j < ranked.size(); j++) {
                assertThat(tiers.areTied(ranked.get(i), ranked.get(j)))
                        .isEqualTo(!apart.contains(ranked.get(i) + " " + ranked.get(j)));
            }
        }
    }

    @Test
    void allApartHaveALetterEach() {
        List<String> ranked = IntStream.range(0, 30).mapToObj(i -> "m" + i).toList();
        Tiers tiers = Tiers.of(ranked, (better, worse) -> true);

        assertThat(tiers.steps()).hasSize(30);
        assertThat(tiers.letters("m25")).isEqualTo("z");
        assertThat(tiers.letters("m26")).isEqualTo("a2");
    }
}
