package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds {@code sites} to the published ratios of the data it stands for. Prints the tables of docs/datasets.md. Brotli
 * at 11 takes three quarters of its time: about 20 CPU seconds or more for 18 MB.
 */
@Tag("long")
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
class SitesRatioTest {

    private static final double MEAN_TOLERANCE = 0.15;
    private static final double LEAST_RANK_CORRELATION = 0.5;

    /** Our codec for each published name. lz4hc goes to 12: what was published as 17 has the same bytes. */
    private static final Map<String, String> CODECS = new LinkedHashMap<>();

    static {
        CODECS.put("deflate", "deflate");
        CODECS.put("deflateWithSize", "mysql");
        CODECS.put("gzip", "gzip");
        CODECS.put("zstd", "zstd:3");
        CODECS.put("snappy", "snappy");
        CODECS.put("lz4_fast", "lz4");
        CODECS.put("lz4_high9", "lz4hc:9");
        CODECS.put("lz4_high17", "lz4hc:12");
        CODECS.put("brotli_0", "brotli:0");
        CODECS.put("brotli_6", "brotli:6");
        CODECS.put("brotli_11", "brotli:11");
    }

    /** By algorithm, then by length in bytes. */
    private Map<String, TreeMap<Integer, Double>> published;

    private final Map<String, TreeMap<Integer, Double>> ours = new ConcurrentHashMap<>();

    @BeforeAll
    void measure() throws Exception {
        published = published();
        assertThat(published.keySet()).containsExactlyInAnyOrderElementsOf(CODECS.keySet());
        List<Callable<Void>> jobs = new ArrayList<>();
        published.forEach((algorithm, ratios) -> {
            TreeMap<Integer, Double> measured = new TreeMap<>();
            ours.put(algorithm, measured);
            ratios.keySet()
                    .forEach(length -> jobs.add(() -> {
                        double ratio = ratio(algorithm, length);
                        synchronized (measured) {
                            measured.put(length, ratio);
                        }
                        return null;
                    }));
        });
        var pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            for (Future<Void> job : pool.invokeAll(jobs)) {
                job.get();
            }
        } finally {
            pool.shutdownNow();
        }
        print();
    }

    /**
     * The mean over three values; over one where it is slow: in the largest ones and for brotli at 11 and lz4hc at 12.
     */
    private static double ratio(String algorithm, int length) {
        Values values = Datasets.parse("sites").values(length, DatasetContract.SEED);
        Codec codec = Codecs.parse(CODECS.get(algorithm));
        byte[] target = new byte[codec.maxEncodedLength(length)];
        boolean slow = length > 2_000_000 || algorithm.equals("brotli_11") || algorithm.equals("lz4_high17");
        int count = slow ? 1 : 3;
        return IntStream.range(0, count)
                .mapToDouble(i -> length / (double) codec.encode(values.get(i), 0, length, target, 0))
                .average()
                .orElseThrow();
    }

    private static Map<String, TreeMap<Integer, Double>> published() throws IOException {
        Map<String, TreeMap<Integer, Double>> ratios = new TreeMap<>();
        try (var in = SitesRatioTest.class.getResourceAsStream("published-ratios.csv");
                var lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .skip(1)
                    .map(line -> line.split(","))
                    .forEach(row -> ratios.computeIfAbsent(row[1], algorithm -> new TreeMap<>())
                            .put(Integer.valueOf(row[0]), Double.valueOf(row[2])));
        }
        return ratios;
    }

    static List<String> algorithms() {
        return List.copyOf(CODECS.keySet());
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void comesNearThePublishedMean(String algorithm) {
        assertThat(published.get(algorithm)).hasSize(17);
        assertThat(mean(ours.get(algorithm)) / mean(published.get(algorithm)))
                .as("our mean ratio over the published one")
                .isBetween(1 - MEAN_TOLERANCE, 1 + MEAN_TOLERANCE);
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void risesAndFallsWithTheLengthAsPublished(String algorithm) {
        assertThat(correlation(ours.get(algorithm), published.get(algorithm)))
                .as("Spearman's rank correlation of our ratios and the published ones")
                .isGreaterThanOrEqualTo(LEAST_RANK_CORRELATION);
    }

    private static double mean(Map<Integer, Double> ratios) {
        return ratios.values().stream().mapToDouble(r -> r).average().orElseThrow();
    }

    /** Spearman's: the linear correlation of ranks. Ratios here have no ties. */
    private static double correlation(TreeMap<Integer, Double> x, TreeMap<Integer, Double> y) {
        double[] a = ranks(x);
        double[] b = ranks(y);
        int n = a.length;
        double squares = IntStream.range(0, n)
                .mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i]))
                .sum();
        return 1 - 6 * squares / (n * ((double) n * n - 1));
    }

    private static double[] ranks(TreeMap<Integer, Double> ratios) {
        double[] inOrder = ratios.values().stream().mapToDouble(r -> r).toArray();
        Integer[] byRatio = IntStream.range(0, inOrder.length).boxed().toArray(Integer[]::new);
        Arrays.sort(byRatio, Comparator.comparingDouble(i -> inOrder[i]));
        double[] ranks = new double[inOrder.length];
        for (int rank = 0; rank < ranks.length; rank++) {
            ranks[byRatio[rank]] = rank;
        }
        return ranks;
    }

    /** As Markdown, to be pasted. */
    private void print() {
        System.out.println("| published as | our codec | published mean | ours | difference | rank correlation |");
        System.out.println("| --- | --- | ---: | ---: | ---: | ---: |");
        CODECS.forEach((algorithm, codec) -> {
            double theirs = mean(published.get(algorithm));
            double mine = mean(ours.get(algorithm));
            System.out.printf(
                    "| `%s` | `%s` | %.2f | %.2f | %+.0f %% | %.2f |%n",
                    algorithm,
                    codec,
                    theirs,
                    mine,
                    100 * (mine / theirs - 1),
                    correlation(ours.get(algorithm), published.get(algorithm)));
        });
        System.out.println();
        List<String> shown = List.of("snappy", "lz4_high9", "deflate", "zstd", "brotli_11");
        System.out.println(shown.stream().collect(joining(" | ", "| length | ", " |")));
        System.out.println("| ---: ".repeat(shown.size() + 1) + "|");
        for (int length : published.get("zstd").keySet()) {
            System.out.println(shown.stream()
                    .map(a -> "%.2f / %.2f"
                            .formatted(ours.get(a).get(length), published.get(a).get(length)))
                    .collect(joining(" | ", "| %,d | ".formatted(length), " |")));
        }
    }
}
