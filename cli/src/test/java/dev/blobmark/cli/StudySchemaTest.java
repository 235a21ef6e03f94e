package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.StudyDescription;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.lab.study.StudyReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The schema that {@code show --schema} prints, as an editor uses it: on YAML as it is, without the reader of studies.
 */
class StudySchemaTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final JsonSchema SCHEMA = JsonSchemaFactory.getInstance(VersionFlag.V7)
            .getSchema(Invocation.of("show", "--schema").out());

    private static final String STUDY = """
            study: mine
            metric: throughput
            baseline: plain
            methods:
              plain: {}
              zstd: {codec: "zstd:3"}
            conditions:
              - {workload: fetch, dataset: sites, size: [4KB, 34011], tls: off, threads: [1, 8]}
            schedule: {rounds: 4, forks: 2, window: 150ms}
            profiles:
              all: {}
            claims:
              - {id: faster, says: zstd is faster., greater: {method: zstd}, than: {method: plain}}
            """;

    private static Set<ValidationMessage> problems(String yaml) {
        return SCHEMA.validate(JSON.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(yaml)));
    }

    private static void read(String yaml) {
        new StudyReader(Factors.VOCABULARY).read(yaml, "study.yaml", Optional.empty());
    }

    private static List<String> builtIn() {
        return Studies.describe().stream().map(StudyDescription::name).toList();
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void everyBuiltInStudyIsValid(String study) {
        assertThat(problems(Studies.text(study))).isEmpty();
    }

    /** Blocks of a document, and files that an example adds, that begin with the name of a study. */
    private static List<String> documented() throws IOException {
        List<String> studies = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("..", "docs"))) {
            for (Path file : files.filter(file -> file.toString().matches(".*\\.(md|patch)"))
                    .toList()) {
                Pattern.compile("(?m)^(    |\\+)study: .*\n(?:\\1.*\n|\n)*")
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(block -> studies.add(block.group().replaceAll("(?m)^(    |\\+)", "")));
            }
        }
        return studies;
    }

    @Test
    void studiesInDocumentsAreValid() throws IOException {
        assertThat(documented())
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(study -> assertThat(problems(study)).as(study).isEmpty());
    }

    @Test
    void aSmallStudyIsValid() {
        read(STUDY);
        assertThat(problems(STUDY)).isEmpty();
    }

    /** What an editor marks, the reader refuses too. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            study: mine              | study: My study
            metric: throughput       | metric: speed
            metric: throughput       | metrics: throughput
            baseline: plain          | question: none
            "methods:\n"             | "methods: []\nmethod:\n"
            plain: {}                | plain: none
            plain: {}                | pla in: {}
            codec: "zstd:3"          | codek: "zstd:3"
            codec: "zstd:3"          | codec: zsdt
            codec: "zstd:3"          | codec: [zstd, gzip]
            codec: "zstd:3"          | layout: fixed
            codec: "zstd:3"          | connection: pool
            workload: fetch          | workload: read
            dataset: sites           | dataset: site
            34011                    | 4 kilobytes
            tls: off                 | tls: none
            tls: off                 | link: 5 minutes
            tls: off                 | server.IO: 1
            "[1, 8]"                 | "[]"
            "[1, 8]"                 | many
            "[1, 8]"                 | "[1.5]"
            rounds: 4                | rounds: few
            rounds: 4                | laps: 4
            window: 150ms            | window: 150
            window: 150ms            | warm-up: long
            window: 150ms            | precision: 1
            "all: {}"                | "all: {method: [plain]}"
            "all: {}"                | "all: {control: maybe}"
            id: faster               | id: Faster
            "says: zstd is faster."  | "source: nobody"
            greater                  | larger
            "{method: plain}}"       | "{method: plain}, ordered: [{method: zstd}, {method: plain}]}"
            "{method: plain}}"       | "{method: plain}, holds: always}"
            """)
    void aMistakeIsMarked(String right, String wrong) {
        String study = STUDY.replace(right.replace("\\n", "\n"), wrong.replace("\\n", "\n"));
        assertThat(study).isNotEqualTo(STUDY);

        assertThatThrownBy(() -> read(study)).isInstanceOf(StudyException.class);
        assertThat(problems(study)).isNotEmpty();
    }

    /** Levels and what is like them: whatever the parser of a factor accepts, the schema does too. */
    @Test
    void noLevelThatIsValidIsMarked() {
        Random random = new Random(42);
        String letters = "019.,:+-%/ ()_kKmMbBisfoptl";
        int accepted = 0;
        for (Factor<?> factor : Factors.VOCABULARY.factors()) {
            List<String> levels = new ArrayList<>(factor.levels());
            factor.defaultLevel().ifPresent(levels::add);
            Pattern form = Pattern.compile(factor.form());
            for (int i = 0; i < 20_000; i++) {
                StringBuilder level = new StringBuilder(levels.get(random.nextInt(levels.size())));
                for (int changes = random.nextInt(4); changes > 0 && !level.isEmpty(); changes--) {
                    int at = random.nextInt(level.length());
                    String letter = String.valueOf(letters.charAt(random.nextInt(letters.length())));
                    level.replace(at, at + random.nextInt(2), random.nextBoolean() ? letter : "");
                }
                if (isAccepted(factor, level.toString())) {
                    accepted++;
                    assertThat(level).as(factor.name()).matches(form);
                }
            }
        }
        assertThat(accepted).isGreaterThan(50_000);
    }

    private static boolean isAccepted(Factor<?> factor, String level) {
        try {
            return !level.isBlank() && !factor.expand(level).isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
