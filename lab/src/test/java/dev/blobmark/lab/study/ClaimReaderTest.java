package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Claim.Apart;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.lab.study.Claim.Greater;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Ordered;
import dev.blobmark.lab.study.Claim.Within;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimReaderTest {

    private static final String STUDY = """
            study: small
            metric: p50
            baseline: plain
            methods: {plain: {}, gzip: {codec: gzip}, lz4: {codec: lz4}, lz4hc: {codec: lz4hc}}
            conditions: [{workload: fetch, dataset: sites, size: [64KB, 1MB], link: loopback}]
            schedule: {rounds: 1, forks: 1, window: 1s, warm-up: 0s, seed: 1}
            claims:
            """;

    @Test
    void whatAClaimLeavesOutIsTheStudysMetricEachComparisonAndEveryTrial() {
        Claim claim = claim("{id: a, says: b, greater: {method: plain}, than: {method: gzip}}");

        assertThat(claim)
                .isEqualTo(new Claim(
                        "a",
                        "b",
                        "",
                        Metric.P50,
                        Optional.empty(),
                        Optional.empty(),
                        new Greater(method("plain"), method("gzip"), Bounds.ABOVE_ONE),
                        Selection.ALL,
                        Optional.empty(),
                        Holds.EACH));
    }

    @Test
    void aClaimMaySayItAll() {
        Claim claim = claim("{id: a-1, says: b, source: c, metric: throughput, operation: decode, by: [1.5, inf],"
                + " greater: {method: 'lz4*'}, than: {method: [plain, gzip]}, holds: on average,"
                + " where: {size: ['>= 65536', 4096], dataset: 'random:*', threads: '< 8'}}");

        assertThat(claim.source()).isEqualTo("c");
        assertThat(claim.metric()).isEqualTo(Metric.THROUGHPUT);
        assertThat(claim.operation()).hasValue("decode");
        assertThat(claim.relation())
                .isEqualTo(new Greater(
                        method("lz4*"), method("plain", "gzip"), new Bounds(1.5, Double.POSITIVE_INFINITY)));
        assertThat(claim.holds()).isEqualTo(Holds.ON_AVERAGE);
        assertThat(claim.where().texts())
                .isEqualTo(Map.of(
                        "size", List.of(">= 64KB", "4KB"),
                        "dataset", List.of("random:*"),
                        "threads", List.of("< 8")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    equal: {method: lz4}, to: {method: plain}, within: 5%         | 0.95 | 1.05
                    equal: {method: lz4}, to: {method: plain}, within: 2.5 %    | 0.975 | 1.025
                    not-greater: {method: lz4}, than: {method: plain}             | 0    | 1
                    not-greater: {method: lz4}, than: {method: plain}, within: 2% | 0    | 1.02
                    """)
    void equalAndNotGreaterAreRangesAboutOne(String relation, double low, double high) {
        assertThat(claim("{id: a, says: b, " + relation + "}").relation())
                .isEqualTo(new Within(method("lz4"), method("plain"), new Bounds(low, high)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    '''>= 100''' | 100 | Infinity
                    [100, inf]   | 100 | Infinity
                    [1.1, 1.3]   | 1.1 | 1.3
                    """)
    void theSizeOfADifferenceIsARangeOfRatios(String by, double low, double high) {
        assertThat(claim("{id: a, says: b, greater: {method: lz4}, than: {method: plain}, by: " + by + "}")
                        .relation()
                        .bounds())
                .isEqualTo(new Bounds(low, high));
    }

    @Test
    void aFigureThatIsARatioHasARange() {
        assertThat(claim("{id: a, says: b, metric: read-to-inflate, ratio: {method: lz4}, by: [2, 2.5]}")
                        .relation())
                .isEqualTo(new Claim.Ratio(method("lz4"), new Bounds(2, 2.5)));
        assertThat(problems("""
                - {id: a, says: x, metric: read-to-inflate, ratio: {method: lz4}}
                - {id: b, says: x, metric: p50, ratio: {method: lz4}, by: [2, 2.5]}
                - {id: c, says: x, metric: read-to-inflate, ratio: {method: lz4}, by: [0.4, 0.5]}
                - {id: d, says: x, metric: read-to-inflate, ratio: {method: lz4}, than: {method: plain}, by: [2, 2.5]}
                - {id: e, says: x, metric: read-to-inflate, ratio: {size: 1MB}, by: [2, 3], effect: {of: {method: lz4}, to: {method: plain}}}
                """))
                .containsExactly(
                        "8:3: key 'by' of a claim is missing; add, for example, 'by: [2, 2.5]'",
                        "9:3: 'ratio' is about a figure that is a ratio itself, but p50 has a unit; name such a metric, or"
                                + " compare two sides",
                        "10:3: 'by' starts at 0.4, but a ratio in a claim is at least 1",
                        "11:67: 'than' cannot be combined with 'ratio'; remove one of them",
                        "12:3: 'ratio' is about a figure that is a ratio itself, but there is an effect; name such a metric,"
                                + " or compare two sides");
    }

    @Test
    void theSizeOfADifferenceMayBeATime() {
        assertThat(claim("{id: a, says: b, greater: {method: lz4}, than: {method: plain}, by: [2.5us, 1 ms]}")
                        .relation())
                .isEqualTo(new Apart(method("lz4"), method("plain"), 2_500, 1_000_000));
    }

    @Test
    void aTimeIsTheSizeOfATimesDifferenceAlone() {
        assertThat(problems("""
                - {id: a, says: x, greater: {method: lz4}, than: {method: plain}, by: [9us, 3us]}
                - {id: b, says: x, metric: throughput, greater: {method: lz4}, than: {method: plain}, by: [3us, 9us]}
                - {id: c, says: x, greater: {method: lz4}, than: {method: plain}, by: [3us, 9us], holds: on average}
                """))
                .containsExactly(
                        "8:71: 'by' is from 9000.0 to 3000.0 ns, which is empty or negative; give the lower bound first, 0 or more",
                        "9:3: 'by' is a time, but the claim is about throughput; give 'by' a range of ratios",
                        "10:3: 'by' is a time, but only ratios hold on average; let it hold for each or mostly");
    }

    @Test
    void aClaimMayBeOfWhatHasAMeasuredTime() {
        Claim claim = claim("{id: a, says: b, greater: {method: lz4}, than: {method: plain}, holds: sometimes,"
                + " given: {of: {method: plain}, metric: p95, in: [0 ms, 1.5s]}}");

        assertThat(claim.given()).hasValue(new Claim.Given(method("plain"), Metric.P95, 0, 1.5e9));
        assertThat(claim.holds()).isEqualTo(Holds.SOMETIMES);
        assertThat(claim.given().orElseThrow())
                .matches(given -> given.includes(0) && given.includes(1.5e9) && !given.includes(1.6e9));
        assertThat(problems("""
                - {id: a, says: x, greater: {method: lz4}, than: {method: plain}, given: {}}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, given: {of: {method: lz5}, metric: p98, in: [1, 2]}}
                - {id: c, says: x, greater: {method: lz4}, than: {method: plain}, given: {of: {method: plain}, metric: p95, in: 20ms}}
                - {id: d, says: x, greater: {method: lz4}, than: {method: plain}, given: {of: {method: plain}, metric: p95, in: [2s, 1s]}}
                - {id: e, says: x, greater: {method: lz4}, than: {method: plain}, given: {of: {method: plain}, metric: disk, in: [1s, 2s]}}
                - {id: f, says: x, effect: {of: {method: lz4}, to: {method: plain}}, ordered: [{size: 64KB}, {size: 1MB}], given: {of: {method: plain}, metric: p95, in: [1s, 2s]}}
                """))
                .containsExactly(
                        "8:74: key 'of' of a claim is missing; add, for example, 'of: {method: uncompressed}'",
                        "8:74: key 'metric' of a claim is missing; add, for example, 'metric: p95'",
                        "8:74: key 'in' of a claim is missing; add, for example, 'in: [20ms, 100ms]'",
                        "9:88: unknown method 'lz5'; did you mean 'lz4'?",
                        "9:102: unknown metric 'p98'; did you mean 'p90'?",
                        "9:111: 'in' is not a range of times; write the lowest and the highest one: [20ms, 100ms]",
                        "10:113: 'in' is not a range of times; write the lowest and the highest one: [20ms, 100ms]",
                        "11:74: 'in' is from 2.0E9 to 1.0E9 ns, which is empty; give the lower bound first",
                        "12:74: 'given' is a range of times, but disk is not a time; name one, such as p95",
                        "13:3: 'given' is about the sides of a comparison, but the claim is about an effect; remove one of them");
    }

    @Test
    void aTrendMayBeOfAnEffect() {
        Claim claim = claim("{id: a, says: b, effect: {of: {method: lz4}, to: {method: plain}},"
                + " ordered: [{size: 64KB}, {size: 1024KB}, {size: '> 1MB'}]}");

        assertThat(claim.effect()).contains(new Claim.ClaimedEffect(method("lz4"), method("plain")));
        Selection small = Selection.of(Map.of("size", List.of("64KB")));
        Selection middle = Selection.of(Map.of("size", List.of("1MB")));
        Selection large = Selection.of(Map.of("size", List.of("> 1MB")));
        assertThat(claim.relation()).isEqualTo(new Ordered(List.of(small, middle, large)));
        assertThat(claim.relation().sides())
                .containsExactly(new Claim.Sides(middle, small), new Claim.Sides(large, middle));
    }

    @Test
    void allProfilesHaveTheClaimsAlsoOfMethodsTheyLeaveOut() {
        String text = STUDY + "- {id: a, says: b, greater: {method: plain}, than: {method: gzip}}\n"
                + "profiles: {few: {methods: [plain, lz4]}, all: {}}\n";
        Study few = new StudyReader(TestVocabulary.get()).read(text, "small.yaml", Optional.of("few"));

        assertThat(few.methods()).hasSize(2);
        assertThat(few.claims()).extracting(Claim::id).containsExactly("a");
        assertThat(Adjustments.apply(few, List.of(new Adjustment("--rounds", "2")), TestVocabulary.get())
                        .study()
                        .claims())
                .isEqualTo(few.claims());
    }

    @Test
    void allMistakesAreToldAtOnce() {
        assertThat(problems("""
                - {id: A b, says: x, greater: {method: gzp}, than: {method: plain}}
                - {id: A b, says: x, greater: {method: gzip}, than: {method: plain}}
                - {id: a, says: x, greater: {method: gzip}, than: {methd: plain}, colour: red}
                - {says: x, greater: {method: gzip}}
                - {id: b, says: x}
                - {id: b, says: x, greater: {method: gzip}, equal: {method: lz4}}
                - {id: b, says: x, ordered: [{size: 64KB}], by: '>= 2'}
                - {id: b, says: x, ordered: [{size: 64KB}, {size: 65536}]}
                - {id: b, says: x, equal: {method: lz4}, to: {method: plain}, within: 3}
                - {id: b, says: x, equal: {method: lz4}, to: {method: plain}}
                - {id: b, says: x, metric: speed, holds: never, greater: {method: lz4}, than: {method: plain}}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, by: [0.5, 2]}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, by: twice}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, by: [inf, 2]}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, by: [3, 2]}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, where: {dataset: '>= random:4', size: [64XiB], link: {}}}
                - {id: b, says: x, greater: {method: lz4}, than: {}, effect: {of: {method: 'zs*'}}}
                - {id: b, says: x, effect: {of: {method: lz4}, to: {method: lz4}}, greater: {size: 1MB}, than: {size: 64KB}}
                - {id: b, says: x, greater: {method: lz4}, than: {method: plain}, operation: De Code}
                - {id: c, says: x, greater: {method: lz4}, than: {method: plain}}
                - {id: c, says: x, greater: {method: lz4}, than: {method: plain}}
                - just text
                """))
                .containsExactly(
                        "8:40: unknown method 'gzp'; did you mean 'gzip'?",
                        "9:3: the claim's id 'A b' is not in lower-case letters, digits and dashes",
                        "10:52: unknown factor 'methd' in 'than'; it is one of workload, dataset, size, store, layout, "
                                + "column, codec, decode, driver, statement, wire-compression, connection, …",
                        "10:67: unknown key 'colour' in a claim; it is one of id, says, source, metric, operation, "
                                + "effect, greater, not-greater, equal, ratio, ordered, than, …",
                        "11:3: key 'id' of a claim is missing; add, for example, 'id: lz4-beats-gzip'",
                        "11:3: key 'than' of a claim is missing; add, for example, 'than: {method: uncompressed}'",
                        "12:3: the claim states no relation between figures; "
                                + "use one of equal, greater, not-greater, ordered, ratio",
                        "13:3: the claim states 'equal' and 'greater' at once; "
                                + "use one of equal, greater, not-greater, ordered, ratio",
                        "14:29: 'ordered' has fewer than 2 steps; add the steps in rising order",
                        "14:45: 'by' cannot be combined with 'ordered'; remove one of them",
                        "15:44: both sides of a comparison are size=64KB; "
                                + "name a method or a level that is different",
                        "16:71: '3' is not a percentage below 100 %; write 5% or 2.5%",
                        "17:3: key 'within' of a claim is missing; add, for example, 'within: 5%'",
                        "18:28: unknown metric 'speed'; it is one of throughput, operations, mean, p50, p90, p95, p99, "
                                + "p999, max, response-p50, response-p99, response-p999, …",
                        "18:42: unknown holds 'never'; it is one of each, mostly, sometimes, on average",
                        "19:71: 'by' starts at 0.5, but the ratio of a greater figure is at least 1",
                        "20:71: 'twice' is not a range of ratios; write >= 100, a lowest and a highest ratio "
                                + "([1.1, 1.3], [100, inf]), times ([3us, 9us]), or slightly, significantly, much, extremely",
                        "21:71: 'by' is not a range of ratios; write >= 100, a lowest and a highest ratio "
                                + "([1.1, 1.3], [100, inf]), times ([3us, 9us]), or slightly, significantly, much, extremely",
                        "22:71: the range of ratios [3.0, 2.0] is empty or negative; "
                                + "give the lower bound first, 0 or more",
                        "23:84: '>= random:4' is a bound, but levels of 'dataset' are not numbers or sizes; "
                                + "name the levels, or write a glob such as random:*",
                        "23:106: '64XiB' is not a size; write a whole number of bytes, KB (1024 bytes) or MB "
                                + "(1024 KB): 34011, 64KB or 1MB",
                        "23:120: 'link' is a mapping, not a list; write it as [one, two]",
                        "24:50: 'than' selects nothing; name a method, or a factor and its level",
                        "24:62: key 'to' of a claim is missing; add, for example, 'to: {method: uncompressed}'",
                        "24:76: unknown method 'zs*'; it is one of plain, gzip, lz4, lz4hc",
                        "25:28: both sides of a comparison are method=lz4; "
                                + "name a method or a level that is different",
                        "26:3: 'De Code' is not a type of operation; write a word such as fetch, insert or mix",
                        "28:3: the id 'c' is used by two claims, first at small.yaml:27:3; rename one of them",
                        "29:3: a claim is the single value 'just text', not a mapping; write it as {key: value}");
    }

    @Test
    void theDocumentationsExampleIsRight() throws IOException {
        List<String> page = Files.readAllLines(Path.of("..", "docs", "study-file.md"));
        String example = Stream.of("    study:", "    claims:")
                .flatMap(start -> page.stream()
                        .dropWhile(line -> !line.startsWith(start))
                        .takeWhile(line -> line.startsWith("    "))
                        .map(line -> line.substring(4)))
                .collect(Collectors.joining("\n"));

        assertThat(new StudyReader(TestVocabulary.get())
                        .read(example, "my-codecs.yaml", Optional.empty())
                        .claims())
                .extracting(Claim::id)
                .containsExactly("zstd-beats-gzip", "lead-grows-with-size");
    }

    @Test
    void levelsAreSelectedByNameGlobAndBound() {
        Selection selection = Selection.of(Map.of(
                "method", List.of("lz4*"), "size", List.of(">= 1MB", "4KB"), "dataset", List.of("random:*", "sites")));

        assertThat(accepts(selection, "lz4hc", "1MB", "random:4")).isTrue();
        assertThat(accepts(selection, "lz4", "4KB", "sites")).isTrue();
        assertThat(accepts(selection, "lz4@driver=mariadb", "4287156", "sites")).isTrue();
        assertThat(accepts(selection, "gzip", "1MB", "sites")).isFalse();
        assertThat(accepts(selection, "my-lz4", "1MB", "sites")).isFalse();
        assertThat(accepts(selection, "lz4", "1048575", "sites")).isFalse();
        assertThat(accepts(selection, "lz4", "4KB", "dir:/tmp/random:2")).isFalse();
        assertThat(selection.accepts("lz4", Levels.of(Map.of("dataset", "sites"))))
                .as("of a trial without size")
                .isFalse();
        assertThat(Selection.ALL.accepts("any", Levels.of(Map.of()))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"<, true, false, false", "<=, true, true, false", ">=, false, true, true", ">, false, false, true"})
    void aBoundIncludesItselfOrNot(String order, boolean below, boolean at, boolean above) {
        Selection.Test test = Selection.Test.of(order + " 8");

        assertThat(List.of(test.test("7"), test.test("8"), test.test("9"))).containsExactly(below, at, above);
    }

    private static boolean accepts(Selection selection, String method, String size, String dataset) {
        return selection.accepts(method, Levels.of(Map.of("size", size, "dataset", dataset)));
    }

    private static Selection method(String... ids) {
        return Selection.of(Map.of("method", List.of(ids)));
    }

    private static Claim claim(String yaml) {
        return new StudyReader(TestVocabulary.get())
                .read(STUDY + "- " + yaml + "\n", "small.yaml", Optional.empty())
                .claims()
                .get(0);
    }

    private static List<String> problems(String claims) {
        StudyException e = catchThrowableOfType(
                StudyException.class,
                () -> new StudyReader(TestVocabulary.get()).read(STUDY + claims, "small.yaml", Optional.empty()));
        return e.problems().stream()
                .map(problem -> problem.toString().replaceFirst("small.yaml:", ""))
                .toList();
    }
}
