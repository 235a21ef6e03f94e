package dev.blobmark.lab.study;

import dev.blobmark.lab.study.YamlText.YamlEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads the conditions, the schedule and the profiles of a study. */
record ProfileReader(YamlText yaml, Problems problems, FactorReader factors, MethodReader methods) {

    private static final List<String> SCHEDULE_KEYS = Stream.concat(
                    Schedule.KEYS.stream(), Schedule.OPTIONAL_KEYS.stream())
            .toList();
    static final String CHART = "chart";
    static final List<String> PROFILE_KEYS = List.of("conditions", "schedule", "methods", "control");

    /** A block of conditions. It is not valid if a part of it has a problem. */
    record Block(
            Node node,
            Map<String, FactorReader.Stated> factors,
            List<String> methods,
            List<String> charts,
            boolean isValid) {
        ConditionBlock levels() {
            TreeMap<String, List<String>> levels = new TreeMap<>();
            factors.forEach((factor, stated) -> levels.put(factor, stated.levels()));
            return new ConditionBlock(levels, methods, charts);
        }
    }

    /** A setting of the schedule; the text is empty if it has a problem. */
    record ScheduleSetting(String text, Place place) {}

    /** A profile; conditions and schedule are the study's where the profile has none. Without methods, it has all. */
    record Profile(
            String name,
            Place place,
            Optional<List<Block>> conditions,
            Map<String, ScheduleSetting> schedule,
            Optional<List<YamlEntry>> methods,
            boolean hasControl) {}

    /** The profiles of a study; one with an empty name if the study has none. */
    List<Profile> profiles(Map<String, YamlEntry> keys, Place top, boolean hasControl, Optional<String> baseline) {
        Optional<List<Block>> conditions =
                Optional.ofNullable(keys.get("conditions")).map(entry -> conditions(entry.value(), baseline));
        Map<String, ScheduleSetting> schedule = Optional.ofNullable(keys.get("schedule"))
                .map(entry -> settings(entry.value()))
                .orElse(Map.of());
        Profile whole = new Profile("", top, conditions, schedule, Optional.empty(), hasControl);
        List<Profile> profiles = new ArrayList<>();
        if (keys.containsKey("profiles")) {
            Node node = keys.get("profiles").value();
            yaml.mapping(node, "'profiles'")
                    .forEach((name, entry) -> profiles.add(profile(name, entry, whole, baseline)));
            if (profiles.isEmpty()) {
                problems.add(yaml.place(node), "'profiles' names no profile", "add one or remove the key");
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
        }
        return all;
    }

    private Profile profile(String name, YamlEntry entry, Profile whole, Optional<String> baseline) {
        String what = "profile '" + name + "'";
        Map<String, YamlEntry> keys = yaml.mapping(entry.value(), what, PROFILE_KEYS);
        Map<String, ScheduleSetting> schedule = new LinkedHashMap<>(whole.schedule);
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
                Optional.ofNullable(keys.get("methods")).map(own -> yaml.words(own.value(), "'methods' of " + what)),
                methods.control(keys).orElse(whole.hasControl));
    }

    /** The methods of a profile, in the study's order. */
    List<Method> kept(Profile profile, Optional<String> baseline) {
        if (profile.methods.isEmpty()) {
            return methods.methods();
        }
        Collection<String> ids = methods.ids(profile.methods.get(), "profile '" + profile.name + "'", baseline);
        return methods.methods().stream()
                .filter(method -> ids.contains(method.id()))
                .toList();
    }

    private List<Block> conditions(Node node, Optional<String> baseline) {
        String owner = "a block of conditions";
        List<Block> blocks = new ArrayList<>();
        for (Node item : yaml.list(node, "'conditions'")) {
            int before = problems.count();
            Map<String, YamlEntry> entries = new LinkedHashMap<>(yaml.mapping(item, owner));
            List<String> ids = Optional.ofNullable(entries.remove("methods"))
                    .map(listed -> methods.ids(yaml.words(listed.value(), "'methods' of " + owner), owner, baseline))
                    .orElse(List.of());
            List<String> charts = Optional.ofNullable(entries.remove(CHART))
                    .map(stated -> charts(stated.value(), owner))
                    .orElse(List.of());
            blocks.add(new Block(item, factors.conditions(entries, owner), ids, charts, problems.count() == before));
        }
        return blocks;
    }

    private List<String> charts(Node node, String owner) {
        List<String> names = new ArrayList<>();
        for (Node item : yaml.oneOrMore(node, "'" + CHART + "' of " + owner)) {
            yaml.text(item, "the name of a chart").ifPresent(name -> {
                names.add(name);
                if (!name.matches(ConditionBlock.CHART_FORM)) {
                    problems.add(
                            yaml.place(item),
                            "'" + name + "' cannot be the name of a chart",
                            "use lower-case letters, digits and dashes");
                }
            });
        }
        return names;
    }

    private Map<String, ScheduleSetting> settings(Node node) {
        Map<String, ScheduleSetting> settings = new LinkedHashMap<>();
        yaml.mapping(node, "'schedule'", SCHEDULE_KEYS).forEach((key, entry) -> {
            Node value = entry.value();
            // so that a setting with a problem is not reported as missing too
            settings.put(key, new ScheduleSetting("", yaml.place(value)));
            yaml.text(value, "'" + key + "' of 'schedule'")
                    .ifPresent(text -> factors.checked(value, () -> {
                        Schedule.check(key, text);
                        return List.of(settings.put(key, new ScheduleSetting(text, yaml.place(value))));
                    }));
        });
        return settings;
    }

    /** The schedule of a profile, with defaults for settings that are missing; empty if a setting has a problem. */
    Optional<Schedule> schedule(Profile profile) {
        Map<String, String> texts = new LinkedHashMap<>();
        profile.schedule.forEach((key, setting) -> texts.put(key, setting.text));
        if (texts.containsValue("")) {
            return Optional.empty();
        }
        try {
            return Optional.of(Schedule.of(Schedule.withDefaults(texts)));
        } catch (IllegalArgumentException e) {
            // each setting has been checked by itself; what is left are combinations
            problems.add(
                    Optional.ofNullable(profile.schedule.get("forks"))
                            .map(ScheduleSetting::place)
                            .orElse(profile.place),
                    e);
            return Optional.empty();
        }
    }
}
