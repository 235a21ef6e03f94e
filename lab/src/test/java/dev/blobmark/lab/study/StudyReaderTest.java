package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobmark.lab.measurement.Metric;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StudyReaderTest {

    /** A study that is right; tests replace a part of it. */
    private static final String RIGHT = """
            study: small
            question: Which?
            source: nobody
            metric: p99
            defaults: {driver: mariadb}
            baseline: plain
            methods:
              plain: {}
              zipped: {codec: gzip}
            conditions:
              - {workload: fetch, dataset: [sites, "random:62"], size: [1KB..11KB by 5KB, 65536, 34011], threads: 1}
              - {workload: codec, dataset: sites, size: 1MB, tls: off}
            schedule: {rounds: 3, forks: 2, window: 250ms, warm-up: 2m, seed: -7}
            """;

    private final Vocabulary vocabulary = TestVocabulary.get();

    @Test
    void readsEveryPart() {
        Study study = read(RIGHT);

        assertThat(study.name()).isEqualTo("small");
        assertThat(study.question()).isEqualTo("Which?");
        assertThat(study.source()).isEqualTo("nobody");
        assertThat(study.profile()).isEmpty();
        assertThat(study.metric()).isEqualTo(Metric.P99);
        assertThat(study.baseline()).isEqualTo("plain");
        assertThat(study.methods())
                .hasToString("[Method[id=plain, levels=driver=mariadb], "
                        + "Method[id=zipped, levels=codec=gzip:6,driver=mariadb]]");
        assertThat(study.conditions().get(0).levels())
                .hasToString("{dataset=[sites, random:62], size=[1KB, 6KB, 11KB, 64KB, 34011], threads=[1], "
                        + "workload=[fetch]}");
        assertThat(study.conditions().get(1).levels())
                .hasToString("{dataset=[sites], size=[1MB], tls=[off], workload=[codec]}");
        assertThat(study.schedule())
                .isEqualTo(new Schedule(3, 2, new Window.Time(Duration.ofMillis(250)), Duration.ofMinutes(2), -7));
    }

    @Test
    void readsAFileAndNamesItInProblems(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("mine.yaml"), RIGHT);
        assertThat(new StudyReader(vocabulary).read(file, Optional.empty())).isEqualTo(read(RIGHT));

        Files.writeString(file, RIGHT.replace("p99", "p5"));
        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(() -> new StudyReader(vocabulary).read(file, Optional.empty()))
                .withMessage(file + ":4:9: unknown metric 'p5'; did you mean 'p50'?");
    }

    @Test
    void takesWordsAndNumbersAsTheyAreWritten() {
        Study study =
                read(RIGHT.replace("threads: 1}", "threads: 1, tls: [on, off]}").replace("tls: off}", "tls: on}"));

        assertThat(study.conditions().get(0).levels().get("tls")).containsExactly("on", "off");
        assertThat(read(RIGHT.replace("study: small", "study: no")).name()).isEqualTo("no");
        assertThat(read(RIGHT.replace("study: small", "study: 007")).name()).isEqualTo("007");
        assertThat(read(RIGHT.replace("nobody", "null")).source()).isEqualTo("null");
    }

    @Test
    void anchorsStandForWhatTheyName() {
        String anchored = RIGHT.replace("size: [1KB..11KB by 5KB, 65536, 34011]", "size: &sizes [2KB, 3KB]")
                .replace("size: 1MB", "size: *sizes");

        assertThat(read(anchored).conditions())
                .extracting(block -> block.levels().get("size"))
                .containsExactly(List.of("2KB", "3KB"), List.of("2KB", "3KB"));
    }

    @Test
    void profilesReplaceConditionsAndMergeSchedulesAndKeepMethods() {
        String profiled = RIGHT + """
                profiles:
                  first: {schedule: {rounds: 9, window: 50000ops}}
                  second:
                    conditions: [{workload: insert, dataset: sites, size: 1KB}]
                    methods: [plain]
                """;
        Study first = read(profiled);
        Study second = read(profiled, "second");

        assertThat(first.profile()).isEqualTo("first");
        assertThat(first.conditions()).isEqualTo(read(RIGHT).conditions());
        assertThat(first.schedule().settings())
                .hasToString("{rounds=9, forks=2, window=50000ops, warm-up=2m, seed=-7}");
        assertThat(second.schedule()).isEqualTo(read(RIGHT).schedule());
        assertThat(second.conditions()).hasSize(1);
        assertThat(second.methods()).extracting(Method::id).containsExactly("plain");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                | {rounds=10, forks=5, window=150ms, warm-up=100ms, seed=42}",
                "schedule: {rounds: 3}             | {rounds=3, forks=3, window=150ms, warm-up=100ms, seed=42}",
                "'schedule: {forks: 20, seed: 1}'  | {rounds=20, forks=20, window=150ms, warm-up=100ms, seed=1}",
                "'schedule: {window: 1s, visit: 25ms}' | '{rounds=10, forks=5, window=1s, warm-up=100ms, seed=42, visit=25ms}'"
            })
    void whatAScheduleOmitsHasADefault(String schedule, String settings) {
        Study study = read(RIGHT.substring(0, RIGHT.indexOf("schedule:")) + schedule + "\n");

        assertThat(study.schedule().settings()).hasToString(settings);
    }

    @Test
    void whatEveryProfileHasTheStudyNeedNotHave() {
        String bare = RIGHT.substring(0, RIGHT.indexOf("conditions:")) + """
                profiles:
                  only:
                    conditions: [{workload: insert, dataset: sites, size: 1KB}]
                    schedule: {rounds: 1, forks: 1, window: 1s, warm-up: 0s, seed: 1}
                """;
        assertThat(read(bare).trials(vocabulary)).hasSize(2);
    }

    @Test
    void allMistakesOfAFileAreToldAtOnce() throws IOException {
        String told = String.join("\n", problems(resource("mistakes.yaml"), "mistakes.yaml")) + "\n";

        assertThat(told).isEqualTo(resource("mistakes.txt"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    study: small     | sudy: small            | study
                    metric: p99      | metrics: p99           | metric
                    metric: p99      | metric: p89            | p99
                    driver: mariadb  | drivr: mariadb         | driver
                    driver: mariadb  | driver: maria          | mariadb
                    baseline: plain  | baseline: plane        | plain
                    codec: gzip      | codek: gzip            | codec
                    codec: gzip      | codec: gzp             | gzip
                    codec: gzip      | wire-compresion: on    | wire-compression
                    workload: fetch  | workload: fech         | fetch
                    threads: 1       | thread: 1              | threads
                    tls: off         | tsl: off               | tls
                    rounds: 3        | round: 3               | rounds
                    warm-up: 2m      | warmup: 2m             | warm-up
                    """)
    void aMistypedWordIsMetWithTheNearestOne(String right, String wrong, String nearest) {
        assertThat(RIGHT).contains(right);
        String text = RIGHT.replaceFirst(right, wrong);
        long line = 1
                + text.substring(0, text.indexOf(wrong))
                        .chars()
                        .filter(c -> c == '\n')
                        .count();

        assertThat(problems(text))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("small.yaml:" + line + ":")
                        .contains("did you mean '" + nearest + "'?"));
    }

    @Test
    void anUnknownProfileIsMetWithTheNearestOne() {
        String profiled = RIGHT + "profiles: {quick: {}, full: {}}\n";

        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(() -> read(profiled, "ful"))
                .withMessage("small.yaml:14:1: unknown profile 'ful'; did you mean 'full'?");
        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(() -> read(RIGHT, "full"))
                .withMessage("small.yaml:1:1: unknown profile 'full'; the study has no profiles");
    }

    @Test
    void aConstraintIsToldOncePerMethodWhateverTheNumberOfConditions() {
        String broken = RIGHT.replace("codec: gzip", "codec: gzip, decode: server");

        assertThat(problems(broken))
                .containsExactly(
                        "small.yaml:9:3: method 'zipped' under dataset=sites,size=1KB,threads=1,workload=fetch: "
                                + "the server decodes nothing but MySQL's own format; use codec: mysql, or decode: application");
    }

    @Test
    void aFactorHasOneHome() {
        String moved = RIGHT.replace("codec: gzip", "tls: on").replace(", tls: off}", "}");
        List<Trial> trials = read(moved).trials(vocabulary);

        assertThat(trials)
                .filteredOn(trial ->
                        trial.condition().find("workload").orElseThrow().equals("fetch"))
                .allSatisfy(trial -> {
                    assertThat(trial.methodLevels().find("tls"))
                            .hasValue(trial.method().equals("plain") ? "off" : "on");
                    assertThat(trial.condition().find("tls")).isEmpty();
                });
        assertThat(problems(RIGHT.replace("codec: gzip", "tls: on")))
                .containsExactly(
                        "small.yaml:12:50: factor 'tls' is stated here and by method 'zipped' at small.yaml:9:12; "
                                + "a factor belongs either to the methods or to the conditions: remove one of them, or "
                                + "list the block's 'methods' without those that state it");
    }

    @Test
    void aBlockMayNameItsMethodsAndStateWhatOthersChoose() {
        String second = "{workload: codec, dataset: sites, size: 1MB, tls: off}";
        String own = RIGHT.replace("codec: gzip", "tls: on")
                .replace(second, "{methods: [plain], workload: fetch, dataset: sites, size: 1MB, tls: off}");
        List<Trial> large = read(own).trials(vocabulary).stream()
                .filter(trial -> trial.condition().find("size").equals(Optional.of("1MB")))
                .toList();

        assertThat(large).singleElement().satisfies(trial -> {
            assertThat(trial.method()).isEqualTo("plain");
            assertThat(trial.condition().find("tls")).hasValue("off");
            assertThat(trial.methodLevels().find("tls")).isEmpty();
        });
        assertThat(read(own).trials(vocabulary))
                .filteredOn(trial -> trial.method().equals("zipped"))
                .isNotEmpty()
                .allSatisfy(
                        trial -> assertThat(trial.methodLevels().find("tls")).hasValue("on"));
        assertThat(problems(RIGHT.replace(second, second.replace("{", "{methods: [zipped, plian], "))))
                .containsExactly(
                        "small.yaml:12:16: a block of conditions leaves out the baseline 'plain'; "
                                + "add it: the others are compared with it",
                        "small.yaml:12:24: unknown method 'plian' in a block of conditions; did you mean 'plain'?");
    }

    @Test
    void moreThanAMillionTrialsAreRefusedBeforeTheyAreMade() {
        // 2 methods, 10 numbers of threads, 2 datasets and 25,004 sizes
        String huge = RIGHT.replace("threads: 1}", "threads: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}")
                .replace("1KB..11KB by 5KB", "1..90001 by 10, 100001..190001 by 10, 200001..270001 by 10");

        assertThat(problems(huge))
                .containsExactly("small.yaml:11:5: methods and conditions up to here make more than 1000000 trials; "
                        + "use fewer levels or a larger step");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"study: [", "a: b: c", "study: \"open", "\tstudy: x", "study: *nobody", "---\na: 1\n---\nb: 2"})
    void whatIsNoYamlIsToldWithItsPlace(String text) {
        assertThat(problems(text))
                .singleElement()
                .asString()
                .matches("(?s)small.yaml:[0-9]+:[0-9]+: not valid YAML: .+");
    }

    @Test
    void emptyAndOversizedTextsAreRefused() {
        assertThat(problems("# nothing\n")).singleElement().asString().startsWith("small.yaml:1:1: the file is empty");
        assertThat(problems("study: " + "x".repeat(2 << 20)))
                .singleElement()
                .asString()
                .startsWith("small.yaml: not valid YAML: ")
                .contains("1048576");
    }

    @Test
    void aliasesCannotMakeAFileGrowWithoutBound() {
        StringBuilder laughs = new StringBuilder("study: &a0 [x, x]\n");
        for (int i = 1; i < 200; i++) {
            laughs.append("k")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [*a")
                    .append(i - 1)
                    .append(", *a")
                    .append(i - 1)
                    .append("]\n");
        }
        assertThat(problems(laughs.toString())).singleElement().asString().contains("aliases");
        assertThat(problems(RIGHT.replaceFirst("conditions:\n(?s).*(?=schedule)", "conditions: &loop [*loop]\n")))
                .containsExactly(
                        "small.yaml:10:13: a block of conditions is a list, not a mapping; write it as {key: value}");
    }

    @Test
    void deepNestingIsRefusedBeforeItExhaustsTheStack() {
        assertThat(problems("study: " + "[".repeat(500_000)))
                .containsExactly("small.yaml:1:57: lists and mappings are nested more than 50 deep; "
                        + "docs/study-file.md shows what a study looks like");
    }

    @Test
    void allMissingKeysAreTold() {
        assertThat(problems("question: Which?\n"))
                .allSatisfy(problem ->
                        assertThat(problem).startsWith("small.yaml:1:1: key '").contains("is missing; "))
                .extracting(problem -> problem.split("'")[1])
                .containsExactly("study", "metric", "baseline", "methods", "conditions");
    }

    @Test
    void aProfileKeepsTheBaseline() {
        assertThat(problems(RIGHT + "profiles: {one: {methods: [zipped]}}\n"))
                .containsExactly("small.yaml:14:28: profile 'one' leaves out the baseline 'plain'; "
                        + "add it: the others are compared with it");
    }

    @Test
    void mergeKeysAreUnknownKeys() {
        assertThat(problems(RIGHT.replace("{codec: gzip}", "{<<: {codec: gzip}}")))
                .singleElement()
                .asString()
                .startsWith("small.yaml:9:12: unknown factor '<<' in method 'zipped'");
    }

    @Test
    void theDocumentationsExampleIsRightAndItsMistakesAreToldAsItSays() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "study-file.md"));
        String example = page.lines()
                .dropWhile(line -> !line.startsWith("    study:"))
                .takeWhile(line -> line.startsWith("    "))
                .map(line -> line.substring(4))
                .collect(Collectors.joining("\n"));
        Study study = new StudyReader(vocabulary).read(example, "my-codecs.yaml", Optional.of("full"));

        assertThat(study.methods()).hasSize(4);
        assertThat(study.trials(vocabulary)).hasSize(4 * 7 * 2 + 4);
        assertThat(problems(
                        example.replace("{codec: gzip}", "{codek: gzip}").replace(" by 10KB", ""), "my-codecs.yaml"))
                .hasSize(2)
                .allSatisfy(problem -> assertThat(page).contains("\n    " + problem + "\n"));
    }

    private Study read(String text) {
        return new StudyReader(vocabulary).read(text, "small.yaml", Optional.empty());
    }

    private Study read(String text, String profile) {
        return new StudyReader(vocabulary).read(text, "small.yaml", Optional.of(profile));
    }

    private List<String> problems(String text) {
        return problems(text, "small.yaml");
    }

    private List<String> problems(String text, String name) {
        try {
            Study study = new StudyReader(vocabulary).read(text, name, Optional.empty());
            throw new AssertionError("was accepted: " + study);
        } catch (StudyException e) {
            assertThat(e)
                    .hasMessage(String.join(
                            "\n", e.problems().stream().map(Problem::toString).toList()));
            return e.problems().stream().map(Problem::toString).toList();
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = StudyReaderTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
