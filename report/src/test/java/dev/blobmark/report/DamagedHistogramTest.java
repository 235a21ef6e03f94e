package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples of a run whose histograms are damaged are whole. */
class DamagedHistogramTest {

    private static final String DAMAGE = "latency/fork-0.hlog is damaged: 1 histogram cannot be read";

    @TempDir
    private Path directory;

    private RunDirectory run;
    private Path log;
    private List<String> lines;

    @BeforeEach
    void write() throws IOException {
        run = GoldenRun.write(directory.resolve("run"));
        log = run.path().resolve("latency/fork-0.hlog");
        lines = Files.readAllLines(log);
    }

    private void replaceFirstHistogram(String with) throws IOException {
        int first = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith("Tag="))
                .findFirst()
                .orElseThrow());
        String line = lines.get(first);
        lines.set(first, line.substring(0, line.lastIndexOf(',') + 1) + with);
        Files.write(log, lines);
    }

    @Test
    void theReportGoesOnWithWhatThereIs() throws IOException {
        Analysis whole = Analysis.of(run);
        assertThat(whole.damage()).isEmpty();
        for (String damaged :
                List.of("HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AsAAAUwsDDA==", "HISTFAAAAAA=", "not base64", "")) {
            replaceFirstHistogram(damaged);
            Analysis report = Analysis.of(run);
            assertThat(report.samples()).isEqualTo(whole.samples());
            assertThat(report.damage()).singleElement().asString().startsWith(DAMAGE);
            assertThat(report.rankings()).hasSameSizeAs(whole.rankings());
        }
    }

    @Test
    void everyFormIsWritten() throws IOException {
        replaceFirstHistogram("HISTFAAAAAA=");
        Analysis report = Analysis.of(run);
        for (Format<Analysis> format : Formats.OF_REPORT.all()) {
            String text = Written.as(report, format, Style.PLAIN);
            if (List.of("table", "markdown").contains(format.word())) {
                assertThat(text.lines().map(String::strip).collect(Collectors.joining(" ")))
                        .contains(DAMAGE);
            }
        }
        assertThat(Warnings.of(report))
                .anySatisfy(note -> assertThat(note.text()).startsWith(DAMAGE));
    }
}
