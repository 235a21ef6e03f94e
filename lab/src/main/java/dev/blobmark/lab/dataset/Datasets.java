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
            fixed("sites", "a trie of URLs, UUIDs and small binary fields", new Sites()),
            fixed("random:62", "random letters and digits", RandomText.of62()),
            fixed("random:10", "random digits 0 to 9", RandomText.of10()),
            fixed("random:4", "random digits 0 to 3", RandomText.of4()),
            fixed("random:2", "random digits 0 and 1", RandomText.of2()),
            fixed("uuid:4", "random UUIDs, 16 bytes each", Uuids.version4()),
            fixed("uuid:7", "UUIDs that begin with the time", Uuids.version7()),
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

    /** A dataset without a parameter is one instance: trials by the thousand name it. */
    private static Kind fixed(String name, String summary, Dataset dataset) {
        return new Kind(name, summary, none -> dataset);
    }

    /** All kinds, in the order in which to list them. */
    public static List<Kind> all() {
        return ALL;
    }

    /** Whether a study may write this word for a dataset. */
    static boolean isDataset(String word) {
        return ALL.stream().anyMatch(kind -> kind.takes(word));
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
