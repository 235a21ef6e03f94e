package dev.blobmark.cli;

import dev.blobmark.mysql.server.ServerException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The list of commands, and the only place where the program exits. */
@Command(
        name = "blobmark",
        description = "Finds the fastest way to store BLOBs and JSON documents in MySQL.",
        subcommands = {
            RunCommand.class,
            AdviseCommand.class,
            WhatIfCommand.class,
            ListCommand.class,
            ShowCommand.class,
            ReportCommand.class,
            SurveyCommand.class,
            DecodeCommand.class,
            ReencodeCommand.class,
            CompareCommand.class,
            MergeCommand.class,
            DoctorCommand.class,
            LinkCommand.class,
            CleanupCommand.class,
            CommandLine.HelpCommand.class,
            VersionCommand.class,
            AutoComplete.GenerateCompletion.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, even if some methods are unavailable here",
            "1:error",
            "2:usage: an option, a study or a factor is wrong",
            "3:cannot connect: the server cannot be started or reached",
            "4:a trial failed: a downgraded layout or a wrong value",
            "5:a rate was not reached: fewer operations than --rate offered",
            "6:the server does not allow it: privileges, read-only, packets, replication, no space left",
            "7:ended by --critical-load, with a valid partial run",
            "8:ended because the server's load or the run's lock could not be read, with a valid partial run",
            "9:a copy of a table was ended before the exchange: not all changes of others could be followed",
            "10:a copy was exchanged, and rows that lacked a change of others have it now",
            "11:a copy was exchanged, and rows differ that somebody must look at",
            "98:a limit of --fail-if is inconclusive, with --require-decided",
            "99:a limit of --fail-if was exceeded, or an advice does not hold any more",
            "130:interrupted, with a valid partial run (143 after SIGTERM)"
        })
public final class Main implements Runnable {

    /** The text that is shown without a command. */
    private static final String FIRST = """

              blobmark run blob-fetch           which way of storing a BLOB is read fastest here
              blobmark run --data FILE|DIR      the same with values of your own
              blobmark list studies             what else can be measured
              blobmark report                   the latest run, once more
              blobmark help, help run           all commands, all options of one
            """;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show the stack trace of an error.")
    private boolean debug;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        CommandLine commandLine = commandLine();
        try {
            TemporaryFiles.sweep(Variables.cache());
        } catch (ServerException e) {
            commandLine.getErr().println("blobmark: " + e.getMessage());
            System.exit(ExitCode.USAGE.code());
        }
        System.exit(commandLine.execute(args));
    }

    /** The command line with its error handling, as {@link #main} runs it. */
    static CommandLine commandLine() {
        Main main = new Main();
        CommandLine commandLine = new CommandLine(main);
        Errors errors = new Errors(() -> main.debug);
        // UTF-8 in every locale: figures and names are not only ASCII
        commandLine
                .setOut(utf8(new FileOutputStream(FileDescriptor.out)))
                .setErr(utf8(new FileOutputStream(FileDescriptor.err)));
        return commandLine
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .setExitCodeExceptionMapper(errors);
    }

    static PrintWriter utf8(OutputStream stream) {
        return new PrintWriter(new VisibleWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8)), true);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing. The first ones:\n" + FIRST);
    }
}
