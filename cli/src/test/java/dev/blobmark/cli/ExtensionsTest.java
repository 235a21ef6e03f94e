package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each patch of docs/extensions adds one extension, in as many files as CONTRIBUTING.md says. */
class ExtensionsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PATCHES = ROOT.resolve("docs/extensions");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([a-z ]+) \\| (\\d) \\| ");

    /** PostgreSQL is in the history as a store, and FormatsTest adds a report format. */
    private static final List<String> WITHOUT_PATCH = List.of("store", "report format");

    private static Map<String, Integer> filesOfMainCode() throws IOException {
        return ROW.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> Integer.valueOf(row.group(2))));
    }

    private static List<String> names() throws IOException {
        try (Stream<Path> patches = Files.list(PATCHES)) {
            return patches.map(patch -> patch.getFileName().toString().replace(".patch", ""))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void eachExtensionPointHasItsPatch() throws IOException {
        assertThat(filesOfMainCode().keySet())
                .hasSizeGreaterThan(WITHOUT_PATCH.size())
                .containsAll(WITHOUT_PATCH)
                .filteredOn(point -> !WITHOUT_PATCH.contains(point))
                .containsExactlyInAnyOrderElementsOf(names());
    }

    @ParameterizedTest
    @MethodSource("names")
    void itTouchesAsManyFilesOfMainCodeAsThePageSays(String name) throws IOException {
        List<String> files = Pattern.compile("(?m)^diff --git a/(\\S+)")
                .matcher(Files.readString(PATCHES.resolve(name + ".patch")))
                .results()
                .map((MatchResult file) -> file.group(1))
                .toList();

        assertThat(files)
                .filteredOn(file -> file.contains("src/main/"))
                .hasSize(filesOfMainCode().get(name));
    }

    @ParameterizedTest
    @MethodSource("names")
    void itFitsTheCode(String name) throws IOException, InterruptedException {
        Process git;
        try {
            git = new ProcessBuilder("git", "apply", "--check", "docs/extensions/" + name + ".patch")
                    .directory(ROOT.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "git is not here: " + e.getMessage());
            return;
        }
        String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(git.waitFor())
                .as("%sThe code around the patch has changed: bench/extensions --refresh", output)
                .isZero();
    }
}
