package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Samples that the clients limited decide nothing, as in the verdicts of a run. */
class RaceTest {

    private static List<Sample> samples(String method, double factor) {
        return TestRuns.samples(
                method,
                TestRuns.times(factor, new double[] {100, 101}, new double[] {99, 100}, new double[] {101, 100}));
    }

    private static Sample limited(Sample sample) {
        return Sample.ofJson(sample.toJson().replace("\"flags\":[]", "\"flags\":[\"" + Sample.CLIENT_LIMITED + "\"]"));
    }

    /** @param rounds of {@code limited} that the clients limited */
    private static Race.RaceResult race(String limited, Set<Integer> rounds) {
        List<Sample> samples = new ArrayList<>();
        Stream.of(samples(Candidate.AS_IS, 1), samples("zstd", 1.2), samples("lz4", 1.1))
                .flatMap(List::stream)
                .map(sample ->
                        sample.method().equals(limited) && rounds.contains(sample.round()) ? limited(sample) : sample)
                .forEach(samples::add);
        return Race.result(
                Analysis.of(TestRuns.manifest("plain", Candidate.AS_IS, "zstd", "lz4"), samples),
                AdviceFixture.question(Goal.BALANCED, "loopback", 1));
    }

    @Test
    void aFewLimitedSamplesAreOutvoted() {
        Race.RaceResult race = race("zstd", Set.of(0, 1));
        assertThat(race.raced()).containsOnlyKeys(Candidate.AS_IS, "zstd", "lz4");
        assertThat(race.missing()).isEmpty();
    }

    @Test
    void aCandidateThatTheClientsLimitedIsComparedWithNone() {
        Race.RaceResult race = race("zstd", Set.of(0, 2, 4));
        assertThat(race.raced()).containsOnlyKeys(Candidate.AS_IS, "lz4");
        assertThat(race.raced().get("lz4").toOthers()).containsOnlyKeys(Candidate.AS_IS);
        assertThat(race.missing()).containsOnlyKeys("zstd").containsValue(Race.LIMITED_BY_CLIENTS);
    }

    @Test
    void ifTheClientsLimitedThePresentWayTheForecastDecides() {
        Race.RaceResult race = race(Candidate.AS_IS, Set.of(0, 2, 4));
        assertThat(race.withPresent().raced()).isEmpty();
        assertThat(race.whyForecasts())
                .contains("nothing could be compared with the present way of storing, so times are forecasts: clients,"
                        + " not the server, limited the rate; ask for an advice with more --hosts, or fewer --threads");
        assertThat(race("zstd", Set.of(0, 2, 4)).whyForecasts()).isEmpty();
    }
}
