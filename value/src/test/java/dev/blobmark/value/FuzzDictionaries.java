package dev.blobmark.value;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Dictionaries that the vectors and the golden frames refer to. */
final class FuzzDictionaries {

    static final List<ValueDictionary> ALL = read();

    private FuzzDictionaries() {}

    private static List<ValueDictionary> read() {
        try {
            Stream<String> ofVectors = new JsonMapper()
                    .readTree(Files.readString(Path.of("vectors/frames.json")))
                    .get("dictionaries")
                    .valueStream()
                    .map(one -> one.get("bytes").asString());
            Stream<String> golden = Files.readAllLines(GoldenFramesTest.FILE).stream()
                    .filter(line -> line.startsWith("dictionary "))
                    .map(line -> line.split(" ")[2]);
            return Stream.concat(ofVectors, golden)
                    .distinct()
                    .map(hex -> ValueDictionary.of(Stored.HEX.parseHex(hex)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Dictionaries all() {
        return Dictionaries.of(ALL.toArray(ValueDictionary[]::new));
    }
}
