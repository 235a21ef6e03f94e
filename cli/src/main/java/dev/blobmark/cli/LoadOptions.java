package dev.blobmark.cli;

import dev.blobmark.mysql.admission.LoadLimits;
import dev.blobmark.mysql.admission.ToleratedLoad;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Limits of the load of a server that others use. */
final class LoadOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--max-load",
            paramLabel = "STATUS=N,…",
            description =
                    "Pause while the server's load is above this, without Blobmark's connections; '' for no limit. Default:"
                            + " Threads_running=25 on a server that Blobmark did not start.")
    private String maxLoad;

    @Option(
            names = "--critical-load",
            paramLabel = "STATUS=N,…",
            description = "End the run when the server's load is above this. Default: no limit.")
    private String criticalLoad = "";

    ToleratedLoad tolerated() {
        return new ToleratedLoad(
                Optional.ofNullable(maxLoad).map(limits -> parsed("--max-load", limits)),
                parsed("--critical-load", criticalLoad));
    }

    private LoadLimits parsed(String option, String value) {
        try {
            return LoadLimits.parse(value);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
