package dev.blobmark.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code blobmark version}: the same as {@code --version}. */
@Command(
        name = "version",
        description = "Prints the version, as --version does.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class VersionCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().printVersionHelp(spec.commandLine().getOut());
    }
}
