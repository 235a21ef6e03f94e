package dev.blobmark.lab.study;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Applies command-line options to a study:
 *
 * <ul>
 *   <li>{@code --chart NAME} keeps the conditions of this chart, and the methods that take part in them;
 *   <li>{@code --methods a,b} keeps these methods and the baseline; {@code +zstd:5} among them adds a method with that
 *       codec, and alone it keeps all others;
 *   <li>{@code --set factor=level,level} acts at the factor's home. A factor of conditions gets these levels in all
 *       blocks. A factor of methods gets the level in all methods, or only in those that leave it open, if there are
 *       any; several levels multiply the methods. {@code --set size=4KB,threads=1,8} sets two factors;
 *   <li>{@code --threads}, {@code --rate}, {@code --link}, {@code --data}, {@code --jvm} and {@code --hosts} are short
 *       for {@code --set} with {@code threads}, {@code rate}, {@code link}, {@code dataset}, {@code jvm} and
 *       {@code processes};
 *   <li>{@code --control} adds a copy of the baseline, see {@link Control};
 *   <li>{@code --time}, {@code --rounds}, {@code --forks}, {@code --warm-up}, {@code --seed}, {@code --precision} and
 *       {@code --budget} set the schedule.
 * </ul>
 *
 * {@code --methods} is applied before factors are set, whatever the order of the options, so that it always refers to
 * the names in the study file.
 */
public final class Adjustments {

    private static final Map<String, String> FACTOR_OPTIONS = Map.of(
            "--threads", "threads",
            "--rate", "rate",
            "--link", "link",
            "--data", "dataset",
            "--jvm", "jvm",
            "--hosts", "processes");

    /** A level that leaves a factor open. Where methods have it, an option sets the factor of these methods alone. */
    private static final String OPEN = "own";

    /** Stands before a codec that {@code --methods} adds a method for. */
    private static final String ADDED = "+";

    private static final String CODEC = "codec";

    private static final Pattern FACTOR = Pattern.compile("\\s*([a-z][a-z0-9._-]*)\\s*=");

    private static final Map<String, String> SCHEDULE_OPTIONS = Map.of(
            "--time", "window",
            "--rounds", "rounds",
            "--forks", "forks",
            "--warm-up", "warm-up",
            "--seed", "seed",
            "--precision", "precision",
            "--budget", "budget");

    private final Vocabulary vocabulary;
    private final Problems problems = new Problems();
    private final List<String> notes = new ArrayList<>();
    private final Study original;

    private List<Method> methods;
    private List<ConditionBlock> conditions;
    private String baseline;
    private boolean hasControl;
    private boolean addsMethods;

    private Adjustments(Study study, Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
        this.original = study;
        this.methods = study.methods().stream().filter(m -> !Control.is(m)).toList();
        this.hasControl = study.control().isPresent();
        this.conditions = study.conditions();
        this.baseline = study.baseline();
    }

    /**
     * A study after its adjustments.
     *
     * @param notes sentences for the user about changes that no option asks for by name
     */
    public record Adjusted(Study study, List<String> notes) {}

    /**
     * Applies options to a study that the vocabulary has accepted.
     *
     * @throws StudyException with all problems; the place of each is its option
     * @throws IllegalArgumentException if an option is not listed above
     */
    public static Adjusted apply(Study study, List<Adjustment> options, Vocabulary vocabulary) {
        return new Adjustments(study, vocabulary).apply(options);
    }

    private Adjusted apply(List<Adjustment> options) {
        Map<String, String> settings = original.schedule().settings();
        Map<String, AdjustedFactor> sets = new LinkedHashMap<>();
        for (Adjustment option : options) {
            if (option.option().equals("--chart")) {
                keepChart(option);
            } else if (option.option().equals("--methods")) {
                keepMethods(option);
            } else if (option.option().equals("--control")) {
                addControl();
            } else if (option.option().equals("--set")) {
                split(option.value(), vocabulary).forEach(set -> parseSet(new Adjustment("--set", set), sets));
            } else if (FACTOR_OPTIONS.containsKey(option.option())) {
                parseLevels(Place.of(option.option()), FACTOR_OPTIONS.get(option.option()), option.value(), sets);
            } else if (SCHEDULE_OPTIONS.containsKey(option.option())) {
                schedule(option, settings);
            } else {
                throw new IllegalArgumentException(option.option() + " does not adjust a study");
            }
        }
        sets.values().forEach(this::set);
        dropDuplicates();
        fitRoundsAndForks(options, settings);
        Optional<Schedule> schedule = schedule(options, settings);
        Place place = Place.of(Stream.concat(
                        addsMethods ? Stream.of("--methods") : Stream.of(),
                        sets.values().stream().map(setting -> setting.place.source()))
                .collect(Collectors.joining(" ")));
        if (problems.count() == 0 && (!sets.isEmpty() || addsMethods)) {
            new TrialCheck(vocabulary, id -> place, i -> place, problems).check(methods, conditions);
        }
        problems.throwIfAny();
        Study adjusted = new Study(
                original.name(),
                original.question(),
                original.source(),
                original.profile(),
                original.metric(),
                baseline,
                hasControl ? Control.appended(methods, baseline) : methods,
                conditions,
                schedule.orElseThrow(),
                original.claims());
        return new Adjusted(adjusted, List.copyOf(notes));
    }

    /** A factor that an option sets to some levels. */
    private record AdjustedFactor(Place place, Factor<?> factor, List<String> levels) {}

    private void addControl() {
        if (methods.stream().anyMatch(method -> method.id().equals(Control.ID))) {
            problems.add(
                    Place.of("--control"),
                    "the study already has a method '" + Control.ID + "'",
                    "rename that method in the study");
        }
        hasControl = true;
    }

    private void keepChart(Adjustment option) {
        List<String> charts = original.charts();
        if (!charts.contains(option.value())) {
            problems.add(
                    Place.of(option.option()),
                    "unknown chart '" + option.value() + "'",
                    charts.isEmpty()
                            ? "this profile names no charts; the profile 'published' of a study does"
                            : Spelling.suggestOfAll(option.value(), charts));
            return;
        }
        conditions = conditions.stream()
                .filter(block -> block.charts().contains(option.value()))
                .toList();
        Set<String> kept = conditions.stream()
                .flatMap(block -> block.of(methods).stream())
                .map(Method::id)
                .collect(Collectors.toSet());
        methods = methods.stream().filter(method -> kept.contains(method.id())).toList();
    }

    private void keepMethods(Adjustment option) {
        List<String> ids = methods.stream().map(Method::id).toList();
        List<String> words = words(Place.of(option.option()), option.value());
        List<Method> added = words.stream()
                .filter(word -> word.startsWith(ADDED))
                .flatMap(word -> added(Place.of(option.option()), word.substring(ADDED.length())).stream())
                .toList();
        Set<String> kept = words.stream()
                .filter(word -> !word.startsWith(ADDED))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (kept.isEmpty()) {
            kept.addAll(ids);
        }
        for (String id : kept) {
            if (!ids.contains(id)) {
                problems.add(
                        Place.of(option.option()),
                        "unknown method '" + id + "'",
                        codec(id).isPresent() && id.contains(":")
                                ? "write " + ADDED + id + " to add a method with this codec"
                                : Spelling.suggestOfAll(id, ids));
            }
        }
        if (kept.add(baseline)) {
            notes.add("The baseline '" + baseline + "' is kept too: the others are compared with it.");
        }
        methods = Stream.concat(methods.stream().filter(method -> kept.contains(method.id())), added.stream())
                .toList();
    }

    /**
     * A method with another codec: like the study's first method with a codec of that family, or else like the
     * baseline. It is measured under the same conditions as that one.
     */
    private Optional<Method> added(Place place, String text) {
        Optional<Factor<?>> factor = vocabulary.find(CODEC);
        String id = text.replaceAll("[:+]", "-");
        try {
            String codec = factor.orElseThrow(() -> new IllegalArgumentException("this study has no codecs"))
                    .canonical(text);
            Method like = methods.stream()
                    .filter(method ->
                            family(method.levels().find(CODEC).orElse("")).equals(family(codec)))
                    .findFirst()
                    .orElseGet(() -> methods.stream()
                            .filter(method -> method.id().equals(baseline))
                            .findFirst()
                            .orElseThrow());
            if (methods.stream().anyMatch(method -> method.id().equals(id))) {
                throw new IllegalArgumentException("the study already has a method '" + id + "'; leave out the +");
            }
            addsMethods = true;
            conditions = conditions.stream()
                    .map(block -> block.methods().contains(like.id())
                            ? block.with(Stream.concat(block.methods().stream(), Stream.of(id))
                                    .toList())
                            : block)
                    .toList();
            return Optional.of(new Method(id, like.levels().with(CODEC, codec)));
        } catch (IllegalArgumentException e) {
            problems.add(place, e);
            return Optional.empty();
        }
    }

    private Optional<String> codec(String text) {
        try {
            return vocabulary.find(CODEC).map(factor -> factor.canonical(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** {@code zstd} of {@code zstd:3}. */
    private static String family(String codec) {
        return codec.replaceFirst("[:+].*", "");
    }

    /**
     * The settings of one {@code --set}: {@code size=4KB,threads=1,8} is {@code size=4KB} and {@code threads=1,8}. A
     * factor begins where its name and {@code =} follow a comma, also where the name is mistyped.
     */
    public static List<String> split(String value, Vocabulary vocabulary) {
        List<String> sets = new ArrayList<>();
        for (String part : value.split(",", -1)) {
            Matcher name = FACTOR.matcher(part);
            boolean begins = sets.isEmpty()
                    || name.lookingAt()
                            && Spelling.nearest(name.group(1), vocabulary.names())
                                    .isPresent();
            if (begins) {
                sets.add(part);
            } else {
                sets.set(sets.size() - 1, sets.get(sets.size() - 1) + "," + part);
            }
        }
        return sets;
    }

    private void parseSet(Adjustment option, Map<String, AdjustedFactor> sets) {
        int equals = option.value().indexOf('=');
        if (equals < 1) {
            problems.add(
                    Place.of(option.option()),
                    "'" + option.value() + "' sets nothing",
                    "write factor=level or factor=level,level, for example driver=mariadb");
            return;
        }
        String factor = option.value().substring(0, equals).strip();
        parseLevels(
                Place.of(option.option() + " " + factor), factor, option.value().substring(equals + 1), sets);
    }

    private void parseLevels(Place place, String name, String value, Map<String, AdjustedFactor> sets) {
        Optional<Factor<?>> factor = vocabulary.find(name);
        if (factor.isEmpty()) {
            problems.add(place, "unknown factor '" + name + "'", vocabulary.suggest(name));
            return;
        }
        Set<String> levels = new LinkedHashSet<>();
        for (String word : words(place, value)) {
            try {
                levels.addAll(factor.get().expand(word));
            } catch (IllegalArgumentException e) {
                problems.add(place, e);
            }
        }
        AdjustedFactor other = sets.putIfAbsent(name, new AdjustedFactor(place, factor.get(), List.copyOf(levels)));
        if (other != null) {
            problems.add(
                    place,
                    "factor '" + name + "' is already set by " + other.place,
                    "give all its levels at once: " + name + "=one,two");
        }
    }

    private List<String> words(Place place, String value) {
        List<String> words =
                Arrays.stream(value.split(",", -1)).map(String::strip).toList();
        if (words.contains("")) {
            problems.add(place, "the list '" + value + "' has an empty item", "write one,two");
            return words.stream().filter(word -> !word.isEmpty()).toList();
        }
        return words;
    }

    private void set(AdjustedFactor setting) {
        if (setting.levels.isEmpty()) {
            return;
        }
        String factor = setting.factor.name();
        if (original.hasTwoHomes(factor)) {
            problems.add(
                    setting.place,
                    "factor '" + factor + "' is stated by methods, and by a block of conditions without these methods",
                    "copy the study to a file, and state the levels there");
        } else if (original.home(factor, vocabulary) == Factor.Home.CONDITION) {
            conditions = conditions.stream()
                    .map(block -> {
                        TreeMap<String, List<String>> levels = new TreeMap<>(block.levels());
                        levels.put(factor, setting.levels);
                        return block.with(levels);
                    })
                    .toList();
        } else if (setting.levels.size() == 1) {
            boolean someAreOpen = methods.stream().anyMatch(method -> isOpen(method, factor));
            methods = methods.stream()
                    .map(method -> someAreOpen && !isOpen(method, factor)
                            ? method
                            : new Method(method.id(), method.levels().with(factor, setting.levels.get(0))))
                    .toList();
        } else {
            methods = methods.stream()
                    .flatMap(method -> setting.levels.stream()
                            .map(level -> new Method(
                                    crossed(method.id(), factor, level),
                                    method.levels().with(factor, level))))
                    .toList();
            conditions = conditions.stream()
                    .map(block -> block.with(block.methods().stream()
                            .flatMap(id -> setting.levels.stream().map(level -> crossed(id, factor, level)))
                            .toList()))
                    .toList();
            baseline = crossed(baseline, factor, setting.levels.get(0));
            notes.add("The baseline is now '" + baseline + "', with the first level of '" + factor + "' given.");
        }
    }

    /** Whether a method leaves a factor to be decided by the values. */
    private static boolean isOpen(Method method, String factor) {
        return method.levels().byFactor().getOrDefault(factor, "").equals(OPEN);
    }

    /** {@code gzip@driver=mariadb}; with a second factor {@code gzip@driver=mariadb,statement=text}. */
    private static String crossed(String id, String factor, String level) {
        return id + (id.contains("@") ? "," : "@") + factor + "=" + level;
    }

    /** Keeps one of several methods that a setting has made equal: the baseline, or else the first. */
    private void dropDuplicates() {
        Map<Levels, Method> distinct = new HashMap<>();
        Stream.concat(methods.stream().filter(method -> method.id().equals(baseline)), methods.stream())
                .forEach(method -> {
                    Method first = distinct.putIfAbsent(vocabulary.withDefaults(method.levels()), method);
                    if (first != null && first != method) {
                        notes.add("Method '" + method.id() + "' is left out: it is now the same as '" + first.id()
                                + "'.");
                    }
                });
        methods = methods.stream()
                .filter(method -> distinct.get(vocabulary.withDefaults(method.levels())) == method)
                .toList();
    }

    private void schedule(Adjustment option, Map<String, String> settings) {
        String key = SCHEDULE_OPTIONS.get(option.option());
        try {
            Schedule.check(key, option.value());
            settings.put(key, option.value());
        } catch (IllegalArgumentException e) {
            problems.add(Place.of(option.option()), e);
        }
    }

    /** A fork has at least one round. If only one of the two options is given, the other number changes to fit it. */
    private void fitRoundsAndForks(List<Adjustment> options, Map<String, String> settings) {
        boolean givesRounds =
                options.stream().anyMatch(option -> option.option().equals("--rounds"));
        boolean givesForks = options.stream().anyMatch(option -> option.option().equals("--forks"));
        if (givesRounds != givesForks
                && Integer.parseInt(settings.get("forks")) > Integer.parseInt(settings.get("rounds"))) {
            String key = givesRounds ? "forks" : "rounds";
            String number = settings.get(givesRounds ? "rounds" : "forks");
            notes.add("There are " + number + " " + key + " instead of " + settings.put(key, number)
                    + ", because each fork has at least one round.");
        }
    }

    private Optional<Schedule> schedule(List<Adjustment> options, Map<String, String> settings) {
        try {
            return Optional.of(Schedule.of(settings));
        } catch (IllegalArgumentException e) {
            // each setting has been checked by itself; the only other problem is more forks than rounds
            List<String> related = List.of("--forks", "--rounds");
            String given = options.stream()
                    .map(Adjustment::option)
                    .filter(related::contains)
                    .distinct()
                    .collect(Collectors.joining(" "));
            problems.add(Place.of(given), e);
            return Optional.empty();
        }
    }
}
