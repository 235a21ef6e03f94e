package dev.blobmark.lab.study;

import dev.blobmark.lab.study.YamlText.YamlEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the methods of a study, and lists of their names. */
final class MethodReader {

    static final String ID_FORM = "[A-Za-z0-9][A-Za-z0-9._+-]*";

    private final YamlText yaml;
    private final Problems problems;
    private final FactorReader factors;
    private final Map<String, YamlEntry> entries = new LinkedHashMap<>();
    private final List<Method> methods = new ArrayList<>();
    private final List<Method> validMethods = new ArrayList<>();

    /** The factors that each method states, by its name. Those of {@code defaults} have the empty name. */
    private final Map<String, Map<String, FactorReader.Stated>> stated = new LinkedHashMap<>();

    MethodReader(YamlText yaml, Problems problems, FactorReader factors) {
        this.yaml = yaml;
        this.problems = problems;
        this.factors = factors;
    }

    /** Reads the methods and their defaults. Must be called first. */
    void read(Map<String, YamlEntry> keys) {
        int beforeDefaults = problems.count();
        Map<String, FactorReader.Stated> defaults = Optional.ofNullable(keys.get("defaults"))
                .map(entry -> factors.choices(yaml.mapping(entry.value(), "'defaults'"), "'defaults'"))
                .orElse(Map.of());
        boolean validDefaults = problems.count() == beforeDefaults;
        stated.put("", defaults);
        if (!keys.containsKey("methods")) {
            return;
        }
        int beforeMethods = problems.count();
        entries.putAll(yaml.mapping(keys.get("methods").value(), "'methods'"));
        if (entries.isEmpty() && problems.count() == beforeMethods) {
            problems.add(
                    yaml.place(keys.get("methods").value()),
                    "'methods' names no method",
                    "add, for example, 'uncompressed: {}'");
        }
        entries.forEach((id, entry) -> {
            if (!id.matches(ID_FORM)) {
                problems.add(
                        yaml.place(entry.keyNode()),
                        "the method's name '" + id + "' has other characters than letters, digits and ._+-",
                        "rename it");
            }
            int before = problems.count();
            String owner = "method '" + id + "'";
            Map<String, FactorReader.Stated> own = factors.choices(yaml.mapping(entry.value(), owner), owner);
            stated.put(id, own);
            Map<String, String> levels = new TreeMap<>();
            defaults.forEach(
                    (factor, choice) -> levels.put(factor, choice.levels().get(0)));
            own.forEach((factor, choice) -> levels.put(factor, choice.levels().get(0)));
            Method method = new Method(id, Levels.of(levels));
            methods.add(method);
            if (validDefaults && problems.count() == before) {
                validMethods.add(method);
            }
        });
    }

    /** The baseline; empty, with a problem, if it is not among the methods. */
    Optional<String> baseline(Map<String, YamlEntry> keys) {
        Optional<String> id = yaml.word(keys, "baseline");
        if (id.isPresent() && !entries.isEmpty() && !entries.containsKey(id.get())) {
            problems.add(
                    yaml.place(keys.get("baseline").value()),
                    "the baseline '" + id.get() + "' is not among the methods",
                    Spelling.suggest(id.get(), entries.keySet()));
        }
        return id.filter(entries::containsKey);
    }

    /** Whether {@code control} asks for a copy of the baseline; empty if the key is missing. */
    Optional<Boolean> control(Map<String, YamlEntry> keys) {
        Optional<String> word = yaml.word(keys, "control");
        if (word.isPresent() && !List.of("true", "false").contains(word.get())) {
            problems.add(
                    yaml.place(keys.get("control").value()),
                    "'" + word.get() + "' is neither true nor false",
                    "write 'control: true' to add a copy of the baseline");
        }
        boolean wanted = word.filter("true"::equals).isPresent();
        if (wanted && entries.containsKey(Control.ID)) {
            problems.add(
                    yaml.place(entries.get(Control.ID).keyNode()),
                    "the method's name '" + Control.ID + "' is reserved for the copy of the baseline",
                    "rename the method, or remove 'control: true'");
        }
        return word.map("true"::equals);
    }

    /** The methods of a list; empty, with a problem, if it leaves out the baseline. */
    List<String> ids(List<YamlEntry> words, String owner, Optional<String> baseline) {
        List<String> ids = words.stream().map(YamlEntry::key).distinct().toList();
        for (YamlEntry word : words) {
            if (!entries.containsKey(word.key())) {
                problems.add(
                        yaml.place(word.keyNode()),
                        "unknown method '" + word.key() + "' in " + owner,
                        Spelling.suggest(word.key(), entries.keySet()));
            }
        }
        if (!words.isEmpty() && baseline.isPresent() && !ids.contains(baseline.get())) {
            problems.add(
                    yaml.place(words.get(0).keyNode()),
                    owner + " leaves out the baseline '" + baseline.get() + "'",
                    "add it: the others are compared with it");
            return List.of();
        }
        return ids;
    }

    /** All methods, in the order of the file. */
    List<Method> methods() {
        return methods;
    }

    /** The methods without problems. */
    List<Method> validMethods() {
        return validMethods;
    }

    Set<String> names() {
        return entries.keySet();
    }

    Place place(String id) {
        return yaml.place(entries.get(id).keyNode());
    }

    /** A factor as one of these methods or the defaults state it. An empty list of ids stands for all methods. */
    Optional<FactorReader.Stated> stated(String factor, List<String> ids) {
        return stated.entrySet().stream()
                .filter(method -> method.getKey().isEmpty() || ids.isEmpty() || ids.contains(method.getKey()))
                .flatMap(method -> Stream.ofNullable(method.getValue().get(factor)))
                .findFirst();
    }
}
