package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The vectors of {@code value/vectors}, which every reader passes. {@code value/vectors/generate} makes them anew. */
class VectorsTest {

    private static final Path DIRECTORY = Path.of("vectors");

    static List<Path> files() throws IOException {
        if (Boolean.getBoolean("blobmark.vectors")) {
            Vectors.write(DIRECTORY);
        }
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theLibraryPassesAll() throws IOException {
        int passed = 0;
        for (Path file : files()) {
            JsonNode all = new JsonMapper().readTree(Files.readString(file));
            assertThat(all.get("version").asInt()).isEqualTo(Vectors.VERSION);
            ValueDictionary[] dictionaries = all.get("dictionaries")
                    .valueStream()
                    .map(one -> ValueDictionary.of(
                            Stored.HEX.parseHex(one.get("bytes").asString())))
                    .toArray(ValueDictionary[]::new);
            for (JsonNode vector : all.get("vectors")) {
                Stored stored = stored(vector);
                Stored.Outcome found = stored.decode(stored.format(Dictionaries.of(dictionaries)));
                String name = file.getFileName() + ": " + vector.get("name").asString();
                assertThat(found.reason().map(Enum::name)).as(name).isEqualTo(text(vector, "reason"));
                assertThat(found.value().map(Stored.HEX::formatHex))
                        .as(name)
                        .satisfiesAnyOf(
                                value -> assertThat(value).isEqualTo(text(vector, "value")),
                                value -> assertThat(vector.has("sha256")).isTrue());
                if (vector.has("sha256")) {
                    byte[] value = found.value().orElseThrow();
                    assertThat(value.length)
                            .as(name)
                            .isEqualTo(vector.get("length").asInt());
                    assertThat(Stored.HEX.formatHex(ValueDictionary.sha256(value)))
                            .as(name)
                            .isEqualTo(vector.get("sha256").asString());
                }
                passed++;
            }
        }
        assertThat(passed).isGreaterThan(200);
    }

    static Stored stored(JsonNode vector) {
        return new Stored(
                Stored.HEX.parseHex(vector.get("stored").asString()),
                text(vector, "legacy").orElse("raw"),
                vector.has("readsSql"),
                vector.has("maxLength") ? vector.get("maxLength").asInt() : ValueFormat.STANDARD_MAX_LENGTH,
                vector.has("collisionsAreLegacy"));
    }

    private static Optional<String> text(JsonNode vector, String field) {
        return Optional.ofNullable(vector.get(field)).map(JsonNode::asString);
    }

    @Test
    void theReaderInPythonPassesAll() throws Exception {
        List<String> command = new ArrayList<>(List.of(PythonReader.python(), "-B", PythonReader.CHECK));
        int count = 0;
        for (Path file : files()) {
            command.add(file.toString());
            count += new JsonMapper()
                    .readTree(Files.readString(file))
                    .get("vectors")
                    .size();
        }
        assertThat(PythonReader.run(command.toArray(String[]::new)))
                .isEqualTo(new PythonReader.Result(0, count + " vectors passed"));
    }
}
