package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.example.CompressValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users of the library read: the example in its document. Its API is recorded by {@code PublishedApiTest}. */
class PublishedLibraryTest {

    private static final Path DOCUMENT = Path.of("../docs/codecs.md");

    @Test
    void theExampleOfTheDocumentRuns() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/blobmark/codec/example/CompressValue.java"));
        String document = Files.readString(DOCUMENT);
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

    /** The versions of the build are the tested ones. */
    @ParameterizedTest
    @EnumSource
    void theBomAndTheDocumentNameTheTestedAndTheOldestVersion(CodecLibrary library) throws IOException {
        String build = Files.readString(Path.of("../pom.xml"));
        String name = library.artifact().replaceFirst(".*:", "");
        Matcher tested = Pattern.compile("<artifactId>" + name + "</artifactId><version>(\\$\\{.*?})</version>")
                .matcher(build);
        assertThat(tested.find()).isTrue();
        String property = tested.group(1).substring(2, tested.group(1).length() - 1);
        String version = build.replaceFirst("(?s).*<" + property + ">(.*?)</" + property + ">.*", "$1");
        assertThat(Files.readString(Path.of("../bom/pom.xml")))
                .contains("<artifactId>" + name + "</artifactId><version>" + version + "</version>")
                .containsPattern(name + "\\s+" + Pattern.quote(library.minimum()) + "[,.]");
        assertThat(Files.readString(DOCUMENT))
                .contains("| `" + library.artifact() + "` | " + version + " | " + library.minimum() + " |");
    }
}
