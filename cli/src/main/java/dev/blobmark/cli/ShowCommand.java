package dev.blobmark.cli;

import dev.blobmark.lab.study.Studies;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code blobmark show}: the YAML of a built-in study, for a study of one's own. */
@Command(
        name = "show",
        description = "Prints the YAML of a built-in study, to start a study of your own from.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExample:%n",
        footer = "  blobmark show blob-fetch >mine.yaml")
final class ShowCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "STUDY", description = "A built-in study (see 'blobmark list studies').")
    private String study;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            out.print(Studies.text(study));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        out.flush();
    }
}
