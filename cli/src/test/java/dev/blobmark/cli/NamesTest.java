package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Types of shipped code have names of their own, nested ones too: where a type is used, only its simple name is read.
 * {@code docs/style/names.txt} lists the names that are still defined more than once, with the number of places.
 */
class NamesTest {

    private static final Path ROOT = Path.of("..");
    private static final String LIST = "docs/style/names.txt";

    private static final Pattern NO_CODE = Pattern.compile(
            "(?s)\"\"\".*?(?<!\\\\)\"\"\"|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"|'[^'\\\\\\n]*+(?:\\\\.[^'\\\\\\n]*+)*+'"
                    + "|//[^\\n]*+|/\\*.*?\\*/");

    private static final Pattern TYPE = Pattern.compile("(?<![\\w.])(?:class|interface|record|enum)\\s+([A-Z]\\w*)");

    @Test
    void aNameIsDefinedOnceOrIsListed() throws IOException {
        Map<String, List<String>> places = places();

        assertThat(places).hasSizeGreaterThan(1_000);
        assertThat(problems(places, listed())).as("type names").isEmpty();
    }

    @Test
    void aNameThatIsDefinedOnceMoreIsFound() {
        Map<String, List<String>> places =
                Map.of("Place", List.of("a", "b", "c"), "Part", List.of("a", "b"), "Row", List.of("a"));

        assertThat(problems(places, Map.of("Place", 3, "Part", 2))).isEmpty();
        assertThat(problems(places, Map.of("Place", 2, "Part", 3, "Row", 2)))
                .containsExactly(
                        "Place is defined in 3 places (a, b, c), and docs/style/names.txt allows 2: choose a name that"
                                + " says what it is",
                        "Row is not defined more than once any more: remove it from docs/style/names.txt");
        assertThat(problems(places, Map.of("Place", 3)))
                .containsExactly("Part is defined in 2 places (a, b): choose a name that says what it is");
    }

    @Test
    void declarationsAreFoundAndCommentsAreNot() {
        assertThat(types("""
                        /** A class Comment. */
                        public sealed interface Load<T> permits Open { // enum Comment
                            record Open(String text) implements Load<String> {
                                static final String TEXT = "class Text \\" class Text";
                                static final char QUOTE = '"';
                            }
                            enum Kind { A }
                            Class<?> TYPE = Open.class;
                        }
                        """)).containsExactly("Load", "Open", "Kind");
    }

    private static List<String> problems(Map<String, List<String>> places, Map<String, Integer> listed) {
        List<String> problems = new ArrayList<>();
        new TreeMap<>(places).forEach((name, files) -> {
            int allowed = listed.getOrDefault(name, 1);
            if (files.size() > allowed) {
                problems.add(name + " is defined in " + files.size() + " places (" + String.join(", ", files) + ")"
                        + (allowed > 1 ? ", and " + LIST + " allows " + allowed : "")
                        + ": choose a name that says what it is");
            }
        });
        new TreeMap<>(listed)
                .keySet().stream()
                        .filter(name -> places.getOrDefault(name, List.of()).size() < 2)
                        .forEach(name ->
                                problems.add(name + " is not defined more than once any more: remove it from " + LIST));
        return problems;
    }

    private static Map<String, List<String>> places() throws IOException {
        Map<String, List<String>> places = new TreeMap<>();
        for (String file : Prose.mainSources()) {
            if (!file.startsWith("bench/")) {
                types(Files.readString(ROOT.resolve(file)))
                        .forEach(name -> places.computeIfAbsent(name, n -> new ArrayList<>())
                                .add(file.replace("src/main/java/dev/blobmark/", "")));
            }
        }
        return places;
    }

    private static Stream<String> types(String source) {
        return TYPE.matcher(NO_CODE.matcher(source).replaceAll(" ")).results().map((MatchResult type) -> type.group(1));
    }

    private static Map<String, Integer> listed() throws IOException {
        return Prose.lines(LIST)
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[1], words -> Integer.valueOf(words[0])));
    }
}
