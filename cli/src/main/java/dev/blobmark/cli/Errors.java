package dev.blobmark.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExitCodeExceptionMapper;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What the user sees of an exception: its message after the program's name, on standard error, and an exit code. The
 * stack trace only where {@code --debug} asks for it.
 */
final class Errors implements IParameterExceptionHandler, IExecutionExceptionHandler, IExitCodeExceptionMapper {

    private final BooleanSupplier debug;

    Errors(BooleanSupplier debug) {
        this.debug = debug;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        print(e, e.getMessage(), command);
        UnmatchedArgumentException.printSuggestions(e, err);
        err.printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return ExitCode.USAGE.code();
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        print(e, message(e), command);
        return getExitCode(e);
    }

    /** A connection that could not be made or was lost (SQLSTATE class 08) has a code of its own. */
    @Override
    public int getExitCode(Throwable thrown) {
        boolean connection = Stream.iterate(thrown, t -> t != null, Throwable::getCause)
                .anyMatch(t -> t instanceof ConnectException
                        || t instanceof SQLException e
                                && e.getSQLState() != null
                                && e.getSQLState().startsWith("08"));
        return (connection ? ExitCode.CANNOT_CONNECT : ExitCode.ERROR).code();
    }

    private void print(Exception e, String message, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText("blobmark: " + message));
        if (debug.getAsBoolean()) {
            e.printStackTrace(err);
        }
    }

    /** The message, completed where the JDK's own message is only a path, or none. */
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
