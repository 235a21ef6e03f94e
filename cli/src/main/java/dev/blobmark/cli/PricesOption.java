package dev.blobmark.cli;

import dev.blobmark.analysis.Prices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The user's own prices. */
final class PricesOption {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "State costs too, by prices of yours in a YAML file; see docs/prices.md.")
    private Path file;

    boolean isGiven() {
        return file != null;
    }

    /** @throws ParameterException if the file has a problem */
    Optional<Prices> read() throws IOException {
        try {
            return file == null ? Optional.empty() : Optional.of(Prices.read(file));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--prices: " + e.getMessage(), e);
        }
    }
}
