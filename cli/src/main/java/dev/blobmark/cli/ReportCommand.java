package dev.blobmark.cli;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.AdviceFile;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunException;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import dev.blobmark.report.Page;
import dev.blobmark.report.StaticCharts;
import dev.blobmark.report.document.Style;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark report}: prints the report of a run. */
@Command(
        name = "report",
        description = {
            "Shows what a run found; also of a run that was interrupted, or is still going.",
            "Several runs, or results of JMH, become one page."
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark report",
            "  blobmark report runs/2026-11-21T10-15-00-blob-fetch",
            "  blobmark report RUN --format csv --out results.csv",
            "  blobmark report RUN OTHER-RUN --format html --out both.html",
            "  blobmark report RUN --charts figures",
            "  blobmark report jmh-result.json --format html --out page.html"
        })
final class ReportCommand extends BlobmarkCommand {

    private static final Path RUNS = Path.of("runs");

    @Parameters(
            paramLabel = "RUN|RESULT.json",
            arity = "0..*",
            description =
                    "Run directories, such as runs/2026-11-21T10-15-00-blob-fetch, or files that JMH has written with"
                            + " -rf json. Default: the latest run in runs/ that has samples.")
    private List<Path> runs = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            completionCandidates = FormatWords.class,
            description =
                    "One of ${COMPLETION-CANDIDATES}. Default: table; html of several runs and of results of JMH.")
    private String format;

    /** All formats with their contents, for the help. */
    static final class FormatWords implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Formats.OF_REPORT.help().iterator();
        }
    }

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Write to a file instead; one of that name is replaced.")
    private Path out;

    @Option(
            names = "--charts",
            paramLabel = "DIR",
            description = "Write the page's charts instead, as an SVG and a PNG each.")
    private Path charts;

    @Option(
            names = "--redact",
            description = "Leave out the names of datasets, tables, columns and directories of yours, and addresses.")
    private boolean redact;

    @Mixin
    private PricesOption prices;

    @Mixin
    private Judging judging;

    /** Options for how figures are judged, of every command that prints a report. */
    static final class Judging {
        @Option(
                names = "--equal-within",
                paramLabel = "X%",
                converter = Percentage.class,
                description = "How far apart methods may be to be called equal, if the noise floor is no higher."
                        + " Default: 2%%.")
        double equalWithin = Analysis.USUAL_EQUAL_WITHIN;

        @Option(
                names = "--details",
                description =
                        "Print the whole report: all columns that fit, notes, tiers, claims and how to read them.")
        boolean details;

        Format<Analysis> table() {
            return details ? Formats.DETAILS : Formats.TABLE;
        }
    }

    @Override
    public Integer call() throws IOException {
        if (runs.size() == 1 && SurveyDirectory.isSurvey(runs.get(0))) {
            return survey(SurveyDirectory.open(runs.get(0)));
        }
        if (prices.isGiven()) {
            throw usage("--prices: of a survey only; name its directory");
        }
        runs = runs.isEmpty() ? List.of(latest()) : runs.size() > 1 ? readable(runs) : runs;
        if (runs.size() == 1 && AdviceFile.isIn(runs.get(0))) {
            return reportAdvice(runs.get(0));
        }
        Format<Analysis> form = format();
        if (charts != null && (out != null || format != null)) {
            throw usage("--charts writes files of its own; leave out " + (out != null ? "--out" : "--format"));
        }
        if (charts != null) {
            try (StaticCharts drawing = StaticCharts.start()) {
                List<Path> files = drawing.write(Page.read(runs, this::report), charts);
                err().println(files.size() + " files in " + charts);
            }
            return ExitCode.DONE.code();
        }
        if (form == Formats.HTML) {
            if (out == null && Terminal.isOutput()) {
                throw usage("--format html: a page is for a browser; add --out report.html");
            }
            Page page = Page.read(runs, this::report);
            write(page::write);
        } else if (out == null) {
            print(report(RunDirectory.open(runs.get(0))), form, out());
        } else {
            Analysis report = report(RunDirectory.open(runs.get(0)));
            write(text -> form.write(report, Style.PLAIN, text));
        }
        return ExitCode.DONE.code();
    }

    private int survey(SurveyDirectory survey) throws IOException {
        if (charts != null || redact || judging.details) {
            throw usage(
                    survey.path() + " is a survey, which has neither charts nor details and is not redacted; leave out "
                            + (charts != null ? "--charts" : redact ? "--redact" : "--details"));
        }
        Format<SurveyFindings> form = SurveyCommand.format(format == null ? "table" : format, this);
        SurveyFindings findings = SurveyFindings.of(survey.read(), prices.read(), "SERVER");
        Style style = out == null ? Terminal.style() : Style.PLAIN;
        write(text -> form.write(findings, style, text));
        return ExitCode.DONE.code();
    }

    private int reportAdvice(Path directory) throws IOException {
        if (charts != null || redact) {
            throw usage(directory + " is an advice; name the run in it, " + directory.resolve("race"));
        }
        String word = format == null ? Formats.TABLE.word() : format;
        Format<Advice> form = Formats.OF_ADVICE
                .find(word)
                .orElseThrow(() -> usage("--format: '" + word + "' is none of " + Formats.OF_ADVICE.words()
                        + ", the forms of an advice"));
        Advice advice = AdviceFile.read(directory);
        write(text -> form.write(advice, out == null ? Terminal.style() : Style.PLAIN, text));
        return ExitCode.DONE.code();
    }

    private Path latest() throws IOException {
        Path latest = latest(RUNS)
                .orElseThrow(() -> usage("there is no run with samples in " + RUNS + "/; name a run directory"));
        PrintWriter err = err();
        err.println("The latest run is " + latest);
        err.flush();
        return latest;
    }

    /** The run with samples that was begun last; the names begin with the time. Empty if there is none. */
    static Optional<Path> latest(Path runs) throws IOException {
        if (!Files.isDirectory(runs)) {
            return Optional.empty();
        }
        try (Stream<Path> entries = Files.list(runs)) {
            return entries.filter(entry -> Files.isRegularFile(entry.resolve("manifest.json"))
                            && entry.resolve("samples.jsonl").toFile().length() > 0)
                    .max(Comparator.comparing(Path::getFileName));
        }
    }

    /**
     * Returns the paths that can be read, and warns of the others.
     *
     * @throws RunException the first problem, if none can be read
     */
    private List<Path> readable(List<Path> paths) {
        List<Path> readable = new ArrayList<>();
        List<RunException> problems = new ArrayList<>();
        for (Path path : paths) {
            try {
                if (Files.isDirectory(path)) {
                    RunDirectory.open(path);
                }
                readable.add(path);
            } catch (RunException e) {
                problems.add(e);
            }
        }
        if (readable.isEmpty()) {
            throw problems.get(0);
        }
        PrintWriter err = err();
        problems.forEach(problem -> err.println("warning: left out: " + Visible.of(problem.getMessage())));
        err.flush();
        return readable;
    }

    /** Judges a run. Warns on standard error of files that cannot be read. */
    private Analysis report(RunDirectory run) {
        Analysis report = Analysis.of(redact ? run.redacted() : run, judging.equalWithin);
        PrintWriter err = err();
        report.damage().forEach(file -> err.println("warning: " + Visible.of(run.path() + ": " + file)));
        err.flush();
        return report;
    }

    /** The requested format, or the one that suits the input. */
    private Format<Analysis> format() {
        boolean needsPage = runs.size() > 1 || Page.isResults(runs.get(0));
        String word = format != null ? format : (needsPage ? Formats.HTML : Formats.TABLE).word();
        Format<Analysis> form = Formats.OF_REPORT
                .find(word)
                .orElseThrow(() -> usage("--format: '" + word + "' is none of " + Formats.OF_REPORT.words()));
        if (needsPage && form != Formats.HTML && charts == null) {
            throw usage("--format " + word + ": "
                    + (runs.size() > 1
                            ? "of one run at a time; use --format html for several side by side"
                            : runs.get(0) + " is no run directory; use --format html for results of JMH"));
        }
        if (judging.details && form != Formats.TABLE) {
            throw usage("--details: --format " + form.word() + " has all details; leave out --details");
        }
        return form == Formats.TABLE ? judging.table() : form;
    }

    /** A report that is written to a file or printed. */
    private interface Writing {
        void to(Appendable text) throws IOException;
    }

    private void write(Writing writing) throws IOException {
        if (out == null) {
            PrintWriter printed = out();
            writing.to(printed);
            printed.flush();
        } else {
            replace(out, writing);
        }
    }

    /** Replaces a file in one step: it has either its old contents or the new ones. */
    private static void replace(Path file, Writing writing) throws IOException {
        Path whole = file.toAbsolutePath();
        if (Files.isDirectory(whole)) {
            throw new RunException(file.toString(), "this is a directory", "name a file in it");
        }
        if (Files.exists(whole, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(whole, LinkOption.NOFOLLOW_LINKS)) {
            // a device, a pipe or a link is not replaced
            boolean isLink = Files.isSymbolicLink(whole);
            if (isLink) {
                PrivateFiles.requireOwn(whole.getParent()); // others could lead it to any file
            }
            try (BufferedWriter text = isLink
                    ? Files.newBufferedWriter(whole)
                    : Files.newBufferedWriter(whole, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                writing.to(text);
            }
            return;
        }
        Files.createDirectories(whole.getParent());
        Path begun = whole.resolveSibling("." + whole.getFileName() + ".part");
        try {
            Files.deleteIfExists(begun); // perhaps a link
            try (BufferedWriter text =
                    Files.newBufferedWriter(begun, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                writing.to(text);
            }
            Files.move(begun, whole, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(begun);
        }
    }

    /** Writes the page of a run into its directory. */
    static Path writePage(RunDirectory run, Analysis report) throws IOException {
        Path file = run.path().resolve("report.html");
        Path begun = run.path().resolve(".report.html.part");
        try (Writer text =
                new BufferedWriter(new OutputStreamWriter(PrivateFiles.replace(begun), StandardCharsets.UTF_8))) {
            Page.of(report).write(text);
        }
        // a link of that name is replaced, and not its target
        Files.move(begun, file, StandardCopyOption.REPLACE_EXISTING);
        return file;
    }

    /** In colour on a terminal, unless the user wants no colours. */
    static void print(Analysis report, Format<Analysis> format, PrintWriter out) throws IOException {
        Style style = Terminal.style();
        format.write(report, style, out);
        out.flush();
    }
}
