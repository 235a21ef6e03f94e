package dev.blobmark.advice;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Weighs the times of a race with those of the forecast, each by its precision. The fastest of several candidates that
 * were measured briefly is often only the luckiest. The more precise the race, the less the forecast counts.
 */
final class Weighing {

    /** The least standard deviation of the forecast's relative errors. */
    private static final double LEAST_ERROR = 0.03;

    /** With fewer candidates, the error that the forecast has for all of them is not known. */
    private static final int LEAST_CANDIDATES = 3;

    /** The half-width of a 90 % interval, in standard deviations. */
    private static final double Z90 = 1.645;

    private Weighing() {}

    /** The race with read times that are weighed with the forecast's; the ratios stay those that were measured. */
    static Race.RaceResult of(
            Race.RaceResult race, List<Candidate> candidates, TimeForecast forecast, TimeForecast.ForecastLoad load) {
        return bounded(weighed(race, candidates, forecast, load), candidates);
    }

    /**
     * From memory, no layout and no function of the server is read faster than the values as they are. Where a race
     * shows it, it is noise.
     */
    private static Race.RaceResult bounded(Race.RaceResult race, List<Candidate> candidates) {
        Raced asIs = race.raced().get(Candidate.AS_IS);
        if (asIs == null) {
            return race;
        }
        Map<String, Raced> raced = new LinkedHashMap<>(race.raced());
        candidates.stream()
                .filter(candidate -> !candidate.isPredictable() && !candidate.isCompressedOnTheWire())
                .forEach(candidate -> raced.computeIfPresent(
                        candidate.id(),
                        (id, measured) -> measured.withReadNanos(Math.max(measured.readNanos(), asIs.readNanos()))));
        return new Race.RaceResult(raced, race.missing());
    }

    private static Race.RaceResult weighed(
            Race.RaceResult race, List<Candidate> candidates, TimeForecast forecast, TimeForecast.ForecastLoad load) {
        Map<String, Double> predicted = new LinkedHashMap<>();
        candidates.stream()
                .filter(candidate -> candidate.isPredictable() && race.raced().containsKey(candidate.id()))
                .forEach(candidate ->
                        predicted.put(candidate.id(), Math.log(forecast.readNanos(candidate.figures(), load))));
        if (predicted.size() < LEAST_CANDIDATES) {
            return race;
        }
        Map<String, Raced> raced = new LinkedHashMap<>(race.raced());
        double[] errors = predicted.entrySet().stream()
                .mapToDouble(entry -> Math.log(raced.get(entry.getKey()).readNanos()) - entry.getValue())
                .toArray();
        double bias = Arrays.stream(errors).average().orElse(0);
        double variance =
                Arrays.stream(errors).map(x -> (x - bias) * (x - bias)).sum() / (errors.length - 1);
        double ofRace = predicted.keySet().stream()
                .map(id -> variance(raced.get(id)))
                .flatMapToDouble(OptionalDouble::stream)
                .average()
                .orElse(0);
        double ofForecast = Math.max(LEAST_ERROR * LEAST_ERROR, variance - ofRace);
        predicted.forEach((id, log) -> {
            Raced measured = raced.get(id);
            double own = variance(measured).orElse(0);
            double weight = ofForecast / (own + ofForecast);
            raced.put(
                    id,
                    measured.withReadNanos(
                            Math.exp(weight * Math.log(measured.readNanos()) + (1 - weight) * (log + bias))));
        });
        return new Race.RaceResult(raced, race.missing());
    }

    /** The variance of the logarithm of a candidate's time, from the intervals of its ratios to the others. */
    private static OptionalDouble variance(Raced raced) {
        return raced.toOthers().values().stream()
                .mapToDouble(ratio -> Math.log(ratio.high() / ratio.low()) / (2 * Z90))
                .map(deviation -> deviation * deviation / 2)
                .average();
    }
}
