package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Inputs that {@code bench/value-fuzz} found and kept, and those that it begins with. It fuzzes; this does not. */
class FuzzCorpusTest {

    private static final Path DIRECTORY = Path.of("fuzz");
    private static final int MOST_FILES = 300;
    private static final int MOST_BYTES = 500_000;

    private static List<Path> kept(String target) throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY.resolve(target))) {
            return files.sorted().toList();
        }
    }

    private static void check(String target, List<byte[]> seeds, Consumer<byte[]> fuzz) throws IOException {
        List<Path> kept = kept(target);
        assertThat(kept).isNotEmpty();
        for (Path file : kept) {
            byte[] input = Files.readAllBytes(file);
            assertThatCode(() -> fuzz.accept(input)).as("%s", file).doesNotThrowAnyException();
        }
        assertThat(seeds).hasSizeGreaterThan(100);
        for (byte[] seed : seeds) {
            assertThatCode(() -> fuzz.accept(seed))
                    .as("%s of %s", target, Stored.HEX.formatHex(seed))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void decodesOrRefuses() throws IOException {
        check("decode", FuzzSeeds.decode(), DecodeFuzz::fuzzerTestOneInput);
    }

    @Test
    void readsWhatItWrites() throws IOException {
        check("round-trip", FuzzSeeds.roundTrip(), RoundTripFuzz::fuzzerTestOneInput);
    }

    @Test
    void theCorpusStaysSmall() throws IOException {
        long files = 0;
        long bytes = 0;
        for (String target : List.of("decode", "round-trip")) {
            for (Path file : kept(target)) {
                files++;
                bytes += Files.size(file);
            }
        }
        assertThat(files).isLessThanOrEqualTo(MOST_FILES);
        assertThat(bytes).isLessThanOrEqualTo(MOST_BYTES);
    }
}
