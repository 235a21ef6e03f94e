package dev.blobmark.report;

import dev.blobmark.analysis.Comparison;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A form that a comparison can take. */
public enum ComparisonFormat {
    /** For a terminal of 100 columns. */
    TABLE("table") {
        @Override
        public void write(Comparison comparison, Style style, Appendable out) throws IOException {
            new ComparisonText(comparison).text(style, out);
        }
    },
    /** The same in Markdown, for a comment on a change. */
    MARKDOWN("markdown") {
        @Override
        public void write(Comparison comparison, Style style, Appendable out) throws IOException {
            new ComparisonText(comparison).markdown(out);
        }
    },
    /** All of it, for programs; {@code docs/compare.md} has the fields. */
    JSON("json") {
        @Override
        public void write(Comparison comparison, Style style, Appendable out) throws IOException {
            ComparisonJson.write(comparison, out);
        }
    };

    private final String word;

    ComparisonFormat(String word) {
        this.word = word;
    }

    /** As on the command line. */
    public String word() {
        return word;
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ComparisonFormat::word).toList();
    }

    /** @param style for the formats that have one */
    public abstract void write(Comparison comparison, Style style, Appendable out) throws IOException;

    public static Optional<ComparisonFormat> find(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word.equals(word))
                .findFirst();
    }
}
