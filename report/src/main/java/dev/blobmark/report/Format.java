package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A form that a report can take. */
public enum Format {
    /** Answers and rankings for a terminal of 100 columns. */
    TABLE("table") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            Tables.text(report, style, out);
        }
    },
    /** The same in Markdown. */
    MARKDOWN("markdown") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            Tables.markdown(report, out);
        }
    },
    /** Every sample, one row for each of its operation types. */
    CSV("csv") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            CsvTable.write(report, out);
        }
    },
    /** The rankings with all that they rest on, for programs. */
    JSON("json") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            out.append(JsonRankings.of(report)).append('\n');
        }
    },
    /** One file for a browser, with charts and all samples. */
    HTML("html") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            HtmlPage.write(List.of(PageRun.of(report)), out);
        }
    },
    /** The rankings as JMH gives its results in JSON, for programs that show those. */
    JMH("jmh") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            out.append(JmhJson.of(report)).append('\n');
        }
    },
    /** The rankings as Prometheus reads figures. */
    PROMETHEUS("prometheus") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            PrometheusText.write(report, out);
        }
    },
    /** What methods would give over other links, and where they change places. */
    LINKS("links") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            LinkText.write(report, style, out);
        }
    },
    /** How long operations took, to the longest, and what went on beside it. */
    LATENCY("latency") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            LatencyTables.text(report, style, out);
        }
    },
    /** Every comparison of the study's claims, as CSV. */
    CLAIMS("claims") {
        @Override
        public void write(Analysis report, Style style, Appendable out) throws IOException {
            ClaimTables.csv(report.claims(), out);
        }
    };

    private final String word;

    Format(String word) {
        this.word = word;
    }

    /** As on the command line. */
    public String word() {
        return word;
    }

    /** @param style for the formats that have one */
    public abstract void write(Analysis report, Style style, Appendable out) throws IOException;

    public static Optional<Format> find(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word.equals(word))
                .findFirst();
    }
}
