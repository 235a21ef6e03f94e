package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Vocabulary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FactorsTest {

    private static final Study CODECS = Studies.read("blob-fetch", Factors.VOCABULARY, Optional.of("codecs"));

    private static String ids(List<Trial> trials) {
        return trials.stream()
                .map(trial -> trial.method() + " " + trial.id())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String sealed() throws IOException {
        try (InputStream in = FactorsTest.class.getResourceAsStream("blob-fetch-codecs.trials")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void idsOfTheCodecsOfBlobFetchAreSealed() throws IOException {
        assertThat(ids(CODECS.trials(Factors.VOCABULARY))).isEqualTo(sealed());
    }

    @Test
    void aFactorThatIsAddedLaterChangesNoId() throws IOException {
        Factor<String> later = Factor.ofWords(
                "weather",
                Factor.Home.CONDITION,
                Set.of(),
                Set.of(),
                "what it is like outside",
                List.of("dry", "wet"),
                word -> word);
        List<Factor<?>> factors = new ArrayList<>(Factors.VOCABULARY.factors());
        factors.add(3, later);
        Vocabulary vocabulary = new Vocabulary(
                factors,
                design -> {
                    var names = new TreeSet<>(Factors.VOCABULARY
                            .effective(design.levels().only(name -> !name.equals("weather")))
                            .byFactor()
                            .keySet());
                    names.add("weather");
                    return names;
                },
                List.of());

        List<Trial> trials = CODECS.trials(vocabulary);

        assertThat(ids(trials)).isEqualTo(sealed());
        assertThat(trials)
                .allSatisfy(trial -> assertThat(trial.levels().find("weather")).contains("dry"));
    }

    /** Which factors matter to which trials, of all that can be: a change here changes the ids of trials. */
    @Test
    void whatFactorsNeedDecidesToWhichTrialsTheyMatter() throws IOException {
        String expected;
        try (InputStream in = FactorsTest.class.getResourceAsStream("relevant-factors.txt")) {
            expected = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> names = List.of("workload", "store", "client", "layout", "column", "dataset");
        StringBuilder found = new StringBuilder();
        for (String workload : List.of("fetch", "codec", "insert", "update", "scan", "mix:90", "membership")) {
            for (String store : List.of("mysql", "redis")) {
                for (String client : List.of("blocking", "async")) {
                    for (String layout : List.of("dynamic", "ndb")) {
                        for (String column : List.of("mediumblob", "varbinary:fit")) {
                            for (String dataset : List.of("sites", "uuid:4")) {
                                List<String> stated = List.of(workload, store, client, layout, column, dataset);
                                Map<String, String> levels = new TreeMap<>(Map.of("size", "4KB"));
                                IntStream.range(0, names.size()).forEach(i -> levels.put(names.get(i), stated.get(i)));
                                if (Factors.VOCABULARY
                                        .problems(Levels.of(levels))
                                        .isEmpty()) {
                                    found.append(String.join(" ", stated))
                                            .append(": ")
                                            .append(String.join(
                                                    " ",
                                                    Factors.VOCABULARY
                                                            .effective(Levels.of(levels))
                                                            .byFactor()
                                                            .keySet()))
                                            .append('\n');
                                }
                            }
                        }
                    }
                }
            }
        }

        assertThat(found).hasToString(expected);
    }

    /** A measuring JVM warms up each code path before the first trial on it is measured. */
    @Test
    void theseFactorsDecideTheCodePath() {
        assertThat(Factors.VOCABULARY.shaping(Factor.Shape.CODE_PATH))
                .containsExactlyInAnyOrder(
                        "workload",
                        "codec",
                        "store",
                        "structure",
                        "client",
                        "driver",
                        "statement",
                        "prepare",
                        "decode",
                        "tls",
                        "wire-compression",
                        "connection",
                        "batch");
        Trial trial = CODECS.trials(Factors.VOCABULARY).get(0);
        assertThat(Factors.codePath(trial)).contains("workload=").doesNotContain("size=", "dataset=", "threads=");
    }

    /**
     * Trials that differ in none of these share a table: a factor that is missing here would put both of its levels
     * into one.
     */
    @Test
    void theseFactorsDecideWhatLiesInATable() {
        assertThat(Factors.VOCABULARY.shaping(Factor.Shape.STORE))
                .containsExactlyInAnyOrder(
                        "store",
                        "layout",
                        "column",
                        "inline",
                        "codec",
                        "dataset",
                        "size",
                        "rows",
                        "structure",
                        "toast",
                        "load-order");
    }

    @Test
    void everyTrialHasALevelForEachFactorThatMatters() {
        assertThat(CODECS.trials(Factors.VOCABULARY)).allSatisfy(trial -> {
            assertThat(Factors.VOCABULARY.missing(trial.levels())).isEmpty();
            assertThat(Factors.VOCABULARY.problems(trial.levels())).isEmpty();
            assertThat(Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(trial.levels())))
                    .isEqualTo(trial.id());
        });
    }

    @Test
    void theServerDecodesItsOwnFormatOnly() {
        assertThat(Factors.VOCABULARY.problems(Levels.of(Map.of("codec", "zlib:6+len", "decode", "server"))))
                .containsExactly("decode is 'server', but UNCOMPRESS() reads the format of codec 'mysql' only, not"
                        + " 'zlib:6+len'; set codec to mysql, or decode to application");
        assertThat(Factors.VOCABULARY.problems(Levels.of(Map.of("codec", "mysql:1", "decode", "server"))))
                .isEmpty();
    }

    @Test
    void whoDecodesAndTheRateMatterOnlyWhereTheyCan() {
        Levels stated = Levels.of(Map.of(
                "dataset",
                "sites",
                "size",
                "4KB",
                "codec",
                "mysql",
                "decode",
                "server",
                "rate",
                "constant:100",
                "keys",
                "random",
                "batch",
                "10"));
        Map<String, List<String>> without = Map.of(
                "fetch", List.of("batch", "keys"),
                "insert", List.of("decode"),
                "update", List.of("decode", "keys"),
                "mix:90", List.of("keys"),
                "scan", List.of("rate", "batch", "keys"),
                "codec", List.of("decode", "rate", "batch", "keys"));
        without.forEach((workload, factors) -> assertThat(List.of("decode", "rate", "batch", "keys").stream()
                        .filter(factor -> Factors.VOCABULARY
                                .effective(stated.with(Levels.of(Map.of("workload", workload))))
                                .find(factor)
                                .isEmpty()))
                .as(workload)
                .containsExactlyElementsOf(factors));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    membership, connection=hikari                             | its prepared statements with it; set prepare to cached or each
                    membership, connection=per-operation,prepare=cached       | its prepared statements with it; set prepare to each
                    membership, connection=hikari,prepare=cached              | none
                    membership, connection=per-operation,prepare=each         | none
                    fetch,      connection=hikari:4,prepare=each              | none
                    update,     connection=hikari,prepare=cached              | update keeps its connection from one operation to the next
                    fetch,      store=redis                                   | fetch works on values in MySQL over JDBC; use the workload membership
                    fetch,      client=async                                  | fetch works on values in MySQL over JDBC
                    membership, store=redis,structure=keys                    | none
                    membership, client=async                                  | none
                    membership, client=async,rate=100                         | set rate to closed, or client to blocking
                    membership, layout=ndb                                    | none
                    membership, layout=ndb:auto-increment                     | the keys of a set are not numbers; use layout ndb
                    fetch,      layout=ndb:auto-increment                     | none
                    """)
    void whatDoesNotGoTogetherIsSaid(String stated, String problem) {
        Levels levels = Levels.of(Map.of("dataset", "uuid:4"));
        for (String level : ("workload=" + stated.replaceAll(" +", "")).split(",")) {
            levels = levels.with(level.split("=")[0], level.split("=")[1]);
        }

        List<String> problems = Factors.VOCABULARY.problems(levels);

        if (problem.equals("none")) {
            assertThat(problems).isEmpty();
        } else {
            assertThat(problems).singleElement().asString().contains(problem);
        }
    }

    /** The default is what was done before there was the factor. */
    @Test
    void howKeysAreDrawnMattersToSetsOnly() {
        Levels levels = Levels.of(Map.of("workload", "membership", "dataset", "uuid:4"));
        String id = Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(levels));

        assertThat(id)
                .isEqualTo(Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(levels.with("draw", "uniform"))));
        assertThat(Factors.VOCABULARY.identity(Factors.VOCABULARY.effective(levels.with("draw", "once"))))
                .contains("draw=once");
        assertThat(Factors.VOCABULARY
                        .effective(levels.with("draw", "once").with("workload", "fetch"))
                        .find("draw"))
                .isEmpty();
    }

    @Test
    void aStudyStatesHowKeysAreDrawn() {
        String file = """
                study: small
                metric: p50
                baseline: mysql
                methods: {mysql: {}}
                conditions: [{workload: membership, dataset: "uuid:4", rows: 100, draw: %s}]
                """;
        StudyReader reader = new StudyReader(Factors.VOCABULARY);

        assertThat(reader.read(file.formatted("[uniform, once]"), "small.yaml", Optional.empty())
                        .trials(Factors.VOCABULARY))
                .extracting(Trial::id)
                .containsExactly(
                        "dataset=uuid:4,rows=100,workload=membership",
                        "dataset=uuid:4,draw=once,rows=100,workload=membership");
        assertThatThrownBy(() -> reader.read(file.formatted("onse"), "small.yaml", Optional.empty()))
                .hasMessageContaining("unknown draw 'onse'; did you mean 'once'?");
    }

    /**
     * A set in Redis is the same trial whatever is said of layouts and drivers, and one in MySQL whatever of
     * structures.
     */
    @Test
    void eachStoreHasItsOwnFactors() {
        Levels levels = Levels.of(Map.of(
                "workload",
                "membership",
                "dataset",
                "uuid:4",
                "layout",
                "compact",
                "driver",
                "mariadb",
                "structure",
                "keys",
                "connection",
                "hikari",
                "prepare",
                "each",
                "column",
                "blob",
                "codec",
                "gzip"));

        assertThat(Factors.VOCABULARY.effective(levels.with("store", "redis")).byFactor())
                .containsKeys("structure", "hits", "load-order", "threads")
                .doesNotContainKeys(
                        "layout", "driver", "statement", "connection", "prepare", "column", "codec", "size");
        assertThat(Factors.VOCABULARY.effective(levels.with("store", "mysql")).byFactor())
                .containsKeys("layout", "driver", "statement", "connection", "prepare")
                .doesNotContainKeys("structure", "column", "codec", "size");
        assertThat(Factors.VOCABULARY.effective(levels.with("client", "async")).byFactor())
                .doesNotContainKeys("driver", "statement", "connection", "prepare");
    }

    @Test
    void anInsertsRowsAreWholeBatches() {
        Levels levels = Levels.of(Map.of("workload", "insert", "rows", "1000", "batch", "300"));

        assertThat(Factors.VOCABULARY.problems(levels))
                .containsExactly("rows is 1000, which is not a multiple of batch, 300;" + " change one of them");
        assertThat(Factors.VOCABULARY.problems(levels.with(Levels.of(Map.of("workload", "update")))))
                .isEmpty();
    }

    @Test
    void sizeDoesNotMatterWhereValuesHaveTheirOwn() {
        Levels levels = Levels.of(Map.of("workload", "fetch", "dataset", "dir:/values", "size", "4KB"));

        assertThat(Factors.VOCABULARY.effective(levels).find("size")).isEmpty();
    }

    @Test
    void everyTrialHasItsJvmsAndAThreadForEachProcess() {
        for (String workload : List.of("fetch", "codec", "insert", "update", "mix:90", "scan")) {
            Levels levels = Factors.VOCABULARY.effective(Levels.of(
                    Map.of("workload", workload, "dataset", "sites", "size", "4KB", "threads", "2", "processes", "3")));

            assertThat(levels.find("jvm")).hasValue("default");
            assertThat(Factors.VOCABULARY.problems(levels))
                    .containsExactly(
                            "processes is 3, but threads 2, and each process needs one; set threads to 3 or more,"
                                    + " or processes to 2");
        }
    }
}
