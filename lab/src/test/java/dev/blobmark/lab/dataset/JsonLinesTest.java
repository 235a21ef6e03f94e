package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.table.DatasetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonLinesTest extends DatasetContract {

    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void writeSomeLines() throws IOException {
        file = temporary.resolve("values.jsonl");
        Files.write(
                file,
                IntStream.range(0, 20)
                        .mapToObj(i -> "{\"id\": %d, \"text\": \"%s\"}".formatted(i, "ä".repeat(i)))
                        .toList());
    }

    @Override
    Dataset dataset() {
        return Datasets.parse("jsonl:" + file);
    }

    @Override
    int[] sizes() {
        return new int[] {0};
    }

    private Values values(String pointer) {
        return Datasets.parse("jsonl:" + file + pointer).values(0, SEED);
    }

    private static List<String> texts(Values values) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < values.count(); i++) {
            texts.add(new String(values.get(i), UTF_8));
        }
        return texts;
    }

    @Test
    void isPrivateAndHasSizesOfItsOwn() {
        assertThat(dataset().isPrivate()).isTrue();
        assertThat(dataset().hasSize()).isFalse();
        assertThat(dataset().id()).isEqualTo("jsonl:" + file);
    }

    @Test
    void aLineIsAValueAsItStands() throws IOException {
        assertThat(texts(values(""))).isEqualTo(Files.readAllLines(file));

        Files.writeString(file, "{ \"a\" :1}\r\n\n  \n[2]\r\n\"three\"");
        Values values = values("");

        assertThat(texts(values)).containsExactly("{ \"a\" :1}", "[2]", "\"three\"");
        assertThat(values.sizes().skipped()).isEqualTo(Map.of("blank line", 2));
    }

    @Test
    void aPointerFindsTextJsonAndBytes() throws IOException {
        byte[] bytes = {0, -1, 10, 13, 127, -128};
        Files.writeString(file, """
                {"a": {"b/c": ["x\\ny", "%s"]}}
                {"a": {"b/c": [{"k": [1, null]}, ""]}}
                {"a": null}
                """.formatted(Base64.getEncoder().encodeToString(bytes)));

        assertThat(texts(values("#/a/b~1c/0"))).containsExactly("x\ny", "{\"k\":[1,null]}");
        Values decoded = values("#base64:/a/b~1c/1");

        assertThat(decoded.count()).isEqualTo(1);
        assertThat(decoded.get(0)).isEqualTo(bytes);
        assertThat(decoded.length(0)).isEqualTo(6);
        assertThat(decoded.sizes().skipped()).isEqualTo(Map.of("missing, null or empty", 2));
    }

    @Test
    void ofManyLinesASampleIsTakenInTheirOrder() throws IOException {
        Files.write(
                file, IntStream.range(0, 2_500).mapToObj(i -> "" + (i + 10_000)).toList());
        Values values = values("");

        assertThat(values.count()).isEqualTo(1_000);
        assertThat(texts(values)).isSorted().doesNotHaveDuplicates();
        assertThat(texts(values(""))).isEqualTo(texts(values));
        assertThat(values.sizes().skipped()).isEqualTo(Map.of("beyond the sample", 1_500));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"a": 1}\\n{"a": \\n    | ''           | , line 2: it is not JSON (   | ); each line must hold one JSON value
            {"a": 1} {"b": 2}      | ''           | , line 1: it is not JSON (   | ); each line must hold one JSON value
            {"a": "§"}             | #base64:/a   | , line 1: /a is not Base64 ( | ); leave out 'base64:' if it is plain text
            {"a": ""}              | #/a          | #/a: no line has a value (skipped: {missing, null or empty=1} | and the pointer to it
            """)
    void whatIsNoValueIsNamedWithItsLineAndItsMend(String lines, String pointer, String begins, String ends)
            throws IOException {
        Files.writeString(file, lines.replace("\\n", "\n"));

        assertThatThrownBy(() -> values(pointer))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(file + begins)
                .hasMessageEndingWith(ends);
    }

    @Test
    void aFileThatIsMissingEmptyOrADirectoryIsRefused() throws IOException {
        Files.writeString(file, "");
        assertThatThrownBy(() -> values("")).hasMessageContaining("the file is empty; name a file with");
        assertThatThrownBy(() -> Datasets.parse("jsonl:" + temporary).values(0, SEED))
                .hasMessage("jsonl:%s: not a file: %s; name a file that exists", temporary, temporary);
        assertThatThrownBy(() -> Datasets.parse("jsonl:" + temporary + "/none").values(0, SEED))
                .hasMessageContaining("there is no " + temporary + "/none; name a file that exists");
    }

    @Test
    void aLineThatHasChangedIsNoticed() throws IOException {
        Values values = values("#/text"); // the first, "", is left out
        byte[] before = values.get(4);
        String all = Files.readString(file);
        Files.writeString(file, all.replace("\"äääää\"", "\"äöäöä\""));

        assertThatThrownBy(() -> values.get(4))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "%s, line 6: it has changed since it was first read; do not change jsonl:%s#/text during a run,"
                                + " or name a copy of it",
                        file, file);
        Files.writeString(file, all);
        assertThat(values.get(4)).isEqualTo(before);
    }
}
