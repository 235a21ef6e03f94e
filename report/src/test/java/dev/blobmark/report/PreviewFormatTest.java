package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The forms of what a change of stored values would do, sealed by golden files. */
class PreviewFormatTest {

    private static final Path GOLDEN = Path.of("src", "test", "resources", "dev", "blobmark", "report");

    /** A column that others use, and that has frames already. */
    private static final Preview ENCODED = new Preview(
            new Preview.Subject("shop.orders.payload", Before.RAW, "zstd:3", false, "mediumblob"),
            new Preview.Amount(1_234_567, 6L << 30, 1.4e9, 1_000, 5.2e9, 8.3e8, 0.9964, 0.031),
            new Preview.Cost("FULL", 6.4e9, 910),
            List.of(
                    "the view shop.open_orders names it",
                    "'replica' from db2 reads the binary log: a replica, or a program that follows changes"),
            List.of("orders 2.3 on app1 (version 1: deflate, lz4, zstd)", "billing 1.9 on app7 (version 1: zstd)"),
            List.of(),
            List.of(),
            Optional.empty());

    /** What was encoded becomes larger again; all values were in the sample. */
    private static final Preview DECODED = new Preview(
            new Preview.Subject("shop.orders.payload", Before.RAW, "none", false, "longblob"),
            new Preview.Amount(712, 96 << 10, 400 << 10, 712, 71_200, 310_900, 1, 0),
            new Preview.Cost("NONE", 0, 1),
            List.of(),
            List.of(),
            List.of(),
            List.of("the account may not see which replicas and programs read the binary log: GRANT PROCESS ON *.*"),
            Optional.of("it was changed to zstd:3 before"));

    /** Done already. */
    private static final Preview UNCHANGED = new Preview(
            new Preview.Subject("shop.orders.payload", Before.RAW, "mysql:6", false, "longblob"),
            new Preview.Amount(98_765, 96 << 20, 96 << 20, 1_000, 3.2e7, 3.2e7, 0, 0),
            new Preview.Cost("MINIMAL", 0, 10),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Optional.of("a change to mysql:6 is under way: 98 rows are done"));

    /** Nothing could be read. */
    private static final Preview REFUSED = new Preview(
            new Preview.Subject("shop.open_orders.payload", Before.RAW, "zstd:3", false, "text"),
            new Preview.Amount(0, 0, 0, 0, 0, 0, 0, 0),
            new Preview.Cost("FULL", 0, 0),
            List.of(),
            List.of(),
            List.of(
                    "it is a view: name the table that it reads",
                    "the column is of type text, and encoded bytes are not text: a BLOB column is needed",
                    "the account lacks a privilege for the tables that remember the change: GRANT CREATE, INSERT, UPDATE,"
                            + " DELETE, DROP ON `shop`.* (or on each of blobmark_reencode, blobmark_reencode_ranges,"
                            + " blobmark_reencode_originals and blobmark_reencode_beats)"),
            List.of(),
            Optional.empty());

    private static final Map<String, Preview> PREVIEWS =
            Map.of("encoded", ENCODED, "decoded", DECODED, "unchanged", UNCHANGED, "refused", REFUSED);

    @ParameterizedTest
    @CsvSource({
        "encoded, table, 80",
        "encoded, table, 120",
        "encoded, markdown, 100",
        "encoded, json, 100",
        "decoded, table, 80",
        "unchanged, table, 80",
        "refused, table, 80",
        "refused, table, 120"
    })
    void isAsSealed(String preview, String word, int columns) throws IOException {
        String written = Written.as(
                PREVIEWS.get(preview), Formats.OF_PREVIEW.find(word).orElseThrow(), new Style(columns, false, false));

        Path golden = GOLDEN.resolve("preview." + word + "." + preview + (word.equals("table") ? "." + columns : ""));
        if (Boolean.getBoolean("blobmark.golden")) { // -Dblobmark.golden=true writes the files again, for review
            Files.writeString(golden, written);
        }
        assertThat(written).isEqualTo(Files.readString(golden, StandardCharsets.UTF_8));
        if (word.equals("table")) {
            assertThat(written.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
        }
    }

    /** So that a program that reads events of a change reads the preview, too. */
    @Test
    void jsonIsALineThatHasAllFields() {
        String written = Written.as(ENCODED, Formats.OF_PREVIEW.find("json").orElseThrow(), Style.PLAIN);

        assertThat(written).endsWith("}}\n").containsOnlyOnce("\n");
        JsonNode preview = new JsonMapper().readTree(written).path("preview");
        assertThat(preview.propertyNames())
                .hasSize(Stream.of(Preview.class, Preview.Subject.class, Preview.Amount.class, Preview.Cost.class)
                                .mapToInt(part -> part.getRecordComponents().length)
                                .sum()
                        - 3); // the parts are no fields themselves
        assertThat(preview.path("before").path("codec").asString()).isEqualTo("none");
        assertThat(preview.path("binlog_bytes").asDouble()).isEqualTo(6.4e9);
        assertThat(preview.path("under_way").isNull()).isTrue();
    }
}
