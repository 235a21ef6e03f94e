package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.example.CompressValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users of the library read: the example in its document. Its API is recorded by {@code PublishedApiTest}. */
class PublishedLibraryTest {

    @Test
    void theExampleOfTheDocumentRuns() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/blobmark/codec/example/CompressValue.java"));
        String document = Files.readString(Path.of("../docs/codecs.md"));
        assertThat(document).contains("```java\n" + source + "```\n");

        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            CompressValue.main(new String[0]);
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("zstd:3: 1050 bytes in less than 100: true, the same again: true");
    }
}
