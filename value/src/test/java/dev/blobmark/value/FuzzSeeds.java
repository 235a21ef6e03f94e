package dev.blobmark.value;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** What a fuzzer begins with: the vectors, the golden frames, and frames that claim too much. */
final class FuzzSeeds {

    /** Longer inputs teach a fuzzer little and cost it time. */
    private static final int MOST_BYTES = 4_096;

    private FuzzSeeds() {}

    /** Writes {@code decode} and {@code round-trip} with a file for each seed into a directory. */
    public static void main(String[] directory) throws IOException {
        write(Path.of(directory[0], "decode"), decode());
        write(Path.of(directory[0], "round-trip"), roundTrip());
    }

    private static void write(Path directory, List<byte[]> inputs) throws IOException {
        Files.createDirectories(directory);
        for (int i = 0; i < inputs.size(); i++) {
            Files.write(directory.resolve("seed-" + i), inputs.get(i));
        }
    }

    static List<byte[]> decode() throws IOException {
        return Stream.of(
                        vectors().stream(),
                        golden(2).stream().map(Stored::framed),
                        ClaimedFrames.CODECS.stream()
                                .map(codec -> Stored.framed(ClaimedFrames.of(codec, DecodeFuzz.LONGEST))))
                .flatMap(Function.identity())
                .map(DecodeFuzz::input)
                .filter(input -> input.length <= MOST_BYTES)
                .toList();
    }

    static List<byte[]> roundTrip() throws IOException {
        List<byte[]> values = new ArrayList<>(golden(1));
        vectors().forEach(stored -> values.add(stored.bytes()));
        List<byte[]> inputs = new ArrayList<>();
        for (byte[] value : values) {
            inputs.add(RoundTripFuzz.input(inputs.size() & 0xFF, value));
        }
        return inputs.stream().filter(input -> input.length <= MOST_BYTES).toList();
    }

    private static List<Stored> vectors() throws IOException {
        List<Stored> vectors = new ArrayList<>();
        for (Path file : VectorsTest.files()) {
            new JsonMapper()
                    .readTree(Files.readString(file))
                    .get("vectors")
                    .forEach(vector -> vectors.add(VectorsTest.stored(vector)));
        }
        return vectors;
    }

    /** Values (1) or frames (2). */
    private static List<byte[]> golden(int column) throws IOException {
        return Files.readAllLines(GoldenFramesTest.FILE).stream()
                .filter(line -> !line.startsWith("dictionary "))
                .map(line -> GoldenFramesTest.bytes(line.split(" ")[column]))
                .toList();
    }
}
