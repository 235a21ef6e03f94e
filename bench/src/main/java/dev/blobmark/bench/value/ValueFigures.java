package dev.blobmark.bench.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.value.Dictionary;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.Policy;
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
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Figures of the value format: what a dictionary saves, what training one costs, how good the choice is which values
 * are encoded, and what incompressible values cost.
 */
public final class ValueFigures {

    private static final int PERCONA_DICTIONARY_BYTES = 32_506;
    private static final int TRAINING_BYTES = 10 << 20;

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
        corpora.put("JSON beside noise", mixed(json(0, 1_000), noise(1_000)));
        corpora.put("logs beside noise", mixed(corpora.getOrDefault("logs", json(0, 300)), noise(300)));
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

    private static ValueFormat format(String codec, Policy policy, Optional<Dictionary> dictionary) {
        ValueFormat.Builder builder = ValueFormat.builder().writes(codec).policy(policy);
        dictionary.ifPresent(builder::writesWith);
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
        double with = stored(format("zstd:3", new Policy(0, 0, false), Optional.of(trial.dictionary())), values);
        double without = stored(format("zstd:3", new Policy(0, 0, false), Optional.empty()), values);
        double zlib = values.stream()
                .mapToLong(value -> deflated(value, tail(training, PERCONA_DICTIONARY_BYTES)))
                .sum();
        byte[] covered = trial.dictionary().bytes();
        double zlibCovered = values.stream()
                .mapToLong(value -> deflated(
                        value,
                        Arrays.copyOfRange(
                                covered, Math.max(0, covered.length - PERCONA_DICTIONARY_BYTES), covered.length)))
                .sum();
        System.out.printf(
                "small JSON, mean %.0f bytes: ratio %.2f with dictionary, %.2f without (%.2f × better), %.2f zlib with values as"
                        + " dictionary of %d bytes, %.2f with the end of the trained one (%.2f × better than the better)%n",
                raw / values.size(),
                raw / with,
                raw / without,
                without / with,
                raw / zlib,
                PERCONA_DICTIONARY_BYTES,
                raw / zlibCovered,
                Math.min(zlib, zlibCovered) / with);
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

    /** Encoding, the transfer over 1 Gbit/s, and decoding; the oracle knows before which values to encode. */
    private static void choices(Map<String, List<byte[]>> corpora) {
        for (String codec : List.of("zstd:3", "zstd:15")) {
            Codec bare = Bare.zstd(Integer.parseInt(codec.substring(5)), Optional.empty());
            corpora.forEach((name, values) -> {
                ValueFormat format = format(codec, Policy.STANDARD, Optional.empty());
                measure(bare, format, values);
                double[] sums = measure(bare, format, values);
                System.out.printf(
                        "choice, %-18s %-8s bytes of an oracle ÷ ours %.3f, time %.3f, time to choose and frame ÷ encoding %.3f%n",
                        name, codec, sums[1] / sums[0], sums[3] / sums[2], sums[4]);
            });
        }
    }

    private static double[] measure(Codec bare, ValueFormat format, List<byte[]> values) {
        double ours = 0;
        double oracle = 0;
        double ourNanos = 0;
        double oracleNanos = 0;
        double encodings = 0;
        double formatNanos = 0;
        byte[] target = new byte[0];
        for (byte[] value : values) {
            int bound = bare.maxEncodedLength(value.length);
            target = target.length < bound ? new byte[bound] : target;
            long begin = System.nanoTime();
            int encoded = bare.encode(value, 0, value.length, target, 0) + 5;
            long encodeNanos = System.nanoTime() - begin;
            byte[] decoded = new byte[value.length];
            begin = System.nanoTime();
            bare.decode(target, 0, encoded - 5, decoded, 0, decoded.length);
            double encodedNanos = encodeNanos + (System.nanoTime() - begin) + 8.0 * encoded;
            double rawNanos = 8.0 * value.length;
            boolean isEncoded = encoded < value.length * 0.875 && value.length >= 128;
            oracle += isEncoded ? encoded : value.length;
            oracleNanos += isEncoded ? encodedNanos : rawNanos;
            begin = System.nanoTime();
            byte[] stored = format.encode(value);
            long nanos = System.nanoTime() - begin;
            begin = System.nanoTime();
            format.decode(stored);
            ourNanos += nanos + (System.nanoTime() - begin) + 8.0 * stored.length;
            ours += stored.length;
            if (isEncoded) {
                encodings += encodeNanos;
                formatNanos += nanos;
            }
        }
        return new double[] {
            ours, oracle, ourNanos, oracleNanos, encodings == 0 ? Double.NaN : formatNanos / encodings - 1
        };
    }

    private static void incompressible() {
        for (String codec : List.of("zstd:1", "zstd:3", "zstd:9", "zstd:19", "brotli:9", "lz4")) {
            for (int length : new int[] {1_000, 16_000, 64_000, 1_000_000}) {
                byte[] value = new byte[length];
                new Random(length).nextBytes(value);
                ValueFormat format = format(codec, Policy.STANDARD, Optional.empty());
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
        DictionaryTrainer batches = trainers.computeIfAbsent("batches of 20 KB", of -> new DictionaryTrainer());
        DictionaryTrainer random50 = trainers.computeIfAbsent("db_bench, half random", of -> new DictionaryTrainer());
        DictionaryTrainer numbers = trainers.computeIfAbsent("rows of numbers", of -> new DictionaryTrainer());
        for (int i = 0; i < 2_000; i++) {
            batches.add(SmallJson.value(i * 100L, 20_000));
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
