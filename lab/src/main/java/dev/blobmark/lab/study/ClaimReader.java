package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Claim.Apart;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.lab.study.Claim.ClaimedEffect;
import dev.blobmark.lab.study.Claim.Given;
import dev.blobmark.lab.study.Claim.Greater;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Ordered;
import dev.blobmark.lab.study.Claim.Ratio;
import dev.blobmark.lab.study.Claim.Relation;
import dev.blobmark.lab.study.Claim.Within;
import dev.blobmark.lab.study.Selection.Test;
import dev.blobmark.lab.study.YamlText.YamlEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads the claims of a study.
 *
 * @param methods ids of all methods of the study
 * @param headline the study's metric, the default metric of a claim
 */
record ClaimReader(
        Vocabulary vocabulary, YamlText yaml, Problems problems, Collection<String> methods, Metric headline) {

    /** The keys that state a relation, each with the keys that it may be combined with. */
    static final Map<String, List<String>> RELATIONS = new TreeMap<>(Map.of(
            "greater", List.of("than", "by"),
            "not-greater", List.of("than", "within"),
            "equal", List.of("to", "within"),
            "ratio", List.of("by"),
            "ordered", List.of()));

    static final List<String> KEYS = List.of(
            "id",
            "says",
            "source",
            "metric",
            "operation",
            "effect",
            "greater",
            "not-greater",
            "equal",
            "ratio",
            "ordered",
            "than",
            "to",
            "by",
            "within",
            "where",
            "given",
            "holds");

    static final List<String> GIVEN_KEYS = List.of("of", "metric", "in");

    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,2}(?:\\.[0-9]+)?) ?%");
    private static final Pattern RATIO = Pattern.compile("[0-9]{1,9}(?:\\.[0-9]+)?");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]+)?) *(us|ms|s)");
    private static final Pattern AT_LEAST = Pattern.compile(">= *(" + RATIO + ")");

    /** The claims without problems. The problems of the others are added to {@link #problems}. */
    List<Claim> claims(Node node) {
        List<Claim> claims = new ArrayList<>();
        Map<String, Place> ids = new HashMap<>();
        for (Node item : yaml.list(node, "'claims'")) {
            int before = problems.count();
            Optional<Claim> claim = claim(item);
            claim.filter(c -> problems.count() == before).ifPresent(read -> {
                Place first = ids.putIfAbsent(read.id(), yaml.place(item));
                if (first == null) {
                    claims.add(read);
                } else {
                    problems.add(
                            yaml.place(item),
                            "the id '" + read.id() + "' is used by two claims, first at " + first,
                            "rename one of them");
                }
            });
        }
        return claims;
    }

    private Optional<Claim> claim(Node node) {
        if (!(node instanceof MappingNode)) {
            yaml.mapping(node, "a claim"); // adds the problem
            return Optional.empty();
        }
        Map<String, YamlEntry> keys = yaml.mapping(node, "a claim", KEYS);
        require(node, keys, "id", "id: lz4-beats-gzip");
        require(node, keys, "says", "says: lz4 is read back faster than gzip");
        Optional<String> id = word(keys, "id");
        Optional<String> says = word(keys, "says");
        Optional<String> source = word(keys, "source");
        Optional<Metric> metric = known(keys, "metric", Metric::find, Metric.words());
        Optional<String> operation = word(keys, "operation");
        Optional<ClaimedEffect> effect =
                Optional.ofNullable(keys.get("effect")).flatMap(entry -> effect(entry.value()));
        Optional<Relation> relation = relation(node, keys);
        Optional<Selection> where = selection(keys, "where");
        Optional<Given> given = Optional.ofNullable(keys.get("given")).flatMap(entry -> given(entry.value()));
        Optional<Holds> holds = known(keys, "holds", Holds::find, Holds.words());
        if (id.isEmpty() || says.isEmpty() || relation.isEmpty()) {
            return Optional.empty();
        }
        return checked(
                node,
                () -> new Claim(
                        id.get(),
                        says.get(),
                        source.orElse(""),
                        metric.orElse(headline),
                        operation,
                        effect,
                        relation.get(),
                        where.orElse(Selection.ALL),
                        given,
                        holds.orElse(Holds.EACH)));
    }

    private Optional<Relation> relation(Node node, Map<String, YamlEntry> keys) {
        List<String> kinds =
                RELATIONS.keySet().stream().filter(keys::containsKey).toList();
        if (kinds.size() != 1) {
            problems.add(
                    yaml.place(node),
                    kinds.isEmpty()
                            ? "the claim states no relation between figures"
                            : "the claim states '" + String.join("' and '", kinds) + "' at once",
                    "use one of " + String.join(", ", RELATIONS.keySet()));
            return Optional.empty();
        }
        String kind = kinds.get(0);
        for (String key : List.of("than", "to", "by", "within")) {
            if (keys.containsKey(key) && !RELATIONS.get(kind).contains(key)) {
                problems.add(
                        yaml.place(keys.get(key).keyNode()),
                        "'" + key + "' cannot be combined with '" + kind + "'",
                        "remove one of them");
            }
        }
        return switch (kind) {
            case "greater" -> sides(node, keys, kind, "than").flatMap(sides -> greater(sides, keys));
            case "ratio" -> ratio(node, keys);
            case "ordered" -> ordered(keys.get(kind).value());
            default -> {
                boolean isEqual = kind.equals("equal");
                if (isEqual) {
                    require(node, keys, "within", "within: 5%");
                }
                yield sides(node, keys, kind, isEqual ? "to" : "than")
                        .flatMap(sides -> within(keys)
                                .map(x -> new Within(
                                        sides.left(), sides.right(), new Bounds(isEqual ? 1 - x : 0, 1 + x))));
            }
        };
    }

    /** By a range of times or of ratios; without {@code by}, by any ratio above 1. */
    private Optional<Relation> greater(Claim.Sides sides, Map<String, YamlEntry> keys) {
        Node by = keys.getOrDefault("by", keys.get("greater")).value();
        Optional<List<Double>> times = times(keys, "by");
        if (times.isPresent()) {
            return checked(
                    by,
                    () -> new Apart(
                            sides.left(),
                            sides.right(),
                            times.get().get(0),
                            times.get().get(1)));
        }
        return bounds(keys).flatMap(bounds -> checked(by, () -> new Greater(sides.left(), sides.right(), bounds)));
    }

    private Optional<Relation> ratio(Node node, Map<String, YamlEntry> keys) {
        require(node, keys, "by", "by: [2, 2.5]");
        return selection(keys, "ratio")
                .flatMap(of -> bounds(keys).flatMap(by -> checked(node, () -> new Ratio(of, by))));
    }

    private Optional<Claim.Sides> sides(Node node, Map<String, YamlEntry> keys, String first, String second) {
        require(node, keys, second, second + ": {method: uncompressed}");
        return distinct(node, selection(keys, first), selection(keys, second));
    }

    private Optional<ClaimedEffect> effect(Node node) {
        Map<String, YamlEntry> keys = yaml.mapping(node, "'effect'", List.of("of", "to"));
        require(node, keys, "of", "of: {method: lz4}");
        require(node, keys, "to", "to: {method: uncompressed}");
        return distinct(node, selection(keys, "of"), selection(keys, "to"))
                .map(sides -> new ClaimedEffect(sides.left(), sides.right()));
    }

    private Optional<Given> given(Node node) {
        Map<String, YamlEntry> keys = yaml.mapping(node, "'given'", GIVEN_KEYS);
        require(node, keys, "of", "of: {method: uncompressed}");
        require(node, keys, "metric", "metric: p95");
        require(node, keys, "in", "in: [20ms, 100ms]");
        Optional<Selection> of = selection(keys, "of");
        Optional<Metric> metric = known(keys, "metric", Metric::find, Metric.words());
        Optional<List<Double>> times = times(keys, "in");
        if (keys.containsKey("in") && times.isEmpty()) {
            problems.add(
                    yaml.place(keys.get("in").value()),
                    "'in' is not a range of times",
                    "write the lowest and the highest one: [20ms, 100ms]");
        }
        return of.isEmpty() || metric.isEmpty() || times.isEmpty()
                ? Optional.empty()
                : checked(
                        node,
                        () -> new Given(
                                of.get(),
                                metric.get(),
                                times.get().get(0),
                                times.get().get(1)));
    }

    private Optional<Claim.Sides> distinct(Node node, Optional<Selection> left, Optional<Selection> right) {
        if (left.isPresent() && left.equals(right)) {
            problems.add(
                    yaml.place(node),
                    "both sides of a comparison are " + left.get(),
                    "name a method or a level that is different");
            return Optional.empty();
        }
        return left.flatMap(l -> right.map(r -> new Claim.Sides(l, r)));
    }

    private Optional<Relation> ordered(Node node) {
        List<Node> items = yaml.list(node, "'ordered'");
        List<Selection> steps = items.stream()
                .flatMap(item -> selection(item, "a step of 'ordered'").stream())
                .toList();
        for (int i = 1; i < steps.size(); i++) {
            distinct(items.get(i), Optional.of(steps.get(i - 1)), Optional.of(steps.get(i)));
        }
        return steps.size() < items.size() ? Optional.empty() : checked(node, () -> new Ordered(steps));
    }

    private Optional<Selection> selection(Map<String, YamlEntry> keys, String key) {
        return Optional.ofNullable(keys.get(key)).flatMap(entry -> selection(entry.value(), "'" + key + "'"));
    }

    private Optional<Selection> selection(Node node, String what) {
        int before = problems.count();
        TreeMap<String, List<Test>> tests = new TreeMap<>();
        Map<String, YamlEntry> entries = yaml.mapping(node, what);
        if (entries.isEmpty() && problems.count() == before) {
            problems.add(yaml.place(node), what + " selects nothing", "name a method, or a factor and its level");
        }
        entries.forEach((factor, entry) -> {
            List<Test> ofFactor = new ArrayList<>();
            if (!factor.equals(Selection.METHOD) && vocabulary.find(factor).isEmpty()) {
                problems.add(
                        yaml.place(entry.keyNode()),
                        "unknown factor '" + factor + "' in " + what,
                        vocabulary.suggest(factor));
                return;
            }
            for (Node item : yaml.oneOrMore(entry.value(), "'" + factor + "'")) {
                yaml.text(item, "a level of '" + factor + "'")
                        .flatMap(text -> checked(item, () -> tests(factor, text)))
                        .ifPresent(ofFactor::addAll);
            }
            tests.put(factor, ofFactor);
        });
        return problems.count() > before ? Optional.empty() : Optional.of(new Selection(tests));
    }

    /** The tests that a text stands for. Levels become canonical, and a shorthand becomes one test per level. */
    private List<Test> tests(String name, String text) {
        Matcher bound = Selection.Bound.FORM.matcher(text);
        Optional<Factor<?>> factor = vocabulary.find(name);
        if (factor.isEmpty()) {
            Test test = Test.of(text);
            if (methods.stream().noneMatch(test)) {
                throw new IllegalArgumentException("unknown method '" + text + "'; " + Spelling.suggest(text, methods));
            }
            return List.of(test);
        }
        if (bound.matches()) {
            String level = factor.get().canonical(bound.group(2));
            try {
                return List.of(Test.of(bound.group(1) + " " + level));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("'" + text + "' is a bound, but levels of '" + name
                        + "' are not numbers or sizes; name the levels, or write a glob such as random:*");
            }
        }
        Test test = Test.of(text);
        return test instanceof Selection.Exactly
                ? factor.get().expand(text).stream().map(Test::of).toList()
                : List.of(test);
    }

    /** The bounds in nanoseconds, if the value is a list of two times. */
    private Optional<List<Double>> times(Map<String, YamlEntry> keys, String key) {
        if (!keys.containsKey(key) || keys.get(key).value() instanceof ScalarNode) {
            return Optional.empty();
        }
        List<Matcher> times = yaml.words(keys.get(key).value(), "'" + key + "'").stream()
                .map(entry -> TIME.matcher(entry.key()))
                .filter(Matcher::matches)
                .toList();
        return times.size() == 2
                ? Optional.of(times.stream().map(ClaimReader::nanos).toList())
                : Optional.empty();
    }

    private static double nanos(Matcher time) {
        double unit = switch (time.group(2)) {
            case "us" -> 1e3;
            case "ms" -> 1e6;
            default -> 1e9;
        };
        return Double.parseDouble(time.group(1)) * unit;
    }

    /** The bounds of {@code by}: a list of two ratios, or the lower one alone. */
    private Optional<Bounds> bounds(Map<String, YamlEntry> keys) {
        YamlEntry entry = keys.get("by");
        if (entry == null) {
            return Optional.of(Bounds.ABOVE_ONE);
        }
        String form = "write >= 100, a lowest and a highest ratio ([1.1, 1.3], [100, inf]), times ([3us, 9us]), or "
                + String.join(", ", Extent.words());
        if (entry.value() instanceof ScalarNode scalar) {
            Optional<Extent> extent = Extent.find(scalar.getValue());
            if (extent.isPresent()) {
                return extent.map(Extent::bounds);
            }
            Matcher atLeast = AT_LEAST.matcher(scalar.getValue());
            if (atLeast.matches()) {
                return Optional.of(new Bounds(Double.parseDouble(atLeast.group(1)), Double.POSITIVE_INFINITY));
            }
            problems.add(yaml.place(entry.value()), "'" + scalar.getValue() + "' is not a range of ratios", form);
            return Optional.empty();
        }
        List<String> texts = yaml.words(entry.value(), "'by'").stream()
                .map(YamlEntry::key)
                .filter(text -> text.equals("inf") || RATIO.matcher(text).matches())
                .toList();
        if (texts.size() != 2 || texts.get(0).equals("inf")) {
            problems.add(yaml.place(entry.value()), "'by' is not a range of ratios", form);
            return Optional.empty();
        }
        double high = texts.get(1).equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(texts.get(1));
        return checked(entry.value(), () -> new Bounds(Double.parseDouble(texts.get(0)), high));
    }

    /** The share of {@code within}: 0.05 for 5 %, and 0 if the key is missing. */
    private Optional<Double> within(Map<String, YamlEntry> keys) {
        if (!keys.containsKey("within")) {
            return Optional.of(0.0);
        }
        Node node = keys.get("within").value();
        return yaml.text(node, "'within'").flatMap(text -> {
            Matcher percent = PERCENT.matcher(text);
            if (!percent.matches()) {
                problems.add(yaml.place(node), "'" + text + "' is not a percentage below 100 %", "write 5% or 2.5%");
                return Optional.empty();
            }
            return Optional.of(Double.parseDouble(percent.group(1)) / 100);
        });
    }

    private Optional<String> word(Map<String, YamlEntry> keys, String key) {
        return Optional.ofNullable(keys.get(key)).flatMap(entry -> yaml.text(entry.value(), "'" + key + "'"));
    }

    private <T> Optional<T> known(
            Map<String, YamlEntry> keys, String key, Function<String, Optional<T>> find, List<String> words) {
        Optional<String> word = word(keys, key);
        Optional<T> found = word.flatMap(find);
        if (word.isPresent() && found.isEmpty()) {
            problems.add(
                    yaml.place(keys.get(key).value()),
                    "unknown " + key + " '" + word.get() + "'",
                    Spelling.suggest(word.get(), words));
        }
        return found;
    }

    private void require(Node node, Map<String, YamlEntry> keys, String key, String example) {
        if (!keys.containsKey(key)) {
            problems.add(
                    yaml.place(node), "key '" + key + "' of a claim is missing", "add, for example, '" + example + "'");
        }
    }

    /** The result of a constructor. If it throws, its message becomes a problem. */
    private <T> Optional<T> checked(Node node, Supplier<T> constructor) {
        try {
            return Optional.of(constructor.get());
        } catch (IllegalArgumentException e) {
            problems.add(yaml.place(node), e);
            return Optional.empty();
        }
    }
}
