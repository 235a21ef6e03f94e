package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Words;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The datasets there are. A new one is one line here. */
public final class Datasets {

    private static final List<Kind> ALL = List.of(
            new Kind("sites", "a trie of URLs, UUIDs and small binary fields", none -> new Sites()),
            new Kind("random:62", "random letters and digits", none -> RandomText.of62()),
            new Kind("random:10", "random digits 0 to 9", none -> RandomText.of10()),
            new Kind("random:4", "random digits 0 to 3", none -> RandomText.of4()),
            new Kind("random:2", "random digits 0 and 1", none -> RandomText.of2()),
            new Kind("uuid:4", "random UUIDs, 16 bytes each", none -> Uuids.version4()),
            new Kind("uuid:7", "UUIDs that begin with the time", none -> Uuids.version7()),
            new Kind("dir:PATH", "your own files below a directory, at their own sizes", Directory::new),
            new Kind(
                    "jsonl:FILE",
                    "the lines of a file of yours, or what #/pointer or #base64:/pointer finds in each",
                    JsonLines::new),
            new Kind(
                    "table:DB.TABLE.COLUMN",
                    "a sample of a column of your own table, read from a running server (--data-server)",
                    TableColumn::new));

    public static final Factor<Dataset> FACTOR = new Factor<>(
            "dataset",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.STORE),
            Set.of(),
            "where the values come from",
            ALL.stream().map(Kind::name).toList(),
            Optional.empty(),
            Datasets::parse,
            Dataset::id);

    /** What the user fills in. */
    private static final Pattern PARAMETER = Pattern.compile("[A-Z][A-Z.]*$");

    /**
     * A line of the registry.
     *
     * @param name as written in a study; capitals stand for what the user fills in
     * @param summary what the values are, in a few words
     * @param maker makes the dataset from what the user filled in; from nothing where there is nothing to fill in
     */
    public record Kind(String name, String summary, Function<String, Dataset> maker) {

        private String prefix() {
            return PARAMETER.matcher(name).replaceFirst("");
        }

        private boolean isOpen() {
            return PARAMETER.matcher(name).find();
        }

        private boolean takes(String word) {
            return isOpen() ? word.startsWith(prefix()) && word.length() > prefix().length() : word.equals(name);
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
        List<String> names = ALL.stream().map(Kind::name).toList();
        List<String> prefixes = ALL.stream().map(Kind::prefix).toList();
        return Words.nearest(word, prefixes)
                .or(() -> Words.nearest(word.replaceFirst(":.*", ":"), prefixes))
                .or(() -> prefixes.stream()
                        .filter(prefix ->
                                prefix.endsWith(":") && word.startsWith(prefix.substring(0, prefix.length() - 1)))
                        .findFirst())
                .map(near -> "there is no dataset '%s'; did you mean %s? There are %s"
                        .formatted(word, names.get(prefixes.indexOf(near)), String.join(", ", names)))
                .orElseGet(() -> "there is no dataset '%s'; there are %s".formatted(word, String.join(", ", names)));
    }
}
