package dev.blobmark.bench.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The loop that the lab is compared to is short, and the documentation prints the one that is run. */
final class BareFetchTest {

    @Test
    void isPrintedInTheDocumentation() throws IOException {
        List<String> source = Files.readAllLines(Path.of("src/main/java/dev/blobmark/bench/lab/BareFetch.java"));
        List<String> body = source.subList(source.indexOf("final class BareFetch {") + 1, source.size() - 1).stream()
                .dropWhile(line -> !line.startsWith("    static"))
                .map(line -> line.replaceFirst("^ {4}", ""))
                .toList();

        assertThat(body).hasSizeBetween(15, 39);
        assertThat(Files.readString(Path.of("../docs/measurement.md")))
                .contains("```java\n" + String.join("\n", body) + "\n```");
    }
}
