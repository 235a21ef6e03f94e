package dev.blobmark.value;

import static dev.blobmark.value.FrameException.Reason.DAMAGED;
import static dev.blobmark.value.FrameException.Reason.MISSING_DICTIONARY;
import static dev.blobmark.value.FrameException.Reason.NEWER_VERSION;
import static dev.blobmark.value.FrameException.Reason.NOT_A_FRAME;
import static dev.blobmark.value.FrameException.Reason.TOO_LONG;
import static dev.blobmark.value.FrameException.Reason.UNKNOWN_CODEC;

import dev.blobmark.value.FrameException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Makes the files of {@code value/vectors}. Each vector is checked as it is made. */
final class Vectors {

    /** Of the files' form. */
    static final int VERSION = 1;

    /** A longer value is given by its length and its SHA-256. */
    private static final int LONGEST_IN_FULL = 1_000;

    private static final List<String> CODECS = List.of("zstd", "lz4", "deflate", "brotli", "snappy");
    private static final int CHECKSUM = 0b01;
    private static final int DICTIONARY = 0b10;

    private final ValueDictionary trained = DictionaryTest.trained(300).dictionary();
    private final ValueDictionary raw = ValueDictionary.of(Samples.json(999));
    private final ValueDictionary unknown = ValueDictionary.of(Samples.json(998));
    private final Dictionaries dictionaries = Dictionaries.of(trained, raw);
    private final Map<String, List<String>> files = new LinkedHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private List<String> lines = List.of();

    static void write(Path directory) throws IOException {
        Vectors vectors = new Vectors();
        vectors.make();
        if (!vectors.wrong.isEmpty()) {
            throw new AssertionError(String.join("\n", vectors.wrong));
        }
        String header = List.of(vectors.trained, vectors.raw).stream()
                .map(one -> "{\"number\": \"" + ValueDictionary.name(one.number()) + "\", \"bytes\": \""
                        + Stored.HEX.formatHex(one.bytes()) + "\"}")
                .collect(Collectors.joining(",\n"));
        for (Map.Entry<String, List<String>> file : vectors.files.entrySet()) {
            Files.writeString(
                    directory.resolve(file.getKey() + ".json"),
                    "{\"version\": " + VERSION + ",\n\"dictionaries\": [\n" + header + "],\n\"vectors\": [\n"
                            + String.join(",\n", file.getValue()) + "]}\n");
        }
    }

    private void make() {
        begin("frames");
        frames();
        begin("stored");
        storedFrames();
        begin("legacy");
        legacy();
        begin("sql");
        sql();
        begin("refused");
        refusedHeaders();
        refusedBodies();
        refusedColumns();
    }

    private void begin(String file) {
        lines = new ArrayList<>();
        files.put(file, lines);
    }

    private void accept(String name, byte[] value, Stored stored) {
        add(name, stored, new Stored.Outcome(Optional.of(value), Optional.empty()));
    }

    private void refuse(String name, Reason reason, Stored stored) {
        add(name, stored, new Stored.Outcome(Optional.empty(), Optional.of(reason)));
    }

    private void refuse(String name, Reason reason, byte[] stored) {
        refuse(name, reason, Stored.framed(stored));
    }

    private void add(String name, Stored stored, Stored.Outcome expected) {
        Stored.Outcome found = stored.decode(stored.format(dictionaries));
        if (!found.toString().equals(expected.toString())) {
            wrong.add("%s: %.100s, not %.100s".formatted(name, found, expected));
        }
        lines.add("{\"name\": \"" + name + "\", \"stored\": \"" + Stored.HEX.formatHex(stored.bytes()) + "\""
                + stored.options() + ", " + outcome(expected) + "}");
    }

    private static String outcome(Stored.Outcome expected) {
        if (expected.reason().isPresent()) {
            return "\"reason\": \"" + expected.reason().get() + "\"";
        }
        byte[] value = expected.value().orElseThrow();
        return value.length <= LONGEST_IN_FULL
                ? "\"value\": \"" + Stored.HEX.formatHex(value) + "\""
                : "\"length\": " + value.length + ", \"sha256\": \""
                        + Stored.HEX.formatHex(ValueDictionary.sha256(value)) + "\"";
    }

    private static byte[] encoded(ValueFormat.Builder builder, boolean hasChecksum, byte[] value) {
        return ValueFormatTest.writing(builder.policy(new EncodingPolicy(0, 0, hasChecksum)))
                .encode(value);
    }

    private void frames() {
        Map<String, byte[]> values = new LinkedHashMap<>();
        values.put("a length of 1 byte", new byte[63]);
        values.put("a length of 2 bytes, the least", new byte[64]);
        values.put("a length of 2 bytes", Samples.text(900, 1));
        values.put("a length of 2 bytes, the longest", new byte[(1 << 14) - 1]);
        values.put("a length of 3 bytes, the least", new byte[1 << 14]);
        values.put("a length of 3 bytes", Arrays.copyOf(Samples.text(500, 2), 20_000));
        values.put("a length of 4 bytes, the least", new byte[1 << 22]);
        for (String codec : CODECS) {
            for (boolean hasChecksum : new boolean[] {false, true}) {
                values.forEach((name, value) -> {
                    byte[] stored = encoded(ValueFormat.builder().writes(codec), hasChecksum, value);
                    if (stored.length < 20_000) { // not 4 MiB by snappy
                        accept(
                                codec + (hasChecksum ? " with a checksum, " : ", ") + name,
                                value,
                                Stored.framed(stored));
                    }
                });
            }
        }
        for (ValueDictionary dictionary : List.of(trained, raw)) {
            for (boolean hasChecksum : new boolean[] {false, true}) {
                byte[] value = Samples.json(5);
                ValueFormat.Builder builder = ValueFormat.builder()
                        .writes("zstd:3")
                        .writesWith(dictionary)
                        .dictionaries(dictionaries);
                accept(
                        "zstd with a " + (dictionary == raw ? "raw" : "trained") + " dictionary"
                                + (hasChecksum ? " and a checksum" : ""),
                        value,
                        Stored.framed(encoded(builder, hasChecksum, value)));
            }
        }
        for (byte[] value :
                List.of(Samples.beginningLikeAFrame(new byte[0]), Samples.beginningLikeAFrame(Samples.noise(40, 4)))) {
            byte[] stored = ValueFormat.builder().build().encode(value);
            accept("escaped, " + value.length + " bytes", value, Stored.framed(stored));
        }
        byte[] value = new byte[0xC1BE];
        ValueFormat lz4 = ValueFormat.builder().reads(Legacy.encodedBy("lz4")).build();
        accept("escaped, an lz4 legacy value whose length begins so", value, Stored.legacy("lz4", lz4.encode(value)));
        accept(
                "bytes that begin like a frame, before any value is encoded",
                Samples.beginningLikeAFrame(Samples.noise(40, 4)),
                Stored.framed(Samples.beginningLikeAFrame(Samples.noise(40, 4))).withCollisions());
    }

    private void storedFrames() {
        ValueFormat format =
                ValueFormat.builder().reads(Legacy.NONE).writes("zstd").build();
        for (int length : new int[] {0, 1, 63, 64, 300, 1 << 14}) {
            byte[] value = Samples.noise(length, length);
            byte[] stored = format.encode(value);
            accept("stored, " + length + " bytes, no legacy values", value, Stored.legacy("none", stored));
            accept("stored, " + length + " bytes, next to legacy values", value, Stored.framed(stored));
        }
        byte[] magic = Samples.beginningLikeAFrame(Samples.noise(40, 4));
        accept("stored, begins like a frame", magic, Stored.legacy("none", format.encode(magic)));
        format.startWriting();
        accept("encoded, no legacy values", Samples.json(1), Stored.legacy("none", format.encode(Samples.json(1))));
    }

    private void legacy() {
        byte[] value = Samples.json(3);
        accept("raw", value, Stored.framed(value));
        accept("raw, empty", new byte[0], Stored.framed(new byte[0]));
        accept(
                "raw, longer than what is read of encoded values",
                value,
                Stored.framed(value).withMaxLength(10));
        for (String codec : Mutations.LEGACY) {
            accept(codec, value, Stored.legacy(codec, LegacyTest.encoded(codec, value)));
            accept(codec + ", the empty stored value", new byte[0], Stored.legacy(codec, new byte[0]));
            accept(
                    codec + ", an encoded empty value",
                    new byte[0],
                    Stored.legacy(codec, LegacyTest.encoded(codec, new byte[0])));
            accept(
                    codec + ", as long as is read",
                    value,
                    Stored.legacy(codec, LegacyTest.encoded(codec, value)).withMaxLength(value.length));
            refuse(
                    codec + ", longer by a byte",
                    TOO_LONG,
                    Stored.legacy(codec, LegacyTest.encoded(codec, value)).withMaxLength(value.length - 1));
            accept(
                    codec + ", 100,000 zeros",
                    new byte[100_000],
                    Stored.legacy(codec, LegacyTest.encoded(codec, new byte[100_000])));
            byte[] frame = encoded(ValueFormat.builder().writes("zstd"), true, value);
            accept("a frame next to values of " + codec, value, Stored.legacy(codec, frame));
        }
        byte[] gzip = LegacyTest.encoded("gzip", value);
        accept("gzip, two members", join(value, value), Stored.legacy("gzip", join(gzip, gzip)));
        byte[] named = join(Arrays.copyOf(gzip, 10), hex("6e616d6500"), Arrays.copyOfRange(gzip, 10, gzip.length));
        named[3] = 8;
        accept("gzip with a name", value, Stored.legacy("gzip", named));
        accept("zstd without a content size", hex("616161"), Stored.legacy("zstd", hex("28b52ffd0058190000616161")));
        accept(
                "mysql, the two highest bits of its length are set",
                value,
                Stored.legacy("mysql", highBits(LegacyTest.encoded("mysql", value))));
        accept(
                "mysql, ends with a space and a dot",
                ofSpace(),
                Stored.legacy("mysql", LegacyTest.encoded("mysql", ofSpace())));
    }

    private static byte[] highBits(byte[] compressed) {
        compressed[3] |= (byte) 0xC0;
        return compressed;
    }

    /** A value whose zlib stream ends with a space. */
    private static byte[] ofSpace() {
        for (int seed = 0; ; seed++) {
            byte[] compressed = LegacyTest.encoded("mysql", Samples.json(seed));
            if (compressed[compressed.length - 1] == '.' && compressed[compressed.length - 2] == ' ') {
                return Samples.json(seed);
            }
        }
    }

    private void sql() {
        byte[] value = Samples.json(4);
        byte[] compressed = LegacyTest.encoded("mysql", value);
        for (int level : new int[] {1, 2, 6, 9}) {
            byte[] stored = LegacyTest.encoded("mysql:" + level, value);
            accept("COMPRESS() with the header 78 " + Stored.HEX.toHexDigits(stored[5]), value, Stored.sql(stored));
        }
        accept(
                "COMPRESS() that ends with a space and a dot",
                ofSpace(),
                Stored.sql(LegacyTest.encoded("mysql", ofSpace())));
        byte[] withDot = LegacyTest.encoded("mysql", ofSpace());
        accept("its dot is missing", ofSpace(), Stored.sql(Arrays.copyOf(withDot, withDot.length - 1)));
        accept("the two highest bits of its length are set", value, Stored.sql(highBits(compressed.clone())));
        accept("the empty value", new byte[0], Stored.sql(new byte[0]));
        accept("a raw value", value, Stored.sql(value));
        byte[] frame = encoded(ValueFormat.builder().writes("zstd:3"), true, value);
        accept("a frame next to values that SQL reads", value, Stored.sql(frame));
        accept(
                "next to values of zstd",
                value,
                Stored.legacy("zstd", compressed).withSql());
        accept(
                "zstd next to values that SQL reads",
                value,
                Stored.legacy("zstd", LegacyTest.encoded("zstd", value)).withSql());
        byte[] magic = new byte[0xC1BE];
        byte[] compressedMagic = LegacyTest.encoded("mysql", magic);
        accept("COMPRESS() whose length begins like a frame", magic, Stored.sql(compressedMagic));
        accept("the same as a legacy value", magic, Stored.legacy("mysql", compressedMagic));
        refuse("the same, too long", TOO_LONG, Stored.sql(compressedMagic).withMaxLength(1_000));
        refuse(
                "the same, too long, before any value is encoded",
                TOO_LONG,
                Stored.sql(compressedMagic).withMaxLength(1_000).withCollisions());
        refuse(
                "the same as a legacy value, too long",
                TOO_LONG,
                Stored.legacy("mysql", compressedMagic).withMaxLength(1_000));
        refuse("the same in a column without such values", NOT_A_FRAME, compressedMagic);
        byte[] text = ascii("abcdx^ is text");
        accept("six bytes that look like it, and a length beyond all bounds", text, Stored.sql(text));
        byte[] lookalike = join(hex("20000000785e"), ascii("this is not deflate"));
        refuse("six bytes that look like it", DAMAGED, Stored.sql(lookalike));
        accept(
                "the same before any value is encoded",
                lookalike,
                Stored.sql(lookalike).withCollisions());
        accept(
                "the same, stored in a frame",
                lookalike,
                Stored.sql(ValueFormat.builder().readsSql().build().encode(lookalike)));
        byte[] preset = join(hex("2000000078bb"), ascii("with a preset dictionary"));
        accept("a header of zlib with a preset dictionary", preset, Stored.sql(preset));
        byte[] zero = join(hex("00000000789c"), ascii("a length of zero"));
        accept("a length of zero", zero, Stored.sql(zero));
        accept("six bytes and no more", hex("20000000789c"), Stored.sql(hex("20000000789c")));
        refuse("COMPRESS(), too long", TOO_LONG, Stored.sql(compressed).withMaxLength(value.length - 1));
        byte[] zeros = LegacyTest.encoded("mysql", new byte[100_000]);
        refuse(
                "COMPRESS(), too long, 100,000 zeros",
                TOO_LONG,
                Stored.sql(zeros).withMaxLength(99_999));
        refuse(
                "the same, truncated",
                TOO_LONG,
                Stored.sql(Arrays.copyOf(zeros, 60)).withMaxLength(99_999));
        byte[] notDeflate = join(hex("ffffff3f789c"), ascii("\u007f\u007f\u007f\u007f"));
        accept("a length beyond all bounds, and nothing that can be decoded", notDeflate, Stored.sql(notDeflate));
        refuse("COMPRESS(), truncated", DAMAGED, Stored.sql(Arrays.copyOf(compressed, compressed.length - 1)));
        refuse("COMPRESS(), a byte follows", DAMAGED, Stored.sql(join(compressed, hex("00"))));
        refuse(
                "COMPRESS(), a dot follows that is not after a space",
                DAMAGED,
                Stored.sql(join(compressed, ascii("."))));
        byte[] longer = compressed.clone();
        longer[0]++;
        refuse("COMPRESS(), says one byte more", DAMAGED, Stored.sql(longer));
        byte[] shorter = compressed.clone();
        shorter[0]--;
        refuse("COMPRESS(), says one byte less", DAMAGED, Stored.sql(shorter));
        byte[] adler = compressed.clone();
        adler[adler.length - 1] ^= 1;
        refuse("COMPRESS(), another Adler-32", DAMAGED, Stored.sql(adler));
        byte[] claim = join(hex("00000004"), Arrays.copyOfRange(compressed, 4, compressed.length));
        refuse("COMPRESS(), says 64 MiB", DAMAGED, Stored.sql(claim));
        accept(
                "a COMPRESS() value in a column that is read without such values",
                compressed,
                Stored.framed(compressed));
    }

    /** A frame with a right check. */
    static byte[] frame(int code, String field, byte[] body) {
        byte[] head = join(hex("bec1"), new byte[] {(byte) code}, hex(field));
        byte[] frame = join(head, new byte[field.length() == 8 ? 1 : 2], body);
        FrameHeader.writeCheck(frame, 0, head.length, frame.length);
        return frame;
    }

    private static int code(PayloadCodec codec, int flags) {
        return FrameHeader.VERSION << 6 | codec.number() << 2 | flags;
    }

    private static byte[] body(String codec, byte[] value) {
        byte[] encoded = LegacyTest.encoded(codec, value);
        return codec.equals("zstd") || codec.equals("lz4") ? Arrays.copyOfRange(encoded, 4, encoded.length) : encoded;
    }

    private void refusedHeaders() {
        byte[] value = Samples.json(6);
        byte[] good = encoded(ValueFormat.builder().writes("deflate"), false, value);
        for (int length : new int[] {2, 3, 4, 5, 6, 7, good.length - 1}) {
            refuse("the first " + length + " bytes of a frame", NOT_A_FRAME, Arrays.copyOf(good, length));
        }
        refuse("a byte follows a frame", NOT_A_FRAME, join(good, hex("00")));
        for (int at = 3; at < 7; at++) {
            byte[] changed = good.clone();
            changed[at] ^= 1;
            refuse("a changed bit in byte " + at, NOT_A_FRAME, changed);
        }
        byte[] first = good.clone();
        first[8] ^= 1;
        refuse("a changed bit in the first bytes of the body", NOT_A_FRAME, first);
        byte[] last = good.clone();
        last[last.length - 1] ^= 1;
        refuse("a changed bit in the last byte of the body", NOT_A_FRAME, last);
        byte[] body = body("deflate", new byte[300]);
        for (int version : new int[] {0, 2, 3}) {
            int code = version << 6 | PayloadCodec.DEFLATE.number() << 2;
            refuse("version " + version, version == 0 ? NOT_A_FRAME : NEWER_VERSION, frame(code, "412c", body));
        }
        for (int codec = PayloadCodec.values().length; codec < 16; codec++) {
            refuse("codec " + codec, UNKNOWN_CODEC, frame(1 << 6 | codec << 2, "412c", body));
        }
        for (PayloadCodec codec : PayloadCodec.values()) {
            if (codec != PayloadCodec.ZSTD) {
                refuse(
                        codec.family() + " with a dictionary",
                        NOT_A_FRAME,
                        frame(code(codec, DICTIONARY), "412c00", body));
            }
        }
        byte[] magic = Samples.beginningLikeAFrame(new byte[20]);
        refuse("escaped with a checksum", NOT_A_FRAME, frame(code(PayloadCodec.ESCAPED, CHECKSUM), "000016", magic));
        refuse("escaped, begins otherwise", NOT_A_FRAME, frame(code(PayloadCodec.ESCAPED, 0), "000016", new byte[22]));
        refuse("escaped, another length", NOT_A_FRAME, frame(code(PayloadCodec.ESCAPED, 0), "000017", magic));
        refuse("stored without a checksum", NOT_A_FRAME, frame(code(PayloadCodec.STORED, 0), "05", ascii("value")));
        refuse(
                "stored, another length",
                NOT_A_FRAME,
                frame(code(PayloadCodec.STORED, CHECKSUM), "04", ascii("value....")));
        refuse(
                "stored, its length is not in its shortest form",
                NOT_A_FRAME,
                frame(code(PayloadCodec.STORED, CHECKSUM), "4005", ascii("value....")));
        refuse(
                "stored, another checksum",
                DAMAGED,
                frame(code(PayloadCodec.STORED, CHECKSUM), "05", ascii("value....")));
        for (String codec : CODECS.subList(1, CODECS.size())) {
            PayloadCodec payload = PayloadCodec.valueOf(codec.toUpperCase(java.util.Locale.ROOT));
            byte[] zeros = body(codec, new byte[60]);
            accept(
                    codec + ", its length in its shortest form",
                    new byte[60],
                    Stored.framed(frame(code(payload, 0), "3c", zeros)));
            for (String form : List.of("403c", "80003c", "c000003c")) {
                refuse(
                        codec + ", a length of " + form.length() / 2 + " bytes for 60",
                        NOT_A_FRAME,
                        frame(code(payload, 0), form, zeros));
            }
            byte[] noise = Samples.noise(40, 1);
            refuse(
                    codec + ", the frame is longer than the value",
                    NOT_A_FRAME,
                    frame(code(payload, 0), "28", body(codec, noise)));
            refuse(codec + ", says 1 GiB less a byte", TOO_LONG, frame(code(payload, 0), "ffffffff", zeros));
            refuse(codec + ", says 64 MiB", DAMAGED, frame(code(payload, 0), "c4000000", zeros));
            refuse(
                    codec + ", too long for this reader",
                    TOO_LONG,
                    Stored.framed(frame(code(payload, 0), "3c", zeros)).withMaxLength(59));
            accept(
                    codec + ", as long as this reader takes",
                    new byte[60],
                    Stored.framed(frame(code(payload, 0), "3c", zeros)).withMaxLength(60));
        }
    }

    private void refusedBodies() {
        for (String codec : CODECS) {
            PayloadCodec payload = PayloadCodec.valueOf(codec.toUpperCase(java.util.Locale.ROOT));
            boolean isZstd = codec.equals("zstd");
            byte[] value = Samples.text(300, 5);
            String field = isZstd ? "" : "412c";
            byte[] body = body(codec, value);
            refuse(
                    codec + ", a byte follows the encoded value",
                    DAMAGED,
                    frame(code(payload, 0), field, join(body, hex("00"))));
            refuse(
                    codec + ", a byte is missing",
                    DAMAGED,
                    frame(code(payload, 0), field, Arrays.copyOf(body, body.length - 1)));
            refuse(
                    codec + ", half of it is missing",
                    DAMAGED,
                    frame(code(payload, 0), field, Arrays.copyOf(body, body.length / 2)));
            if (!isZstd) {
                refuse(codec + ", says one byte less", DAMAGED, frame(code(payload, 0), "412b", body));
                refuse(codec + ", says one byte more", DAMAGED, frame(code(payload, 0), "412d", body));
            }
            byte[] zeros = body(codec, new byte[1 << 20]);
            refuse(
                    codec + ", 1 MiB of zeros that says 64 MiB",
                    DAMAGED,
                    frame(
                            code(payload, 0),
                            isZstd ? "" : "c4000000",
                            isZstd ? zstd64MiB() : zeros.length < 10_000 ? zeros : body));
            byte[] checked = encoded(ValueFormat.builder().writes(codec), true, value);
            byte[] other = checked.clone();
            for (int at = other.length - 4; at < other.length; at++) {
                other[at] ^= 1;
            }
            MutatedFramesTest.repairCheck(other);
            refuse(codec + ", another checksum", DAMAGED, other);
        }
        int zstd = code(PayloadCodec.ZSTD, 0);
        byte[] rle = hex("602c010b04000061");
        refuse("zstd, another length than its block has", DAMAGED, frame(zstd, "", rle));
        accept("zstd, a run of 300", run(300), Stored.framed(frame(zstd, "", zstdRun(0x60, "2c00", 300, true))));
        refuse("zstd without a content size", NOT_A_FRAME, frame(zstd, "", zstdRun(0x00, "58", 300, true)));
        refuse(
                "zstd with a dictionary number of its own",
                NOT_A_FRAME,
                frame(zstd, "", zstdRun(0x61, "072c00", 300, true)));
        refuse("zstd with the reserved bit", NOT_A_FRAME, frame(zstd, "", zstdRun(0x68, "2c00", 300, true)));
        refuse("zstd, a size of 2^63", NOT_A_FRAME, frame(zstd, "", zstdRun(0xE0, "0000000000000080", 300, true)));
        refuse("zstd, a size of 2^40", TOO_LONG, frame(zstd, "", zstdRun(0xE0, "0000000000010000", 300, true)));
        refuse("zstd, no last block", DAMAGED, frame(zstd, "", zstdRun(0x60, "2c00", 300, false)));
        byte[] one = zstdRun(0x60, "2c00", 300, true);
        refuse("zstd, a second frame", DAMAGED, frame(zstd, "", join(one, one)));
        refuse("zstd, a second frame of no bytes", DAMAGED, frame(zstd, "", join(one, hex("2000010000"))));
        refuse("zstd with its magic number", NOT_A_FRAME, frame(zstd, "", join(hex("28b52ffd"), one)));
        refuse(
                "zstd, a block of more than 128 KiB",
                DAMAGED,
                frame(zstd, "", zstdRun(0xA0, "01000200", 131_073, true)));
        refuse("zstd, a block that does not exist", DAMAGED, frame(zstd, "", hex("602c00070000")));
        refuse(
                "zstd, another checksum of its own",
                DAMAGED,
                frame(zstd, "", join(zstdRun(0x64, "2c00", 300, true), hex("00000000"))));
        ValueFormat.Builder builder =
                ValueFormat.builder().writes("zstd:3").writesWith(unknown).dictionaries(Dictionaries.of(unknown));
        refuse("zstd, a dictionary that is missing", MISSING_DICTIONARY, encoded(builder, true, Samples.json(7)));
        refuse(
                "lz4, a match before the beginning",
                DAMAGED,
                frame(code(PayloadCodec.LZ4, 0), "3c", hex("1f00020017500000000000")));
        refuse("lz4, ends with a match", DAMAGED, frame(code(PayloadCodec.LZ4, 0), "3c", hex("1f00010028")));
        refuse(
                "snappy, a copy before the beginning",
                DAMAGED,
                frame(code(PayloadCodec.SNAPPY, 0), "3c", hex("3c0000ea0200")));
        refuse(
                "snappy, says another length than the frame",
                DAMAGED,
                frame(code(PayloadCodec.SNAPPY, 0), "3c", body("snappy", new byte[61])));
    }

    private static byte[] run(int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) 'a');
        return value;
    }

    /** A zstd frame without its magic number, of one block: a run of the letter a. */
    private static byte[] zstdRun(int descriptor, String header, int length, boolean isLast) {
        int block = length << 3 | 1 << 1 | (isLast ? 1 : 0);
        return join(new byte[] {(byte) descriptor}, hex(header), new byte[] {
            (byte) block, (byte) (block >>> 8), (byte) (block >>> 16), 'a'
        });
    }

    /** A run of 300 that says 64 MiB. */
    private static byte[] zstd64MiB() {
        return zstdRun(0xA0, "00000004", 300, true);
    }

    private void refusedColumns() {
        byte[] value = Samples.json(8);
        refuse("no legacy values, a raw value", NOT_A_FRAME, Stored.legacy("none", value));
        refuse("no legacy values, an empty value", NOT_A_FRAME, Stored.legacy("none", new byte[0]));
        refuse(
                "no legacy values, a frame without a checksum",
                NOT_A_FRAME,
                Stored.legacy("none", encoded(ValueFormat.builder().writes("zstd"), false, value)));
        refuse(
                "no legacy values, an escaped value",
                NOT_A_FRAME,
                Stored.legacy("none", ValueFormat.builder().build().encode(Samples.beginningLikeAFrame(new byte[9]))));
        byte[] without = encoded(ValueFormat.builder().writes("zstd"), true, value);
        without[0] ^= 1;
        refuse("no legacy values, a changed bit in the first byte", NOT_A_FRAME, Stored.legacy("none", without));
        for (String codec : Mutations.LEGACY) {
            byte[] encoded = LegacyTest.encoded(codec, value);
            refuse(
                    codec + " legacy, truncated",
                    DAMAGED,
                    Stored.legacy(codec, Arrays.copyOf(encoded, encoded.length / 2)));
            if (!codec.equals("mysql")) {
                refuse(codec + " legacy, a raw value", DAMAGED, Stored.legacy(codec, ascii("{\"a\": 1}")));
            }
            if (!codec.equals("gzip")) { // its length is at its end
                refuse(codec + " legacy, bytes follow", DAMAGED, Stored.legacy(codec, join(encoded, hex("0000"))));
            }
        }
        byte[] gzip = LegacyTest.encoded("gzip", value);
        byte[] crc = gzip.clone();
        crc[crc.length - 8] ^= 1;
        refuse("gzip legacy, another CRC-32", DAMAGED, Stored.legacy("gzip", crc));
        byte[] claim = gzip.clone();
        claim[claim.length - 1] = 1;
        refuse("gzip legacy, says 16 MiB more", DAMAGED, Stored.legacy("gzip", claim));
        byte[] zstd = LegacyTest.encoded("zstd", value);
        refuse("zstd legacy, a second frame", DAMAGED, Stored.legacy("zstd", join(zstd, zstd)));
        refuse(
                "zstd legacy, a frame that is skipped follows",
                DAMAGED,
                Stored.legacy("zstd", join(zstd, hex("502a4d1800000000"))));
        refuse("lz4 legacy, says 64 MiB", DAMAGED, Stored.legacy("lz4", join(hex("00000004"), body("lz4", value))));
        refuse(
                "zlib legacy, 10 MB of zeros, too long",
                TOO_LONG,
                Stored.legacy("zlib", LegacyTest.encoded("zlib", new byte[10_000_000]))
                        .withMaxLength(1_000_000));
    }

    private static byte[] hex(String digits) {
        return Stored.HEX.parseHex(digits);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
