package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.codec.ZstdDictionary;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program that has only the library of the codec that it uses: its codec works, and others name what they need. */
class OneLibraryTest {

    /** The program. Its arguments are frames of codecs whose libraries it does not have, as a name and digits. */
    static final class Program {

        private Program() {}

        public static void main(String[] frames) {
            for (String codec : List.of("zstd:3", "deflate:6", "lz4", "lz4hc:9", "snappy", "brotli:5")) {
                say("writes " + codec, () -> roundTrip(codec));
            }
            ValueFormat reader = ValueFormat.builder().build();
            for (String frame : frames) {
                String[] words = frame.split("=");
                say("reads " + words[0], () -> reader.decode(HexFormat.of().parseHex(words[1])).length);
            }
            say("bare lz4", () -> Bare.lz4().maxEncodedLength(1));
            say("bare lz4hc", () -> Bare.lz4hc(9).maxEncodedLength(1));
            say("bare zstd", () -> Bare.zstd(3, Optional.empty()).maxEncodedLength(100_000) > 0);
            say("dictionary", () -> ZstdDictionary.of(new byte[1_000]).bytes());
            say(
                    "legacy lz4",
                    () -> ValueFormat.builder()
                            .reads(Legacy.encodedBy("lz4"))
                            .build()
                            .decode(new byte[] {1, 0, 0, 0, 16, 1}));
            say(
                    "requires zstd",
                    () -> ValueFormat.builder().requires("zstd").build().canRead("zstd:19"));
            say(
                    "requires lz4",
                    () -> ValueFormat.builder().requires("lz4").build().canRead("lz4hc:9"));
            say("can read", () -> reader.readableCodecs().stream().sorted().collect(Collectors.joining(",")));
            say("library of lz4", () -> Codecs.family(Codecs.parse("lz4")).library());
            say(
                    "reader",
                    () -> Codecs.all().stream()
                            .filter(family -> family.unavailable().isEmpty())
                            .map(CodecFamily::name)
                            .collect(Collectors.joining(",")));
        }

        private static boolean roundTrip(String codec) {
            ValueFormat format = ValueFormat.builder().writes(codec).build();
            format.startWriting();
            byte[] value = "cup and saucer, ".repeat(100).getBytes(StandardCharsets.UTF_8);
            byte[] stored = format.encode(value);
            // whether a long value can be compressed is tried before
            byte[] random = new byte[100_000];
            new Random(1).nextBytes(random);
            return stored.length < 100
                    && Arrays.equals(value, format.decode(stored))
                    && Arrays.equals(random, format.decode(format.encode(random)));
        }

        private static void say(String what, Supplier<Object> does) {
            String result;
            try {
                result = String.valueOf(does.get());
            } catch (RuntimeException | LinkageError e) {
                result = e.getClass().getSimpleName() + ": " + e.getMessage();
            }
            System.out.println(what + ": " + result);
        }
    }

    private static String frame(String codec) {
        ValueFormat format = ValueFormatTest.writing(ValueFormat.builder().writes(codec));
        return codec + "=" + HexFormat.of().formatHex(format.encode(Samples.text(1_000, 1)));
    }

    /** Runs the program with these libraries besides codec and value, and returns its lines. */
    private static List<String> run(Class<?>... libraries) throws Exception {
        return java(
                List.of("-cp", path(Stream.concat(Stream.of(Program.class), withOwn(libraries)))),
                Program.class.getName());
    }

    private static Stream<Class<?>> withOwn(Class<?>... libraries) {
        return Stream.concat(Stream.of(Codec.class, ValueFormat.class), Arrays.stream(libraries));
    }

    private static String path(Stream<Class<?>> types) {
        return types.map(OneLibraryTest::place).collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> java(List<String> options, String program) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add(program);
        Stream.of("zstd:3", "lz4", "brotli:5", "snappy")
                .map(OneLibraryTest::frame)
                .forEach(command::add);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    private static String place(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static String needs(String codec, String library) {
        return "UnsupportedOperationException: codec " + codec + " needs the library " + library
                + ", which is not on the class path";
    }

    private static final String LZ4 = "at.yawk.lz4:lz4-java";
    private static final String ZSTD = "com.github.luben:zstd-jni";
    private static final String SNAPPY = "org.xerial.snappy:snappy-java";
    private static final String BROTLI = "com.aayushatharva.brotli4j:brotli4j";

    private static final List<String> WITH_ZSTD = List.of(
            "writes zstd:3: true",
            "writes deflate:6: true",
            "writes lz4: " + needs("lz4", LZ4),
            "writes lz4hc:9: " + needs("lz4", LZ4),
            "writes snappy: " + needs("snappy", SNAPPY),
            "writes brotli:5: " + needs("brotli", BROTLI),
            "reads zstd:3: 1000",
            "reads lz4: " + needs("bare lz4", LZ4),
            "reads brotli:5: " + needs("brotli:6", BROTLI),
            "reads snappy: " + needs("snappy", SNAPPY),
            "bare lz4: " + needs("bare lz4", LZ4),
            "bare lz4hc: " + needs("bare lz4hc:9", LZ4),
            "bare zstd: true",
            "dictionary: 1000",
            "legacy lz4: " + needs("lz4", LZ4),
            "requires zstd: true",
            "requires lz4: " + needs("lz4", LZ4),
            "can read: deflate,stored,zstd",
            "library of lz4: " + needs("lz4", LZ4),
            "reader: none,gzip,zlib,deflate,zstd,mysql");

    @Test
    void withZstdOnly() throws Exception {
        assertThat(run(Zstd.class)).isEqualTo(WITH_ZSTD);
    }

    /** A program that is a module requires that of the library. */
    @Test
    void withZstdOnlyAsModules() throws Exception {
        List<String> options = List.of(
                "--module-path",
                path(withOwn(Zstd.class)),
                "--add-modules",
                "com.github.luben.zstd_jni",
                "--patch-module",
                "dev.blobmark.value=" + place(Program.class),
                "--module");
        assertThat(java(options, "dev.blobmark.value/" + Program.class.getName()))
                .isEqualTo(WITH_ZSTD);
    }

    @Test
    void withNone() throws Exception {
        assertThat(run())
                .contains(
                        "writes deflate:6: true",
                        "writes zstd:3: " + needs("zstd", ZSTD),
                        "reads zstd:3: " + needs("bare zstd:1", ZSTD),
                        "bare zstd: " + needs("bare zstd:3", ZSTD),
                        "dictionary: UnsupportedOperationException: a dictionary of zstd needs the library " + ZSTD
                                + ", which is not on the class path",
                        "reader: none,gzip,zlib,deflate,mysql");
    }
}
