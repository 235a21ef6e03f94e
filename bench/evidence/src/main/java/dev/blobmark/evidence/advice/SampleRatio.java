package dev.blobmark.evidence.advice;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecTrials;
import dev.blobmark.lab.probe.StratifiedSample;
import dev.blobmark.mysql.table.Whole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * How far the compression ratio of an advice is from that of all values: {@code SampleRatio [DIRECTORY]} with jars. Of
 * each family of values, 5,000 are drawn some times, as from a table. Of these, the advice encodes a few megabytes.
 */
public final class SampleRatio {

    private static final int SAMPLE = 5_000;
    private static final int DRAWS = 20;
    private static final long MOST_BYTES = 250L << 20;
    private static final int MOST_VALUES = 60_000;

    /** As in an advice of the usual length. */
    private static final long ENCODED_BYTES = 4L << 20;

    private static final String CODEC = "zstd:3";

    private SampleRatio() {}

    public static void main(String[] args) throws IOException {
        Path jars = Path.of(args.length > 0 ? args[0] : System.getProperty("user.home") + "/.m2/repository");
        Map<String, List<byte[]>> families = new LinkedHashMap<>();
        for (String suffix : List.of(".class", ".html", ".xml", ".properties", ".txt")) {
            families.put(suffix, entries(jars, suffix));
        }
        families.put("orders of many sizes", orders());
        int held = 0;
        int near = 0;
        int all = 0;
        for (Map.Entry<String, List<byte[]>> family : families.entrySet()) {
            List<byte[]> values = family.getValue();
            if (values.size() < 2 * SAMPLE) {
                System.out.println(family.getKey() + ": " + values.size() + " values are too few");
                continue;
            }
            double truth = ratio(values);
            double ofSample = 0;
            double ofAdvice = 0;
            double worst = 0;
            int within = 0;
            for (int draw = 0; draw < DRAWS; draw++) {
                List<byte[]> sample = new ArrayList<>(values);
                Collections.shuffle(sample, new Random(draw));
                sample = sample.subList(0, SAMPLE);
                CodecFigures figures = CodecTrials.measure(
                                List.of(CODEC),
                                StratifiedSample.of(new Sampled(sample, values.size()), ENCODED_BYTES, draw),
                                codec -> {})
                        .get(0);
                double error = figures.ratio() / truth - 1;
                ofSample += Math.pow(ratio(sample) / truth - 1, 2);
                ofAdvice += error * error;
                worst = Math.max(worst, Math.abs(error));
                boolean holds = figures.ratioInterval().get(0) <= truth
                        && truth <= figures.ratioInterval().get(1);
                held += holds ? 1 : 0;
                within += Math.abs(error) <= 0.01 ? 1 : 0;
                all++;
            }
            near += within;
            System.out.printf(
                    "%-22s %,7d values, %4d MB, ratio %.3f; of 5,000 values: error %.2f %% (standard deviation); of an advice:"
                            + " %.2f %%, at most %.2f %%, within 1 %% in %d of %d%n",
                    family.getKey(),
                    values.size(),
                    values.stream().mapToLong(value -> value.length).sum() >> 20,
                    truth,
                    100 * Math.sqrt(ofSample / DRAWS),
                    100 * Math.sqrt(ofAdvice / DRAWS),
                    100 * worst,
                    within,
                    DRAWS);
        }
        System.out.printf(
                "all: within 1 %% in %d of %d; intervals of 90 %% hold the ratio of all values in %d of %d, %.0f %%%n",
                near, all, held, all, 100.0 * held / Math.max(1, all));
    }

    private static double ratio(List<byte[]> values) {
        Codec codec = Codecs.parse(CODEC);
        long raw = values.stream().mapToLong(value -> value.length).sum();
        long stored = values.parallelStream()
                .mapToLong(value ->
                        codec.encode(value, 0, value.length, new byte[codec.maxEncodedLength(value.length)], 0))
                .sum();
        return (double) raw / stored;
    }

    private static List<byte[]> orders() {
        Random random = new Random(3);
        Map<Integer, Values> bySize = new LinkedHashMap<>();
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < MOST_VALUES; i++) {
            int size = 1 << 7 + (int) Math.abs(2 * random.nextGaussian());
            Values ofSize = bySize.computeIfAbsent(
                    Math.min(size, 1 << 15), bytes -> Datasets.parse("orders").values(bytes, 1));
            values.add(ofSize.get(random.nextInt(ofSize.count())));
        }
        return values;
    }

    /** Entries of jars, in the order of their names. */
    private static List<byte[]> entries(Path directory, String suffix) throws IOException {
        List<byte[]> values = new ArrayList<>();
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path jar : files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                try (ZipFile zip = new ZipFile(jar.toFile())) {
                    for (ZipEntry entry : Collections.list(zip.entries())) {
                        if (entry.getName().endsWith(suffix)
                                && entry.getSize() > 0
                                && values.size() < MOST_VALUES
                                && bytes < MOST_BYTES) {
                            values.add(zip.getInputStream(entry).readAllBytes());
                            bytes += values.get(values.size() - 1).length;
                        }
                    }
                } catch (UncheckedIOException | ZipException e) {
                    // not a jar
                }
            }
        }
        return values;
    }

    /** Values of a source that has more of them. */
    private record Sampled(List<byte[]> all, int ofSource) implements Values {

        @Override
        public int count() {
            return all.size();
        }

        @Override
        public int length(int index) {
            return all.get(index).length;
        }

        @Override
        public byte[] get(int index) {
            return all.get(index).clone();
        }

        @Override
        public String digest() {
            return Integer.toHexString(
                    IntStream.range(0, count()).map(this::length).sum());
        }

        @Override
        public Optional<Whole> whole() {
            return Optional.of(new Whole(
                    ofSource,
                    totalLength() * ofSource / count(),
                    false,
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    Optional.empty()));
        }
    }
}
