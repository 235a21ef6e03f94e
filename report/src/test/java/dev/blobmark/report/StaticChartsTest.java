package dev.blobmark.report;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.Sample;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaticChartsTest {

    @TempDir
    private static Path directory;

    /** Otherwise an exit of the JVM meets an engine that is half closed: "The log handler is closed". */
    @Test
    void nothingIsDrawnAfterItIsClosed() {
        StaticCharts.start().close();

        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("charts"))
                .extracting(thread -> List.of(thread.getStackTrace()).toString())
                .noneMatch(stack -> stack.contains("StaticCharts"));
    }

    /** Draws, and prints what is in its directory for temporary files. */
    static final class Drawer {
        public static void main(String[] args) throws IOException {
            StaticCharts.start().close();
            try (Stream<Path> all = Files.walk(Path.of(System.getProperty("java.io.tmpdir")))) {
                for (Path each : (Iterable<Path>) all::iterator) {
                    System.out.println(
                            each + " " + Integer.toOctalString((int) Files.getAttribute(each, "unix:mode") & 07777));
                }
            }
        }
    }

    /** In the cache, others could replace it with umask 002. */
    @Test
    void theLibraryOfTheEngineIsInAPrivateDirectoryThatIsRemoved() throws Exception {
        Path cache = Files.createDirectory(directory.resolve("cache"));
        Path temporary = Files.createDirectory(directory.resolve("temporary"));
        ProcessBuilder drawing = new ProcessBuilder(
                        "sh",
                        "-c",
                        "umask 002; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Drawer.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        drawing.environment().put("XDG_CACHE_HOME", cache.toString());
        Process drawn = drawing.start();
        String printed = new String(drawn.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(drawn.waitFor()).isZero();
        assertThat(printed).contains("truffleattach").containsPattern("blobmark-charts-\\d+ 700\n");
        assertThat(cache).isEmptyDirectory();
        assertThat(temporary).isEmptyDirectory();
    }

    /** Each a picture of something: with text, and with more than the ground's colour. */
    @Test
    void drawsEachChartAsSvgAndPng() throws IOException {
        Path run = GoldenRun.write(directory.resolve("golden")).path();
        Path out = directory.resolve("charts");
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        Page page = Page.read(List.of(run), Analysis.USUAL_EQUAL_WITHIN);

        List<Path> files;
        try (StaticCharts charts = StaticCharts.start()) {
            files = charts.write(page, out);
            for (String name : List.of("effect.svg", "effect.png")) {
                Files.delete(out.resolve(name));
                Files.createSymbolicLink(out.resolve(name), precious);
            }
            charts.write(page, out); // again, over them
        }
        assertThat(precious).hasContent("precious");

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .contains("effect.svg", "effect.png", "percentiles.svg", "time.png", "speed-and-disk.svg", "drift.png")
                .hasSizeGreaterThanOrEqualTo(12);
        for (Path file : files) {
            if (file.toString().endsWith(".svg")) {
                assertThat(file)
                        .content()
                        .startsWith("<svg")
                        .contains(
                                "<text", "lz4hc-12", "MariaDB 11.4.5 embedded", "Xeon", "2026-11-21 10:15 UTC", "64 KB")
                        .doesNotContain("<style", "NaN");
            } else {
                BufferedImage image = ImageIO.read(file.toFile());
                Set<Integer> colours = new HashSet<>();
                for (int y = 0; y < image.getHeight(); y += 3) {
                    for (int x = 0; x < image.getWidth(); x += 3) {
                        colours.add(image.getRGB(x, y));
                    }
                }
                assertThat(image.getWidth()).isEqualTo(2000);
                assertThat(colours).as(file.toString()).hasSizeGreaterThan(20);
            }
        }
    }

    @Test
    void drawsTheSameTwice() throws IOException {
        List<PageRun> run = List.of(PageRun.of(Analysis.of(GoldenRun.write(directory.resolve("again")))));

        try (StaticCharts charts = StaticCharts.start()) {
            assertThat(charts.draw(run))
                    .containsExactlyElementsOf(charts.draw(run).toList());
        }
    }

    /** A file has no caption, so its lines say what the panels are of, where they differ. */
    @Test
    void aFileOfSeveralPanelsNamesTheConditionOfEach() throws IOException {
        Analysis golden = Analysis.of(GoldenRun.write(directory.resolve("panels")));
        List<Sample> samples = golden.samples().stream()
                .flatMap(sample -> Stream.of("4KB", "64KB")
                        .map(size -> sample.toJson()
                                .replace("\"decode\":{", "\"insert\":{")
                                .replace("\"size\":\"64KB\"", "\"size\":\"" + size + "\""))
                        .map(Sample::ofJson))
                .toList();
        try (StaticCharts charts = StaticCharts.start()) {
            assertThat(charts.draw(List.of(PageRun.of(Analysis.of(golden.manifest(), samples)))))
                    .filteredOn(chart -> chart.id().equals("write-read-disk"))
                    .singleElement()
                    .extracting(StaticCharts.DrawnChart::svg, as(InstanceOfAssertFactories.STRING))
                    .contains("insert: size 4 KB", "fetch: size 4 KB");
        }
    }

    @Test
    void refusesWhatIsNoSvg() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticCharts.pixels("not a picture"))
                .withMessageContaining("not a picture");
    }
}
