package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProseTest {

    private final Prose prose = new Prose();

    ProseTest() throws IOException {}

    @Test
    void documentsAreSpelledRightAndAvoidWhatTheProjectAvoids() throws IOException {
        List<Prose.Finding> findings = new ArrayList<>();
        for (String directory : List.of("", "docs", "site/pages", "site/pages/docs/adr")) {
            for (String file : files(directory, "md")) {
                findings.addAll(prose.inDocument(file));
            }
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void commentsAvoidWhatTheProjectAvoids() throws IOException {
        List<Prose.Finding> findings = new ArrayList<>();
        List<String> sources = Prose.mainSources();
        for (String file : sources) {
            findings.addAll(prose.inComments(file));
        }
        assertThat(sources).hasSizeGreaterThan(800);
        assertThat(findings).isEmpty();
    }

    @Test
    void aWrongWordIsNamedWithItsPlaceAndWithWhatToUse() {
        assertThat(prose.inMarkdown(
                        "a.md", "The value is\nrecieved by the the driver.\n\n    recieved\n\nIts mend is `recieved`."))
                .extracting(Prose.Finding::toString)
                .containsExactlyInAnyOrder(
                        "a.md:6: 'mend': use fix",
                        "a.md:2: 'the the': use 'the' once",
                        "a.md:2: 'recieved': perhaps received, relieved; if it is right, add it to docs/style/words.txt");
    }

    @Test
    void whatIsNoEnglishIsLeftAlone() {
        assertThat(prose.inMarkdown("a.md", """
                        See [the page](sevrers.md#abuot), `whihc`, docs/thier.md, NDB, my_tabel and 95 %.

                        ```sh
                        recieve
                        ```
                        """)).isEmpty();
    }

    private static List<String> files(String directory, String extension) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..").resolve(directory))) {
            return files.map(file -> Path.of("..").relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith("." + extension))
                    .sorted()
                    .toList();
        }
    }
}
