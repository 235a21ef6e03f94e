package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Prices;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The forms of a survey, sealed by golden files. {@code survey/survey.jsonl} is that of a real one, shortened. */
class SurveyFormatTest {

    private static final Path GOLDEN = Path.of("src", "test", "resources", "dev", "blobmark", "report");

    private static final Prices PRICES = new Prices(
            "EUR",
            OptionalDouble.of(120),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty());

    @ParameterizedTest
    @CsvSource({
        "table, 80, false",
        "table, 100, false",
        "table, 160, true",
        "markdown, 100, true",
        "csv, 100, true",
        "json, 100, true"
    })
    void isAsSealed(String word, int columns, boolean hasPrices) throws IOException {
        SurveyFindings findings = SurveyFindings.of(
                SurveyDirectory.open(GOLDEN.resolve("survey")).read(),
                hasPrices ? Optional.of(PRICES) : Optional.empty(),
                "mysql://app@db1:3306/");
        String written =
                Written.as(findings, Formats.OF_SURVEY.find(word).orElseThrow(), new Style(columns, false, false));

        Path golden = GOLDEN.resolve("survey." + word + (word.equals("table") ? "." + columns : ""));
        if (Boolean.getBoolean("blobmark.golden")) { // -Dblobmark.golden=true writes the files again, for review
            Files.writeString(golden, written);
        }
        assertThat(written).isEqualTo(Files.readString(golden, StandardCharsets.UTF_8));
    }
}
