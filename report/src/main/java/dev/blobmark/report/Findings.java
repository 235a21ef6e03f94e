package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.blobmark.lab.machine.Finding;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a look at machine and server gave: as text for a terminal of 100 columns, or as JSON. */
public final class Findings {

    private static final int WIDTH = 100;
    private static final int LEVEL_COLUMNS = 9;
    private static final int WHAT_COLUMNS = 17;

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private Findings() {}

    /** One of them: what was observed, and beneath it why it matters and what to do. */
    public static void text(Finding finding, Style style, Appendable out) throws IOException {
        String head = String.format("%-" + LEVEL_COLUMNS + "s", finding.level().word());
        out.append(
                switch (finding.level()) {
                    case OK -> style.dim(head);
                    case NOTE -> head;
                    case UNKNOWN -> style.dim(head);
                    case WARNING -> style.warn(head);
                });
        out.append(style.bold(String.format("%-" + WHAT_COLUMNS + "s", finding.what())));
        String indent = "";
        for (String line : Tables.wrap(finding.observed(), WIDTH - LEVEL_COLUMNS - WHAT_COLUMNS)) {
            out.append(indent).append(line).append('\n');
            indent = " ".repeat(LEVEL_COLUMNS + WHAT_COLUMNS);
        }
        beneath(finding.why(), style, out);
        if (!finding.remedy().isEmpty()) {
            beneath("→ " + finding.remedy(), Style.PLAIN, out);
        }
    }

    private static void beneath(String text, Style style, Appendable out) throws IOException {
        if (!text.isEmpty()) {
            String indent = " ".repeat(LEVEL_COLUMNS + WHAT_COLUMNS);
            for (String line : Tables.wrap(text, WIDTH - indent.length())) {
                out.append(indent).append(style.dim(line)).append('\n');
            }
        }
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

    /** All of them: {@code schema}, {@code warnings} (how many) and {@code findings}. */
    public static String json(List<Finding> findings) {
        return JSON.writeValueAsString(new Document(1, of(findings, Finding.Level.WARNING), findings));
    }

    private record Document(int schema, long warnings, List<Finding> findings) {}
}
