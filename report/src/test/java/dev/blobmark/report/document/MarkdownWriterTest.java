package dev.blobmark.report.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.report.document.Document.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownWriterTest {

    /** Heads may be names of the user's datasets. */
    @Test
    void aHeadIsTextAsCellsAre() {
        List<String> rows = List.of("a|b");
        Block table = Block.Table.of(List.of(
                Column.text("method", rows, row -> row), Column.number("dir:x|y *z*", "MB/s", rows, row -> "1")));

        String written = MarkdownWriter.write(new Document(List.of(Section.untitled(table))));

        assertThat(written).isEqualTo("""
                | method | dir:x\\|y \\*z\\* MB/s |
                | :--- | ---: |
                | a\\|b | 1 |
                """);
    }
}
