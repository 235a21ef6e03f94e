package dev.blobmark.lab.study;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a YAML 1.2 text as nodes with places. Scalars are used as text, so that {@code off}, {@code 007} and
 * {@code 1e3} mean themselves. A node of another kind than expected is added to the problems, and the caller gets the
 * rest.
 *
 * @param name of the file, for places
 * @param help where it is shown what such a file looks like
 */
record YamlText(String name, Problems problems, String help) {

    /** Many times a study of a thousand methods. */
    private static final int MAX_CODE_POINTS = 1 << 20;

    private static final int MAX_ALIASES = 100;

    /** The grammar needs six levels. The composer is recursive, so a deep file would exhaust the stack. */
    private static final int MAX_DEPTH = 50;

    /** The text of a study. */
    static YamlText ofStudy(String name, Problems problems) {
        return new YamlText(name, problems, "docs/study-file.md shows what a study looks like");
    }

    record YamlEntry(String key, Node keyNode, Node value) {}

    Optional<Node> compose(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(name)
                .setCodePointLimit(MAX_CODE_POINTS)
                .setMaxAliasesForCollections(MAX_ALIASES)
                .build();
        try {
            if (isTooDeep(settings, text)) {
                return Optional.empty();
            }
            Optional<Node> root = new Compose(settings).composeString(text);
            if (root.isEmpty()) {
                problems.add(new Place(name, 1, 1), "the file is empty", help);
            }
            return root;
        } catch (MarkedYamlEngineException e) {
            String context = e.getContext() == null ? "" : e.getContext() + ", ";
            problems.add(
                    e.getProblemMark().or(e::getContextMark).map(this::place).orElse(Place.of(name)),
                    "not valid YAML: " + context + e.getProblem(),
                    "");
        } catch (YamlEngineException e) {
            problems.add(Place.of(name), "not valid YAML: " + e.getMessage().strip(), "");
        }
        return Optional.empty();
    }

    private boolean isTooDeep(LoadSettings settings, String text) {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > MAX_DEPTH) {
                Place place = event.getStartMark().map(this::place).orElse(Place.of(name));
                problems.add(place, "lists and mappings are nested more than " + MAX_DEPTH + " deep", help);
                return true;
            }
        }
        return false;
    }

    Place place(Node node) {
        return node.getStartMark().map(this::place).orElse(Place.of(name));
    }

    private Place place(Mark mark) {
        return new Place(name, mark.getLine() + 1, mark.getColumn() + 1);
    }

    /** The entries of a mapping by key. If a key occurs twice, the first entry is used. */
    Map<String, YamlEntry> mapping(Node node, String what) {
        Map<String, YamlEntry> entries = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            problems.add(place(node), what + " is " + kind(node) + ", not a mapping", "write it as {key: value}");
            return entries;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            Node keyNode = tuple.getKeyNode();
            if (!(keyNode instanceof ScalarNode scalar) || scalar.getValue().isEmpty()) {
                problems.add(place(keyNode), "a key of " + what + " is " + kind(keyNode) + ", not a word", "");
                continue;
            }
            String key = scalar.getValue();
            YamlEntry first = entries.putIfAbsent(key, new YamlEntry(key, keyNode, tuple.getValueNode()));
            if (first != null) {
                problems.add(
                        place(keyNode),
                        "key '" + key + "' occurs twice in " + what + ", first at " + place(first.keyNode),
                        "remove one of them");
            }
        }
        return entries;
    }

    /** The entries of a mapping whose keys are among these. */
    Map<String, YamlEntry> mapping(Node node, String what, Collection<String> keys) {
        Map<String, YamlEntry> entries = mapping(node, what);
        entries.values().removeIf(entry -> {
            boolean unknown = !keys.contains(entry.key);
            if (unknown) {
                problems.add(
                        place(entry.keyNode),
                        "unknown key '" + entry.key + "' in " + what,
                        Spelling.suggest(entry.key, keys));
            }
            return unknown;
        });
        return entries;
    }

    /** The items of a list, which must have at least one. */
    List<Node> list(Node node, String what) {
        if (!(node instanceof SequenceNode sequence)) {
            problems.add(place(node), what + " is " + kind(node) + ", not a list", "write it as [one, two]");
            return List.of();
        }
        if (sequence.getValue().isEmpty()) {
            problems.add(place(node), what + " is an empty list", "give it at least one item");
        }
        return sequence.getValue();
    }

    /** The items of a list, or a single scalar as a list of one. */
    List<Node> oneOrMore(Node node, String what) {
        return node instanceof ScalarNode ? List.of(node) : list(node, what);
    }

    /** The text of a key; empty if the key is missing or its value is not a scalar. */
    Optional<String> word(Map<String, YamlEntry> keys, String key) {
        return Optional.ofNullable(keys.get(key)).flatMap(entry -> text(entry.value(), "'" + key + "'"));
    }

    /** The text of a scalar. */
    Optional<String> text(Node node, String what) {
        if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
            return Optional.of(scalar.getValue());
        }
        problems.add(place(node), what + " is " + kind(node) + ", not a single value", "");
        return Optional.empty();
    }

    /** The texts of a list of scalars. */
    List<YamlEntry> words(Node node, String what) {
        List<YamlEntry> words = new ArrayList<>();
        for (Node item : list(node, what)) {
            text(item, "an item of " + what).ifPresent(word -> words.add(new YamlEntry(word, item, item)));
        }
        return words;
    }

    private static String kind(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue().isBlank() ? "empty" : "the single value '" + scalar.getValue() + "'";
        }
        return node instanceof SequenceNode ? "a list" : "a mapping";
    }
}
