package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DesignTest {

    private final List<String> parsed = new ArrayList<>();

    private Factor<Integer> number(String name, String defaultLevel) {
        return new Factor<>(
                name,
                Factor.Home.CONDITION,
                Set.of(),
                Set.of(),
                name,
                List.of("1"),
                Optional.ofNullable(defaultLevel),
                level -> {
                    parsed.add(name + "=" + level);
                    return Integer.valueOf(level);
                },
                Object::toString);
    }

    @Test
    void aLevelIsParsedOnce() {
        Factor<Integer> threads = number("threads", null);
        Design design = Design.of(Map.of("threads", "8"));

        assertThat(design.get(threads) + design.get(threads)).isEqualTo(16);
        assertThat(parsed).containsExactly("threads=8");
    }

    @Test
    void aPartKeepsWhatHasBeenParsedAndHasTheDefaultsOfTheOthers() {
        Factor<Integer> threads = number("threads", "1");
        Factor<Integer> batch = number("batch", "1");
        Design design = Design.of(Map.of("threads", "8", "batch", "10"));
        design.get(threads);
        design.get(batch);
        parsed.clear();

        Design part = design.only(factor -> factor.equals("threads"));

        assertThat(part.get(threads)).isEqualTo(8);
        assertThat(parsed).isEmpty();
        assertThat(part.get(batch)).isEqualTo(1);
        assertThat(part).isEqualTo(Design.of(Map.of("threads", "8")));
    }

    @Test
    void aFactorWithoutALevelOrADefaultIsNamed() {
        assertThatThrownBy(() -> Design.of(Map.of()).get(number("size", null)))
                .hasMessage("factor 'size' has no level and no default");
    }
}
