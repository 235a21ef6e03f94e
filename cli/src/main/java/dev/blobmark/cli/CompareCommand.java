package dev.blobmark.cli;

import dev.blobmark.analysis.ComparedRun;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Limit;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark compare}: compares runs with runs, and can fail a build. */
@Command(
        name = "compare",
        description = "Compares each trial between runs. Can fail if a figure got worse.",
        customSynopsis = {
            "blobmark compare [OPTION]... BASE NEW",
            "       blobmark compare [OPTION]... BASE... --with NEW..."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark compare runs/monday runs/tuesday",
            "  blobmark compare runs/main-* --with runs/mine-* --fail-if 'throughput < -5%%'"
        })
final class CompareCommand extends BlobmarkCommand {

    @Parameters(
            paramLabel = "RUN",
            arity = "1..*",
            description = "Run directories: BASE and NEW, or all of the base before --with.")
    private List<Path> runs;

    @Option(
            names = "--with",
            paramLabel = "NEW",
            arity = "1..*",
            description = "The runs that are compared to the base.")
    private List<Path> with = List.of();

    @Option(
            names = "--absolute",
            description = "Compare the figures themselves, not each method's ratio to its own run's baseline.")
    private boolean absolute;

    @Option(names = "--metric", paramLabel = "METRIC", description = "By which to compare; default: the study's.")
    private String metric;

    @Option(
            names = "--fail-if",
            paramLabel = "LIMIT",
            description = {
                "Exit with 99 if a trial is worse than this, by its effect and by all of its interval: 'METRIC < -X%%' or"
                        + " 'METRIC > +X%%'. Can be given several times."
            })
    private List<String> limits = List.of();

    @Option(
            names = "--require-decided",
            description = "Exit with 98 if a limit is inconclusive, and say which regression would have been seen.")
    private boolean requireDecided;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, markdown or json. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Override
    public Integer call() throws IOException {
        Format<Comparison> form = Formats.OF_COMPARISON
                .find(format)
                .orElseThrow(() -> usage("--format: '" + format + "' is none of " + Formats.OF_COMPARISON.words()));
        Optional<Metric> by = Optional.ofNullable(metric)
                .map(word -> Metric.find(word)
                        .orElseThrow(() -> usage(
                                "--metric: unknown metric '" + word + "'; " + Spelling.suggest(word, Metric.words()))));
        if (requireDecided && limits.isEmpty()) {
            throw usage("--require-decided: there is no limit to decide; add --fail-if, such as 'throughput < -5%'");
        }
        List<Limit> parsed = limits.stream().map(this::limit).toList();
        if (with.isEmpty() && runs.size() != 2) {
            throw usage(
                    runs.size() == 1
                            ? "there is nothing to compare " + runs.get(0) + " to; name a second run"
                            : runs.size() + " runs, and no word which are the base; write BASE… --with NEW…");
        }
        Comparison comparison = comparison(
                with.isEmpty() ? runs.subList(0, 1) : runs,
                with.isEmpty() ? runs.subList(1, 2) : with,
                new Comparison.Options(by, absolute, parsed));
        Style style = Terminal.style();
        PrintWriter out = out();
        form.write(comparison, style, out);
        out.flush();
        return exitCode(comparison, requireDecided, err()).code();
    }

    private Comparison comparison(List<Path> base, List<Path> other, Comparison.Options options) {
        try {
            return Comparison.of(read(base), read(other), options);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private static List<ComparedRun> read(List<Path> directories) {
        return directories.stream()
                .flatMap(path -> ComparedRun.of(RunDirectory.open(path)).stream())
                .toList();
    }

    /** The exit code that follows from the limits. The reason for a failure is printed on {@code err}. */
    static ExitCode exitCode(Comparison comparison, boolean requireDecided, PrintWriter err) {
        if (comparison.isExceeded()) {
            return ExitCode.LIMIT_EXCEEDED;
        }
        // a check that compared nothing must not look as if it had passed
        List<String> unjudged = comparison.gates().stream()
                .filter(gate -> gate.judged() == 0)
                .map(gate -> "'" + gate.limit() + "'")
                .toList();
        if (unjudged.isEmpty()) {
            List<Comparison.LimitResult> undecided = comparison.gates().stream()
                    .filter(gate -> requireDecided && !gate.inconclusive().isEmpty())
                    .toList();
            undecided.forEach(gate -> err.println(undecided(gate)));
            return undecided.isEmpty() ? ExitCode.DONE : ExitCode.UNDECIDED;
        }
        err.println("blobmark: --fail-if " + String.join(", ", unjudged)
                + ": no trial could be compared by this metric; the reasons are under 'Not compared'");
        return ExitCode.ERROR;
    }

    private static String undecided(Comparison.LimitResult gate) {
        String smallest = gate.smallestEstablished().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "these runs would have established a regression of %.3g %% or more in each trial",
                        100 * gate.smallestEstablished().getAsDouble())
                : "a trial has no interval, so no regression of it could have been established";
        return "blobmark: --require-decided: '" + gate.limit() + "' is inconclusive for "
                + gate.inconclusive().size() + " of " + gate.judged() + "; " + smallest
                + "; run more forks, or more runs";
    }

    private Limit limit(String text) {
        try {
            return Limit.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage("--fail-if " + e.getMessage());
        }
    }
}
