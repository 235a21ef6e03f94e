package dev.blobmark.bench.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Figures of the value format: what a dictionary saves, what training one costs, how good the choice is which values
 * are encoded, and what incompressible values cost.
 */
public final class ValueFigures {

    private static final int PERCONA_DICTIONARY_BYTES = 32_506;
    private static final int TRAINING_BYTES = 10 << 20;

    private static final int HEADER_BYTES = 5;
    private static final int PASSES = 11;

    /** 1 Gbit/s. */
    private static final double NANOS_PER_BYTE = 8;

    /** As an advice counts them by default. */
    private static final double READS = 0.95;

    private static final double WRITES = 1 - READS;

    private static byte[] scratch = {};

    /** So that no work is left out. */
    private static volatile int blackHole;

    private ValueFigures() {}

    public static void main(String[] args) throws IOException {
        dictionaries();
        Map<String, List<byte[]>> corpora = new LinkedHashMap<>();
        if (args.length > 0) {
            try (Stream<Path> directories = Files.list(Path.of(args[0]))) {
                for (Path directory : directories.sorted().toList()) {
                    corpora.put(directory.getFileName().toString(), files(directory));
                }
            }
        }
        corpora.put("small JSON", json(0, 2_000));
        corpora.put("JSON and random bytes", mixed(json(0, 1_000), noise(1_000)));
        corpora.put("logs and random bytes", mixed(corpora.getOrDefault("logs", json(0, 300)), noise(300)));
        choices(corpora);
        incompressible();
        refused();
    }

    private static List<byte[]> files(Path directory) throws IOException {
        List<byte[]> values = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                values.add(Files.readAllBytes(file));
            }
        }
        return values;
    }

    private static List<byte[]> json(long from, int count) {
        return Stream.iterate(from, seed -> seed + 1)
                .limit(count)
                .map(SmallJson::value)
                .toList();
    }

    /** As long as pictures of 2 to 60 KB. */
    private static List<byte[]> noise(int count) {
        Random random = new Random(5);
        return Stream.generate(() -> {
                    byte[] value = new byte[2_000 + random.nextInt(58_000)];
                    random.nextBytes(value);
                    return value;
                })
                .limit(count)
                .toList();
    }

    private static List<byte[]> mixed(List<byte[]> one, List<byte[]> other) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
            all.add(one.get(i % one.size()));
            all.add(other.get(i % other.size()));
        }
        return all;
    }

    private static ValueFormat format(String codec, EncodingPolicy policy, Optional<ValueDictionary> dictionary) {
        ValueFormat.Builder builder = ValueFormat.builder().writes(codec).policy(policy);
        dictionary.ifPresent(with -> builder.writesWith(with).dictionaries(Dictionaries.of(with)));
        ValueFormat format = builder.build();
        format.startWriting();
        return format;
    }

    private static void dictionaries() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        List<byte[]> training = new ArrayList<>();
        long bytes = 0;
        for (long seed = 1_000_000; bytes < TRAINING_BYTES; seed++) {
            byte[] value = SmallJson.value(seed);
            trainer.add(value);
            training.add(value);
            bytes += value.length;
        }
        long before = residentBytes();
        long begin = System.nanoTime();
        DictionaryTrainer.Trial trial =
                trainer.train(DictionaryTrainer.STANDARD_DICTIONARY_BYTES, 3).orElseThrow();
        System.out.printf(
                "training of %d bytes from %d values, %.1f MB: %.1f s, %.0f MB more of the process; held-out gain %.1f %%,"
                        + " at least %.1f %%%n",
                trial.dictionary().bytes().length,
                trainer.values(),
                bytes / 1e6,
                (System.nanoTime() - begin) / 1e9,
                (residentBytes() - before) / 1e6,
                100 * trial.gain(),
                100 * trial.low());

        List<byte[]> values = json(0, 5_000);
        double raw = values.stream().mapToLong(value -> value.length).sum();
        double zlib = values.stream()
                .mapToLong(value -> deflated(value, tail(training, PERCONA_DICTIONARY_BYTES)))
                .sum();
        System.out.printf(
                "small JSON, mean %.0f bytes: ratio %.2f by zlib:6 with values as a dictionary of %d bytes%n",
                raw / values.size(), raw / zlib, PERCONA_DICTIONARY_BYTES);
        for (String codec : List.of("zstd:3", "zstd:9", "zstd:19")) {
            EncodingPolicy all = new EncodingPolicy(0, 0, false);
            double with = stored(format(codec, all, Optional.of(trial.dictionary())), values);
            double without = stored(format(codec, all, Optional.empty()), values);
            System.out.printf(
                    "  %-7s ratio %.2f with the trained dictionary, %.2f without: %.2f × better, %.2f × better than zlib%n",
                    codec, raw / with, raw / without, without / with, zlib / with);
        }
    }

    private static long residentBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmHWM"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    private static double stored(ValueFormat format, List<byte[]> values) {
        return values.stream().mapToLong(value -> format.encode(value).length).sum();
    }

    private static byte[] tail(List<byte[]> values, int length) {
        byte[] tail = new byte[length];
        int at = length;
        for (int i = values.size() - 1; at > 0; i--) {
            byte[] value = values.get(i);
            int copied = Math.min(at, value.length);
            System.arraycopy(value, value.length - copied, tail, at - copied, copied);
            at -= copied;
        }
        return tail;
    }

    private static int deflated(byte[] value, byte[] dictionary) {
        Deflater deflater = new Deflater(6);
        deflater.setDictionary(dictionary);
        deflater.setInput(value);
        deflater.finish();
        byte[] target = new byte[value.length + 100];
        int length = deflater.deflate(target);
        deflater.end();
        return length + 3; // Percona's header
    }

    /**
     * The oracle knows before which values to encode. Time is encoding, the transfer over 1 Gbit/s, and decoding; of
     * passes over all values in turns, the median.
     */
    private static void choices(Map<String, List<byte[]>> corpora) {
        for (String codec : List.of("zstd:3", "zstd:15")) {
            Codec bare = Bare.zstd(Integer.parseInt(codec.substring(5)), Optional.empty());
            corpora.forEach((name, values) -> {
                ValueFormat format = format(codec, EncodingPolicy.STANDARD, Optional.empty());
                List<byte[]> stored = values.stream().map(format::encode).toList();
                List<byte[]> worthIt = new ArrayList<>();
                List<byte[]> encoded = new ArrayList<>();
                long oracleBytes = 0;
                for (byte[] value : values) {
                    byte[] target = new byte[bare.maxEncodedLength(value.length)];
                    int length = bare.encode(value, 0, value.length, target, 0);
                    boolean isWorthIt = length + HEADER_BYTES < value.length * (1 - EncodingPolicy.STANDARD.minSaving())
                            && value.length >= EncodingPolicy.STANDARD.minLength();
                    oracleBytes += isWorthIt ? length + HEADER_BYTES : value.length;
                    if (isWorthIt) {
                        worthIt.add(value);
                        encoded.add(Arrays.copyOf(target, length));
                    }
                }
                List<List<Double>> passes =
                        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
                for (int pass = 0; pass < PASSES; pass++) {
                    passes.get(0).add(nanos(worthIt, value -> encoded(bare, value)));
                    passes.get(1).add(nanos(values, format::encode));
                    passes.get(2).add(nanos(encoded, value -> decoded(bare, value)));
                    passes.get(3).add(nanos(stored, format::decode));
                }
                double[] median =
                        passes.stream().mapToDouble(ValueFigures::median).toArray();
                double ours = stored.stream().mapToLong(value -> value.length).sum();
                double oracleNanos = WRITES * median[0] + READS * (median[2] + NANOS_PER_BYTE * oracleBytes);
                double ourNanos = WRITES * median[1] + READS * (median[3] + NANOS_PER_BYTE * ours);
                System.out.printf(
                        "choice, %-18s %-8s %3.0f %% encoded, oracle ÷ ours: bytes %.3f, time %.3f; choosing and framing take"
                                + " %.3f of encoding%n",
                        name,
                        codec,
                        100.0 * worthIt.size() / values.size(),
                        oracleBytes / ours,
                        oracleNanos / ourNanos,
                        median[0] > 0 ? median[1] / median[0] - 1 : Double.NaN);
            });
        }
    }

    private static double median(List<Double> figures) {
        return figures.stream().sorted().toList().get(figures.size() / 2);
    }

    private static double nanos(List<byte[]> values, UnaryOperator<byte[]> work) {
        long begin = System.nanoTime();
        int sum = 0;
        for (byte[] value : values) {
            sum += work.apply(value).length;
        }
        double nanos = System.nanoTime() - begin;
        blackHole = sum;
        return nanos;
    }

    private static byte[] encoded(Codec codec, byte[] value) {
        int bound = codec.maxEncodedLength(value.length);
        scratch = scratch.length < bound ? new byte[bound] : scratch;
        return Arrays.copyOf(scratch, codec.encode(value, 0, value.length, scratch, 0));
    }

    private static byte[] decoded(Codec codec, byte[] stored) {
        byte[] value = new byte[(int) Bare.zstdContentSize(stored, 0, stored.length)];
        codec.decode(stored, 0, stored.length, value, 0, value.length);
        return value;
    }

    private static void incompressible() {
        for (String codec : List.of("zstd:1", "zstd:3", "zstd:9", "zstd:19", "brotli:9", "lz4")) {
            for (int length : new int[] {1_000, 16_000, 64_000, 1_000_000}) {
                byte[] value = new byte[length];
                new Random(length).nextBytes(value);
                ValueFormat format = format(codec, EncodingPolicy.STANDARD, Optional.empty());
                int repeats = Math.max(20, 20_000_000 / length);
                for (int i = 0; i < repeats / 4; i++) {
                    format.encode(value);
                }
                long begin = System.nanoTime();
                int added = 0;
                for (int i = 0; i < repeats; i++) {
                    added = format.encode(value).length - length;
                }
                System.out.printf(
                        "incompressible, %-8s %,9d bytes: %,9.0f ns to find out, %d bytes added%n",
                        codec, length, (System.nanoTime() - begin) / (double) repeats, added);
            }
        }
    }

    /**
     * Data on which dictionaries did not pay: long chat messages in batches (Discord), rows that a block of is
     * compressed anyway (RisingWave), and random ones (RocksDB's db_bench).
     */
    private static void refused() {
        Map<String, DictionaryTrainer> trainers = new LinkedHashMap<>();
        Random random = new Random(9);
        DictionaryTrainer batches = trainers.computeIfAbsent("batches of 60 KB", of -> new DictionaryTrainer());
        DictionaryTrainer random50 = trainers.computeIfAbsent("db_bench, half random", of -> new DictionaryTrainer());
        DictionaryTrainer numbers = trainers.computeIfAbsent("rows of numbers", of -> new DictionaryTrainer());
        for (int i = 0; i < 1_000; i++) {
            batches.add(SmallJson.value(i * 200L, 60_000));
            byte[] half = new byte[400];
            random.nextBytes(half);
            System.arraycopy(half, 0, half, 200, 200);
            random50.add(half);
            byte[] row = new byte[160];
            random.nextBytes(row);
            for (int at = 4; at < row.length; at += 8) {
                Arrays.fill(row, at, at + 4, (byte) 0);
            }
            numbers.add(row);
        }
        trainers.put("small JSON", trained());
        trainers.forEach((name, trainer) -> System.out.println("dictionary for " + name + ": "
                + trainer.train(DictionaryTrainer.STANDARD_DICTIONARY_BYTES, 3)
                        .map(trial -> "gain %.1f %%, at least %.1f %%: %s"
                                .formatted(
                                        100 * trial.gain(),
                                        100 * trial.low(),
                                        trial.isWorthIt() ? "worth it" : "refused"))
                        .orElse("none can be trained: refused")));
    }

    private static DictionaryTrainer trained() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        json(0, 3_000).forEach(trainer::add);
        return trainer;
    }
}
