package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Finding.Level;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Seals what findings look like. */
class FindingsTest {

    private static final List<Finding> FINDINGS = List.of(
            new Finding("cores", "2 of 2 online, no quota", Level.OK, "", ""),
            new Finding(
                    "turbo", "unknown", Level.UNKNOWN, "a virtual machine: its host decides, and does not tell", ""),
            new Finding(
                    "idle wake",
                    "57.3 µs (p90 80.0 µs) for a thread on an idle core, 6.0 µs (p90 9.0 µs) on the waker's own:"
                            + " medians of 300",
                    Level.WARNING,
                    "A fetch wakes two threads, one of the server and one of the client: two levels in one result.",
                    "run --keep-awake"),
            new Finding("swap", "537 MB of 2.1 GB used", Level.NOTE, "Memory was short before.", "sudo swapoff -a"));

    private static String text(Style style) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Finding finding : FINDINGS) {
            Findings.text(finding, style, text);
        }
        return text.toString();
    }

    @Test
    void textHasWhatWasObservedThenWhyThenWhatToDo() throws IOException {
        assertThat(text(Style.PLAIN)).isEqualTo("""
                        ok       cores            2 of 2 online, no quota
                        unknown  turbo            unknown
                                                  a virtual machine: its host decides, and does not tell
                        warning  idle wake        57.3 µs (p90 80.0 µs) for a thread on an idle core, 6.0 µs (p90 9.0 µs) on
                                                  the waker's own: medians of 300
                                                  A fetch wakes two threads, one of the server and one of the client: two
                                                  levels in one result.
                                                  → run --keep-awake
                        note     swap             537 MB of 2.1 GB used
                                                  Memory was short before.
                                                  → sudo swapoff -a
                        """);
        assertThat(text(Style.PLAIN).lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void coloursChangeNothingButColours() throws IOException {
        assertThat(text(Style.ANSI)).contains("\u001b[33mwarning");
        assertThat(text(Style.ANSI).replaceAll("\u001b\\[\\d+m", "")).isEqualTo(text(Style.PLAIN));
    }

    @Test
    void theLastLineCounts() {
        assertThat(Findings.count(FINDINGS)).isEqualTo("1 warning, 1 note, 1 unknown, 1 ok");
        assertThat(Findings.count(List.of())).isEqualTo("0 warnings, 0 notes, 0 unknown, 0 ok");
    }

    @Test
    void jsonHasEveryField() {
        assertThat(Findings.json(FINDINGS.subList(3, 4)).replace("\r", "")).isEqualTo("""
                        {
                          "schema" : 1,
                          "warnings" : 0,
                          "findings" : [ {
                            "what" : "swap",
                            "observed" : "537 MB of 2.1 GB used",
                            "level" : "note",
                            "why" : "Memory was short before.",
                            "remedy" : "sudo swapoff -a"
                          } ]
                        }""");
    }
}
