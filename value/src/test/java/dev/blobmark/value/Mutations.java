package dev.blobmark.value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Stored values of all forms, most of them changed in a few places, from a seed. */
final class Mutations {

    static final List<String> CODECS =
            List.of("zstd:3", "zstd:19", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy");
    static final List<String> LEGACY = List.of("gzip", "zlib", "zstd", "lz4", "mysql", "deflate", "snappy", "brotli");

    private static final int MAX_LENGTH = 4_000;

    private final SplittableRandom random;
    private final List<Stored> whole = new ArrayList<>();
    private final List<ValueDictionary> dictionaries;
    private final Map<String, ValueFormat> formats = new HashMap<>();

    Mutations(long seed) {
        random = new SplittableRandom(seed);
        dictionaries = List.of(DictionaryTest.trained(500).dictionary(), ValueDictionary.of(Samples.json(999)));
        for (byte[] value : values()) {
            for (boolean hasChecksum : new boolean[] {false, true}) {
                EncodingPolicy policy = new EncodingPolicy(0, 0, hasChecksum);
                for (String codec : CODECS) {
                    add(ValueFormat.builder().writes(codec).policy(policy), value, "raw");
                }
                for (ValueDictionary dictionary : dictionaries) {
                    add(
                            ValueFormat.builder()
                                    .writes("zstd:3")
                                    .writesWith(dictionary)
                                    .dictionaries(Dictionaries.of(dictionary))
                                    .policy(policy),
                            value,
                            "raw");
                }
            }
            add(ValueFormat.builder().reads(Legacy.NONE).writes("zstd:3"), value, "none");
            for (String codec : LEGACY) {
                byte[] encoded = LegacyTest.encoded(codec, value);
                whole.add(Stored.legacy(codec, encoded));
                whole.add(Stored.framed(encoded));
            }
            byte[] compressed = LegacyTest.encoded("mysql", value);
            whole.add(Stored.sql(compressed));
            whole.add(Stored.sql(value));
            whole.add(Stored.legacy("zstd", compressed).withSql());
        }
    }

    private List<byte[]> values() {
        List<byte[]> values = new ArrayList<>(List.of(
                new byte[0],
                new byte[70],
                new byte[3_000],
                Samples.text(90, 1),
                Samples.text(2_000, 2),
                Samples.noise(40, 3),
                Arrays.copyOf(Samples.noise(100, 2), 400),
                Samples.beginningLikeAFrame(Samples.noise(30, 4))));
        for (int seed = 0; seed < 8; seed++) {
            values.add(Samples.json(seed));
        }
        return values;
    }

    private void add(ValueFormat.Builder builder, byte[] value, String legacy) {
        whole.add(Stored.legacy(legacy, ValueFormatTest.writing(builder).encode(value)));
    }

    List<ValueDictionary> dictionaries() {
        return dictionaries;
    }

    /** One with the options of that value; they are kept, as values of all options are mixed. */
    ValueFormat format(Stored stored) {
        return formats.computeIfAbsent(
                stored.options(), of -> stored.format(Dictionaries.of(dictionaries.toArray(ValueDictionary[]::new))));
    }

    Stored next() {
        Stored one = whole.get(random.nextInt(whole.size()));
        byte[] bytes = one.bytes();
        int changes = random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            bytes = changed(bytes);
        }
        if (FrameHeader.begins(bytes) && bytes.length > FrameHeader.MAX_BYTES && random.nextInt(4) > 0) {
            bytes = bytes.clone();
            MutatedFramesTest.repairCheck(bytes);
        }
        Stored changed = one.withBytes(bytes);
        changed = random.nextInt(8) == 0 ? changed.withMaxLength(1 + random.nextInt(MAX_LENGTH)) : changed;
        if (one.legacy().equals("none")) {
            return changed;
        }
        changed = random.nextInt(16) == 0 ? changed.withSql() : changed;
        return random.nextInt(16) == 0 ? changed.withCollisions() : changed;
    }

    private byte[] changed(byte[] bytes) {
        int at = random.nextInt(random.nextBoolean() ? Math.min(14, bytes.length) : bytes.length);
        byte[] copy = bytes.clone();
        switch (random.nextInt(6)) {
            case 0 -> copy[at] ^= (byte) (1 << random.nextInt(8));
            case 1, 2 -> copy[at] = (byte) random.nextInt(256);
            case 3 -> {
                return Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
            case 4 -> { // bytes that follow: others, or the same again
                byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(12));
                for (int i = bytes.length; i < longer.length; i++) {
                    longer[i] = random.nextBoolean() ? bytes[i % bytes.length] : (byte) random.nextInt(256);
                }
                return longer;
            }
            default -> { // a byte is left out
                System.arraycopy(bytes, at + 1, copy, at, bytes.length - at - 1);
                return Arrays.copyOf(copy, bytes.length - 1);
            }
        }
        return copy;
    }
}
