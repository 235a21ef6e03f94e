package dev.blobmark.bench.value;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Frames of all codecs, each with bits that are changed, and what a reader makes of them. Half of them have one changed
 * bit, the others 2 to 16. The same seed gives the same frames and the same bits.
 */
public final class AlteredFrames {

    private static final List<String> CODECS =
            List.of("zstd:3", "zstd:19", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy");

    static final String NO_LEGACY = ", no legacy values";

    private static final int VALUES = 200;
    private static final int MOST_BITS = 16;
    private static final int MAGIC_BITS = 16;

    /** What a reader makes of an altered frame. */
    enum Outcome {
        REFUSED,
        /** The value that was encoded. */
        RIGHT,
        /** Another value, after a change of the first two bytes, and maybe of others. */
        OTHER_BY_MAGIC,
        /** Another value, and the first two bytes are as they were. */
        OTHER_BY_OTHER_BITS
    }

    /** How many frames of a column have each outcome. */
    static final class Outcomes {

        private final long[] counts = new long[Outcome.values().length];

        void add(Outcome outcome) {
            counts[outcome.ordinal()]++;
        }

        long of(Outcome outcome) {
            return counts[outcome.ordinal()];
        }

        long all() {
            return Arrays.stream(counts).sum();
        }
    }

    /**
     * The frames of a column.
     *
     * @param hasLegacy whether the column may have values without a frame
     */
    record Column(String codec, boolean hasLegacy, ValueFormat format, List<byte[]> values, List<byte[]> frames) {

        static Column of(String codec, boolean hasLegacy, ValueFormat.Builder builder, List<byte[]> values) {
            ValueFormat format = builder.reads(hasLegacy ? Legacy.RAW : Legacy.NONE)
                    .writes(codec.split(" ")[0])
                    .build();
            format.startWriting();
            // some short values do not become shorter, and would get no frame
            List<byte[]> framed = values.stream()
                    .filter(value -> format.encode(value) != value)
                    .toList();
            return new Column(
                    codec,
                    hasLegacy,
                    format,
                    framed,
                    framed.stream().map(format::encode).toList());
        }

        String name() {
            return codec + (hasLegacy ? "" : NO_LEGACY);
        }
    }

    private AlteredFrames() {}

    public static void main(String[] args) {
        long count = Long.parseLong(args[0]);
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        Map<String, Outcomes> outcomes = run(count, seed, true);
        System.out.printf("%,d altered frames with a checksum, seed %d%n", count, seed);
        System.out.printf(
                "%-30s %12s %12s %12s %24s %24s%n",
                "column", "altered", "refused", "right value", "other, by the magic", "other, by other bits");
        outcomes.forEach(AlteredFrames::print);
        boolean isWrong = outcomes.entrySet().stream()
                .anyMatch(entry -> entry.getValue().of(Outcome.OTHER_BY_OTHER_BITS) > 0
                        || entry.getKey().endsWith(NO_LEGACY)
                                && entry.getValue().of(Outcome.OTHER_BY_MAGIC) > 0);
        System.exit(isWrong ? 1 : 0);
    }

    private static void print(String name, Outcomes one) {
        System.out.printf(
                "%-30s %,12d %,12d %,12d %,24d %,24d%n",
                name,
                one.all(),
                one.of(Outcome.REFUSED),
                one.of(Outcome.RIGHT),
                one.of(Outcome.OTHER_BY_MAGIC),
                one.of(Outcome.OTHER_BY_OTHER_BITS));
    }

    /** By the name of the column; the last one has the sums. */
    static Map<String, Outcomes> run(long count, long seed, boolean hasChecksum) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Column> columns = columns(hasChecksum);
        Map<String, Outcomes> outcomes = new LinkedHashMap<>();
        columns.forEach(column -> outcomes.put(column.name(), new Outcomes()));
        Outcomes sum = new Outcomes();
        outcomes.put("all", sum);
        for (long i = 0; i < count; i++) {
            Column column = columns.get(random.nextInt(columns.size()));
            alter(column, random, outcomes.get(column.name()), sum);
        }
        return outcomes;
    }

    private static void alter(Column column, SplittableRandom random, Outcomes outcomes, Outcomes sum) {
        int chosen = random.nextInt(column.frames().size());
        byte[] frame = column.frames().get(chosen).clone();
        int changes = random.nextBoolean() ? 1 : 2 + random.nextInt(MOST_BITS - 1);
        boolean changesMagic = false;
        for (int bit : random.ints(0, frame.length * Byte.SIZE)
                .distinct()
                .limit(changes)
                .toArray()) {
            frame[bit / Byte.SIZE] ^= (byte) (0x80 >>> bit % Byte.SIZE);
            changesMagic |= bit < MAGIC_BITS;
        }
        Outcome outcome = outcome(column, frame, column.values().get(chosen), changesMagic);
        outcomes.add(outcome);
        sum.add(outcome);
    }

    private static Outcome outcome(Column column, byte[] frame, byte[] value, boolean changesMagic) {
        try {
            return Arrays.equals(column.format().decode(frame), value)
                    ? Outcome.RIGHT
                    : changesMagic ? Outcome.OTHER_BY_MAGIC : Outcome.OTHER_BY_OTHER_BITS;
        } catch (FrameException e) {
            return Outcome.REFUSED;
        }
    }

    /** Small documents, and some longer values. */
    private static List<byte[]> values() {
        List<byte[]> values = new ArrayList<>();
        IntStream.range(0, VALUES).mapToObj(SmallJson::value).forEach(values::add);
        for (int i = 1; i <= 4; i++) {
            values.add(IntStream.range(0, 20 * i)
                    .mapToObj(seed -> new String(SmallJson.value(seed)))
                    .collect(Collectors.joining(","))
                    .getBytes());
        }
        return values;
    }

    private static List<Column> columns(boolean hasChecksum) {
        List<byte[]> values = values();
        ValueDictionary dictionary = ValueDictionary.of(values.get(0));
        List<Column> columns = new ArrayList<>();
        for (String codec : CODECS) {
            columns.add(Column.of(codec, true, format(hasChecksum), values));
            if (hasChecksum) {
                columns.add(Column.of(codec, false, format(true), values));
            }
        }
        columns.add(Column.of(
                "zstd:3 dictionary",
                true,
                format(hasChecksum).writesWith(dictionary).dictionaries(Dictionaries.of(dictionary)),
                values));
        return columns;
    }

    private static ValueFormat.Builder format(boolean hasChecksum) {
        return ValueFormat.builder().policy(new EncodingPolicy(0, 0, hasChecksum));
    }
}
