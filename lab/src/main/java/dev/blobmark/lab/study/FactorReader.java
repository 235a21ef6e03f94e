package dev.blobmark.lab.study;

import dev.blobmark.lab.study.YamlText.YamlEntry;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads the factors of a method, of the defaults or of a condition, and makes their levels canonical. */
record FactorReader(Vocabulary vocabulary, YamlText yaml, Problems problems) {

    /** The canonical levels of a factor, their place in the file, and the method or block that states them. */
    record Stated(List<String> levels, Place place, String owner) {}

    /** Factors with one level each, as methods have them. */
    Map<String, Stated> choices(Map<String, YamlEntry> entries, String owner) {
        return factors(entries, owner, this::oneLevel);
    }

    /** Factors with one or more levels, as conditions have them. */
    Map<String, Stated> conditions(Map<String, YamlEntry> entries, String owner) {
        return factors(entries, owner, this::levels);
    }

    /** Reads the levels of a factor: one for a method, one or more for a condition. */
    private interface LevelReading {
        List<String> read(Factor<?> factor, Node node);
    }

    private Map<String, Stated> factors(Map<String, YamlEntry> entries, String owner, LevelReading reading) {
        Map<String, Stated> factors = new LinkedHashMap<>();
        entries.forEach((name, entry) -> {
            Place place = yaml.place(entry.keyNode());
            Optional<Factor<?>> factor = vocabulary.find(name);
            if (factor.isEmpty()) {
                problems.add(place, "unknown factor '" + name + "' in " + owner, vocabulary.suggest(name));
                return;
            }
            List<String> levels = reading.read(factor.get(), entry.value());
            if (!levels.isEmpty()) {
                factors.put(name, new Stated(levels, place, owner));
            }
        });
        return factors;
    }

    private List<String> oneLevel(Factor<?> factor, Node node) {
        return yaml.text(node, "the level of '" + factor.name() + "'").stream()
                .flatMap(text -> checked(node, () -> List.of(factor.canonical(text))).stream())
                .toList();
    }

    private List<String> levels(Factor<?> factor, Node node) {
        LinkedHashSet<String> levels = new LinkedHashSet<>();
        for (Node item : yaml.oneOrMore(node, "'" + factor.name() + "'")) {
            yaml.text(item, "a level of '" + factor.name() + "'")
                    .ifPresent(text -> levels.addAll(checked(item, () -> factor.expand(text))));
        }
        return List.copyOf(levels);
    }

    /** The result of a parser. If it throws, its message becomes a problem, and the result is empty. */
    <T> List<T> checked(Node node, Supplier<List<T>> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            problems.add(yaml.place(node), e);
            return List.of();
        }
    }
}
