package dev.blobmark.cli;

import dev.blobmark.lab.admission.LoadLimits;
import dev.blobmark.lab.admission.RunLimits;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a run may do to a server that it did not start. */
final class GuestOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description =
                    "The schema to work in: made for the run and dropped after it, or one that is there and empty. Default: "
                            + RunLimits.DEFAULT_SCHEMA + ".")
    private String schema;

    @Option(
            names = "--max-bytes",
            paramLabel = "SIZE",
            description =
                    "Refuse a run that would load more application bytes, over all its tables: 2GB. Default: 10GB on"
                            + " a server that Blobmark did not start.")
    private String maxBytes;

    @Option(
            names = "--allow-replicated-writes",
            description = "Load even if the server replicates the loaded values to other servers.")
    private boolean allowReplicatedWrites;

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

    RunLimits limits() {
        Optional<LoadLimits> max =
                Optional.ofNullable(maxLoad).map(limits -> parsed("--max-load", limits, LoadLimits::parse));
        LoadLimits critical = parsed("--critical-load", criticalLoad, LoadLimits::parse);
        OptionalLong most = maxBytes == null
                ? OptionalLong.empty()
                : OptionalLong.of(parsed("--max-bytes", maxBytes, RunLimits::parseBytes));
        return parsed(
                "--schema",
                schema,
                name -> new RunLimits(Optional.ofNullable(name), most, allowReplicatedWrites, max, critical));
    }

    private <V> V parsed(String option, String value, Function<String, V> parser) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
