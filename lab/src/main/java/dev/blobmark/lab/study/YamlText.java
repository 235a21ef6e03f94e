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
 * A YAML 1.2 text as nodes that know their place. Scalars are taken as the text they are written with, so that
 * {@code off}, {@code 007} and {@code 1e3} mean themselves. What is not as expected is added to the problems, and the
 * caller gets what is usable.
 *
 * @param name of the file, for places
 */
record YamlText(String name, Problems problems) {

    /** A study of a thousand methods fits many times. */
    private static final int MOST_CODE_POINTS = 1 << 20;

    private static final int MOST_ALIASES = 100;

    /** The grammar needs six levels; the composer calls itself for each, so that a silly file would exhaust the stack. */
    private static final int DEEPEST = 50;

    /** A key with its value. */
    record Entry(String key, Node keyNode, Node value) {}

    Optional<Node> compose(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(name)
                .setCodePointLimit(MOST_CODE_POINTS)
                .setMaxAliasesForCollections(MOST_ALIASES)
                .build();
        try {
            if (tooDeep(settings, text)) {
                return Optional.empty();
            }
            Optional<Node> root = new Compose(settings).composeString(text);
            if (root.isEmpty()) {
                problems.add(
                        new Place(name, 1, 1), "the file is empty", "docs/study-file.md shows what a study looks like");
            }
            return root;
        } catch (MarkedYamlEngineException e) {
            String context = e.getContext() == null ? "" : e.getContext() + ", ";
            problems.add(
                    e.getProblemMark().or(e::getContextMark).map(this::place).orElse(Place.of(name)),
                    "no YAML: " + context + e.getProblem(),
                    "");
        } catch (YamlEngineException e) {
            problems.add(Place.of(name), "no YAML: " + e.getMessage().strip(), "");
        }
        return Optional.empty();
    }

    private boolean tooDeep(LoadSettings settings, String text) {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > DEEPEST) {
                Place place = event.getStartMark().map(this::place).orElse(Place.of(name));
                problems.add(place, "no study: lists and mappings are nested more than " + DEEPEST + " deep", "");
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

    /** The entries of a mapping by key; of a key that is there twice, the first. */
    Map<String, Entry> mapping(Node node, String what) {
        Map<String, Entry> entries = new LinkedHashMap<>();
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
            Entry first = entries.putIfAbsent(key, new Entry(key, keyNode, tuple.getValueNode()));
            if (first != null) {
                problems.add(
                        place(keyNode),
                        "key '" + key + "' is there twice in " + what + ", first at " + place(first.keyNode),
                        "take one of them out");
            }
        }
        return entries;
    }

    /** The entries of a mapping whose keys are known. */
    Map<String, Entry> mapping(Node node, String what, Collection<String> keys) {
        Map<String, Entry> entries = mapping(node, what);
        entries.values().removeIf(entry -> {
            boolean unknown = !keys.contains(entry.key);
            if (unknown) {
                problems.add(
                        place(entry.keyNode),
                        "unknown key '" + entry.key + "' in " + what,
                        Words.mend(entry.key, keys));
            }
            return unknown;
        });
        return entries;
    }

    /** The items of a list of at least one. */
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

    /** The items of a list, or the one scalar that stands for a list of itself. */
    List<Node> oneOrMore(Node node, String what) {
        return node instanceof ScalarNode ? List.of(node) : list(node, what);
    }

    /** The text of a key; empty if it is missing or no text. */
    Optional<String> word(Map<String, Entry> keys, String key) {
        return Optional.ofNullable(keys.get(key)).flatMap(entry -> text(entry.value(), "'" + key + "'"));
    }

    /** The text of a scalar as it is written. */
    Optional<String> text(Node node, String what) {
        if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
            return Optional.of(scalar.getValue());
        }
        problems.add(place(node), what + " is " + kind(node) + ", not a single value", "");
        return Optional.empty();
    }

    /** The texts of a list of scalars. */
    List<Entry> words(Node node, String what) {
        List<Entry> words = new ArrayList<>();
        for (Node item : list(node, what)) {
            text(item, "an item of " + what).ifPresent(word -> words.add(new Entry(word, item, item)));
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
