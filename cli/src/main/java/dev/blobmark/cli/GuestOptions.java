package dev.blobmark.cli;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.mysql.admission.ByteAmount;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
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

    @Mixin
    private LoadOptions load;

    RunLimits limits() {
        OptionalLong most = maxBytes == null
                ? OptionalLong.empty()
                : OptionalLong.of(parsed("--max-bytes", maxBytes, ByteAmount::parse));
        return parsed(
                "--schema",
                schema,
                name -> new RunLimits(Optional.ofNullable(name), most, allowReplicatedWrites, load.tolerated()));
    }

    private <V> V parsed(String option, String value, Function<String, V> parser) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
