package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Spelling;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** All kinds of datasets. To add one, add a line. */
public final class Datasets {

    private static final List<DatasetKind> ALL = List.of(
            fixed("sites", "a trie of URLs, UUIDs and small binary fields", new Sites()),
            fixed("random:62", "random letters and digits", RandomText.of62()),
            fixed("random:10", "random digits 0 to 9", RandomText.of10()),
            fixed("random:4", "random digits 0 to 3", RandomText.of4()),
            fixed("random:2", "random digits 0 and 1", RandomText.of2()),
            fixed("uuid:4", "random UUIDs, 16 bytes each", Uuids.version4()),
            fixed("uuid:7", "UUIDs that begin with the time", Uuids.version7()),
            fixed("orders", "orders of a shop as JSON with the same keys", new Orders()),
            new DatasetKind("dir:PATH", "your own files below a directory, at their own sizes", Directory::new),
            new DatasetKind(
                    "jsonl:FILE",
                    "the lines of your own file, or what #/pointer or #base64:/pointer finds in each",
                    JsonLines::new),
            new DatasetKind(
                    "table:DB.TABLE.COLUMN",
                    "a sample of a column of your own table, read from a running server (--data-server)",
                    TableValues::new));

    /** The part of a name that the user replaces. */
    private static final Pattern PARAMETER = Pattern.compile("[A-Z][A-Z.]*$");

    public static final Factor<Dataset> FACTOR = new Factor<>(
                    "dataset",
                    Factor.Home.CONDITION,
                    Set.of(Factor.Shape.STORE),
                    Set.of(),
                    "where the values come from",
                    ALL.stream().map(DatasetKind::name).toList(),
                    Optional.empty(),
                    Datasets::parse,
                    Dataset::id)
            .withForm(ALL.stream()
                    .map(kind -> Factor.alternatives(List.of(kind.prefix())) + (kind.hasParameter() ? ".+" : ""))
                    .collect(Collectors.joining("|")));

    /**
     * A line of the registry.
     *
     * @param name as written in a study, with a parameter in capitals
     * @param summary what the values are, in a few words
     * @param factory creates the dataset from the parameter, or from an empty string if there is none
     */
    public record DatasetKind(String name, String summary, Function<String, Dataset> factory) {

        private String prefix() {
            return PARAMETER.matcher(name).replaceFirst("");
        }

        private boolean hasParameter() {
            return PARAMETER.matcher(name).find();
        }

        private boolean matches(String level) {
            return hasParameter()
                    ? level.startsWith(prefix()) && level.length() > prefix().length()
                    : level.equals(name);
        }

        private Dataset create(String level) {
            return factory.apply(level.substring(prefix().length()));
        }
    }

    private Datasets() {}

    /** A dataset without a parameter is a single instance, because thousands of trials name it. */
    private static DatasetKind fixed(String name, String summary, Dataset dataset) {
        return new DatasetKind(name, summary, unused -> dataset);
    }

    /** All kinds in the order in which they are listed. */
    public static List<DatasetKind> all() {
        return ALL;
    }

    /** Whether this is a level of the factor {@code dataset}. */
    static boolean isDataset(String level) {
        return ALL.stream().anyMatch(kind -> kind.matches(level));
    }

    /**
     * The dataset of a level. Opens no file or directory yet.
     *
     * @throws IllegalArgumentException if there is none; the message suggests the nearest
     */
    public static Dataset parse(String level) {
        return ALL.stream()
                .filter(kind -> kind.matches(level))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(problem(level)))
                .create(level);
    }

    private static String problem(String level) {
        List<String> names = ALL.stream().map(DatasetKind::name).toList();
        List<String> prefixes = ALL.stream().map(DatasetKind::prefix).toList();
        return Spelling.nearest(level, prefixes)
                .or(() -> Spelling.nearest(level.replaceFirst(":.*", ":"), prefixes))
                .or(() -> prefixes.stream()
                        .filter(prefix ->
                                prefix.endsWith(":") && level.startsWith(prefix.substring(0, prefix.length() - 1)))
                        .findFirst())
                .map(near -> "there is no dataset '%s'; did you mean %s? There are %s"
                        .formatted(level, names.get(prefixes.indexOf(near)), String.join(", ", names)))
                .orElseGet(() -> "there is no dataset '%s'; there are %s".formatted(level, String.join(", ", names)));
    }
}
