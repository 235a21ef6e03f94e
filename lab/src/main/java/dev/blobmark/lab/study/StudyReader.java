package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.YamlText.YamlEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads studies from YAML. A {@link StudyException} reports all problems of a file, in all of its profiles, each with
 * its line and column. The grammar is in {@code docs/study-file.md}.
 */
public final class StudyReader {

    static final List<String> KEYS = List.of(
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
    static final String NAME_FORM = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";

    private final Vocabulary vocabulary;

    public StudyReader(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
    }

    /**
     * Reads a file in UTF-8.
     *
     * @param profile one of the study's profiles; empty for the first
     * @throws StudyException with all problems of the file
     */
    public Study read(Path file, Optional<String> profile) throws IOException {
        return read(Files.readString(file), file.toString(), profile);
    }

    /**
     * Reads a text.
     *
     * @param source name of the text in the places of problems
     * @param profile one of the study's profiles; empty for the first
     * @throws StudyException with all problems of the text
     */
    public Study read(String text, String source, Optional<String> profile) {
        return new TextReader(source).study(text, profile);
    }

    /** Reads the description alone, without checking methods and conditions. */
    static StudyDescription describe(String text, String source) {
        Problems problems = new Problems();
        YamlText yaml = YamlText.ofStudy(source, problems);
        Map<String, YamlEntry> top =
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

    /** Reads one text. */
    private final class TextReader {

        private final Problems problems = new Problems();
        private final YamlText yaml;
        private final MethodReader methods;
        private final ProfileReader profiles;

        TextReader(String source) {
            yaml = YamlText.ofStudy(source, problems);
            FactorReader factors = new FactorReader(vocabulary, yaml, problems);
            methods = new MethodReader(yaml, problems, factors);
            profiles = new ProfileReader(yaml, problems, factors, methods);
        }

        Study study(String text, Optional<String> chosen) {
            Optional<Node> root = yaml.compose(text);
            problems.throwIfAny();
            Place top = yaml.place(root.orElseThrow());
            Map<String, YamlEntry> keys = yaml.mapping(root.orElseThrow(), "the study", KEYS);
            require(keys, top, "study", "study: my-study");
            require(keys, top, "metric", "metric: throughput");
            require(keys, top, "baseline", "baseline: uncompressed");
            require(keys, top, "methods", "methods: {uncompressed: {}}");

            String name = name(keys);
            String question = yaml.word(keys, "question").orElse("");
            String source = yaml.word(keys, "source").orElse("");
            Metric metric = metric(keys);
            methods.read(keys);
            trialCheck(List.of()).duplicates(methods.validMethods());
            Optional<String> baseline = methods.baseline(keys);
            List<Claim> claims = claims(keys, metric);
            boolean hasControl = methods.control(keys).orElse(false);

            List<Study> studies = new ArrayList<>();
            for (ProfileReader.Profile profile : profiles.profiles(keys, top, hasControl, baseline)) {
                List<Method> kept = profiles.kept(profile, baseline);
                List<ProfileReader.Block> blocks = profile.conditions().orElse(List.of());
                Optional<Schedule> schedule = profiles.schedule(profile);
                checkHomes(blocks);
                checkTrials(kept, blocks);
                if (problems.count() == 0) {
                    studies.add(new Study(
                            name,
                            question,
                            source,
                            profile.name(),
                            metric,
                            baseline.orElseThrow(),
                            profile.hasControl() ? Control.appended(kept, baseline.orElseThrow()) : kept,
                            blocks.stream().map(ProfileReader.Block::levels).toList(),
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

        private void require(Map<String, YamlEntry> keys, Place place, String key, String example) {
            if (!keys.containsKey(key)) {
                problems.add(place, "key '" + key + "' is missing", "add, for example, '" + example + "'");
            }
        }

        private String name(Map<String, YamlEntry> keys) {
            Optional<String> name = yaml.word(keys, "study");
            if (name.isPresent() && !name.get().matches(NAME_FORM)) {
                problems.add(
                        yaml.place(keys.get("study").value()),
                        "the study's name '" + name.get() + "' cannot be the name of a directory",
                        "use lower-case letters, digits and dashes");
            }
            return name.orElse("");
        }

        private Metric metric(Map<String, YamlEntry> keys) {
            Optional<String> word = yaml.word(keys, "metric");
            Optional<Metric> metric = word.flatMap(Metric::find);
            if (word.isPresent() && metric.isEmpty()) {
                problems.add(
                        yaml.place(keys.get("metric").value()),
                        "unknown metric '" + word.get() + "'",
                        Spelling.suggest(word.get(), Metric.words()));
            }
            return metric.orElse(Metric.THROUGHPUT);
        }

        private List<Claim> claims(Map<String, YamlEntry> keys, Metric metric) {
            return Optional.ofNullable(keys.get("claims"))
                    .map(entry ->
                            new ClaimReader(vocabulary, yaml, problems, methods.names(), metric).claims(entry.value()))
                    .orElse(List.of());
        }

        /** Checks the trials of valid methods and blocks. The problems of the others have been added already. */
        private void checkTrials(List<Method> kept, List<ProfileReader.Block> blocks) {
            List<ProfileReader.Block> valid =
                    blocks.stream().filter(ProfileReader.Block::isValid).toList();
            trialCheck(valid)
                    .check(
                            kept.stream()
                                    .filter(methods.validMethods()::contains)
                                    .toList(),
                            valid.stream().map(ProfileReader.Block::levels).toList());
        }

        private TrialCheck trialCheck(List<ProfileReader.Block> blocks) {
            return new TrialCheck(
                    vocabulary, methods::place, i -> yaml.place(blocks.get(i).node()), problems);
        }

        /** A block must not state a factor that its methods state too. */
        private void checkHomes(List<ProfileReader.Block> blocks) {
            for (ProfileReader.Block block : blocks) {
                block.factors()
                        .forEach((factor, here) -> methods.stated(factor, block.methods())
                                .ifPresent(method -> problems.add(
                                        here.place(),
                                        "factor '" + factor + "' is stated here and by " + method.owner() + " at "
                                                + method.place(),
                                        "a factor belongs either to the methods or to the conditions: remove one of"
                                                + " them, or list the block's 'methods' without those that state it")));
            }
        }

        private StudyException unknownProfile(Map<String, YamlEntry> keys, Place top, String wanted) {
            YamlEntry profiles = keys.get("profiles");
            Place place = profiles == null ? top : yaml.place(profiles.keyNode());
            Collection<String> names = profiles == null
                    ? List.of()
                    : yaml.mapping(profiles.value(), "'profiles'").keySet();
            String remedy = names.isEmpty() ? "the study has no profiles" : Spelling.suggest(wanted, names);
            return new StudyException(List.of(new Problem(place, "unknown profile '" + wanted + "'", remedy)));
        }
    }
}
