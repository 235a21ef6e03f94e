package dev.blobmark.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A command line as the user typed it, run in this JVM, and all that came of it. */
record Invocation(int exitCode, String out, String err) {

    static Invocation of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setUsageHelpWidth(80)
                .setUsageHelpAutoWidth(false)
                .execute(args);
        return new Invocation(exitCode, out.toString(), err.toString());
    }
}
