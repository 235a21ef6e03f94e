package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecheckTest {

    private final Advice advice = AdviceFixture.advice(Goal.BALANCED);

    private Recheck check(double zstdNanos) {
        Map<String, Double> nanos = Map.of("as-is", 100_000.0, "zstd-3", zstdNanos);
        return Recheck.of(
                advice,
                new Race.RaceResult(
                        Map.of(
                                "as-is", AdviceFixture.raced("as-is", 100_000, nanos),
                                "zstd-3", AdviceFixture.raced("zstd-3", zstdNanos, nanos)),
                        Map.of()));
    }

    @Test
    void anAdviceHoldsWithinWhatItAccepts() {
        assertThat(advice.recommended().id()).isEqualTo("zstd-3");
        assertThat(check(80_000).holds()).isTrue();
        assertThat(check(108_000).holds()).isTrue();
        // 11 % are more than 10, but the interval reaches to 9
        assertThat(check(111_000).holds()).isTrue();
    }

    @Test
    void readsThatHaveBecomeSlowerAreToldWithTheLeastOfTheInterval() {
        Recheck check = check(130_000);
        assertThat(check.failures())
                .containsExactly("reads take at least 27 % longer than with as-is; 10 % are accepted");
        assertThat(check.entries()).extracting(Advice.Entry::id).containsExactly("zstd-3", "as-is");
    }

    @Test
    void nothingIsDecidedByWhatTheClientsLimited() {
        Race.RaceResult limited = new Race.RaceResult(
                Map.of("zstd-3", AdviceFixture.raced("zstd-3", 80_000, Map.of("zstd-3", 80_000.0))),
                Map.of("as-is", Race.LIMITED_BY_CLIENTS));
        assertThatThrownBy(() -> Recheck.of(advice, limited))
                .isInstanceOf(AdviceException.class)
                .hasMessage("nothing can be decided about as-is: clients, not the server, limited the rate; ask for an"
                        + " advice with more --hosts, or fewer --threads");
    }

    @Test
    void whatCannotBeMeasuredDoesNotHold() {
        Recheck check = Recheck.of(advice, new Race.RaceResult(Map.of(), Map.of("zstd-3", "the codec is missing")));
        assertThat(check.failures()).containsExactly("zstd-3 could not be measured: the codec is missing");
        assertThat(check.entries()).isEqualTo(List.of());
    }
}
