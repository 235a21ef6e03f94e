package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.link.Link;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class WeighingTest {

    private static final TimeForecast FORECAST = new TimeForecast(AdviceFixture.CURVE, 2);
    private static final TimeForecast.ForecastLoad LOAD = new TimeForecast.ForecastLoad(Link.LOOPBACK, 1, 1);

    /** One of five alike is measured 10 % faster than predicted, all others as predicted. */
    private static Race.RaceResult race(double halfWidth) {
        Map<String, Double> nanos = new LinkedHashMap<>();
        List.of("as-is", "lz4", "zstd-3", "brotli-11", "mysql-6")
                .forEach(id -> nanos.put(
                        id,
                        (id.equals("lz4") ? 0.9 : 1)
                                * FORECAST.readNanos(AdviceFixture.candidate(id).figures(), LOAD)));
        Map<String, Raced> raced = new LinkedHashMap<>();
        nanos.forEach((id, time) -> {
            Map<String, Raced.RacedRatio> ratios = new LinkedHashMap<>();
            nanos.forEach((other, otherTime) -> {
                if (!other.equals(id)) {
                    double ratio = time / otherTime;
                    ratios.put(other, new Raced.RacedRatio(ratio, ratio / halfWidth, ratio * halfWidth, 0.9));
                }
            });
            raced.put(id, new Raced(time, OptionalDouble.empty(), OptionalDouble.empty(), 0, ratios, Optional.empty()));
        });
        return new Race.RaceResult(raced, Map.of());
    }

    private static double change(double halfWidth) {
        Race.RaceResult race = race(halfWidth);
        return Weighing.of(race, AdviceFixture.candidates(), FORECAST, LOAD)
                        .raced()
                        .get("lz4")
                        .readNanos()
                / race.raced().get("lz4").readNanos();
    }

    @Test
    void aPreciseRaceDecides() {
        assertThat(change(1.002)).isEqualTo(1, within(0.002));
    }

    @Test
    void aNoisyRaceIsDrawnToTheForecast() {
        assertThat(change(1.3)).isBetween(1.04, 1.1);
        assertThat(change(1.1)).isBetween(1.005, change(1.3));
    }

    @Test
    void twoCandidatesDoNotShowTheErrorOfAForecast() {
        AdviceQuestion question = AdviceFixture.question(Goal.SPEED, "loopback", 1);
        Race.RaceResult race = AdviceFixture.race(question, List.of("as-is", "lz4"));
        assertThat(Weighing.of(race, AdviceFixture.candidates(), FORECAST, LOAD))
                .isEqualTo(race);
    }

    /** From memory, a page that is compressed on disk is read as any other. */
    @Test
    void noLayoutIsReadFasterThanTheValuesAsTheyAre() {
        Map<String, Raced> measured = new LinkedHashMap<>();
        measured.put("as-is", timed(10_000));
        measured.put("compressed-pages", timed(9_000));
        measured.put("compressed-table", timed(15_000));
        measured.put("compressed-protocol", timed(9_000));
        Map<String, Raced> weighed = Weighing.of(
                        new Race.RaceResult(measured, Map.of()), AdviceFixture.candidates(), FORECAST, LOAD)
                .raced();
        assertThat(weighed.get("compressed-pages").readNanos()).isEqualTo(10_000);
        assertThat(weighed.get("compressed-table").readNanos()).isEqualTo(15_000);
        assertThat(weighed.get("compressed-protocol").readNanos()).isEqualTo(9_000);
    }

    private static Raced timed(double nanos) {
        return new Raced(nanos, OptionalDouble.empty(), OptionalDouble.empty(), 0, Map.of(), Optional.empty());
    }
}
