package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of the tests that {@code ./mvnw verify} leaves out. */
class LeftOutTestsTest {

    private static final Path ROOT = Path.of("..");

    /** A class that was renamed and is not in the list any more would run for everybody. */
    @Test
    void eachIsAClassOfTestsAndInOnePart() throws IOException {
        Set<String> classes = testClasses();
        Map<String, List<String>> parts = parts();

        assertThat(parts).containsOnlyKeys("# part 1", "# part 2", "# part 3");
        List<String> listed = parts.values().stream().flatMap(List::stream).toList();
        assertThat(listed).doesNotHaveDuplicates();
        assertThat(classes).containsAll(listed);
    }

    /** What a part does not have is left out when the part is tested. */
    @Test
    void thePartsTogetherLeaveNothingOut() throws IOException, InterruptedException {
        Map<String, List<String>> parts = parts();
        for (int part = 1; part <= 3; part++) {
            Process script = new ProcessBuilder("../.ci/rest", Integer.toString(part))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            List<String> leftOut = script.inputReader().lines().toList();
            assertThat(script.waitFor()).isZero();

            List<String> tested = parts.get("# part " + part);
            List<String> others = parts.values().stream()
                    .flatMap(List::stream)
                    .filter(each -> !tested.contains(each))
                    .toList();
            assertThat(leftOut).containsExactlyInAnyOrderElementsOf(others);
        }
    }

    private static Map<String, List<String>> parts() throws IOException {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        String part = "";
        for (String line : Files.readAllLines(ROOT.resolve(".ci/rest.txt"))) {
            if (line.startsWith("# part ")) {
                part = line;
                parts.put(part, new ArrayList<>());
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                parts.get(part).add(line);
            }
        }
        return parts;
    }

    private static Set<String> testClasses() throws IOException {
        Set<String> found = new HashSet<>();
        for (Path directory : List.of(ROOT, ROOT.resolve("integrations"))) {
            try (Stream<Path> modules = Files.list(directory)) {
                List<Path> roots = modules.map(module -> module.resolve("src/test/java"))
                        .filter(Files::isDirectory)
                        .toList();
                for (Path root : roots) {
                    found.addAll(classes(root));
                }
            }
        }
        return found;
    }

    private static Set<String> classes(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith("Test.java") || file.endsWith("IT.java"))
                    .collect(Collectors.toSet());
        }
    }
}
