package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The reader in Python reads what every version of the library wrote, and refuses what this one refuses. */
class PythonReaderTest {

    private static final Path READER = Path.of("readers/blobmark_value.py");
    private static final Path FRAMES = Path.of("src/test/resources/dev/blobmark/value/frames.txt");

    private static byte[] bytes(String hex) {
        return hex.equals("-") ? new byte[0] : Stored.HEX.parseHex(hex);
    }

    @Test
    void readsAllFrames() throws Exception {
        List<ValueDictionary> dictionaries = new ArrayList<>();
        List<Stored> frames = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (String line : Files.readAllLines(FRAMES)) {
            String[] words = line.split(" ");
            if (words[0].equals("dictionary")) {
                dictionaries.add(ValueDictionary.of(bytes(words[2])));
            } else {
                values.add(Stored.HEX.formatHex(bytes(words[1])));
                frames.add(Stored.framed(bytes(words[2])));
            }
        }
        try (PythonReader python = new PythonReader(dictionaries)) {
            assertThat(python.decode(frames)).extracting(Object::toString).isEqualTo(values);
        }
    }

    /** {@code -Dblobmark.mutations=1000000} for as many as wanted, {@code -Dblobmark.seed=1} for others. */
    @Test
    void refusesWhatJavaRefusesForTheSameReason() throws Exception {
        int count = Integer.getInteger("blobmark.mutations", 60_000);
        long seed = Long.getLong("blobmark.seed", 46);
        Mutations mutations = new Mutations(seed);
        List<Stored> all = Stream.generate(mutations::next).limit(count).toList();
        List<String> differences = new ArrayList<>();
        Map<FrameException.Reason, Integer> refused = new EnumMap<>(FrameException.Reason.class);
        int libraries = 0;
        boolean hasOldZstd = PythonReader.hasOldZstd();
        try (PythonReader python = new PythonReader(mutations.dictionaries())) {
            List<Stored.Outcome> answers = python.decode(all);
            for (int i = 0; i < count; i++) {
                Stored.Outcome expected = all.get(i).decode(mutations.format(all.get(i)));
                expected.reason().ifPresent(reason -> refused.merge(reason, 1, Integer::sum));
                Stored.Outcome answer = answers.get(i);
                // an older decoder of zstd, and an offset of 0 in an LZ4 block, which lz4's own decoder takes
                boolean isLibrary = isDamaged(expected) && answer.value().isPresent() && hasOldZstd
                        ? isOf(all.get(i), PayloadCodec.ZSTD)
                        : isDamaged(answer) && expected.value().isPresent() && isOf(all.get(i), PayloadCodec.LZ4);
                libraries += isLibrary ? 1 : 0;
                if (!isSame(all.get(i), expected, answer) && !isLibrary) {
                    differences.add("%s: Java %.60s, Python %.60s".formatted(all.get(i), expected, answer));
                }
            }
        }
        assertThat(differences.stream().limit(20))
                .as("%d of %d, seed %d", differences.size(), count, seed)
                .isEmpty();
        assertThat(libraries).isLessThanOrEqualTo(1 + count / 5_000);
        System.out.println("refused by both, of " + count + " with seed " + seed + ": " + refused);
        assertThat(refused.keySet()).containsExactlyInAnyOrder(FrameException.Reason.values());
    }

    /** Of an encoded legacy value it depends on the decoder which is found first: that it is damaged, or too long. */
    private static boolean isSame(Stored stored, Stored.Outcome one, Stored.Outcome other) {
        boolean isEncoded = !List.of("raw", "none").contains(stored.legacy());
        Set<Optional<FrameException.Reason>> either =
                Set.of(Optional.of(FrameException.Reason.DAMAGED), Optional.of(FrameException.Reason.TOO_LONG));
        return one.toString().equals(other.toString())
                || isEncoded && either.contains(one.reason()) && either.contains(other.reason());
    }

    private static boolean isDamaged(Stored.Outcome outcome) {
        return outcome.reason().equals(Optional.of(FrameException.Reason.DAMAGED));
    }

    private static boolean isOf(Stored stored, PayloadCodec codec) {
        byte[] bytes = stored.bytes();
        return stored.legacy().equals(codec.family())
                || FrameHeader.begins(bytes) && (bytes[2] >>> 2 & 0xF) == codec.number();
    }

    /** 12.8 KB of zstd that hold 400 MiB, and 32 MiB of zeros by Brotli and deflate, for a reader of at most 1 MiB. */
    @Test
    void memoryIsBoundedByWhatIsRead() throws Exception {
        String script = String.join(
                "\n",
                "import resource, sys",
                "sys.path.insert(0, 'readers')",
                "import brotli, zstandard",
                "from blobmark_value import FrameError, decode",
                "resource.setrlimit(resource.RLIMIT_AS, (192 << 20, 192 << 20))",
                "for request in sys.argv[1:]:",
                "    legacy, stored = request.split(':')",
                "    try:",
                "        print(len(decode(bytes.fromhex(stored), legacy=legacy, max_length=1 << 20)))",
                "    except FrameError as e:",
                "        print(e.reason)");
        byte[] zeros = new byte[32 << 20];
        String brotli = Stored.HEX.formatHex(LegacyTest.encoded("brotli", zeros));
        PythonReader.Result result = PythonReader.run(
                PythonReader.python(),
                "-B",
                "-c",
                script,
                "zstd:28b52ffd0058" + "02001061".repeat(3_199) + "03001061",
                "zstd:28b52ffd00f8" + "02001061".repeat(3_199) + "03001061",
                "raw:" + frame(PayloadCodec.ZSTD, "", "a00000f000" + "02001061".repeat(3_199) + "03001061"),
                "raw:" + frame(PayloadCodec.ZSTD, "", "a000001000" + "02001061".repeat(3_199) + "03001061"),
                "brotli:" + brotli,
                "raw:" + frame(PayloadCodec.BROTLI, "8fffff", brotli),
                "zlib:" + Stored.HEX.formatHex(LegacyTest.encoded("zlib", zeros)),
                "raw:"
                        + frame(
                                PayloadCodec.DEFLATE,
                                "8fffff",
                                Stored.HEX.formatHex(LegacyTest.encoded("deflate", zeros))));
        assertThat(result.output().lines())
                .containsExactly(
                        "TOO_LONG", "DAMAGED", "TOO_LONG", "DAMAGED", "TOO_LONG", "DAMAGED", "TOO_LONG", "DAMAGED");
        assertThat(result.exitCode()).isZero();
    }

    /**
     * A piece that zlib does not use is copied, so that many of them may give it no more than a few times the whole.
     */
    @Test
    void workIsProportionalToWhatIsStoredAndWhatItHolds() throws Exception {
        String script = String.join(
                "\n",
                "import gzip, struct, sys, types, zlib",
                "sys.path.insert(0, 'readers')",
                "import blobmark_value",
                "work = 0",
                "class Counted:",
                "    def __init__(self, *bits):",
                "        self.stream = zlib.decompressobj(*bits)",
                "    def __getattr__(self, name):",
                "        return getattr(self.stream, name)",
                "    def decompress(self, data, most):",
                "        global work",
                "        work += len(data)",
                "        return self.stream.decompress(data, most)",
                "blobmark_value.zlib = types.SimpleNamespace(",
                "    decompressobj=Counted, crc32=zlib.crc32, error=zlib.error)",
                "def decode(stored, held, **options):",
                "    global work",
                "    work = 0",
                "    try:",
                "        length = len(blobmark_value.decode(stored, **options))",
                "    except blobmark_value.FrameError as e:",
                "        length = e.reason",
                "    bound = 8 * (len(stored) + held)",
                "    print(length, 'proportional' if work < bound else f'{work} of {bound}')",
                "decode(gzip.compress(b'', mtime=0) * 20_000, 0, legacy='gzip')",
                "decode(gzip.compress(b'some text ', mtime=0) * 20_000, 200_000, legacy='gzip')",
                "held = 32 << 20",
                "stream = zlib.compressobj(9)",
                "stored = struct.pack('<I', 0x3fffc1be) + stream.compress(bytes(held)) + stream.flush(zlib.Z_FULL_FLUSH)",
                "decode(stored + bytes.fromhex('000000ffff') * 800_000, held, reads_sql=True)");
        PythonReader.Result result = PythonReader.run(PythonReader.python(), "-B", "-c", script);
        assertThat(result.output().lines())
                .containsExactly("0 proportional", "200000 proportional", "NEWER_VERSION proportional");
        assertThat(result.exitCode()).isZero();
    }

    private static String frame(PayloadCodec codec, String field, String body) {
        return Stored.HEX.formatHex(
                Vectors.frame(FrameHeader.VERSION << 6 | codec.number() << 2, field, Stored.HEX.parseHex(body)));
    }

    /** So that it can be translated into another language in a day. */
    @Test
    void isShort() throws IOException {
        assertThat(Files.readAllLines(READER)).hasSizeBetween(1, 600);
    }
}
