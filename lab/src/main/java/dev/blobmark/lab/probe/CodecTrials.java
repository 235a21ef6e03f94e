package dev.blobmark.lab.probe;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import dev.blobmark.lab.probe.StratifiedSample.Stratum;
import dev.blobmark.lab.store.WrongValueException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures codecs on a sample of values, by one thread of this JVM. Every decoded value is compared with the original.
 * Codecs take turns in a random order, so that a change of the machine's speed affects all alike; the fastest turn
 * counts, since interference only adds time.
 */
public final class CodecTrials {

    /** The slowest codecs encode fewer values: as many as take this time for one size class. */
    private static final long MAX_ENCODE_NANOS = 400_000_000;

    /** Decoding is repeated for at least this time in a turn. */
    private static final long MIN_DECODE_NANOS = 3_000_000;

    private static final int TURNS = 5;

    /** Levels that are tried, by family. */
    private static final Map<String, int[]> LEVELS = Map.of(
            "zstd", new int[] {-7, -5, -3, -1, 1, 2, 3, 4, 5, 6, 7, 9, 12, 15, 19},
            "lz4hc", IntStream.rangeClosed(1, 12).toArray(),
            "brotli", new int[] {0, 1, 2, 3, 4, 5, 6, 7, 9, 11},
            "deflate", new int[] {1, 3, 6, 9},
            "zlib", new int[] {6},
            "gzip", new int[] {6},
            "mysql", new int[] {1, 6, 9});

    private CodecTrials() {}

    /** The ids of the codecs and levels that work on this platform; {@code none} is the first. */
    public static List<String> candidates() {
        return Codecs.all().stream()
                .filter(family -> family.unavailable().isEmpty())
                .flatMap(CodecTrials::ids)
                .toList();
    }

    private static Stream<String> ids(CodecFamily family) {
        return family.levels().isEmpty()
                ? Stream.of(family.name())
                : Arrays.stream(LEVELS.get(family.name())).mapToObj(level -> family.name() + ":" + level);
    }

    /**
     * Measures codecs.
     *
     * @param started receives the id of each codec before its first turn
     * @throws WrongValueException if a codec does not restore a value
     */
    public static List<CodecFigures> measure(List<String> codecs, StratifiedSample sample, Consumer<String> started) {
        Map<String, List<ClassTrial>> trials = new LinkedHashMap<>();
        for (String id : codecs) {
            started.accept(id);
            Codec codec = Codecs.parse(id);
            trials.put(
                    id,
                    sample.strata().stream()
                            .map(stratum -> new ClassTrial(codec, stratum))
                            .toList());
        }
        List<ClassTrial> all =
                new ArrayList<>(trials.values().stream().flatMap(List::stream).toList());
        Random random = new Random(codecs.size());
        for (int turn = 0; turn < TURNS; turn++) {
            Collections.shuffle(all, random);
            all.forEach(ClassTrial::takeTurn);
        }
        List<CodecFigures> figures = new ArrayList<>();
        trials.forEach((id, ofClasses) -> {
            SortedMap<SizeClass, OfClass> classes = new TreeMap<>();
            ofClasses.forEach(trial -> classes.put(trial.stratum.size(), trial.figures()));
            figures.add(new CodecFigures(id, classes));
        });
        return figures;
    }

    /**
     * Codecs that no other one dominates among those that need at most this much memory, with their memory; after them
     * those that need more and would otherwise be there. Only the memory of these codecs is measured.
     *
     * @param mostBytes of memory
     * @param memory bytes that a thread needs, by codec
     */
    public static List<CodecFigures> frontier(List<CodecFigures> all, long mostBytes, ToLongFunction<String> memory) {
        List<CodecFigures> left = new ArrayList<>(all);
        List<CodecFigures> excluded = new ArrayList<>();
        for (Optional<CodecFigures> next = unmeasured(left); next.isPresent(); next = unmeasured(left)) {
            CodecFigures measured =
                    next.get().withMemory(memory.applyAsLong(next.get().codec()));
            if (measured.memoryBytes().orElseThrow() <= mostBytes) {
                left.set(left.indexOf(next.get()), measured);
            } else {
                left.remove(next.get());
                excluded.add(measured);
            }
        }
        return Stream.concat(frontier(left).stream(), excluded.stream()).toList();
    }

    private static Optional<CodecFigures> unmeasured(List<CodecFigures> left) {
        return frontier(left).stream()
                .filter(figures -> figures.memoryBytes().isEmpty())
                .findFirst();
    }

    /** Codecs that no other one dominates, in the order of the list; of two that are alike, the first. */
    public static List<CodecFigures> frontier(List<CodecFigures> all) {
        List<CodecFigures> kept = new ArrayList<>();
        for (CodecFigures one : all) {
            boolean isDominated = all.stream()
                    .anyMatch(other -> other != one
                            && other.isNoWorseThan(one)
                            && (!one.isNoWorseThan(other) || all.indexOf(other) < all.indexOf(one)));
            if (!isDominated) {
                kept.add(one);
            }
        }
        return kept;
    }

    /** A codec on the values of one size class. */
    private static final class ClassTrial {

        private final Codec codec;
        private final Stratum stratum;
        private final List<byte[]> encoded = new ArrayList<>();
        private final byte[] encodeBuffer;
        private final byte[] decodeBuffer;
        private final boolean isSlow;
        private double encodeNanos;
        private double decodeNanos = Double.POSITIVE_INFINITY;

        ClassTrial(Codec codec, Stratum stratum) {
            this.codec = codec;
            this.stratum = stratum;
            int longest =
                    stratum.chosen().stream().mapToInt(v -> v.length).max().orElseThrow();
            encodeBuffer = new byte[codec.maxEncodedLength(longest)];
            decodeBuffer = new byte[longest];
            long begin = System.nanoTime();
            for (byte[] value : stratum.chosen()) {
                int length = codec.encode(value, 0, value.length, encodeBuffer, 0);
                encoded.add(Arrays.copyOf(encodeBuffer, length));
                if (System.nanoTime() - begin > MAX_ENCODE_NANOS) {
                    break;
                }
            }
            encodeNanos = (double) (System.nanoTime() - begin) / encoded.size();
            isSlow = encodeNanos * encoded.size() > MAX_ENCODE_NANOS / TURNS;
            check();
        }

        private void check() {
            for (int i = 0; i < encoded.size(); i++) {
                byte[] value = stratum.chosen().get(i);
                int length = decode(i);
                if (length != value.length || !Arrays.equals(value, 0, length, decodeBuffer, 0, length)) {
                    throw new WrongValueException("codec " + codec.id() + " does not restore a value of " + value.length
                            + " bytes; do not use it on this platform");
                }
            }
        }

        private int decode(int index) {
            byte[] bytes = encoded.get(index);
            return codec.decode(bytes, 0, bytes.length, decodeBuffer, 0, decodeBuffer.length);
        }

        void takeTurn() {
            if (!isSlow) {
                long begin = System.nanoTime();
                for (int i = 0; i < encoded.size(); i++) {
                    byte[] value = stratum.chosen().get(i);
                    codec.encode(value, 0, value.length, encodeBuffer, 0);
                }
                encodeNanos = Math.min(encodeNanos, (double) (System.nanoTime() - begin) / encoded.size());
            }
            if (codec.isIdentity()) { // a reader uses the stored bytes
                decodeNanos = 0;
                return;
            }
            long begin = System.nanoTime();
            long passes = 0;
            long nanos;
            do {
                for (int i = 0; i < encoded.size(); i++) {
                    decode(i);
                }
                passes++;
                nanos = System.nanoTime() - begin;
            } while (nanos < MIN_DECODE_NANOS);
            decodeNanos = Math.min(decodeNanos, (double) nanos / (passes * encoded.size()));
        }

        /** Of the class: stored bytes by the ratio to the raw ones, which are known of all values. */
        OfClass figures() {
            int n = encoded.size();
            double raw =
                    stratum.chosen().stream().limit(n).mapToLong(v -> v.length).sum();
            double stored = encoded.stream().mapToLong(v -> v.length).sum();
            double share = stored / raw;
            double squares = 0;
            for (int i = 0; i < n; i++) {
                squares += Math.pow(
                        encoded.get(i).length - share * stratum.chosen().get(i).length, 2);
            }
            double scale = stratum.meanBytes() * n / raw;
            return new OfClass(
                    stratum.count(),
                    stratum.sampled(),
                    n,
                    stratum.meanBytes(),
                    share * stratum.meanBytes(),
                    codec.isIdentity() ? 0 : encodeNanos * scale,
                    decodeNanos * scale,
                    n > 1 ? squares / (n - 1) * scale * scale : 0);
        }
    }
}
