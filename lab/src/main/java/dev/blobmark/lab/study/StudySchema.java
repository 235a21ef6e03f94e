package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON Schema of study files, for editors. It is made from the vocabulary and from the keys of the readers, so that
 * it has what a study may have. It accepts every valid study, and some that {@link StudyReader} refuses: it does not
 * know which names refer to each other, nor the ranges of numbers.
 */
public final class StudySchema {

    /** The version that editors' YAML support is written for. */
    private static final String DRAFT = "http://json-schema.org/draft-07/schema#";

    private static final String DURATION = "[0-9]{1,9} ?(ms|s|m)";

    private static final Map<String, Object> TEXT = map("type", List.of("string", "number", "boolean"));

    private final Vocabulary vocabulary;

    private StudySchema(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** The schema as JSON. */
    public static String of(Vocabulary vocabulary) {
        return JsonMapper.shared()
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(new StudySchema(vocabulary).study());
    }

    private Map<String, Object> study() {
        Map<String, Object> all = map("$schema", DRAFT, "title", "A study of Blobmark");
        all.putAll(object(
                StudyReader.KEYS,
                Map.ofEntries(
                        Map.entry(
                                "study", form(StudyReader.NAME_FORM, "The name; run directories are named after it.")),
                        Map.entry("question", said("The question that the study answers.")),
                        Map.entry("source", said("Who asked it first.")),
                        Map.entry("metric", ref("metric", "The metric that methods are ranked by.")),
                        Map.entry("defaults", ref("choices", "Levels of all methods that do not state their own.")),
                        Map.entry("baseline", said("The method that others are compared with.")),
                        Map.entry("control", ref("switch", "Whether to add a second copy of the baseline.")),
                        Map.entry("methods", methods()),
                        Map.entry("conditions", ref("conditions", "What is equal in a comparison.")),
                        Map.entry("schedule", ref("schedule", "How often and how long trials are measured.")),
                        Map.entry("profiles", profiles()),
                        Map.entry("claims", claims()))));
        all.put("required", List.of("study", "metric", "baseline", "methods"));
        all.put("anyOf", List.of(map("required", List.of("conditions")), map("required", List.of("profiles"))));
        Map<String, Object> definitions = map(
                "metric",
                map(
                        "anyOf",
                        Arrays.stream(Metric.values())
                                .map(metric -> map("const", metric.word(), "description", metric.noun()))
                                .toList()),
                "switch",
                map("enum", List.of(true, false, "true", "false")),
                "choices",
                factors(levels(false)),
                "conditions",
                conditions(),
                "schedule",
                schedule(),
                "selection",
                selection());
        vocabulary.factors().forEach(factor -> definitions.put(definition(factor), level(factor)));
        all.put("definitions", definitions);
        return all;
    }

    private static Map<String, Object> methods() {
        return map(
                "description",
                "Names of methods, each with its levels.",
                "type",
                "object",
                "minProperties",
                1,
                "propertyNames",
                map("pattern", whole(MethodReader.ID_FORM)),
                "additionalProperties",
                ref("choices"));
    }

    private static Map<String, Object> profiles() {
        return map(
                "description",
                "Variants of the study by name; the first is the default.",
                "type",
                "object",
                "minProperties",
                1,
                "additionalProperties",
                object(
                        ProfileReader.PROFILE_KEYS,
                        Map.of(
                                "conditions", ref("conditions", "Replace the conditions of the study."),
                                "schedule", ref("schedule", "Replaces settings of the study one by one."),
                                "methods", list(TEXT, "The methods to keep, including the baseline."),
                                "control", ref("switch", "Whether to add a second copy of the baseline."))));
    }

    private Map<String, Object> conditions() {
        Map<String, Object> levels = levels(true);
        levels.put("methods", list(TEXT, "The methods that take part, including the baseline."));
        levels.put(
                ProfileReader.CHART,
                map(
                        "description",
                        "Charts that need these conditions, for --chart.",
                        "anyOf",
                        List.of(TEXT, map("type", "array", "minItems", 1, "items", TEXT))));
        return map("type", "array", "minItems", 1, "items", factors(levels));
    }

    private static Map<String, Object> schedule() {
        List<String> keys = new ArrayList<>(Schedule.KEYS);
        keys.addAll(Schedule.OPTIONAL_KEYS);
        return object(
                keys,
                Map.of(
                        "rounds", number("Passes over all trials, 1 to " + Schedule.MAX_ROUNDS + "."),
                        "forks", number("Fresh JVMs that the rounds are spread over, at most as many as rounds."),
                        "window", form(DURATION + "|[0-9]{1,15} ?ops", "A time, or a number of operations (50000ops)."),
                        "warm-up", form(DURATION, "The longest warm-up of a trial."),
                        "seed", number("Of all random choices."),
                        "visit", form(DURATION + "|whole", "Length of the parts of a window, 5 ms or more; or whole."),
                        "precision",
                                form("[0-9]{1,3}(\\.[0-9]{1,6})? ?%", "Forks are added until intervals are so narrow."),
                        "budget", form(DURATION, "The most measuring time of forks that are added.")));
    }

    private static Map<String, Object> claims() {
        Map<String, Object> claim = object(
                ClaimReader.KEYS,
                Map.ofEntries(
                        Map.entry("id", form(Claim.ID_FORM, "The name of the claim.")),
                        Map.entry("says", said("The claim in words.")),
                        Map.entry("source", said("Who made it.")),
                        Map.entry("metric", ref("metric", "By default that of the study.")),
                        Map.entry("operation", said("fetch, encode, decode, mix and so on.")),
                        Map.entry("effect", effect()),
                        Map.entry("greater", ref("selection", "The side with the greater figure.")),
                        Map.entry("not-greater", ref("selection", "The side whose figure is not greater.")),
                        Map.entry("equal", ref("selection", "The side whose figure is equal.")),
                        Map.entry("ratio", ref("selection", "What has the figure, of a metric that is a ratio.")),
                        Map.entry(
                                "ordered",
                                list(ref("selection"), "Sides, each with a greater figure than the one before.")),
                        Map.entry("than", ref("selection", "The other side.")),
                        Map.entry("to", ref("selection", "The other side.")),
                        Map.entry(
                                "by",
                                map(
                                        "description",
                                        "How many times greater ('>= 1.5', [1.1, 1.3]), in a word ("
                                                + String.join(", ", Extent.words())
                                                + "), or for times by how much ([3us, 9us]).",
                                        "anyOf",
                                        List.of(
                                                TEXT,
                                                map("type", "array", "minItems", 2, "maxItems", 2, "items", TEXT)))),
                        Map.entry("within", form("[0-9]{1,2}(\\.[0-9]+)? ?%", "The largest difference.")),
                        Map.entry("where", ref("selection", "What both sides belong to.")),
                        Map.entry("given", given()),
                        Map.entry(
                                "holds",
                                map("description", "How many comparisons hold.", "enum", Claim.Holds.words()))));
        claim.put("required", List.of("id", "says"));
        claim.put(
                "oneOf",
                ClaimReader.RELATIONS.keySet().stream()
                        .map(relation -> map("required", List.of(relation)))
                        .toList());
        return list(claim, "Sentences that the report grades.");
    }

    private static Map<String, Object> effect() {
        Map<String, Object> effect =
                object(List.of("of", "to"), Map.of("of", ref("selection"), "to", ref("selection")));
        effect.put("description", "The claim is about the ratio of these figures.");
        effect.put("required", List.of("of", "to"));
        return effect;
    }

    private static Map<String, Object> given() {
        Map<String, Object> given = object(
                ClaimReader.GIVEN_KEYS,
                Map.of(
                        "of", ref("selection"),
                        "metric", ref("metric", "A time."),
                        "in", map("type", "array", "minItems", 2, "maxItems", 2, "items", TEXT)));
        given.put("description", "The claim is about comparisons with such a measured time of this side.");
        given.put("required", ClaimReader.GIVEN_KEYS);
        return given;
    }

    private Map<String, Object> selection() {
        Map<String, Object> tests = new LinkedHashMap<>(map(Selection.METHOD, oneOrMore(TEXT)));
        vocabulary.factors().forEach(factor -> tests.put(factor.name(), oneOrMore(TEXT)));
        Map<String, Object> selection = factors(tests);
        selection.put("minProperties", 1);
        return selection;
    }

    /** The levels of each factor. @param mayBeMany whether a list of levels is accepted too */
    private Map<String, Object> levels(boolean mayBeMany) {
        Map<String, Object> levels = new LinkedHashMap<>();
        vocabulary.factors().forEach(factor -> {
            Map<String, Object> level = ref(definition(factor));
            levels.put(factor.name(), mayBeMany ? oneOrMore(level) : level);
        });
        return levels;
    }

    private static String definition(Factor<?> factor) {
        return "factor." + factor.name();
    }

    private static Map<String, Object> level(Factor<?> factor) {
        String description = factor.description()
                + factor.defaultLevel().map(level -> ". Default: " + level).orElse("");
        if (factor.isOfWords()) {
            return map("description", description, "enum", factor.levels());
        }
        // levels with capitals name what the user replaces; 1KB is none of these
        List<String> words = factor.levels().stream()
                .filter(level -> !level.matches(".*[A-Z]{3,}.*|.*\\(N\\)|[0-9.]+"))
                .toList();
        Map<String, Object> form = map("type", types(factor.form()), "pattern", whole(factor.form()));
        return map("description", description, "anyOf", List.of(map("enum", words), form));
    }

    /** YAML has numbers where a level is one, and switches where it is {@code true} or {@code false}. */
    private static List<String> types(String form) {
        List<String> types = new ArrayList<>(List.of("string"));
        if ("1.5".matches(form)) {
            types.add("number");
        } else if ("1".matches(form)) {
            types.add("integer");
        }
        if ("true".matches(form)) {
            types.add("boolean");
        }
        return types;
    }

    /** An object with these keys, and the factors of the vocabulary's families. */
    private Map<String, Object> factors(Map<String, Object> properties) {
        Map<String, Object> families = new LinkedHashMap<>();
        vocabulary
                .families()
                .forEach(family -> families.put(
                        "^" + Factor.alternatives(List.of(family.prefix())) + "[a-z][a-z0-9_]*$",
                        map(
                                "description",
                                family.description(),
                                "anyOf",
                                oneOrMore(TEXT).get("anyOf"))));
        return map(
                "type",
                "object",
                "properties",
                properties,
                "patternProperties",
                families,
                "additionalProperties",
                false);
    }

    /** An object with these keys. @throws IllegalStateException if a key has no schema */
    private static Map<String, Object> object(List<String> keys, Map<String, Map<String, Object>> schemas) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String key : keys) {
            if (!schemas.containsKey(key)) {
                throw new IllegalStateException("the key '" + key + "' of a study has no schema");
            }
            properties.put(key, schemas.get(key));
        }
        return map("type", "object", "properties", properties, "additionalProperties", false);
    }

    private static Map<String, Object> said(String description) {
        return map("description", description, "type", TEXT.get("type"));
    }

    private static Map<String, Object> number(String description) {
        return map("description", description, "type", List.of("integer", "string"), "pattern", "^[+-]?[0-9]+$");
    }

    private static Map<String, Object> form(String form, String description) {
        return map("description", description, "type", types(form), "pattern", whole(form));
    }

    private static Map<String, Object> list(Map<String, Object> items, String description) {
        return map("description", description, "type", "array", "minItems", 1, "items", items);
    }

    private static Map<String, Object> oneOrMore(Map<String, Object> item) {
        return map("anyOf", List.of(item, map("type", "array", "minItems", 1, "items", item)));
    }

    private static Map<String, Object> ref(String definition) {
        return map("$ref", "#/definitions/" + definition);
    }

    private static Map<String, Object> ref(String definition, String description) {
        return map("description", description, "allOf", List.of(ref(definition)));
    }

    private static String whole(String form) {
        return "^(" + form + ")$";
    }

    /** In this order: a key, its value, the next key and so on. */
    private static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }
}
