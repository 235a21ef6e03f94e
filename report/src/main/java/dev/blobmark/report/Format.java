package dev.blobmark.report;

import dev.blobmark.report.document.Style;
import java.io.IOException;

/**
 * A form in which a report or a comparison is written.
 *
 * @param word on the command line
 * @param contents for the help; empty if the word suffices
 */
public record Format<T>(String word, String contents, Writer<T> writer) {

    /** Writes what is reported; the style is for the forms that a terminal shows. */
    public interface Writer<T> {
        void write(T reported, Style style, Appendable out) throws IOException;
    }

    public void write(T reported, Style style, Appendable out) throws IOException {
        writer.write(reported, style, out);
    }
}
