package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** The page of one run, of several runs, or of results of JMH. {@link StaticCharts} writes its charts as files. */
public final class Page {

    private final List<PageRun> runs;

    private Page(List<PageRun> runs) {
        this.runs = runs;
    }

    public static Page of(Analysis report) {
        return new Page(List.of(PageRun.of(report)));
    }

    /**
     * @param inputs run directories, and files that JMH has written with {@code -rf json}
     * @param equalWithin as for an {@link Analysis}
     * @throws dev.blobmark.lab.run.RunException if an input is neither
     */
    public static Page read(List<Path> inputs, double equalWithin) {
        return read(inputs, run -> Analysis.of(run, equalWithin));
    }

    /** @param reports judges each run */
    public static Page read(List<Path> inputs, Function<RunDirectory, Analysis> reports) {
        return new Page(PageRun.apart(inputs.stream()
                .map(input ->
                        isResults(input) ? JmhResults.read(input) : PageRun.of(reports.apply(RunDirectory.open(input))))
                .toList()));
    }

    /** Whether the input is a file of JMH's results, by the end of its name. */
    public static boolean isResults(Path input) {
        return Files.isRegularFile(input) && input.toString().endsWith(".json");
    }

    /** Writes one HTML file that contains all it needs. */
    public void write(Appendable out) throws IOException {
        HtmlPage.write(runs, out);
    }

    List<PageRun> runs() {
        return runs;
    }
}
