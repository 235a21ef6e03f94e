package dev.blobmark.lab.run;

import dev.blobmark.lab.study.Study;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Replaces private names in the texts of a run before they are written. In messages, which may have words of drivers
 * and servers, it replaces addresses, ports, names of hosts and paths. If names are redacted too, it replaces the names
 * of the user's datasets, tables and directories in every text of manifest and samples.
 *
 * <p>Immutable.
 *
 * @param messages rules for messages, applied in this order
 * @param names replacements in every text, the longest first
 */
public record Redaction(Map<String, String> names, List<Rule> messages) {

    private static final String THE_SERVER = "the server";

    /** Fields with messages, or with lists or maps of messages. */
    private static final Set<String> MESSAGES =
            Set.of("reason", "events", "unknown", "verified", "what", "observed", "why", "remedy", "ddl", "commands");

    /** Command lines, which may name what is the user's in other words than the study does. */
    private static final String COMMANDS = "commands";

    /** A field with a map whose keys are messages. */
    private static final String KEYED_BY_MESSAGES = "distribution";

    /** Addresses and ports of any host, including those of the client in messages of a server. */
    private static final List<Rule> OF_ANY_HOST = List.of(
            new Rule(Pattern.compile("@'[^']*'"), "@'…'"),
            new Rule(Pattern.compile("(?<![\\w.])\\d{1,3}(\\.\\d{1,3}){3}(?![\\w.]\\w)(:\\d{1,5})?"), "an address"),
            new Rule(
                    Pattern.compile("(?i)\\[(?=[0-9a-f]*:[0-9a-f]*:)[0-9a-f:.]{2,45}(%\\w+)?\\](:\\d{1,5})?"),
                    "an address"),
            new Rule(
                    Pattern.compile(
                            "(?i)(?<![\\w:.])(?=[0-9a-f:]*(::|(:[0-9a-f]+){3}))([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}"
                                    + "(%\\w+)?(?![\\w:])"),
                    "an address"),
            new Rule(Pattern.compile("(?i)\\b(port[ =:]{1,3})\\d{1,5}\\b"), "$1…"));

    /** Replaces the name of this machine, the user's home, and all addresses. */
    public static final Redaction OF_THIS_MACHINE = new Redaction(Map.of(), ofThisMachine());

    /** The beginning of replaced levels. */
    private static final String REDACTED = "redacted-";

    /** Levels that name files, directories and tables of the user. */
    private static final Pattern PRIVATE_LEVEL = Pattern.compile("(dir|jsonl|table):.*|[/~].*|[A-Za-z]:\\\\.*");

    /** A table of a run. Its name has the beginning of levels, including the dataset. */
    private static final Pattern TABLE_OF_RUN = Pattern.compile("\\b([tw]\\d\\d)_\\w+");

    /** A pattern and its replacement. */
    public record Rule(Pattern text, String replacement) {

        static Rule word(String word, String replacement) {
            return new Rule(
                    Pattern.compile("(?<![\\w.-])" + Pattern.quote(word) + "(?![\\w-])"),
                    Matcher.quoteReplacement(replacement));
        }

        String in(String message) {
            return text.matcher(message).replaceAll(replacement);
        }
    }

    public Redaction {
        names = new LinkedHashMap<>(names);
        messages = List.copyOf(messages);
    }

    private static List<Rule> ofThisMachine() {
        List<Rule> rules = new ArrayList<>();
        String home = System.getProperty("user.home");
        if (home.length() > 1) {
            rules.add(new Rule(Pattern.compile("(?<![\\w.~-])" + Pattern.quote(home) + "(?![\\w.-])"), "~"));
        }
        try {
            String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            if (!host.isEmpty() && !host.equals("localhost")) {
                rules.add(Rule.word(host, "this host"));
            }
        } catch (IOException e) {
            // not Linux: the name of the host becomes known from the server's variables
        }
        rules.addAll(OF_ANY_HOST);
        return rules;
    }

    /**
     * Also replaces what identifies a server.
     *
     * @param variables all variables of the server, including those that are not shown
     */
    public Redaction withServer(String host, int port, Map<String, String> variables) {
        List<Rule> rules = new ArrayList<>();
        rules.add(new Rule(
                Pattern.compile("(?<![\\w.-])\\[?" + Pattern.quote(host) + "\\]?(:" + port + ")?(?![\\w-])"),
                THE_SERVER));
        variables.entrySet().stream()
                .flatMap(variable -> identifying(variable.getKey(), variable.getValue()))
                .sorted(Comparator.comparing(Map.Entry<String, String>::getKey, Comparator.comparing(String::length))
                        .reversed())
                .map(value -> Rule.word(value.getKey(), "<" + value.getValue() + ">"))
                .forEach(rules::add);
        rules.addAll(messages);
        return new Redaction(names, rules);
    }

    /** Texts in the value of a variable that identify the server, each with the variable's name. */
    private static Stream<Map.Entry<String, String>> identifying(String variable, String value) {
        return ShownVariables.isShown(variable, value)
                ? Stream.of()
                : Stream.of(value.split("[,; ]+"))
                        .map(text ->
                                text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text)
                        .filter(text -> ShownVariables.isName(variable, text))
                        .map(text -> Map.entry(text, variable));
    }

    /**
     * Also replaces the names of datasets, directories and tables of a study, and the name of the schema of the run.
     *
     * @param schema of the run's tables; not replaced if it is {@code defaultSchema}
     */
    public Redaction withNames(Study study, String schema, String defaultSchema) {
        Map<String, String> replaced = new LinkedHashMap<>(names);
        List<Rule> rules = new ArrayList<>();
        Stream.concat(
                        study.methods().stream().flatMap(m -> m.levels().byFactor().values().stream()),
                        study.conditions().stream()
                                .flatMap(c -> c.levels().values().stream().flatMap(List::stream)))
                .distinct()
                .filter(level -> PRIVATE_LEVEL.matcher(level).matches() && !level.contains(REDACTED))
                .sorted(Comparator.comparing(String::length).reversed())
                .forEach(level -> {
                    String kind = level.replaceFirst("^(dir:|jsonl:|table:|).*", "$1");
                    String replacement = REDACTED + (replaced.size() + 1);
                    replaced.put(level, kind.equals("table:") ? kind + "a.b." + replacement : kind + "/" + replacement);
                    for (String part : kind.equals("table:")
                            ? level.substring(kind.length()).replace("`", "").split("\\.")
                            : new String[] {level.substring(kind.length()).replaceFirst("#.*", "")}) {
                        rules.add(Rule.word(part, replacement));
                    }
                });
        if (!schema.equals(defaultSchema)) {
            rules.add(Rule.word(schema, "redacted"));
        }
        rules.addAll(messages);
        return new Redaction(replaced, rules);
    }

    /** Whether the names of a study were redacted. Such a study can be reported, but not run. */
    public static boolean isRedacted(Study study) {
        return study.conditions().stream()
                        .flatMap(c -> c.levels().values().stream().flatMap(List::stream))
                        .anyMatch(Redaction::isRedacted)
                || study.methods().stream()
                        .anyMatch(m -> m.levels().byFactor().values().stream().anyMatch(Redaction::isRedacted));
    }

    private static boolean isRedacted(String level) {
        return level.matches("((dir:|jsonl:|)/|table:a\\.b\\.)" + REDACTED + "\\d+");
    }

    /** Redacts a message. */
    public String message(String text) {
        String shown = withoutNames(text);
        for (Rule rule : messages) {
            shown = rule.in(shown);
        }
        return shown;
    }

    private String withoutNames(String text) {
        String shown = text;
        for (var name : names.entrySet()) {
            shown = shown.replace(name.getKey(), name.getValue());
        }
        return names.isEmpty() ? shown : TABLE_OF_RUN.matcher(shown).replaceAll("$1_redacted");
    }

    public Manifest of(Manifest manifest) {
        return RunJson.MAPPER.treeToValue(redacted(RunJson.MAPPER.valueToTree(manifest), false), Manifest.class);
    }

    public Sample of(Sample sample) {
        return RunJson.MAPPER.treeToValue(redacted(RunJson.MAPPER.valueToTree(sample), false), Sample.class);
    }

    private JsonNode redacted(JsonNode node, boolean isMessage) {
        if (node.isString()) {
            return StringNode.valueOf(isMessage ? message(node.stringValue()) : withoutNames(node.stringValue()));
        }
        if (node instanceof ArrayNode list) {
            ArrayNode all = JsonNodeFactory.instance.arrayNode();
            list.forEach(each -> all.add(redacted(each, isMessage)));
            return all;
        }
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        object.properties()
                .forEach(field ->
                        all.set(withoutNames(field.getKey()), redacted(field.getKey(), field.getValue(), isMessage)));
        return all;
    }

    private JsonNode redacted(String field, JsonNode value, boolean isMessage) {
        if (field.equals(COMMANDS) && !names.isEmpty()) {
            return JsonNodeFactory.instance.arrayNode();
        }
        return field.equals(KEYED_BY_MESSAGES)
                ? keysRedacted(value)
                : redacted(value, isMessage || MESSAGES.contains(field));
    }

    private JsonNode keysRedacted(JsonNode map) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        map.properties().forEach(field -> all.set(message(field.getKey()), field.getValue()));
        return all;
    }
}
