package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceFixture;
import dev.blobmark.advice.Goal;
import dev.blobmark.advice.RegimeMap;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class AdvicePageTest {

    @TempDir
    private Path directory;

    @Test
    void thePageHasTheAnswerAndItsMapsAndMakesNoRequest() throws IOException {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        String page = Files.readString(AdvicePage.write(advice, directory));
        assertThat(page)
                .contains(
                        "Store them compressed by zstd:3 in a MEDIUMBLOB",
                        "By bandwidth and threads",
                        "By bandwidth and size")
                .contains("default-src 'none'")
                .doesNotContain("{{", "<script", "src=", "@import");
        assertThat(page.split("<svg ")).hasSize(3);
    }

    @Test
    void linksAreReplaced() throws IOException {
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        Files.createSymbolicLink(directory.resolve("advice.html"), precious);
        Files.createSymbolicLink(directory.resolve("regimes-threads.svg"), precious);
        assertThat(AdvicePage.write(AdviceFixture.advice(Goal.SPEED), directory))
                .isRegularFile();
        assertThat(precious).hasContent("precious");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("advice.html"))))
                .isEqualTo("rw-------");
    }

    @Test
    void theFilesAreSvgInWhichEachCellHasItsLetter() throws Exception {
        Advice advice = AdviceFixture.advice(Goal.SPEED);
        AdvicePage.write(advice, directory);
        String svg = Files.readString(directory.resolve("regimes-threads.svg"));
        org.w3c.dom.Document parsed =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        RegimeMap map = RegimeMap.byThreads(advice);
        int cells = map.rows().size() * map.bandwidths().size();
        int rectangles = parsed.getElementsByTagName("rect").getLength();
        // the ground, the frame and the legend
        assertThat(rectangles).isEqualTo(cells + 2 + map.candidates().size());
        assertThat(map.rows()).filteredOn(RegimeMap.RegimeRow::isOfAdvice).hasSize(1);
    }

    /** Over a slow link, the smallest wins for any number of threads; over a fast one, what decodes fastest. */
    @Test
    void theMapFollowsTheForecast() {
        RegimeMap map = RegimeMap.byThreads(AdviceFixture.advice(Goal.SPEED));
        assertThat(map.rows())
                .allSatisfy(row -> assertThat(row.candidates().get(0)).isEqualTo("zstd-3"));
        RegimeMap.RegimeRow one = map.rows().get(0);
        assertThat(one.candidates()).contains("lz4", "as-is");
        assertThat(one.candidates().get(one.candidates().size() - 1)).isEqualTo("as-is");
    }
}
