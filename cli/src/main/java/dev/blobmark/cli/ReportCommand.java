package dev.blobmark.cli;

import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.report.Format;
import dev.blobmark.report.Report;
import dev.blobmark.report.Style;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code blobmark report}: a run directory, read again. */
@Command(
        name = "report",
        description = "Shows what a run found; also of a run that was interrupted, or is still going.",
        mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "A run directory, such as runs/2026-11-21T10-15-00-blob-fetch.")
    private Path run;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description =
                    "table, markdown, csv (all samples), json (rankings) or claims (CSV). Default: ${DEFAULT-VALUE}.")
    private String format;

    @Mixin
    private Judging judging;

    /** How figures are judged; for every command that prints a report. */
    static final class Judging {
        @Option(
                names = "--equal-within",
                paramLabel = "X%",
                converter = Percentage.class,
                description = "How far apart methods may be to be called equal, if the noise floor is no higher."
                        + " Default: 2%%.")
        double equalWithin = Report.USUAL_EQUAL_WITHIN;
    }

    @Override
    public Integer call() throws IOException {
        Format form = Format.find(format)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "--format: '" + format + "' is none of "
                                + String.join(
                                        ", ",
                                        Arrays.stream(Format.values())
                                                .map(Format::word)
                                                .toList())));
        print(RunDirectory.open(run), judging, form, spec.commandLine().getOut());
        return ExitCode.DONE.code();
    }

    /** Coloured on a terminal, unless the user wants no colours. */
    static void print(RunDirectory run, Judging judging, Format format, PrintWriter out) throws IOException {
        Style style = !Environment.noColor() && Terminal.isOutput() ? Style.ANSI : Style.PLAIN;
        format.write(Report.of(run, judging.equalWithin), style, out);
        out.flush();
    }
}
