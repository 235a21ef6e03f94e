package dev.blobmark.cli;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.StudySchema;
import java.io.PrintWriter;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code blobmark show}: prints the YAML of a built-in study, to start your own from. */
@Command(
        name = "show",
        description = "Prints the YAML of a built-in study, to start a study of your own from.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  blobmark show blob-fetch >mine.yaml", "  blobmark show --schema >study.schema.json"})
final class ShowCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private What what;

    static final class What {
        @Parameters(paramLabel = "STUDY", description = "A built-in study (see 'blobmark list studies').")
        private String study;

        @Option(
                names = "--schema",
                description = "Print the JSON Schema of study files instead, for completion and checks in an editor.")
        private boolean isSchema;
    }

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            out.print(what.isSchema ? StudySchema.of(Factors.VOCABULARY) + "\n" : Studies.text(what.study));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        out.flush();
    }
}
