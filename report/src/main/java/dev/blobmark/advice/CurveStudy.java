package dev.blobmark.advice;

import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Study;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measures a {@link ServerCurve}: fetches of values that no server can compress, of a few sizes. */
final class CurveStudy {

    /** The sizes of a new curve. */
    static final List<String> SIZES = List.of("64", "1KB", "6KB", "12KB", "64KB", "256KB", "1MB");

    /** The sizes at which a stored curve is checked. */
    static final List<String> CHECKED = List.of("1KB", "12KB", "256KB");

    /** Few, so that little is written to the server: about 70 MB for all sizes together. */
    private static final String ROWS = "50";

    private static final String FETCH = "fetch";

    private CurveStudy() {}

    static Study study(List<String> sizes, AdviceQuestion question) {
        return StudyText.study(
                "server-curve",
                "How long does a fetch take, by the size of the stored value?",
                "plain",
                Map.of("plain", Map.of()),
                StudyText.fetches("random:62", ROWS, sizes, "loopback", question),
                Map.of(
                        "rounds",
                        3,
                        "forks",
                        1,
                        "window",
                        StudyText.window(question, 75),
                        "visit",
                        "25ms",
                        "warm-up",
                        "150ms",
                        "seed",
                        question.seed()));
    }

    /**
     * @param isRemote whether the server is on another host, with processors of its own
     * @throws AdviceException if fewer than two sizes were measured
     */
    static ServerCurve of(List<Sample> samples, int threads, boolean isRemote) {
        Map<Integer, List<Sample>> bySize = new TreeMap<>();
        for (Sample sample : samples) {
            if (sample.operations().containsKey(FETCH)) {
                int bytes = new Design(sample.condition()).get(Size.FACTOR).bytes();
                bySize.computeIfAbsent(bytes, unused -> new ArrayList<>()).add(sample);
            }
        }
        if (bySize.size() < 2) {
            throw new AdviceException("the server could not be measured: "
                    + samples.stream()
                            .map(Sample::outcome)
                            .filter(outcome -> !outcome.isMeasurement())
                            .map(Outcome::reason)
                            .findFirst()
                            .orElse("the measurement was interrupted"));
        }
        List<ServerCurve.SizePoint> points = new ArrayList<>();
        bySize.forEach((bytes, ofSize) -> points.add(point(bytes, ofSize, threads, isRemote)));
        return new ServerCurve(threads, points);
    }

    private static ServerCurve.SizePoint point(int bytes, List<Sample> samples, int threads, boolean isRemote) {
        List<Operations> operations =
                samples.stream().map(sample -> sample.operations().get(FETCH)).toList();
        TimeSpent time = TimeSpent.mean(operations)
                .orElseThrow(() -> new AdviceException("the parts of the time of a fetch are not known"));
        double count = operations.stream().mapToLong(Operations::count).sum();
        double cpu = samples.stream()
                .map(Sample::resources)
                .mapToDouble(used -> used.clientCpuNanosPerOp().orElse(0)
                        + (isRemote ? 0 : used.serverCpuNanosPerOp().orElse(0)))
                .average()
                .orElseThrow();
        return new ServerCurve.SizePoint(
                bytes,
                time.waiting(),
                time.transfer(),
                time.client() + time.decode() + time.pool() + time.unexplained(),
                operations.stream()
                                .mapToLong(of -> of.wireBytesIn().orElse(of.applicationBytes()))
                                .sum()
                        / count,
                operations.stream().mapToLong(of -> of.wireBytesOut().orElse(0)).sum() / count,
                operations.stream()
                        .mapToDouble(of -> 1e9 * threads / of.operationsPerSecond())
                        .average()
                        .orElseThrow(),
                cpu);
    }
}
