package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the codecs write is read by the formats' own command-line tools, and the other way round. */
final class CommandLineToolsTest {

    @TempDir
    Path directory;

    static Stream<Arguments> encoders() {
        return Stream.of(
                Arguments.of("gzip", List.of("gzip:1", "gzip:6", "gzip:9")),
                Arguments.of("zstd", List.of("zstd:-7", "zstd:3", "zstd:19", "zstd:22")),
                Arguments.of("brotli", List.of("brotli:0", "brotli:1", "brotli:6", "brotli:11")));
    }

    /** From standard input, where the tool knows no name and no length to put into the header, and from a file. */
    static Stream<Arguments> tools() {
        return Stream.of(
                Arguments.of("gzip", List.of("-1", "-6", "-9"), "gzip"),
                Arguments.of("zstd", List.of("-1", "-3", "-19", "--no-check"), "zstd"),
                Arguments.of("brotli", List.of("-0", "-6", "-9", "--lgwin=10"), "brotli"));
    }

    @ParameterizedTest
    @MethodSource("encoders")
    void theToolReadsWhatTheCodecWrites(String tool, List<String> ids) throws Exception {
        assumeInstalled(tool);
        for (String id : ids) {
            for (byte[] value : values()) {
                Path encoded = Files.write(directory.resolve("encoded"), CodecContract.encode(Codecs.parse(id), value));
                assertThat(run(encoded, tool, "-d", "-c"))
                        .as("%s of %d bytes", id, value.length)
                        .isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("tools")
    void theCodecReadsWhatTheToolWrites(String tool, List<String> options, String name) throws Exception {
        assumeInstalled(tool);
        Codec codec = Codecs.parse(name);
        for (String option : options) {
            for (byte[] value : values()) {
                Path plain = Files.write(directory.resolve("plain"), value);
                byte[] fromPipe = run(plain, tool, option, "-c");
                byte[] fromFile = run(plain, tool, option, "-c", plain.toString());
                for (byte[] encoded : List.of(fromPipe, fromFile)) {
                    assertThat(CodecContract.decode(codec, encoded, value.length))
                            .as("%s %s of %d bytes", tool, option, value.length)
                            .isEqualTo(value);
                }
            }
        }
    }

    private static List<byte[]> values() {
        return Stream.concat(Samples.various().stream(), Stream.of(Samples.structured(300_000, 9)))
                .toList();
    }

    private static void assumeInstalled(String tool) {
        boolean installed = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
        assumeTrue(installed, () -> "skipped: " + tool + " is not installed (Debian package " + tool + ")");
    }

    private byte[] run(Path input, String... command) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Path errors = directory.resolve("errors");
        Process process = new ProcessBuilder(command)
                .redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        assertThat(process.waitFor())
                .as("%s: %s", String.join(" ", command), Files.readString(errors))
                .isZero();
        return Files.readAllBytes(output);
    }
}
