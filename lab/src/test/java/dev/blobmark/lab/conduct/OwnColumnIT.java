package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.study.Adjustment;
import dev.blobmark.lab.study.Adjustments;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The study of one's own values, with the column that these have. */
@ExtendWith(OneServer.class)
class OwnColumnIT {

    private final OwnServer server;

    @TempDir
    private Path directory;

    OwnColumnIT(OwnServer server) {
        this.server = server;
    }

    private static Study study(String... options) {
        Study own = Studies.read(Studies.OWN_DATA, Factors.VOCABULARY, Optional.empty());
        return Adjustments.apply(
                        own,
                        Stream.of(options)
                                .map(option -> option.split(" "))
                                .map(words -> new Adjustment(words[0], words[1]))
                                .toList(),
                        Factors.VOCABULARY)
                .study();
    }

    /** By method. */
    private static String column(Study study, String method) {
        return study.methods().stream()
                .filter(candidate -> candidate.id().equals(method))
                .map(Method::levels)
                .findFirst()
                .orElseThrow()
                .byFactor()
                .get("column");
    }

    private record Typed(String type) implements Dataset {
        @Override
        public String id() {
            return "table:a.b.c";
        }

        @Override
        public boolean hasSize() {
            return false;
        }

        @Override
        public boolean isPrivate() {
            return true;
        }

        @Override
        public Optional<String> nativeColumn() {
            return Optional.of(type);
        }

        @Override
        public Values values(int size, long seed) {
            throw new UnsupportedOperationException("no value is needed to know the type");
        }

        @Override
        public String toString() {
            return id();
        }
    }

    private static Study resolve(String type, boolean isOnTheirServer) {
        return OwnColumn.resolve(study("--data table:a.b.c"), Map.of("table:a.b.c", new Typed(type)), isOnTheirServer);
    }

    @ParameterizedTest
    @CsvSource({
        "json, true, json",
        "longtext:utf8mb4_0900_ai_ci, true, longtext:utf8mb4_0900_ai_ci",
        "longtext:utf8mb4_0900_ai_ci, false, longtext",
        "text:latin1_swedish_ci, false, text:latin1",
        "mediumtext:utf8mb3_general_ci, false, mediumtext:utf8mb3",
        "varbinary(20), true, varbinary(20)"
    })
    void theBaselineHasTheColumnOfTheTable(String type, boolean isOnTheirServer, String column) {
        Study study = resolve(type, isOnTheirServer);

        assertThat(column(study, "as-is")).isEqualTo(column);
        assertThat(column(study, "control")).isEqualTo(column);
        assertThat(column(study, "compressed-table")).isEqualTo(column);
        assertThat(column(study, "zstd")).isEqualTo("mediumblob");
        assertThat(study.trials(Factors.VOCABULARY))
                .extracting(Trial::id)
                .first()
                .asString()
                .startsWith("column=" + column + ",");
    }

    @Test
    void aCharacterSetThatIsNotMeasuredIsSaidSo() {
        assertThatThrownBy(() -> resolve("text:gbk_chinese_ci", true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("table:a.b.c: column 'text:gbk_chinese_ci': text can be measured in utf8mb4")
                .hasMessageEndingWith("'run blob-fetch --data table:a.b.c' measures its bytes");
    }

    @Test
    void datasetsOfSeveralTypesAreRefused() {
        assertThatThrownBy(() -> OwnColumn.resolve(
                        study("--data sites,table:a.b.c"), Map.of("table:a.b.c", new Typed("json")), true))
                .hasMessageContaining("the datasets have columns of different types (");
    }

    @Test
    void aColumnThatIsSetIsThatOfTheMethodsWithTheirOwn() {
        Study study = study("--set column=longtext:latin1");

        assertThat(column(study, "as-is")).isEqualTo("longtext:latin1");
        assertThat(column(study, "zstd")).isEqualTo("mediumblob");
        assertThat(OwnColumn.resolve(study, Map.of(), true)).isSameAs(study);
    }

    @Test
    void linesAreJsonAndStringsInThemText() throws Exception {
        Path lines = Files.writeString(
                directory.resolve("lines.jsonl"), "{\"b\":null}\n\n{\"a\":{\"x\":1},\"b\":\"text\",\"c\":\"AQI=\"}\n");
        for (var type : Map.of(
                        "", "json", "#/a", "json", "#/b", "mediumtext", "#base64:/c", "mediumblob", "#/none", "json")
                .entrySet()) {
            Study study = OwnColumn.resolve(study("--data jsonl:" + lines + type.getKey()), Map.of(), true);
            assertThat(column(study, "as-is")).isEqualTo(type.getValue());
        }
    }

    /** Nothing is started: there is no server to lend. */
    @Test
    void aValueThatTheColumnCannotHoldIsNamedBeforeAnythingIsDone() throws Exception {
        Files.writeString(directory.resolve("a.json"), "{\"a\": 1}");
        Files.writeString(directory.resolve("b.json"), "{\"a\": }");
        Study study = study("--data dir:" + directory, "--set column=json");

        assertThatThrownBy(() -> new Laboratory(
                        study,
                        new RunOptions(OneServer.lent(server), directory, ForkInside.LAUNCH, "test"),
                        new QuietListener()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(directory.toRealPath()
                        + "/b.json: column json holds JSON documents, and the value is not JSON (")
                .hasMessageEndingWith("; leave the value out, or use mediumtext or mediumblob (--set column=…)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --set codec=zstd     | column is own, and values encoded by codec zstd:3 are neither text nor JSON; use column mediumblob for this method
            --set layout=ndb     | column is own, which is not measured in a cluster; use mediumblob
            --set workload=insert| column is own, which may return values in another form, and insert compares what it wrote
            """)
    void whatTextCannotBeIsRefused(String option, String says) {
        assertThatThrownBy(() -> study(option)).hasMessageContaining(says);
    }
}
