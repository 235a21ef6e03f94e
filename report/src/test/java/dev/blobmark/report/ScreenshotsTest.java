package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.TakesScreenshot;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Takes the pictures of the documents, where {@code bench/screenshots} asks for it. */
@ExtendWith(Browser.class)
@EnabledIfSystemProperty(
        named = "blobmark.screenshots.run",
        matches = ".+",
        disabledReason = "takes pictures for docs/, which bench/screenshots asks for")
class ScreenshotsTest {

    private static final Path OUT = Path.of(System.getProperty("blobmark.screenshots.out", "target/screenshots"));

    private final ChromeDriver driver;

    ScreenshotsTest(ChromeDriver driver) {
        this.driver = driver;
    }

    @Test
    void areTaken(@TempDir Path directory) throws IOException {
        Path page = directory.resolve("report.html");
        try (Writer text = Files.newBufferedWriter(page)) {
            Page.read(List.of(Path.of(System.getProperty("blobmark.screenshots.run"))), Analysis.USUAL_EQUAL_WITHIN)
                    .write(text);
        }
        Files.createDirectories(OUT);
        driver.manage().window().setSize(new Dimension(1180, 960));
        open(page, "light");
        picture(driver, "report-answer");
        explorer("by-size");
        picture(driver.findElement(By.id("explore")), "report-explorer");
        open(page, "dark");
        explorer("regimes");
        picture(driver.findElement(By.id("explore")), "report-regimes");
        assertThat(OUT.resolve("report-regimes.png")).isNotEmptyFile();
    }

    /** What a run prints at its end, as a terminal of 110 columns shows it. */
    @Test
    void theTerminalToo(@TempDir Path directory) throws IOException {
        Analysis run = Analysis.of(
                RunDirectory.open(Path.of(System.getProperty("blobmark.screenshots.run"))),
                Analysis.USUAL_EQUAL_WITHIN);
        StringBuilder printed = new StringBuilder();
        Formats.OF_REPORT.find("table").orElseThrow().write(run, new Style(110, true, true), printed);
        Path page = directory.resolve("terminal.html");
        Files.writeString(page, """
                <meta charset="utf-8"><style>
                body { margin: 0; background: #1b1d23 }
                pre { margin: 0; padding: 18px 22px; width: max-content; color: #d6d9e0; font: 13px/1.35 "DejaVu Sans Mono", monospace }
                b { color: #fff } .a2 { color: #8b90a0 } .a32 { color: #7bc77e } .a33 { color: #e0b354 } .a31 { color: #ea6a63 }
                </style><pre>""" + html(printed.toString()) + "</pre>");
        Files.createDirectories(OUT);
        driver.manage().window().setSize(new Dimension(1180, 1100));
        driver.get(page.toUri().toString());
        picture(driver.findElement(By.tagName("pre")), "terminal");
        assertThat(OUT.resolve("terminal.png")).isNotEmptyFile();
    }

    /** HTML for ANSI escapes. {@link Style#paint} nests none. */
    private static String html(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replaceAll("\u001b\\[1m(.*?)\u001b\\[0m", "<b>$1</b>")
                .replaceAll("\u001b\\[(\\d+)m(.*?)\u001b\\[0m", "<span class=a$1>$2</span>");
    }

    private void open(Path page, String scheme) {
        Browser.prefer(driver, scheme);
        driver.get("about:blank");
        driver.get(page.toUri().toString());
        new WebDriverWait(driver, Duration.ofSeconds(20))
                .until(d -> d.findElements(By.cssSelector("html[data-ready]")).size() == 1);
    }

    private void explorer(String preset) {
        driver.executeScript(
                "blobmark.explore.show((blobmark.explore.presets.find((each) => each.id === arguments[0]) ??"
                        + " blobmark.explore.presets[0]).state); document.querySelector('nav').style.position = 'static'",
                preset);
    }

    private static void picture(TakesScreenshot of, String name) throws IOException {
        Files.write(OUT.resolve(name + ".png"), of.getScreenshotAs(OutputType.BYTES));
    }
}
