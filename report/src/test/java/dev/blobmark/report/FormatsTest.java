package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A report format is one class and one line in the registry, as docs/adding-a-report-format.md states. */
class FormatsTest {

    /** A new format, as its class would have it. */
    private static void writeCount(Analysis report, Appendable out) throws IOException {
        out.append(Integer.toString(report.samples().size()));
    }

    private static List<Format<Analysis>> formats() {
        return Formats.OF_REPORT.all();
    }

    @Test
    void aLineInTheRegistryIsAllThatANewFormatNeeds() {
        List<Format<Analysis>> all = new ArrayList<>(formats());
        all.add(new Format<>("count", "the number of samples", (report, style, out) -> writeCount(report, out)));
        Formats<Analysis> formats = new Formats<>(all);
        Analysis report = Analysis.of(
                TestRuns.manifest("plain"), List.of(TestRuns.sample("plain", 0, 0, new Outcome.Measured(), 100)));

        assertThat(formats.words()).isEqualTo(Formats.OF_REPORT.words() + ", count");
        assertThat(formats.help())
                .endsWith("count (the number of samples)")
                .hasSize(formats().size() + 1);
        assertThat(Written.as(report, formats.find("count").orElseThrow(), Style.PLAIN))
                .isEqualTo("1");
    }

    @ParameterizedTest
    @MethodSource("formats")
    void eachIsDocumentedAndSealed(Format<Analysis> format) throws IOException {
        String rows = Files.readString(Path.of("..", "docs", "report.md")).split("\n\n", 4)[2];

        assertThat(rows).contains(format == Formats.TABLE ? "| (default) |" : "`--format " + format.word() + "`");
        // the default report has a golden file for each width
        String golden = "report." + format.word() + (format == Formats.TABLE ? ".80" : "");
        assertThat(FormatsTest.class.getResource(golden) != null)
                .isEqualTo(format != Formats.HTML); // most of the page is a library; PageTest looks at it
    }

    @ParameterizedTest
    @ValueSource(strings = {"CsvTable.write", "JmhJson", "PrometheusText", "LinkDocument::of", "LatencyDocument"})
    void mainCodeNamesTheClassOfAFormatInTheRegistryOnly(String name) throws IOException {
        List<String> files = new ArrayList<>();
        for (String module : List.of("../cli", ".")) {
            try (Stream<Path> sources = Files.walk(Path.of(module, "src/main/java"))) {
                for (Path source : sources.filter(Files::isRegularFile).toList()) {
                    if (Files.readString(source).contains(name)
                            && !source.endsWith(name.replaceFirst("\\W.*", "") + ".java")) {
                        files.add(source.getFileName().toString());
                    }
                }
            }
        }
        assertThat(files)
                .containsOnlyOnce("Formats.java")
                .isSubsetOf("Formats.java", "ClaimTables.java", "SurveyRows.java");
    }
}
