package dev.blobmark.lab.survey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.run.RunException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SurveyDirectoryTest {

    private static final Instant TIME = Instant.parse("2026-11-21T10:15:00Z");

    private static final SurveyDirectory.Header HEADER = new SurveyDirectory.Header(
            TIME,
            "1.0",
            "MySQL 9.7.4",
            "0123456789abcdef",
            new SurveyOptions(16 << 20, List.of("shop"), List.of("shop.old"), 1L << 31, 100, 1),
            2,
            List.of(new LeftOut("shop", Optional.of("seen"), Optional.empty(), "a view")));

    private static final SurveyedColumn READ = new SurveyedColumn(
            "shop",
            "docs",
            "doc",
            "json",
            1_000,
            1 << 20,
            "",
            Optional.empty(),
            Optional.of(new SurveyedColumn.ColumnSample(
                    false,
                    3,
                    10,
                    1,
                    40,
                    Map.of("NULL", 2),
                    Map.of(ValueKind.JSON, 3),
                    List.of(new SurveyedColumn.RangeSums(5, 3, 40, Map.of("lz4", 20L, "zstd:3", 10L))))));

    private static final SurveyedColumn NOT_READ = new SurveyedColumn(
            "shop", "a.b", "c", "blob", 10, 100, "", Optional.of("the table is empty"), Optional.empty());

    private static final SurveyDirectory.SurveyEnd END =
            new SurveyDirectory.SurveyEnd(SurveyEnding.COMPLETE, TIME, 1.5);

    @TempDir
    private Path parent;

    private SurveyDirectory directory;
    private Path file;

    @BeforeEach
    void create() {
        directory = SurveyDirectory.create(parent, TIME);
        file = directory.path().resolve("survey.jsonl");
    }

    private void write() {
        try (SurveyDirectory.SurveyWriter writer = directory.writer()) {
            writer.write(HEADER);
            writer.write(READ);
            writer.write(NOT_READ);
            writer.write(END);
        }
    }

    @Test
    void whatIsWrittenIsRead() throws Exception {
        write();

        assertThat(directory.path().getFileName()).hasToString("2026-11-21T10-15-00-survey");
        assertThat(SurveyDirectory.isSurvey(directory.path())).isTrue();
        SurveyDirectory.SurveyContents contents =
                SurveyDirectory.open(directory.path()).read();
        assertThat(contents.header()).isEqualTo(HEADER);
        assertThat(contents.columns()).containsExactly(READ, NOT_READ);
        assertThat(contents.ends()).containsExactly(END);
        assertThat(contents.readBytes()).isEqualTo(40);
        assertThat(NOT_READ.name()).isEqualTo("shop.`a.b`.c");
        assertThat(Files.readAllLines(file).get(1))
                .isEqualTo("{\"column\":{\"schema\":\"shop\",\"table\":\"docs\",\"column\":\"doc\",\"type\":\"json\","
                        + "\"table_rows\":1000,\"table_bytes\":1048576,\"compression\":\"\",\"not_read\":null,"
                        + "\"sample\":{\"is_whole\":false,\"values\":3,\"median_bytes\":10,\"cut\":1,\"read_bytes\":40,"
                        + "\"skipped\":{\"NULL\":2},\"kinds\":{\"JSON\":3},\"ranges\":[{\"rows\":5,\"values\":3,"
                        + "\"bytes\":40,\"encoded\":{\"lz4\":20,\"zstd:3\":10}}]}}}");
    }

    @Test
    void aSurveyInADirectoryInWhichOthersMayWriteIsNotContinued() throws Exception {
        write();
        Files.setAttribute(directory.path(), "unix:mode", 0777);

        assertThatThrownBy(() -> SurveyDirectory.open(directory.path()).writer())
                .hasMessageContaining("other users may write to " + directory.path());
        assertThat(directory.read().ends()).containsExactly(END);
    }

    @Test
    void anIncompleteLineIsIgnoredAndThenOverwritten() throws Exception {
        write();
        Files.writeString(file, "{\"column\":{\"sch", StandardOpenOption.APPEND);

        assertThat(directory.read().columns()).hasSize(2);
        try (SurveyDirectory.SurveyWriter writer = directory.writer()) {
            writer.write(END);
        }
        assertThat(directory.read().ends()).containsExactly(END, END);
    }

    @Test
    void aDamagedLineIsNamed() throws Exception {
        write();
        Files.writeString(file, Files.readString(file).replace("\"table_rows\":1000,", ""));

        assertThatThrownBy(directory::read)
                .isInstanceOf(RunException.class)
                .hasMessageContaining("survey.jsonl:2: the line is not a valid record: ")
                .hasMessageEndingWith("; restore the file from a copy, or delete the line");
    }

    @Test
    void aSurveyOfAnotherFormatIsNotRead() throws Exception {
        write();
        Files.writeString(file, Files.readString(file).replace("\"format\":1,", "\"format\":2,"));

        assertThatThrownBy(directory::read)
                .hasMessageContaining("the file has format 2, and this version reads format 1")
                .hasMessageEndingWith("read it with the version of Blobmark that wrote it, 1.0");
    }

    @Test
    void oneProcessWrites() {
        try (SurveyDirectory.SurveyWriter writer = directory.writer()) {
            writer.write(HEADER);
            assertThatThrownBy(directory::writer).hasMessageContaining("this survey is still being written");
        }
        directory.writer().close();
    }

    @Test
    void anotherDirectoryIsNoSurvey() {
        assertThat(SurveyDirectory.isSurvey(parent)).isFalse();
        assertThatThrownBy(() -> SurveyDirectory.open(parent))
                .hasMessageContaining("it has no survey.jsonl; name the directory of a survey");
        assertThatThrownBy(() -> SurveyDirectory.open(parent.resolve("none")))
                .hasMessageContaining("there is no such directory");
    }
}
