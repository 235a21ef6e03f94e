package dev.blobmark.cli;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Merge;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark merge}: makes one run of several runs of a study. */
@Command(
        name = "merge",
        description = "Makes one run of several runs of a study, from one machine or from several.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class MergeCommand extends BlobmarkCommand {

    @Parameters(paramLabel = "RUN", arity = "1..*", description = "Run directories, two or more.")
    private List<Path> runs;

    @Option(names = "--out", paramLabel = "DIR", description = "The run directory; default: a new one below runs/.")
    private Path out;

    @Option(
            names = "--redact",
            description =
                    "Write it without the names of datasets, tables, columns and directories of yours, and addresses;"
                            + " one run is enough then.")
    private boolean redact;

    @Override
    public Integer call() throws IOException {
        if (runs.size() < 2 && !redact) {
            throw usage("there is nothing to merge " + runs.get(0) + " with; name a second run");
        }
        Merge merge = Merge.of(runs.stream()
                .map(RunDirectory::open)
                .map(run -> redact ? run.redacted() : run)
                .toList());
        RunDirectory directory = out == null
                ? RunDirectory.create(Path.of("runs"), Instant.now(), merge.study())
                : RunDirectory.createAt(out);
        Manifest merged = merge.write(directory, Version.program(List.of()));
        PrintWriter err = err();
        err.printf(
                "Merged %d runs: %d samples of %d trials.%n",
                merged.sources().size(),
                directory.samples().size(),
                merged.plan().trials().size());
        if (!merge.differing().isEmpty()) {
            err.println("Not the same in all of them, and recorded: " + String.join(", ", merge.differing()) + ".");
        }
        err.println("Run directory: " + directory.path());
        err.flush();
        return ExitCode.DONE.code();
    }
}
