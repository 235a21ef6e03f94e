package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.analysis.Saturation;
import dev.blobmark.analysis.Saturation.At;
import dev.blobmark.analysis.Saturation.MethodSaturation;
import dev.blobmark.analysis.Saturation.NotReached;
import dev.blobmark.analysis.Saturation.Step;
import dev.blobmark.analysis.Saturation.Unknown;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Study;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** On rates that are made up: of 5 forks, each with 2 rounds, over 1 to 8 threads. */
class SaturationTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final List<Integer> THREADS = List.of(1, 2, 4, 8);

    /** How far rounds of a fork, and forks, deviate: 1 % each. */
    private static final double NOISE = 0.01;

    @Test
    void aRateIsSaturatedAtTheLastCountThatItGrewTo() {
        MethodSaturation plain = saturated(noisy("plain", 1, 1000, 1900, 2500, 2500));

        assertThat(plain.point()).isEqualTo(new At(4, true));
        assertThat(plain.steps()).extracting(Step::isGrowth).containsExactly(true, true, false);
        assertThat(plain.steps().get(0).rate().orElseThrow().ratio()).isCloseTo(1.9, within(0.03));
        assertThat(plain.operationsPerSecond().orElseThrow()).isCloseTo(2500, within(50.0));
        assertThat(plain.p95Nanos().orElseThrow()).isCloseTo(4e6, within(4e3));
        assertThat(plain.next()).contains(plain.steps().get(2));
    }

    @Test
    void aRateThatStillGrowsAtTheMostThreadsIsNotSaturated() {
        assertThat(saturated(noisy("plain", 2, 1000, 1900, 3600, 6800)).point()).isEqualTo(new NotReached(8));
    }

    @Test
    void aRateThatFallsIsSaturatedAtTheFewestThreads() {
        assertThat(saturated(noisy("plain", 3, 1000, 900, 800, 700)).point()).isEqualTo(new At(1, true));
    }

    @Test
    void growthAfterAPlateauCounts() {
        assertThat(saturated(noisy("plain", 4, 1000, 1000, 2000, 1900)).point()).isEqualTo(new At(4, true));
    }

    /**
     * Of 50 flat methods, noise alone makes hardly one grow: the intervals of the three steps hold together with 95 %.
     */
    @Test
    void noiseIsNoGrowth() {
        long grown = Stream.iterate(100, seed -> seed + 1)
                .limit(50)
                .map(seed -> saturated(noisy("plain", seed, 1000, 1000, 1000, 1000)))
                .filter(plain -> plain.steps().stream().anyMatch(Step::isGrowth))
                .count();
        assertThat(grown).isLessThanOrEqualTo(4);
    }

    /** The means rise by half from 4 threads to 8, but by far more in one fork than in another. */
    @Test
    void growthThatTheForksDoNotAgreeInIsLeftOpen() {
        MethodSaturation plain = saturated(
                samples("plain", 1, fork -> 1000),
                samples("plain", 2, fork -> 2000),
                samples("plain", 4, fork -> 3000),
                samples("plain", 8, fork -> fork == 0 ? 24_000 : 3000));

        assertThat(plain.point()).isEqualTo(new At(4, false));
        assertThat(plain.point().toString()).isEqualTo("4 threads or more");
        assertThat(plain.steps().get(2).rate().orElseThrow().ratio()).isGreaterThan(1.4);
    }

    /** Growth by 5 % without noise of its own, where the interval of the control reaches to 6 %. */
    @Test
    void growthWithinTheNoiseFloorDoesNotCount() {
        List<Sample> quiet = growing("plain", 1.05, 0);

        assertThat(saturated(quiet).point()).isEqualTo(new NotReached(4));
        MethodSaturation plain = saturated(quiet, growing("control", 1.05, 0.03));
        assertThat(plain.point()).isEqualTo(new At(1, true));
        assertThat(plain.steps())
                .allSatisfy(step -> assertThat(step.noiseFloor()).isBetween(0.05, 0.1));
    }

    /** The same, where the noise is such that nothing is called equal either. */
    @Test
    void aNoiseFloorThatIsTooHighLeavesItOpen() {
        assertThat(saturated(growing("plain", 1.05, 0), growing("control", 1.05, 0.06))
                        .point())
                .isEqualTo(new At(1, false));
    }

    /** Over 1, 2 and 4 threads, each time by the same factor; forks lie so far apart. */
    private static List<Sample> growing(String method, double factor, double apart) {
        return Stream.of(0, 1, 2)
                .flatMap(i ->
                        samples(method, THREADS.get(i), fork -> 1000 * Math.pow(factor, i) * (1 + apart * (fork - 2)))
                                .stream())
                .toList();
    }

    @Test
    void withoutIntervalsNothingIsTold() {
        List<Sample> once = flatten(
                        samples("plain", 1, fork -> 1000),
                        samples("plain", 2, fork -> 2000),
                        samples("plain", 4, fork -> 2000))
                .stream()
                .filter(sample -> sample.round() == 0)
                .toList();

        assertThat(saturated(once).point())
                .isEqualTo(new Unknown(
                        "from 1 to 2 threads there is no interval (1 round measured; an interval needs 2 or more)"));
    }

    @Test
    void twoThreadCountsOrAnOpenLoopTellNothing() {
        List<Sample> two = flatten(samples("plain", 1, fork -> 1000), samples("plain", 2, fork -> 2000));
        assertThat(Saturation.of(report(two))).isEmpty();

        List<Sample> open = noisy("plain", 1, 1000, 1900, 2500, 2500).stream()
                .map(sample -> with(sample, "rate", "constant:2000"))
                .toList();
        assertThat(Saturation.of(report(open))).isEmpty();
    }

    @Test
    void theTableAndTheJsonTellTheSame() throws Exception {
        Analysis report = report(noisy("plain", 1, 1000, 1900, 2500, 2500), noisy("zstd", 2, 500, 990, 1900, 3700));

        assertThat(Written.as(report, "table"))
                .contains("Up to how many threads the rate grows: fetch, 64 KB, sites\n")
                .containsPattern("\n plain +4 threads +2\\d{3} +4\\.00 +to 8: [01]\\.\\d+ × \\(")
                .containsPattern("\n zstd +not by 8 +3[67]\\d\\d +8\\.0\\d\n")
                .contains("Measured at 1, 2, 4 and 8 threads.")
                .doesNotContain("control shows as noise");
        assertThat(Written.as(report, "markdown"))
                .contains("\n| plain | 4 threads | 2")
                .contains("| not by 8 | ");
        JsonNode saturation =
                JSON.readTree(Written.as(report, "json")).get("saturation").get(0);
        assertThat(saturation.get("operation").stringValue()).isEqualTo("fetch");
        assertThat(saturation.get("condition").has("threads")).isFalse();
        assertThat(saturation.get("threads")).extracting(JsonNode::intValue).containsExactly(1, 2, 4, 8);
        JsonNode plain = saturation.get("methods").get(0);
        assertThat(plain.get("state").stringValue()).isEqualTo("at");
        assertThat(plain.get("threads").intValue()).isEqualTo(4);
        assertThat(plain.get("steps"))
                .extracting(step -> step.get("is_growth").booleanValue())
                .containsExactly(true, true, false);
        assertThat(saturation.get("methods").get(1).get("state").stringValue()).isEqualTo("not-reached");
    }

    private static MethodSaturation saturated(List<?>... samples) {
        return Saturation.of(report(samples)).get(0).methods().stream()
                .filter(method -> method.method().equals("plain"))
                .findFirst()
                .orElseThrow();
    }

    /** The longer the more threads: 1 ms each. */
    private static Analysis report(List<?>... some) {
        List<Sample> samples = flatten(some);
        Manifest manifest =
                manifest(samples.stream().map(Sample::method).distinct().toList());
        Rankings judge = new Rankings(
                manifest,
                (sample, operation) -> {
                    Histogram latency = new Histogram(3);
                    latency.recordValueWithCount(
                            1_000_000L
                                    * Integer.parseInt(
                                            sample.condition().find("threads").orElseThrow()),
                            1000);
                    return Optional.of(latency);
                },
                Analysis.USUAL_EQUAL_WITHIN);
        return new Analysis(manifest, samples, Analysis.USUAL_EQUAL_WITHIN, judge.rankings(samples));
    }

    /** Of methods of which the one that is called so is the control. */
    private static Manifest manifest(List<String> methods) {
        Manifest plain = TestRuns.manifest(methods.toArray(String[]::new));
        Study study = plain.study();
        return plain.with(new Study(
                study.name(),
                study.question(),
                study.source(),
                study.profile(),
                study.metric(),
                study.baseline(),
                methods.stream()
                        .map(id -> new Method(id, Levels.of(Map.of(id.equals("control") ? id : "codec", "on"))))
                        .toList(),
                study.conditions(),
                study.schedule(),
                study.claims()));
    }

    private static List<Sample> flatten(List<?>... samples) {
        return Arrays.stream(samples)
                .flatMap(List::stream)
                .map(Sample.class::cast)
                .toList();
    }

    /** Of a method with these rates at 1, 2, 4 and 8 threads, but for noise. */
    private static List<Sample> noisy(String method, int seed, double... perSecond) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> all = new ArrayList<>();
        for (int i = 0; i < perSecond.length; i++) {
            double[] forks = random.doubles(5, -1, 1).toArray();
            double rate = perSecond[i];
            all.addAll(samples(
                    method,
                    THREADS.get(i),
                    fork -> rate * (1 + NOISE * forks[fork] + NOISE * (2 * random.nextDouble() - 1))));
        }
        return all;
    }

    private interface Rate {
        double of(int fork);
    }

    private static List<Sample> samples(String method, int threads, Rate perSecond) {
        List<Sample> samples = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            int fork = round / 2;
            samples.add(with(
                    TestRuns.sample(method, fork, round, new Outcome.Measured(), perSecond.of(fork) * 65536 / 1e6),
                    "threads",
                    Integer.toString(threads)));
        }
        return samples;
    }

    private static Sample with(Sample sample, String factor, String level) {
        ObjectNode json = (ObjectNode) JSON.readTree(sample.toJson());
        ((ObjectNode) json.get("trial").get("condition")).put(factor, level);
        if (factor.equals("rate")) {
            JsonNode latency = json.get("operations").get("fetch").get("latency_ns");
            ((ObjectNode) json.get("operations").get("fetch")).set("response_ns", latency);
            json.set(
                    "open_loop",
                    JSON.valueToTree(Map.of(
                            "rate_per_s", 2000, "offered", 1000, "started", 1000, "completed", 1000, "dropped", 0)));
            ((ObjectNode) json.get("open_loop")).set("schedule_lag_ns", latency);
        }
        return Sample.ofJson(json.toString());
    }
}
