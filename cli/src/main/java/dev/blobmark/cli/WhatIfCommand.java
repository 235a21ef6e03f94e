package dev.blobmark.cli;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceException;
import dev.blobmark.advice.AdviceFile;
import dev.blobmark.advice.WhatIf;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkOutlook;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.workload.Threads;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import dev.blobmark.report.LinkOutlookDocument.Forecasts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark whatif}: what an advice would be for another link, load or size. */
@Command(
        name = "whatif",
        description = {
            "Says what an advice would be for another network, number of threads or size of values. Nothing is measured:"
                    + " the answer is a forecast, with its interval. It is refused beyond what was measured.",
            "",
            "Of a run, it says how fast the methods would be over another network; threads and size must be levels that"
                    + " it measured."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark whatif runs/2026-11-21T10-15-00-advice --link 25mbit",
            "  blobmark whatif runs/2026-11-21T10-15-00-advice --threads 32 --size 200KB",
            "  blobmark whatif runs/2026-11-21T10-15-00-blob-fetch --link 100mbit --size 16KB"
        })
final class WhatIfCommand extends BlobmarkCommand {

    @Parameters(paramLabel = "DIRECTORY", description = "The directory of an advice or a run.")
    private Path directory;

    @Option(names = "--link", paramLabel = "LINK", description = "The network: 25mbit, '200mbit 3ms'.")
    private String link;

    @Option(names = "--threads", paramLabel = "N", description = "Operations in flight.")
    private Integer threads;

    @Option(names = "--size", paramLabel = "SIZE", description = "Only the values of about this size: 200KB.")
    private String size;

    @Option(names = "--format", paramLabel = "FORMAT", description = "table, markdown or json; table by default.")
    private String format = "table";

    @Override
    public Integer call() throws IOException {
        if (link == null && threads == null && size == null) {
            throw usage("say what is different: add --link, --threads or --size");
        }
        if (!AdviceFile.isIn(directory) && RunDirectory.isIn(directory)) {
            return ofRun();
        }
        Advice advice = AdviceFile.read(directory);
        try {
            WhatIf whatIf = WhatIf.of(
                    advice,
                    parsed("--link", link == null ? advice.question().link() : link, Link::parse),
                    threads == null ? advice.question().threads() : threads,
                    size == null
                            ? OptionalInt.empty()
                            : OptionalInt.of(parsed("--size", size, Size::parse).bytes()));
            PrintWriter out = out();
            form(Formats.OF_WHAT_IF).write(whatIf, Terminal.style(), out);
            out.flush();
            return ExitCode.DONE.code();
        } catch (AdviceException e) {
            throw usage(e.getMessage(), e);
        }
    }

    private <T> Format<T> form(Formats<T> formats) {
        return formats.find(format)
                .orElseThrow(() -> usage("--format: '" + format + "' is none of " + formats.words()));
    }

    private int ofRun() throws IOException {
        Analysis run = Analysis.of(RunDirectory.open(directory));
        Map<String, String> levels = new LinkedHashMap<>();
        if (threads != null) {
            levels.put(Threads.FACTOR.name(), threads.toString());
        }
        if (size != null) {
            levels.put("size", parsed("--size", size, Size::parse).toString());
        }
        try {
            PrintWriter out = out();
            Link over = link == null ? Link.LOOPBACK : parsed("--link", link, Link::parse);
            form(Formats.OF_LINK_OUTLOOK)
                    .write(new Forecasts(run, LinkOutlook.of(run, over, levels)), Terminal.style(), out);
            out.flush();
            return ExitCode.DONE.code();
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }
}
