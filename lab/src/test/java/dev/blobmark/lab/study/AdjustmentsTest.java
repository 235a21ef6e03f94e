package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.blobmark.lab.study.Adjustments.Adjusted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AdjustmentsTest {

    private final Vocabulary vocabulary = TestVocabulary.get();
    private final Study study = Studies.read("blob-fetch", vocabulary, Optional.of("codecs"));

    @Test
    void nothingAskedChangesNothing() {
        Adjusted adjusted = adjust();

        assertThat(adjusted.study()).isEqualTo(study);
        assertThat(adjusted.notes()).isEmpty();
    }

    @Test
    void methodsAreKeptInTheStudysOrderAndTheBaselineWithThem() {
        Adjusted adjusted = adjust("--methods", "zstd,gzip");

        assertThat(ids(adjusted)).containsExactly("uncompressed", "gzip", "zstd");
        assertThat(adjusted.notes())
                .containsExactly("The baseline 'uncompressed' is kept too: the others are compared with it.");
        assertThat(adjust("--methods", "gzip,uncompressed").notes()).isEmpty();
    }

    @Test
    void aMethodIsAddedForAnotherLevelOfACodec() {
        Adjusted alone = adjust("--methods", "+gzip:9");
        assertThat(ids(alone))
                .containsAll(study.methods().stream().map(Method::id).toList());
        assertThat(ids(alone)).last().isEqualTo("gzip-9");

        Adjusted some = adjust("--methods", "gzip,+gzip:9");
        assertThat(ids(some)).containsExactly("uncompressed", "gzip", "gzip-9");
        assertThat(some.study().methods().get(2).levels().find("codec")).contains("gzip:9");

        assertThat(problems("--methods", "gzip:9"))
                .isEqualTo("--methods: unknown method 'gzip:9'; write +gzip:9 to add a method with this codec");
        assertThat(problems("--methods", "+gzap")).startsWith("--methods: ").contains("gzip");
        assertThat(problems("--methods", "zzz"))
                .isEqualTo("--methods: unknown method 'zzz'; it is one of " + String.join(", ", ids(adjust())));
    }

    @Test
    void aChartKeepsItsConditionsAndTheirMethods() {
        Study published = Studies.read("blob-fetch", vocabulary, Optional.of("published"));
        assertThat(published.charts())
                .startsWith("aws-large", "aws-medium")
                .contains("lz4-or-nothing")
                .doesNotHaveDuplicates();
        Study chart = Adjustments.apply(
                        published, List.of(new Adjustment("--chart", "aws-java-or-uncompress")), vocabulary)
                .study();
        assertThat(chart.conditions())
                .singleElement()
                .satisfies(block -> assertThat(block.charts()).containsExactly("aws-java-or-uncompress"));
        assertThat(chart.methods().stream().map(Method::id))
                .containsExactly("uncompressed", "mysql", "mysql-uncompress");

        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(
                        () -> Adjustments.apply(published, List.of(new Adjustment("--chart", "aws-larg")), vocabulary))
                .withMessageContaining("--chart: unknown chart 'aws-larg'; ")
                .withMessageContaining("aws-large");
        assertThat(problems("--chart", "aws-large"))
                .isEqualTo(
                        "--chart: unknown chart 'aws-large'; this profile names no charts; the profile 'published' of a"
                                + " study does");
    }

    @Test
    void oneOptionSetsSeveralFactors() {
        Study adjusted = adjust("--set", "size=4kb,64K,threads=1,8").study();
        assertThat(adjusted.conditions())
                .allSatisfy(block -> assertThat(block.levels())
                        .containsEntry("size", List.of("4KB", "64KB"))
                        .containsEntry("threads", List.of("1", "8")));
        assertThat(problems("--set", "size=4KB,thraeds=1"))
                .isEqualTo("--set thraeds: unknown factor 'thraeds'; did you mean 'threads'?");
    }

    @Test
    void fewerRoundsThanForksLowerTheForksAndSaySo() {
        Adjusted adjusted = adjust("--rounds", "3");
        assertThat(adjusted.study().schedule().forks()).isEqualTo(3);
        assertThat(adjusted.notes())
                .containsExactly("There are 3 forks instead of 5, because each fork has at least one round.");
        assertThat(adjust("--rounds", "30").notes()).isEmpty();
    }

    @Test
    void aConditionsLevelsAreReplacedInAllBlocks() {
        Study adjusted = adjust("--set", "size=1KB..3KB by 1KB,2048,64KB", "--threads", "1,8", "--link", "lan:1ms")
                .study();

        assertThat(adjusted.conditions()).hasSameSizeAs(study.conditions()).allSatisfy(block -> {
            assertThat(block.levels().get("size")).containsExactly("1KB", "2KB", "3KB", "64KB");
            assertThat(block.levels().get("threads")).containsExactly("1", "8");
            assertThat(block.levels().get("link")).containsExactly("lan:1ms");
        });
        assertThat(adjusted.methods()).isEqualTo(study.methods());
    }

    @Test
    void ofTheUsersOwnFilesThereIsOneSize() {
        Study adjusted = adjust("--data", "dir:/home/me/files", "--set", "workload=fetch,codec")
                .study();
        List<Trial> trials = adjusted.trials(vocabulary);

        assertThat(trials)
                .allSatisfy(trial -> assertThat(trial.levels().find("size")).isEmpty());
        assertThat(trials).hasSize(17 + 14);
    }

    @Test
    void oneLevelOfAMethodsFactorLeavesTheNames() {
        Study adjusted = adjust("--set", "driver=mariadb").study();

        assertThat(adjusted.methods())
                .extracting(Method::id)
                .isEqualTo(study.methods().stream().map(Method::id).toList());
        assertThat(adjusted.methods())
                .allSatisfy(method -> assertThat(method.levels().find("driver")).hasValue("mariadb"));
    }

    @Test
    void severalLevelsOfAMethodsFactorAreCrossed() {
        Adjusted adjusted =
                adjust("--set", "driver=connector-j,mariadb", "--methods", "gzip", "--set", "statement=server,text");

        assertThat(ids(adjusted))
                .containsExactly(
                        "uncompressed@driver=connector-j,statement=server",
                        "uncompressed@driver=connector-j,statement=text",
                        "uncompressed@driver=mariadb,statement=server",
                        "uncompressed@driver=mariadb,statement=text",
                        "gzip@driver=connector-j,statement=server",
                        "gzip@driver=connector-j,statement=text",
                        "gzip@driver=mariadb,statement=server",
                        "gzip@driver=mariadb,statement=text");
        assertThat(adjusted.study().baseline()).isEqualTo("uncompressed@driver=connector-j,statement=server");
        assertThat(adjusted.notes())
                .hasSize(3)
                .last()
                .asString()
                .contains(adjusted.study().baseline());
    }

    @Test
    void aBlockThatNamesItsMethodsFollowsTheirNewNames() {
        Study own = withBlock(List.of("uncompressed", "gzip"), "driver", "mariadb");
        Study crossed = Adjustments.apply(
                        own,
                        List.of(new Adjustment("--set", "statement=server,text"), new Adjustment("--control", "")),
                        vocabulary)
                .study();

        assertThat(crossed.trials(vocabulary))
                .filteredOn(trial -> trial.condition().find("driver").isPresent())
                .extracting(Trial::method)
                .containsOnly(
                        "uncompressed@statement=server",
                        "uncompressed@statement=text",
                        "gzip@statement=server",
                        "gzip@statement=text",
                        "control");
        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(() -> Adjustments.apply(
                        withBlock(List.of("uncompressed", "gzip"), "layout", "compressed"),
                        List.of(new Adjustment("--set", "layout=dynamic")),
                        vocabulary))
                .withMessage(
                        "--set layout: factor 'layout' is stated by methods, and by a block of conditions without these"
                                + " methods; copy the study to a file, and state the levels there");
    }

    /** The study with its first block for some methods only, to which it states a factor. */
    private Study withBlock(List<String> ids, String factor, String level) {
        TreeMap<String, List<String>> levels =
                new TreeMap<>(study.conditions().get(0).levels());
        levels.put(factor, List.of(level));
        List<ConditionBlock> blocks = new ArrayList<>(study.conditions());
        blocks.set(0, new ConditionBlock(levels, ids, List.of()));
        return new Study(
                study.name(),
                study.question(),
                study.source(),
                study.profile(),
                study.metric(),
                study.baseline(),
                study.methods(),
                blocks,
                study.schedule(),
                study.claims());
    }

    @Test
    void whereACrossedFactorDoesNotMatterTrialsAreNotRepeated() {
        List<Trial> trials = adjust("--set", "driver=connector-j,mariadb", "--set", "workload=fetch,codec")
                .study()
                .trials(vocabulary);
        long codecTrials =
                trials.stream().filter(t -> t.id().contains("workload=codec")).count();

        assertThat(trials).hasSize(2 * 51 + 3 * 14).extracting(Trial::id).doesNotHaveDuplicates();
        assertThat(codecTrials).isEqualTo(3 * 14);
    }

    @Test
    void methodsThatASettingMakesEqualAreOne() {
        Adjusted adjusted = adjust("--methods", "gzip,zstd,mysql,compressed-table", "--set", "codec=lz4");

        assertThat(ids(adjusted)).containsExactly("uncompressed", "compressed-table");
        assertThat(adjusted.notes())
                .contains("Method 'gzip' is left out: it is now the same as 'uncompressed'.")
                .hasSize(4);
    }

    @Test
    void aFactorIsSetWhereTheStudyHasIt() {
        String moved = """
                study: encrypted
                metric: throughput
                baseline: plain
                methods: {plain: {}, encrypted: {tls: on}}
                conditions: [{workload: fetch, dataset: sites, size: 1KB, driver: mariadb}]
                schedule: {rounds: 1, forks: 1, window: 1s, warm-up: 0s, seed: 1}
                """;
        Study encrypted = new StudyReader(vocabulary).read(moved, "encrypted.yaml", Optional.empty());
        Study adjusted = Adjustments.apply(
                        encrypted, List.of(new Adjustment("--set", "driver=connector-j,mariadb")), vocabulary)
                .study();

        assertThat(adjusted.methods()).isEqualTo(encrypted.methods());
        assertThat(adjusted.conditions().get(0).levels().get("driver")).containsExactly("connector-j", "mariadb");
    }

    @Test
    void theScheduleIsSet() {
        Study adjusted = adjust(
                        "--time", "50000ops", "--forks", "4", "--rounds", "8", "--seed", "-1", "--warm-up", "250ms")
                .study();

        assertThat(adjusted.schedule().settings())
                .hasToString("{rounds=8, forks=4, window=50000ops, warm-up=250ms, seed=-1, visit=25ms}");
    }

    @Test
    void allProblemsAreToldAtOnceEachWithItsOption() {
        assertThat(problems(
                        "--methods", "gzipp,uncompressed",
                        "--set", "codek=gzip",
                        "--set", "driver=maria,mysql2",
                        "--set", "driver",
                        "--set", "threads=1",
                        "--threads", "none",
                        "--data", "site",
                        "--link", "loopback,,lan:1ms",
                        "--rounds", "0",
                        "--time", "1 fortnight",
                        "--rounds", "5",
                        "--forks", "9"))
                .isEqualTo("""
                        --methods: unknown method 'gzipp'; did you mean 'gzip'?
                        --set codek: unknown factor 'codek'; did you mean 'codec'?
                        --set driver: unknown driver 'maria'; did you mean 'mariadb'?
                        --set driver: unknown driver 'mysql2'; it is one of connector-j, mariadb
                        --set: 'driver' sets nothing; write factor=level or factor=level,level, for example driver=mariadb
                        --threads: unknown threads 'none'; it is one of 1, 8
                        --threads: factor 'threads' is already set by --set threads; give all its levels at once: threads=one,two
                        --data: unknown dataset 'site'; did you mean 'sites'?
                        --link: the list 'loopback,,lan:1ms' has an empty item; write one,two
                        --rounds: '0' is not a whole number between 1 and 10000
                        --time: '1 fortnight' is neither a time nor a number of operations; write 1s, 250ms or 50000ops
                        --rounds --forks: forks: 9 is not between 1 and the number of rounds, 5; give more rounds or fewer forks""");
    }

    @Test
    void levelsThatDoNotGoTogetherAreToldWithTheMethod() {
        assertThat(problems("--set", "codec=gzip,zstd"))
                .startsWith("--set codec: method 'mysql-uncompress@codec=gzip:6' under ")
                .contains("use codec: mysql, or decode: application")
                .contains("mysql-uncompress@codec=zstd:3");
    }

    @Test
    void anOptionThatIsNoneIsTheCallersMistake() {
        assertThatIllegalArgumentException().isThrownBy(() -> adjust("--verbose", "yes"));
    }

    private Adjusted adjust(String... optionsAndValues) {
        List<Adjustment> options = new ArrayList<>();
        for (int i = 0; i < optionsAndValues.length; i += 2) {
            options.add(new Adjustment(optionsAndValues[i], optionsAndValues[i + 1]));
        }
        return Adjustments.apply(study, options, vocabulary);
    }

    private String problems(String... optionsAndValues) {
        List<Problem> problems = new ArrayList<>();
        assertThatExceptionOfType(StudyException.class)
                .isThrownBy(() -> adjust(optionsAndValues))
                .satisfies(e -> problems.addAll(e.problems()));
        return problems.stream().map(Problem::toString).collect(Collectors.joining("\n"));
    }

    private static List<String> ids(Adjusted adjusted) {
        return adjusted.study().methods().stream().map(Method::id).toList();
    }
}
