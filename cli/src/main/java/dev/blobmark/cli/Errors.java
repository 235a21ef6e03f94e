package dev.blobmark.cli;

import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.lab.study.StudyException;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.CriticalLoadException;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.reencode.failure.CopyEndedException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExitCodeExceptionMapper;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Turns an exception into a message on standard error, after the program's name, and an exit code. The stack trace is
 * printed only with {@code --debug}.
 */
final class Errors implements IParameterExceptionHandler, IExecutionExceptionHandler, IExitCodeExceptionMapper {

    private final BooleanSupplier debug;

    Errors(BooleanSupplier debug) {
        this.debug = debug;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        print(e, e instanceof UnmatchedArgumentException u ? unmatched(u) : usage(e), command);
        command.getErr().printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return ExitCode.USAGE.code();
    }

    /** An error for an unknown word, with the nearest known one. */
    private static String unmatched(UnmatchedArgumentException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String word = e.getUnmatched().get(0);
        if (word.startsWith("-")) {
            String name = word.replaceFirst("=.*", "");
            List<String> names = command.options().stream()
                    .flatMap(option -> Arrays.stream(option.names()))
                    .toList();
            return "unknown option '" + name + "'"
                    + Spelling.nearest(name, names)
                            .map(near -> "; did you mean '" + near + "'?")
                            .orElse("");
        }
        return command.subcommands().isEmpty()
                ? "'" + word + "' is one word too many; a word that holds a space is written in quotes"
                : "unknown command '" + word + "'; "
                        + Spelling.suggest(word, command.subcommands().keySet());
    }

    private static String usage(ParameterException e) {
        return e.getCause() instanceof StudyException study && study.problems().size() > 1
                ? study.problems().size() + " problems:\n  "
                        + study.getMessage().replace("\n", "\n  ")
                : e.getMessage()
                        .replaceFirst("^Error: ", "")
                        // the word may be a secret
                        .replaceFirst(
                                "(?s)^Value for option option '(--[^' ]+)'.* should be in KEY=VALUE format but was .*",
                                "$1: a word is not of the form KEY=VALUE")
                        .replaceFirst("^Invalid value for option '(--[^' ]+)'[^:]*: ", "$1: ");
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        print(e, message(e), command);
        return getExitCode(e);
    }

    /**
     * A server that did not start or cannot be reached (SQLSTATE class 08) has its own exit code, and so has one that
     * refuses the run.
     */
    @Override
    public int getExitCode(Throwable thrown) {
        if (thrown instanceof AdmissionException) {
            return ExitCode.NOT_ALLOWED.code();
        }
        if (thrown instanceof CopyEndedException) {
            return ExitCode.COPY_ENDED.code();
        }
        if (thrown instanceof CriticalLoadException) {
            return ExitCode.CRITICAL_LOAD.code();
        }
        if (thrown instanceof WatchLostException) {
            return ExitCode.WATCH_LOST.code();
        }
        boolean connection = Stream.iterate(thrown, t -> t != null, Throwable::getCause)
                .anyMatch(t -> t instanceof ConnectException
                        || t instanceof ServerException
                        || t instanceof SQLException e
                                && e.getSQLState() != null
                                && e.getSQLState().startsWith("08"));
        return (connection ? ExitCode.CANNOT_CONNECT : ExitCode.ERROR).code();
    }

    private void print(Exception e, String message, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText("blobmark: " + Visible.of(message)));
        if (debug.getAsBoolean()) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            err.print(Visible.of(trace.toString()));
            err.flush();
        }
    }

    /** The message. It is completed if that of the JDK is only a path, or empty. */
    private static String message(Throwable e) {
        if ((e instanceof UncheckedIOException || e instanceof ExecutionException) && e.getCause() != null) {
            return message(e.getCause());
        } else if (e instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist";
        } else if (e instanceof FileAlreadyExistsException present) {
            return present.getFile() + " exists already";
        } else if (e instanceof AccessDeniedException denied) {
            return denied.getFile() + " may not be accessed by this user";
        } else if (e instanceof NullPointerException || e instanceof ClassCastException || e.getMessage() == null) {
            return "internal error: " + e + " (--debug shows where)";
        }
        return e.getMessage();
    }
}
