package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reports as text. */
final class Written {

    private Written() {}

    /** The table is the one with its details. */
    static String as(Analysis report, String word) {
        return as(
                report,
                word.equals("table")
                        ? Formats.DETAILS
                        : Formats.OF_REPORT.find(word).orElseThrow(),
                Style.PLAIN);
    }

    static <T> String as(T report, Format<T> format, Style style) {
        StringBuilder text = new StringBuilder();
        try {
            format.write(report, style, text);
        } catch (IOException e) {
            throw new UncheckedIOException("to memory", e);
        }
        return text.toString();
    }
}
