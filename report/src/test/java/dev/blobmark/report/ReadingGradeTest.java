package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Document;
import eu.crydee.syllablecounter.SyllableCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What readers see first is in words for grade 10 at most, by Flesch and Kincaid (1975). */
class ReadingGradeTest {

    private static final double MOST = 10;

    private static final SyllableCounter SYLLABLES = new SyllableCounter();

    /** Names of methods are one word; figures are none. */
    private static List<String> words(String text) {
        return Stream.of(text.split("[^\\p{L}'-]+"))
                .filter(word -> word.matches(".*\\p{L}{2}.*|[aAI]"))
                .toList();
    }

    private static double grade(List<String> sentences) {
        List<String> words =
                sentences.stream().flatMap(sentence -> words(sentence).stream()).toList();
        double syllables = words.stream()
                .mapToInt(word -> Math.max(1, SYLLABLES.count(word)))
                .sum();
        return 0.39 * words.size() / sentences.size() + 11.8 * syllables / words.size() - 15.59;
    }

    private static List<String> sentences(String text) {
        return Stream.of(text.split("[.!?:;](\\s+|$)"))
                .filter(sentence -> !words(sentence).isEmpty())
                .toList();
    }

    /** 13 words and 24 syllables: 0.39 · 13 + 11.8 · 24 ÷ 13 − 15.59 = 11.26. */
    @Test
    void theGradeIsThatOfTheFormula() {
        assertThat(grade(
                        sentences("The Australian platypus is seemingly a hybrid of a mammal and reptilian creature.")))
                .isCloseTo(11.26, within(2.0));
        assertThat(grade(sentences("The cat sat on the mat. It was warm."))).isLessThan(2);
        assertThat(
                        grade(
                                sentences(
                                        "Simultaneous confidence intervals accommodate heteroscedasticity, notwithstanding considerable computational complexity.")))
                .isGreaterThan(20);
    }

    @Test
    void theFirstScreenOfThePage(@TempDir Path directory) throws IOException {
        for (RunDirectory run : List.of(
                GoldenRun.write(directory.resolve("golden")),
                RunDirectory.open(ReportFormatTest.resource("cluster")))) {
            PageText page = PageDocument.of(Analysis.of(run));
            List<String> sentences = Stream.concat(Stream.of(page.question(), page.headline()), seen(page.glance()))
                    .flatMap(text -> sentences(text).stream())
                    .toList();
            assertThat(sentences).hasSizeGreaterThan(8);
            assertThat(grade(sentences)).as(String.join(" | ", sentences)).isLessThanOrEqualTo(MOST);
        }
    }

    /** Texts of tiles and captions; tables are names and figures. */
    private static Stream<String> seen(Document glance) {
        return glance.sections().stream()
                .flatMap(section -> section.blocks().stream())
                .flatMap(block -> {
                    if (block instanceof Block.Tiles tiles) {
                        return Stream.concat(
                                Stream.of(tiles.title()),
                                tiles.tiles().stream().flatMap(tile -> Stream.of(tile.head(), tile.detail())));
                    }
                    return block instanceof Block.Detail detail ? Stream.of(detail.text()) : Stream.of();
                });
    }

    /** Up to the second heading, without code and tables. */
    @Test
    void theFirstScreenOfTheReadme() throws IOException {
        String text = Files.readAllLines(Path.of("../README.md")).stream()
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> !line.startsWith("#") && !line.startsWith("    ") && !line.startsWith("|"))
                .map(line -> line.isBlank() ? "." : line)
                .map(line -> line.replaceAll("`[^`]*`", "it").replaceAll("\\]\\([^)]*\\)", "]"))
                .collect(Collectors.joining(" "));
        assertThat(grade(sentences(text))).as(text).isLessThanOrEqualTo(MOST);
    }
}
