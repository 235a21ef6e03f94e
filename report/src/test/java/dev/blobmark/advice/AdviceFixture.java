package dev.blobmark.advice;

import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Candidates, a server and an advice with round figures. */
public final class AdviceFixture {

    private AdviceFixture() {}

    /** 20 µs and 0.5 ns for each byte on loopback, in 15 µs of processor time. */
    public static final ServerCurve CURVE = new ServerCurve(1, List.of(point(0), point(1_000_000)));

    private static ServerCurve.SizePoint point(double bytes) {
        double nanos = 20_000 + 0.5 * bytes;
        return new ServerCurve.SizePoint(
                bytes, 15_000, 0.25 * bytes, 5_000 + 0.25 * bytes, bytes + 60, 40, nanos, 15_000 + 0.4 * bytes);
    }

    public static AdviceQuestion question(Goal goal, String link, int threads) {
        return question(goal, link, threads, OptionalInt.empty());
    }

    static AdviceQuestion question(Goal goal, String link, int threads, OptionalInt hosts) {
        return new AdviceQuestion(
                "dir:orders",
                "16KB",
                link,
                threads,
                hosts,
                goal,
                0.95,
                OptionalDouble.empty(),
                OptionalLong.empty(),
                false,
                42);
    }

    /** Of 1,000 values of 500 bytes and 100 of 50,000; codecs do not gain on the small ones as much. */
    public static CodecFigures codec(String id, double ratio, double encodeNanosPerByte, double decodeNanosPerByte) {
        return codec(id, 1 + (ratio - 1) / 2, ratio, encodeNanosPerByte, decodeNanosPerByte);
    }

    private static CodecFigures codec(
            String id, double small, double ratio, double encodeNanosPerByte, double decodeNanosPerByte) {
        return new CodecFigures(
                id,
                new TreeMap<>(Map.of(
                        SizeClass.TO_1KB,
                        of(1_000, 500, small, encodeNanosPerByte, decodeNanosPerByte),
                        SizeClass.TO_64KB,
                        of(100, 50_000, ratio, encodeNanosPerByte, decodeNanosPerByte))));
    }

    private static OfClass of(long count, double raw, double ratio, double encode, double decode) {
        return new OfClass(count, count, count, raw, raw / ratio, raw * encode, raw * decode, 0);
    }

    public static List<Candidate> candidates() {
        return Candidate.of(List.of(
                codec("none", 1, 0, 0),
                codec("lz4", 2, 2, 0.3),
                codec("zstd:3", 4, 4, 1),
                codec("brotli:11", 5, 1_000, 3),
                codec("mysql:6", 3, 20, 4)));
    }

    static Candidate candidate(String id) {
        return find(candidates(), id);
    }

    private static Candidate find(List<Candidate> candidates, String id) {
        return candidates.stream()
                .filter(candidate -> candidate.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** A race in which each fetch took as long as the forecast says, and 1 µs more. */
    static Race.RaceResult race(AdviceQuestion question, List<String> ids) {
        return race(candidates(), question, ids);
    }

    private static Race.RaceResult race(List<Candidate> candidates, AdviceQuestion question, List<String> ids) {
        TimeForecast forecast = new TimeForecast(CURVE, 2);
        TimeForecast.ForecastLoad load = question.load();
        Map<String, Double> nanos = new LinkedHashMap<>();
        ids.forEach(id ->
                nanos.put(id, 1_000 + forecast.readNanos(find(candidates, id).figures(), load)));
        Map<String, Raced> raced = new LinkedHashMap<>();
        nanos.forEach((id, time) -> raced.put(id, raced(find(candidates, id), time, nanos)));
        return new Race.RaceResult(raced, Map.of());
    }

    /** With ratios that are known within 2 %. */
    static Raced raced(String id, double time, Map<String, Double> nanos) {
        return raced(candidate(id), time, nanos);
    }

    private static Raced raced(Candidate candidate, double time, Map<String, Double> nanos) {
        Map<String, Raced.RacedRatio> ratios = new LinkedHashMap<>();
        nanos.forEach((other, otherTime) -> {
            if (!other.equals(candidate.id())) {
                double ratio = time / otherTime;
                ratios.put(other, new Raced.RacedRatio(ratio, ratio / 1.02, ratio * 1.02, 0.9));
            }
        });
        double stored = candidate.figures().storedBytes();
        return new Raced(
                time,
                OptionalDouble.of(1.2 * stored),
                OptionalDouble.of(stored + 100),
                candidate.figures().decodeNanos(),
                ratios,
                Optional.empty());
    }

    /** An advice over a link of 1 Gbit/s without delay, for one thread. */
    public static Advice advice(Goal goal) {
        return advice(goal, candidates());
    }

    /** The same for 4 threads on 2 hosts. */
    public static Advice adviceOfHosts() {
        return advice(question(Goal.BALANCED, "1gbit 0ms", 4, OptionalInt.of(2)), candidates());
    }

    /** The same for one thread, but codecs save nothing on the values of 500 bytes. */
    public static Advice adviceForLargeValues() {
        return advice(
                Goal.SPEED,
                Candidate.of(
                        List.of(codec("none", 1, 1, 0, 0), codec("lz4", 1, 2, 2, 0.3), codec("zstd:3", 1, 4, 4, 1))));
    }

    private static Advice advice(Goal goal, List<Candidate> candidates) {
        return advice(question(goal, "1gbit 0ms", 1), candidates);
    }

    private static Advice advice(AdviceQuestion question, List<Candidate> candidates) {
        Decision decision = new Decision(
                question,
                new TimeForecast(CURVE, 2),
                candidates,
                Map.of("brotli-11", "encoding a value takes longer than allowed"),
                race(candidates, question, List.of("as-is", "lz4", "zstd-3")));
        return decision.advice(
                new Advice.Origin(
                        "Blobmark 0.1.0", Instant.parse("2026-11-25T10:15:00Z"), "MariaDB 11.4.5", Optional.empty()),
                new AdvisedValues(
                        1_100, 5_500_000, false, 1_100, 500, 500, 50_000, Optional.of("JSON"), Optional.empty()),
                Optional.empty(),
                List.of());
    }
}
