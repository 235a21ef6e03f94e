package dev.blobmark.lab.study;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Reads a YAML file that is one mapping of words to single values, such as a file of prices. */
public final class YamlSettings {

    private YamlSettings() {}

    /**
     * The values by key; keys that are not in the text are absent.
     *
     * @param source name of the text in the places of problems
     * @param what the text is, for messages: {@code the file of prices}
     * @param help where it is shown what such a file looks like, for messages
     * @param parsers for each key; an {@link IllegalArgumentException} is reported with the place of the value
     * @throws IllegalArgumentException with all problems of the text, a line each: file, line and column, reason,
     *     remedy
     */
    public static <V> Map<String, V> read(
            String text, String source, String what, String help, Map<String, Function<String, V>> parsers) {
        Problems problems = new Problems();
        YamlText yaml = new YamlText(source, problems, help);
        Map<String, V> values = new LinkedHashMap<>();
        yaml.compose(text).map(root -> yaml.mapping(root, what, parsers.keySet())).orElse(Map.of()).values().stream()
                .forEach(entry -> yaml.text(entry.value(), "'" + entry.key() + "'")
                        .ifPresent(word -> {
                            try {
                                values.put(entry.key(), parsers.get(entry.key()).apply(word));
                            } catch (IllegalArgumentException e) {
                                problems.add(yaml.place(entry.value()), "'" + entry.key() + "': " + e.getMessage(), "");
                            }
                        }));
        try {
            problems.throwIfAny();
        } catch (StudyException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return values;
    }
}
