package dev.blobmark.lab.dataset;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The datasets there are. A new one is one line here. */
public final class Datasets {

    private static final List<Kind> ALL = List.of(
            new Kind("sites", "a trie of URLs, UUIDs and small binary fields", none -> new Sites()),
            new Kind("random:62", "random letters and digits", none -> RandomText.of62()),
            new Kind("random:10", "random digits 0 to 9", none -> RandomText.of10()),
            new Kind("random:4", "random digits 0 to 3", none -> RandomText.of4()),
            new Kind("random:2", "random digits 0 and 1", none -> RandomText.of2()),
            new Kind("dir:PATH", "your own files below a directory, at their own sizes", Directory::new));

    private static final String PARAMETER = "PATH";

    /**
     * A line of the registry.
     *
     * @param name as written in a study; capitals stand for what the user fills in
     * @param summary what the values are, in a few words
     * @param maker makes the dataset from what the user filled in; from nothing where there is nothing to fill in
     */
    public record Kind(String name, String summary, Function<String, Dataset> maker) {

        private String prefix() {
            return name.endsWith(PARAMETER) ? name.substring(0, name.length() - PARAMETER.length()) : name;
        }

        private boolean isOpen() {
            return name.endsWith(PARAMETER);
        }

        private boolean takes(String word) {
            return isOpen() ? word.startsWith(prefix()) && word.length() > prefix().length() : word.equals(name);
        }

        private int editsFrom(String word) {
            return edits(isOpen() ? word.replaceFirst(":.*", ":") : word, prefix());
        }

        private Dataset make(String word) {
            return maker.apply(word.substring(prefix().length()));
        }
    }

    private Datasets() {}

    /** All kinds, in the order in which to list them. */
    public static List<Kind> all() {
        return ALL;
    }

    /**
     * The dataset that a word of a study or of the command line means. A directory is not looked at yet.
     *
     * @throws IllegalArgumentException if there is none, naming the nearest that there is
     */
    public static Dataset parse(String word) {
        return ALL.stream()
                .filter(kind -> kind.takes(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(problem(word)))
                .make(word);
    }

    private static String problem(String word) {
        String names = ALL.stream().map(Kind::name).collect(Collectors.joining(", "));
        String nearest = ALL.stream()
                .min(Comparator.comparingInt(kind -> kind.editsFrom(word.toLowerCase(Locale.ROOT))))
                .orElseThrow()
                .name();
        return "dataset \"%s\": there is no such dataset; did you mean %s? There are %s"
                .formatted(word, nearest, names);
    }

    /** The insertions, deletions and replacements of a character that make one word of the other (V. Levenshtein, 1965). */
    private static int edits(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
