package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen on a terminal, and only there. */
class TerminalIT {

    private static final String COLOUR = "\u001b\\[[0-9;]*m";

    @TempDir
    private Path directory;

    @BeforeAll
    static void pseudoTerminal() throws Exception {
        try {
            String version = new String(new ProcessBuilder("script", "--version")
                    .redirectErrorStream(true)
                    .start()
                    .getInputStream()
                    .readAllBytes());
            assumeTrue(version.contains("util-linux"), "script(1) is not the one of util-linux: " + version);
        } catch (IOException e) {
            assumeTrue(false, "there is no script(1), which makes pseudo-terminals: " + e.getMessage());
        }
    }

    @Test
    void aBarFitsTheTerminalAndGoesWhenTheRunEnds() throws Exception {
        Files.writeString(directory.resolve("tiny.yaml"), RunIT.STUDY);
        int columns = 60;
        String seen;
        try (BlobmarkProcess run = BlobmarkProcess.startOnTerminal(
                columns, Map.of("NO_COLOR", "1"), directory, "run", "tiny.yaml", "--out", "run")) {
            assertThat(run.exitCode()).as(run.out()).isZero();
            seen = run.out();
        }

        List<String> drawn = Stream.of(seen.split("\r\u001b\\[K"))
                .skip(1)
                .map(text -> text.split("\n")[0])
                // a busy machine is warned of, on lines of their own
                .filter(text -> !text.startsWith("warning: "))
                .toList();
        List<String> bars = drawn.subList(0, drawn.size() - 1);
        assertThat(bars)
                .hasSizeGreaterThan(3)
                .allSatisfy(bar -> assertThat(bar)
                        .matches(" {0,2}\\d+ % \\[=* *\\] \\d+ s left.*")
                        .hasSizeLessThan(columns));
        assertThat(bars).allMatch(bar -> bar.indexOf(']') == bar.indexOf('[') + 11);
        assertThat(bars.get(0)).startsWith("  0 % [ ");
        assertThat(bars).anyMatch(bar -> bar.endsWith(" left: starting the server"));
        assertThat(drawn.get(drawn.size() - 1)).startsWith("Does it run?");
        assertThat(seen)
                .doesNotContainPattern(COLOUR)
                .endsWith("Run directory: run\r\nReport:        run/report.html\r\n");

        try (BlobmarkProcess report = BlobmarkProcess.startOnTerminal(columns, Map.of(), directory, "report", "run")) {
            assertThat(report.exitCode()).isZero();
            assertThat(report.out()).containsPattern(COLOUR);
        }
    }
}
