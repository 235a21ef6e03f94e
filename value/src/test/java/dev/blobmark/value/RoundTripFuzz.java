package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes any value by any format that the builder accepts, and reads it by that format and by another one of the same
 * form. In a column without legacy values, an altered byte is an error, or gives the same value.
 * {@code bench/value-fuzz} calls it; {@link FuzzCorpusTest} repeats what was kept.
 *
 * <p>An input is a form, two formats, a change, and how the value is made of the bytes that are left.
 */
public final class RoundTripFuzz {

    static final List<String> CODECS = List.of(
            "",
            "zstd:3",
            "zstd:-5",
            "zstd:9",
            "lz4",
            "lz4hc:9",
            "lz4hc:2",
            "deflate:6",
            "deflate:1",
            "brotli:5",
            "brotli:1",
            "snappy",
            "mysql:6",
            "mysql:1",
            "gzip",
            "deflate:6+len");

    private static final List<Integer> MIN_LENGTHS = List.of(0, 1, 128, 4_000);
    private static final List<Double> MIN_SAVINGS = List.of(0.0, 0.125, 0.5, 0.99);
    private static final List<String> REQUIRED = List.of("zstd", "lz4", "deflate", "brotli", "snappy", "mysql");

    private static final int LONGEST = 1 << 20;
    private static final int MOST_FORMATS = 256;

    private static final Map<Options, Optional<ValueFormat>> FORMATS = new HashMap<>();

    private RoundTripFuzz() {}

    /** What both formats of an input have in common. {@link FormatPairsTest} has pairs that differ in the last two. */
    private record Form(String legacy, boolean readsSql, int maxLength, boolean areCollisionsLegacy) {

        static Form of(FuzzInput input) {
            String legacy = input.oneOf(DecodeFuzz.LEGACY);
            int flags = input.next();
            int maxLength = input.nextShort();
            return new Form(legacy, (flags & 1) != 0, maxLength == 0 ? LONGEST : maxLength, (flags & 2) != 0);
        }
    }

    /** A format of that form. */
    private record Options(
            Form form,
            String codec,
            Optional<EncodingPolicy> policy,
            boolean hasDictionary,
            Optional<String> required,
            boolean hasListener) {

        static Options of(Form form, FuzzInput input) {
            String codec = input.oneOf(CODECS);
            int flags = input.next();
            int policy = input.next();
            return new Options(
                    form,
                    codec,
                    (flags & 1) == 0
                            ? Optional.empty()
                            : Optional.of(new EncodingPolicy(
                                    MIN_LENGTHS.get(policy & 3), MIN_SAVINGS.get(policy >> 2 & 3), (policy & 16) == 0)),
                    (flags & 2) != 0,
                    (flags & 4) == 0 ? Optional.empty() : Optional.of(REQUIRED.get((flags >> 4) % REQUIRED.size())),
                    (flags & 8) != 0);
        }

        /** As the builder's documentation has it. */
        boolean isAccepted() {
            boolean isPure = form.legacy().equals("none");
            boolean isSql = codec.startsWith("mysql");
            return !(isPure && (form.readsSql() || form.areCollisionsLegacy()))
                    && !(isPure && policy.filter(one -> !one.hasChecksum()).isPresent())
                    && !(isSql && !form.readsSql())
                    && !codec.equals("gzip")
                    && !codec.endsWith("+len")
                    && !(hasDictionary && !codec.isEmpty() && !codec.startsWith("zstd"))
                    && !(required.filter("mysql"::equals).isPresent() && !form.readsSql());
        }

        ValueFormat build() {
            ValueFormat.Builder builder = ValueFormat.builder()
                    .reads(
                            switch (form.legacy()) {
                                case "raw" -> Legacy.RAW;
                                case "none" -> Legacy.NONE;
                                default -> Legacy.encodedBy(form.legacy());
                            })
                    .maxLength(form.maxLength())
                    .dictionaries(FuzzDictionaries.all());
            if (form.readsSql()) {
                builder.readsSql();
            }
            if (form.areCollisionsLegacy()) {
                builder.collisionsAreLegacy();
            }
            if (!codec.isEmpty()) {
                builder.writes(codec);
            }
            if (hasDictionary) {
                builder.writesWith(FuzzDictionaries.ALL.get(form.maxLength() % FuzzDictionaries.ALL.size()));
            }
            if (hasListener) {
                builder.listener(new ValueListener() {
                    @Override
                    public void encoded(int valueBytes, int storedBytes, long nanos) {}

                    @Override
                    public void decoded(int valueBytes, int storedBytes, long nanos) {}
                });
            }
            policy.ifPresent(builder::policy);
            required.ifPresent(builder::requires);
            return builder.build();
        }

        /** Empty if the builder refuses it, as it should. */
        Optional<ValueFormat> format() {
            try {
                ValueFormat format = build();
                require(isAccepted(), "the builder accepts " + this);
                return Optional.of(format);
            } catch (IllegalArgumentException | UnsupportedOperationException e) {
                if (isAccepted()) {
                    throw new AssertionError("the builder refuses " + this, e);
                }
                return Optional.empty();
            }
        }
    }

    /** Called by the fuzzer. */
    public static void fuzzerTestOneInput(byte[] data) {
        FuzzInput input = new FuzzInput(data);
        Form form = Form.of(input);
        Options options = Options.of(form, input);
        Optional<ValueFormat> writer = format(options);
        Optional<ValueFormat> reader = format(Options.of(form, input));
        int flags = input.next();
        int alteredAt = input.nextShort();
        int alteredTo = input.next();
        byte[] value = value(input);
        if (writer.isEmpty() || reader.isEmpty()) {
            return;
        }
        ValueFormat format = writer.get();
        if (!options.codec().isEmpty() && (flags & 1) == 0) {
            format.startWriting();
        } else {
            format.stopWriting();
        }
        boolean hasKey = (flags & 2) != 0;
        byte[] before = value.clone();
        if (value.length > form.maxLength()) {
            try {
                format.encode(value);
            } catch (IllegalArgumentException e) {
                return;
            }
            throw new AssertionError(value.length + " bytes are written, and are not read again");
        }
        byte[] stored = hasKey ? format.encode(value, 1) : format.encode(value);
        require(Arrays.equals(value, before), "encoding changes the value");
        byte[] kept = stored.clone();
        require(Arrays.equals(hasKey ? format.decode(stored, 1) : format.decode(stored), value), "another value");
        require(Arrays.equals(reader.get().decode(stored), value), "another value, by another format of the form");
        require(Arrays.equals(stored, kept), "decoding changes the stored bytes");
        StoredForm.of(stored).toString();
        if (form.legacy().equals("none")) {
            byte[] altered = stored.clone();
            altered[alteredAt % altered.length] = (byte) alteredTo;
            requireSameOrRefused(format, altered, value);
            requireSameOrRefused(reader.get(), altered, value);
        }
    }

    private static void requireSameOrRefused(ValueFormat format, byte[] altered, byte[] value) {
        byte[] read;
        try {
            read = format.decode(altered);
        } catch (FrameException e) {
            return;
        }
        require(Arrays.equals(read, value), "an altered byte makes another value");
    }

    private static Optional<ValueFormat> format(Options options) {
        if (FORMATS.size() >= MOST_FORMATS) {
            FORMATS.clear();
            Codecs.releaseContexts();
        }
        return FORMATS.computeIfAbsent(options, Options::format);
    }

    /** The bytes themselves, or many times, or encoded, or after what a frame begins with. */
    private static byte[] value(FuzzInput input) {
        int kind = input.next();
        int length = input.nextShort();
        byte[] bytes = input.rest();
        byte[] value = (kind & 1) == 0 ? bytes : repeated(bytes, length);
        return switch (kind >> 1 & 3) {
            case 1 -> encoded(kind >> 3, value);
            case 2 -> Samples.beginningLikeAFrame(value);
            case 3 -> framed(kind >> 3, value);
            default -> value;
        };
    }

    private static byte[] repeated(byte[] bytes, int length) {
        byte[] value = new byte[length];
        for (int i = 0; i < length && bytes.length > 0; i++) {
            value[i] = bytes[i % bytes.length];
        }
        return value;
    }

    private static byte[] encoded(int which, byte[] value) {
        Codec codec = Codecs.parse(Mutations.LEGACY.get(which % Mutations.LEGACY.size()));
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    private static byte[] framed(int which, byte[] value) {
        Form form = new Form("raw", false, LONGEST, false);
        String codec = CODECS.get(1 + which % 11);
        ValueFormat format = format(new Options(
                        form, codec, Optional.of(new EncodingPolicy(0, 0, true)), false, Optional.empty(), false))
                .orElseThrow();
        format.startWriting();
        return format.encode(value);
    }

    /** The input for a value, as a seed: which legacy form, codec and policy is chosen by a number. */
    static byte[] input(int number, byte[] value) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.write(number);
        input.write(number % 3 == 0 ? 1 : 0);
        input.write(0);
        input.write(0);
        input.write(number / 3);
        input.write(number % 2);
        input.write(0);
        input.write(number / 5);
        input.write(0);
        input.write(0);
        input.write(number % 8 == 0 ? 1 : 0);
        input.write(0);
        input.write(number);
        input.write(number);
        input.write(0);
        input.write(0);
        input.write(0);
        input.writeBytes(value);
        return input.toByteArray();
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }
}
