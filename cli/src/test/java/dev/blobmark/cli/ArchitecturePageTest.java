package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The drawing in {@code docs/architecture.md} has an arrow where one package uses another, less those that follow from
 * others. {@code -Dblobmark.golden=true} draws it again.
 */
class ArchitecturePageTest {

    private static final Path PAGE = Path.of("../docs/architecture.md");
    private static final Pattern DRAWING = Pattern.compile("(?s)(```mermaid\ngraph TD\n)(.*?)(```)");
    private static final String ROOT = "dev.blobmark.";

    @Test
    void theDrawingIsTrue() throws IOException {
        String drawn = draw(reduced(arrows()));
        if (Boolean.getBoolean("blobmark.golden")) {
            Files.writeString(PAGE, DRAWING.matcher(Files.readString(PAGE)).replaceFirst("$1" + drawn + "$3"));
        }
        assertThat(Files.readString(PAGE)).contains("```mermaid\ngraph TD\n" + drawn + "```");
    }

    @Test
    void anArrowThatFollowsFromOthersIsLeftOut() {
        assertThat(reduced(new TreeMap<>(Map.of(
                        "a", new TreeSet<>(Set.of("b", "c")), "b", new TreeSet<>(Set.of("c")), "c", new TreeSet<>()))))
                .containsEntry("a", new TreeSet<>(Set.of("b")))
                .containsEntry("b", new TreeSet<>(Set.of("c")));
    }

    private static SortedMap<String, SortedSet<String>> arrows() {
        SortedMap<String, SortedSet<String>> arrows = new TreeMap<>();
        for (JavaClass used : new ClassFileImporter()
                .withImportOption(new DoNotIncludeTests())
                .importPackages("dev.blobmark")) {
            used.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getPackageName())
                    .filter(name -> name.startsWith(ROOT) && !name.equals(used.getPackageName()))
                    .forEach(name -> arrows.computeIfAbsent(shown(used.getPackageName()), n -> new TreeSet<>())
                            .add(shown(name)));
        }
        return arrows;
    }

    private static String shown(String name) {
        return name.substring(ROOT.length()).replaceFirst("^lab\\.", "");
    }

    private static SortedMap<String, SortedSet<String>> reduced(SortedMap<String, SortedSet<String>> arrows) {
        SortedMap<String, SortedSet<String>> reduced = new TreeMap<>();
        arrows.forEach((from, targets) -> reduced.put(
                from,
                targets.stream()
                        .filter(to -> targets.stream()
                                .noneMatch(via -> !via.equals(to)
                                        && reached(via, arrows, new TreeSet<>()).contains(to)))
                        .collect(Collectors.toCollection(TreeSet::new))));
        return reduced;
    }

    private static Set<String> reached(String from, SortedMap<String, SortedSet<String>> arrows, Set<String> seen) {
        for (String to : arrows.getOrDefault(from, new TreeSet<>())) {
            if (seen.add(to)) {
                reached(to, arrows, seen);
            }
        }
        return seen;
    }

    private static String draw(SortedMap<String, SortedSet<String>> arrows) {
        return arrows.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> "    " + entry.getKey() + " --> " + String.join(" & ", entry.getValue()) + "\n")
                .collect(Collectors.joining());
    }
}
