package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.YamlText.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads studies from YAML. All problems of a file, in every one of its profiles, are told at once by a
 * {@link StudyException}, each with its line and column. The grammar is in {@code docs/study-file.md}.
 */
public final class StudyReader {

    private static final List<String> KEYS = List.of(
            "study",
            "question",
            "source",
            "metric",
            "defaults",
            "baseline",
            "control",
            "methods",
            "conditions",
            "schedule",
            "profiles",
            "claims");
    private static final List<String> SCHEDULE_KEYS = Stream.concat(
                    Schedule.KEYS.stream(), Schedule.OPTIONAL_KEYS.stream())
            .toList();
    private static final List<String> PROFILE_KEYS = List.of("conditions", "schedule", "methods", "control");
    private static final String NAME_FORM = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
    private static final String ID_FORM = "[A-Za-z0-9][A-Za-z0-9._+-]*";

    private final Vocabulary vocabulary;

    public StudyReader(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
    }

    /**
     * Reads a file in UTF-8.
     *
     * @param profile one of the study's profiles; its first one where this is empty
     * @throws StudyException with everything that is wrong with the file
     */
    public Study read(Path file, Optional<String> profile) throws IOException {
        return read(Files.readString(file), file.toString(), profile);
    }

    /**
     * Reads a text.
     *
     * @param source the name of the text in problems
     * @param profile one of the study's profiles; its first one where this is empty
     * @throws StudyException with everything that is wrong with the text
     */
    public Study read(String text, String source, Optional<String> profile) {
        return new Reading(source).study(text, profile);
    }

    /** What a study says of itself, without a look at its methods and conditions. */
    static StudyDescription describe(String text, String source) {
        Problems problems = new Problems();
        YamlText yaml = new YamlText(source, problems);
        Map<String, Entry> top =
                yaml.compose(text).map(root -> yaml.mapping(root, "the study")).orElse(Map.of());
        Function<String, String> word = key -> Optional.ofNullable(top.get(key))
                .flatMap(entry -> yaml.text(entry.value(), "'" + key + "'"))
                .orElse("");
        List<String> profiles = Optional.ofNullable(top.get("profiles"))
                .map(entry ->
                        List.copyOf(yaml.mapping(entry.value(), "'profiles'").keySet()))
                .orElse(List.of());
        StudyDescription description =
                new StudyDescription(word.apply("study"), word.apply("question"), word.apply("source"), profiles);
        problems.throwIfAny();
        return description;
    }

    /** A factor as it is stated somewhere: its canonical levels, and by whom and where. */
    private record Stated(List<String> levels, Place place, String owner) {}

    /** A block as written; unsound where a part of it could not be read. */
    private record Block(Node node, Map<String, Stated> factors, List<String> methods, boolean sound) {
        ConditionBlock levels() {
            TreeMap<String, List<String>> levels = new TreeMap<>();
            factors.forEach((factor, stated) -> levels.put(factor, stated.levels));
            return new ConditionBlock(levels, methods);
        }
    }

    /** A setting of the schedule as written. */
    private record Setting(String text, Place place) {}

    /** What a profile says; empty where it leaves a thing to the study. */
    private record Profile(
            String name,
            Place place,
            Optional<List<Block>> conditions,
            Map<String, Setting> schedule,
            Optional<List<Entry>> methods,
            boolean hasControl) {}

    /** The reading of one text. */
    private final class Reading {

        private final Problems problems = new Problems();
        private final YamlText yaml;
        private final Map<String, Entry> methodEntries = new LinkedHashMap<>();
        private final List<Method> methods = new ArrayList<>();
        private final List<Method> soundMethods = new ArrayList<>();
        /** What {@code defaults}, under no name, and each method under its own state. */
        private final Map<String, Map<String, Stated>> statedByMethods = new LinkedHashMap<>();

        Reading(String source) {
            this.yaml = new YamlText(source, problems);
        }

        Study study(String text, Optional<String> chosen) {
            Optional<Node> root = yaml.compose(text);
            problems.throwIfAny();
            Place top = yaml.place(root.orElseThrow());
            Map<String, Entry> keys = yaml.mapping(root.orElseThrow(), "the study", KEYS);
            require(keys, top, "study", "study: my-study");
            require(keys, top, "metric", "metric: throughput");
            require(keys, top, "baseline", "baseline: uncompressed");
            require(keys, top, "methods", "methods: {uncompressed: {}}");

            String name = name(keys);
            String question = word(keys, "question").orElse("");
            String source = word(keys, "source").orElse("");
            Metric metric = metric(keys);
            methods(keys);
            Optional<String> baseline = baseline(keys);
            List<Claim> claims = claims(keys, metric);
            boolean hasControl = control(keys).orElse(false);

            List<Study> studies = new ArrayList<>();
            for (Profile profile : profiles(keys, top, hasControl, baseline)) {
                List<Method> kept = kept(profile, baseline);
                List<Block> blocks = profile.conditions.orElse(List.of());
                Optional<Schedule> schedule = schedule(profile);
                oneHome(blocks);
                checkTrials(kept, blocks);
                if (problems.count() == 0) {
                    studies.add(new Study(
                            name,
                            question,
                            source,
                            profile.name,
                            metric,
                            baseline.orElseThrow(),
                            profile.hasControl ? Control.added(kept, baseline.orElseThrow()) : kept,
                            blocks.stream().map(Block::levels).toList(),
                            schedule.orElseThrow(),
                            claims));
                }
            }
            problems.throwIfAny();
            return studies.stream()
                    .filter(study -> study.profile().equals(chosen.orElse(study.profile())))
                    .findFirst()
                    .orElseThrow(() -> unknownProfile(keys, top, chosen.orElseThrow()));
        }

        private void require(Map<String, Entry> keys, Place place, String key, String example) {
            if (!keys.containsKey(key)) {
                problems.add(place, "key '" + key + "' is missing", "add, for example, '" + example + "'");
            }
        }

        private Optional<String> word(Map<String, Entry> keys, String key) {
            return Optional.ofNullable(keys.get(key)).flatMap(entry -> yaml.text(entry.value(), "'" + key + "'"));
        }

        private String name(Map<String, Entry> keys) {
            Optional<String> name = word(keys, "study");
            if (name.isPresent() && !name.get().matches(NAME_FORM)) {
                problems.add(
                        yaml.place(keys.get("study").value()),
                        "the study's name '" + name.get() + "' would not do for a directory",
                        "use lower-case letters, digits and dashes");
            }
            return name.orElse("");
        }

        private Metric metric(Map<String, Entry> keys) {
            Optional<String> word = word(keys, "metric");
            Optional<Metric> metric = word.flatMap(Metric::find);
            if (word.isPresent() && metric.isEmpty()) {
                List<String> words = Metric.words();
                problems.add(
                        yaml.place(keys.get("metric").value()),
                        "unknown metric '" + word.get() + "'",
                        Words.mend(word.get(), words));
            }
            return metric.orElse(Metric.THROUGHPUT);
        }

        private void methods(Map<String, Entry> keys) {
            int beforeDefaults = problems.count();
            Map<String, Stated> defaults = Optional.ofNullable(keys.get("defaults"))
                    .map(entry -> factors(yaml.mapping(entry.value(), "'defaults'"), "'defaults'", this::oneLevel))
                    .orElse(Map.of());
            boolean soundDefaults = problems.count() == beforeDefaults;
            statedByMethods.put("", defaults);
            if (!keys.containsKey("methods")) {
                return;
            }
            int beforeMethods = problems.count();
            methodEntries.putAll(yaml.mapping(keys.get("methods").value(), "'methods'"));
            if (methodEntries.isEmpty() && problems.count() == beforeMethods) {
                problems.add(
                        yaml.place(keys.get("methods").value()),
                        "'methods' names no method",
                        "add, for example, 'uncompressed: {}'");
            }
            methodEntries.forEach((id, entry) -> {
                if (!id.matches(ID_FORM)) {
                    problems.add(
                            yaml.place(entry.keyNode()),
                            "the method's name '" + id + "' has other characters than letters, digits and ._+-",
                            "");
                }
                int before = problems.count();
                String owner = "method '" + id + "'";
                Map<String, Stated> own = factors(yaml.mapping(entry.value(), owner), owner, this::oneLevel);
                statedByMethods.put(id, own);
                Map<String, String> levels = new TreeMap<>();
                defaults.forEach((factor, stated) -> levels.put(factor, stated.levels.get(0)));
                own.forEach((factor, stated) -> levels.put(factor, stated.levels.get(0)));
                Method method = new Method(id, Levels.of(levels));
                methods.add(method);
                if (soundDefaults && problems.count() == before) {
                    soundMethods.add(method);
                }
            });
            trialCheck(List.of()).twins(soundMethods);
        }

        private Optional<String> baseline(Map<String, Entry> keys) {
            Optional<String> id = word(keys, "baseline");
            if (id.isPresent() && !methodEntries.isEmpty() && !methodEntries.containsKey(id.get())) {
                problems.add(
                        yaml.place(keys.get("baseline").value()),
                        "the baseline '" + id.get() + "' is not among the methods",
                        Words.mend(id.get(), methodEntries.keySet()));
            }
            return id.filter(methodEntries::containsKey);
        }

        private List<Claim> claims(Map<String, Entry> keys, Metric metric) {
            return Optional.ofNullable(keys.get("claims"))
                    .map(entry -> new ClaimReader(vocabulary, yaml, problems, methodEntries.keySet(), metric)
                            .claims(entry.value()))
                    .orElse(List.of());
        }

        /** Whether a twin of the baseline is to be added, whose name must be free then; empty where nothing is said of it. */
        private Optional<Boolean> control(Map<String, Entry> keys) {
            Optional<String> word = word(keys, "control");
            if (word.isPresent() && !List.of("true", "false").contains(word.get())) {
                problems.add(
                        yaml.place(keys.get("control").value()),
                        "'" + word.get() + "' is neither true nor false",
                        "write 'control: true' to add a twin of the baseline");
            }
            boolean wanted = word.filter("true"::equals).isPresent();
            if (wanted && methodEntries.containsKey(Control.ID)) {
                problems.add(
                        yaml.place(methodEntries.get(Control.ID).keyNode()),
                        "the method's name '" + Control.ID + "' is taken by the twin of the baseline",
                        "give it another name, or take out 'control: true'");
            }
            return word.map("true"::equals);
        }

        /** Trials made of what could be read; what could not has been told already. */
        private void checkTrials(List<Method> kept, List<Block> blocks) {
            List<Block> sound = blocks.stream().filter(Block::sound).toList();
            trialCheck(sound)
                    .check(
                            kept.stream().filter(soundMethods::contains).toList(),
                            sound.stream().map(Block::levels).toList());
        }

        private TrialCheck trialCheck(List<Block> blocks) {
            return new TrialCheck(
                    vocabulary,
                    id -> yaml.place(methodEntries.get(id).keyNode()),
                    i -> yaml.place(blocks.get(i).node),
                    problems);
        }

        private List<Profile> profiles(
                Map<String, Entry> keys, Place top, boolean hasControl, Optional<String> baseline) {
            Optional<List<Block>> conditions =
                    Optional.ofNullable(keys.get("conditions")).map(entry -> conditions(entry.value(), baseline));
            Map<String, Setting> schedule = Optional.ofNullable(keys.get("schedule"))
                    .map(entry -> settings(entry.value()))
                    .orElse(Map.of());
            Profile whole = new Profile("", top, conditions, schedule, Optional.empty(), hasControl);
            List<Profile> profiles = new ArrayList<>();
            if (keys.containsKey("profiles")) {
                Node node = keys.get("profiles").value();
                yaml.mapping(node, "'profiles'")
                        .forEach((name, entry) -> profiles.add(profile(name, entry, whole, baseline)));
                if (profiles.isEmpty()) {
                    problems.add(yaml.place(node), "'profiles' names no profile", "add one or take the key out");
                }
            }
            List<Profile> all = profiles.isEmpty() ? List.of(whole) : profiles;
            for (Profile profile : all) {
                String where = profile.name.isEmpty() ? "" : " in profile '" + profile.name + "' and in the study";
                if (profile.conditions.isEmpty()) {
                    problems.add(
                            profile.place,
                            "key 'conditions' is missing" + where,
                            "add, for example, 'conditions: [{workload: fetch, dataset: sites, size: 64KB}]'");
                }
                for (String key : Schedule.KEYS) {
                    if (!profile.schedule.containsKey(key)) {
                        problems.add(
                                profile.place,
                                "key '" + key + "' of 'schedule' is missing" + where,
                                "a whole one is 'schedule: {rounds: 5, forks: 1, window: 1s, warm-up: 5s, seed: 42}'");
                    }
                }
            }
            return all;
        }

        private Profile profile(String name, Entry entry, Profile whole, Optional<String> baseline) {
            String what = "profile '" + name + "'";
            Map<String, Entry> keys = yaml.mapping(entry.value(), what, PROFILE_KEYS);
            Map<String, Setting> schedule = new LinkedHashMap<>(whole.schedule);
            if (keys.containsKey("schedule")) {
                schedule.putAll(settings(keys.get("schedule").value()));
            }
            return new Profile(
                    name,
                    yaml.place(entry.keyNode()),
                    Optional.ofNullable(keys.get("conditions"))
                            .map(own -> conditions(own.value(), baseline))
                            .or(whole::conditions),
                    schedule,
                    Optional.ofNullable(keys.get("methods"))
                            .map(own -> yaml.words(own.value(), "'methods' of " + what)),
                    control(keys).orElse(whole.hasControl));
        }

        /** The methods that a profile keeps, in the study's order. */
        private List<Method> kept(Profile profile, Optional<String> baseline) {
            if (profile.methods.isEmpty()) {
                return methods;
            }
            Collection<String> ids = ids(profile.methods.get(), "profile '" + profile.name + "'", baseline);
            return methods.stream().filter(method -> ids.contains(method.id())).toList();
        }

        /** The methods that somebody lists, the baseline among them; empty where it is not. */
        private List<String> ids(List<Entry> words, String owner, Optional<String> baseline) {
            List<String> ids = words.stream().map(Entry::key).distinct().toList();
            for (Entry word : words) {
                if (!methodEntries.containsKey(word.key())) {
                    problems.add(
                            yaml.place(word.keyNode()),
                            "unknown method '" + word.key() + "' in " + owner,
                            Words.mend(word.key(), methodEntries.keySet()));
                }
            }
            if (!words.isEmpty() && baseline.isPresent() && !ids.contains(baseline.get())) {
                problems.add(
                        yaml.place(words.get(0).keyNode()),
                        owner + " leaves out the baseline '" + baseline.get() + "'",
                        "add it: the others are compared to it");
                return List.of();
            }
            return ids;
        }

        private List<Block> conditions(Node node, Optional<String> baseline) {
            String owner = "a block of conditions";
            List<Block> blocks = new ArrayList<>();
            for (Node item : yaml.list(node, "'conditions'")) {
                int before = problems.count();
                Map<String, Entry> entries = new LinkedHashMap<>(yaml.mapping(item, owner));
                List<String> ids = Optional.ofNullable(entries.remove("methods"))
                        .map(listed -> ids(yaml.words(listed.value(), "'methods' of " + owner), owner, baseline))
                        .orElse(List.of());
                blocks.add(new Block(item, factors(entries, owner, this::levels), ids, problems.count() == before));
            }
            return blocks;
        }

        /** A factor that the methods of a block choose among cannot be given to them by the block as well. */
        private void oneHome(List<Block> blocks) {
            for (Block block : blocks) {
                block.factors.forEach((factor, here) -> statedByMethods.entrySet().stream()
                        .filter(by ->
                                by.getKey().isEmpty() || block.methods.isEmpty() || block.methods.contains(by.getKey()))
                        .flatMap(by -> Stream.ofNullable(by.getValue().get(factor)))
                        .findFirst()
                        .ifPresent(method -> problems.add(
                                here.place,
                                "factor '" + factor + "' is stated here and by " + method.owner + " at " + method.place,
                                "a factor belongs either to the methods or to the conditions: take one of them out, or"
                                        + " list the block's 'methods' without those that choose it")));
            }
        }

        private Map<String, Stated> factors(Map<String, Entry> entries, String owner, LevelReading reading) {
            Map<String, Stated> factors = new LinkedHashMap<>();
            entries.forEach((name, entry) -> {
                Place place = yaml.place(entry.keyNode());
                Optional<Factor<?>> factor = vocabulary.find(name);
                if (factor.isEmpty()) {
                    problems.add(place, "unknown factor '" + name + "' in " + owner, vocabulary.mend(name));
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
                    .flatMap(text -> told(node, () -> List.of(factor.canonical(text))).stream())
                    .toList();
        }

        private List<String> levels(Factor<?> factor, Node node) {
            LinkedHashSet<String> levels = new LinkedHashSet<>();
            for (Node item : yaml.oneOrMore(node, "'" + factor.name() + "'")) {
                yaml.text(item, "a level of '" + factor.name() + "'")
                        .ifPresent(text -> levels.addAll(told(item, () -> factor.expand(text))));
            }
            return List.copyOf(levels);
        }

        private Map<String, Setting> settings(Node node) {
            Map<String, Setting> settings = new LinkedHashMap<>();
            yaml.mapping(node, "'schedule'", SCHEDULE_KEYS).forEach((key, entry) -> {
                Node value = entry.value();
                // a setting that cannot be read is there all the same: it is not missing as well
                settings.put(key, new Setting("", yaml.place(value)));
                yaml.text(value, "'" + key + "' of 'schedule'")
                        .ifPresent(text -> told(value, () -> {
                            Schedule.check(key, text);
                            return List.of(settings.put(key, new Setting(text, yaml.place(value))));
                        }));
            });
            return settings;
        }

        private Optional<Schedule> schedule(Profile profile) {
            Map<String, String> texts = new LinkedHashMap<>();
            profile.schedule.forEach((key, setting) -> texts.put(key, setting.text));
            if (!texts.keySet().containsAll(Schedule.KEYS) || texts.containsValue("")) {
                return Optional.empty();
            }
            try {
                return Optional.of(Schedule.of(texts));
            } catch (IllegalArgumentException e) {
                // each setting has been checked by itself: what is left is that some do not go together
                problems.add(profile.schedule.get("forks").place, e);
                return Optional.empty();
            }
        }

        /** What a parser makes, or nothing and its message as a problem. */
        private <T> List<T> told(Node node, Supplier<List<T>> parser) {
            try {
                return parser.get();
            } catch (IllegalArgumentException e) {
                problems.add(yaml.place(node), e);
                return List.of();
            }
        }

        private StudyException unknownProfile(Map<String, Entry> keys, Place top, String wanted) {
            Entry profiles = keys.get("profiles");
            Place place = profiles == null ? top : yaml.place(profiles.keyNode());
            Collection<String> names = profiles == null
                    ? List.of()
                    : yaml.mapping(profiles.value(), "'profiles'").keySet();
            String mend = names.isEmpty() ? "the study has no profiles" : Words.mend(wanted, names);
            return new StudyException(List.of(new Problem(place, "unknown profile '" + wanted + "'", mend)));
        }
    }

    /** How a factor's levels are written: one for a method, one or more for a condition. */
    private interface LevelReading {
        List<String> read(Factor<?> factor, Node node);
    }
}
