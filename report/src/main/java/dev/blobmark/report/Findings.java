package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.report.document.Style;
import dev.blobmark.report.document.TextWriter;
import dev.blobmark.report.document.Tone;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The findings of a check of machine and server: as text for a terminal, or as JSON. */
public final class Findings {

    private static final int LEVEL_COLUMNS = 9;
    private static final int WHAT_COLUMNS = 17;
    private static final String INDENT = " ".repeat(LEVEL_COLUMNS + WHAT_COLUMNS);

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private Findings() {}

    /** A finding: what was observed, and below it why that matters and what to do. */
    public static void text(Finding finding, Style style, Appendable out) throws IOException {
        Tone tone = switch (finding.level()) {
            case OK, UNKNOWN -> Tone.FACT;
            case NOTE -> Tone.PLAIN;
            case WARNING -> Tone.WARNING;
        };
        out.append(style.paint(
                        tone,
                        String.format(
                                "%-" + LEVEL_COLUMNS + "s", finding.level().word())))
                .append(style.paint(Tone.STRONG, String.format("%-" + WHAT_COLUMNS + "s", finding.what())))
                .append(String.join("\n" + INDENT, lines(finding.observed(), style)))
                .append('\n');
        below(finding.why(), style, Tone.FACT, out);
        if (!finding.remedy().isEmpty()) {
            below("→ " + finding.remedy(), style, Tone.PLAIN, out);
        }
    }

    private static void below(String text, Style style, Tone tone, Appendable out) throws IOException {
        if (!text.isEmpty()) {
            for (String line : lines(text, style)) {
                out.append(INDENT).append(style.paint(tone, line)).append('\n');
            }
        }
    }

    private static List<String> lines(String text, Style style) {
        return TextWriter.wrap(text, style.columns() - INDENT.length());
    }

    /** The last line: {@code 2 warnings, 1 note, 3 unknown}. */
    public static String count(Collection<Finding> findings) {
        return Figures.plural(of(findings, Finding.Level.WARNING), "warning") + ", "
                + Figures.plural(of(findings, Finding.Level.NOTE), "note") + ", "
                + of(findings, Finding.Level.UNKNOWN) + " unknown, " + of(findings, Finding.Level.OK) + " ok";
    }

    private static long of(Collection<Finding> findings, Finding.Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** All findings: {@code schema}, {@code warnings} (their number) and {@code findings}. */
    public static String json(List<Finding> findings) {
        return JSON.writeValueAsString(new JsonFindings(1, of(findings, Finding.Level.WARNING), findings));
    }

    private record JsonFindings(int schema, long warnings, List<Finding> findings) {}
}
