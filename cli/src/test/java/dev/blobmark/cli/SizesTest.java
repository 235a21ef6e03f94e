package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * How long a file of a class may be, and how many components a record may have. Those that exceed it are listed in
 * {@code docs/style/sizes.txt} with their sizes, and may only become smaller.
 */
class SizesTest {

    private static final Path ROOT = Path.of("..");
    private static final int MOST_LINES = 450;
    private static final int MOST_COMPONENTS = 10;

    @Test
    void filesAreShortOrListed() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        for (String file : Prose.mainSources()) {
            if (!file.startsWith("bench/")) {
                try (Stream<String> lines = Files.lines(ROOT.resolve(file))) {
                    sizes.put(file, lines.count());
                }
            }
        }

        assertThat(sizes).hasSizeGreaterThan(700);
        assertNoneIsLarger(over(MOST_LINES, sizes), listed("lines"));
    }

    @Test
    void recordsHaveFewComponentsOrAreListed() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        new ClassFileImporter()
                .withImportOption(new DoNotIncludeTests()).importPackages("dev.blobmark").stream()
                        .filter(JavaClass::isRecord)
                        .forEach(each -> sizes.put(
                                each.getName(),
                                each.getFields().stream()
                                        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                                        .count()));

        assertThat(sizes).hasSizeGreaterThan(200);
        assertNoneIsLarger(over(MOST_COMPONENTS, sizes), listed("components"));
    }

    private static void assertNoneIsLarger(Map<String, Long> found, Map<String, Long> listed) {
        assertThat(found).containsOnlyKeys(listed.keySet());
        assertThat(found).allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(listed.get(name)));
    }

    private static Map<String, Long> over(long most, Map<String, Long> sizes) {
        return sizes.entrySet().stream()
                .filter(size -> size.getValue() > most)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }

    private static Map<String, Long> listed(String unit) throws IOException {
        return Prose.lines("docs/style/sizes.txt")
                .map(line -> line.split(" "))
                .filter(words -> words[1].equals(unit))
                .collect(Collectors.toMap(
                        words -> words[2], words -> Long.valueOf(words[0]), (a, b) -> a, TreeMap::new));
    }
}
