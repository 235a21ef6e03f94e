package dev.blobmark.lab.conduct;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.environment.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Levels that are paths are in every file of a run: the user's home, which has a name, is a tilde there, and is found
 * again.
 */
class PathsInTheHomeTest {

    private final String before = System.getProperty("user.home");

    @TempDir
    private Path home;

    @BeforeEach
    void moveIn() throws IOException {
        Files.writeString(Files.createDirectory(home.resolve("photos")).resolve("one"), "a photo");
        Files.writeString(home.resolve("values.jsonl"), "{\"text\": \"a photo\"}\n");
        System.setProperty("user.home", home.toString());
    }

    @AfterEach
    void moveOut() {
        System.setProperty("user.home", before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dir:%s/photos", "jsonl:%s/values.jsonl#/text"})
    void thoseOfDatasets(String path) {
        Dataset given = Datasets.parse(path.formatted(home));
        assertThat(given.id()).isEqualTo(path.formatted("~"));
        for (Dataset dataset : new Dataset[] {given, Datasets.parse(given.id())}) {
            assertThat(new String(dataset.values(0, 1).get(0), UTF_8)).isEqualTo("a photo");
        }
    }

    @Test
    void thoseOfStorage() {
        Storage given = Storage.FACTOR.parse("dir:" + home + "/servers");
        assertThat(given).hasToString("dir:~/servers");
        assertThat(Storage.FACTOR.parse("dir:~/servers")).isEqualTo(given);
    }
}
