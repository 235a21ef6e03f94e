package dev.blobmark.cli;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.report.document.Style;
import java.io.Console;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * What standard output and standard error are connected to. A shell is asked, because Java reports only on standard
 * input and output together, and not on standard error.
 */
final class Terminal {

    private static final int DEFAULT_COLUMNS = 80;
    private static final int MIN_COLUMNS = 40;
    private static final int PATIENCE_SECONDS = 2;

    private Terminal() {}

    /** Columns of the terminal that standard error goes to; empty if it goes to none, or to one without escapes. */
    static OptionalInt columns() {
        if (Variables.isDumb()) {
            return OptionalInt.empty();
        }
        Optional<String> size = ask(
                "test -t 2 && { stty size <&2 || echo; }",
                shell -> shell.redirectError(ProcessBuilder.Redirect.INHERIT));
        return size.map(text -> {
                    String[] rowsAndColumns = text.split(" ");
                    int columns = rowsAndColumns.length == 2 ? Integer.parseInt(rowsAndColumns[1]) : 0;
                    return OptionalInt.of(columns == 0 ? DEFAULT_COLUMNS : Math.max(MIN_COLUMNS, columns));
                })
                .orElse(OptionalInt.empty());
    }

    /**
     * What standard output can show: 100 columns if it is not a terminal and the user does not state another number.
     */
    static Style style() {
        boolean isTerminal = isOutput();
        boolean isColoured = isTerminal && !Variables.noColor();
        int columns = Variables.columns().orElseGet(() -> isTerminal ? outputColumns() : Style.USUAL_COLUMNS);
        return new Style(columns, isColoured, isColoured && Variables.isUtf8());
    }

    /** Standard output is the terminal whose size is asked for, so that the shell answers on standard error. */
    private static int outputColumns() {
        return ask("stty size <&1 >&2", shell -> shell.redirectOutput(ProcessBuilder.Redirect.INHERIT))
                .filter(size -> size.matches("\\d+ [1-9]\\d*"))
                .map(size -> Integer.parseInt(size.split(" ")[1]))
                .orElse(DEFAULT_COLUMNS);
    }

    /** Whether standard output goes to a terminal. */
    static boolean isOutput() {
        return ask("test -t 1", shell -> shell.redirectOutput(ProcessBuilder.Redirect.INHERIT))
                .isPresent();
    }

    /** Asks a question that is answered by yes or no; empty without a terminal. */
    static Optional<Boolean> confirm(String question) {
        return console().map(console -> {
            String answer = console.readLine("%s [y/N] ", Visible.of(question));
            return answer != null && answer.strip().matches("(?i)y|yes");
        });
    }

    /** Asks for a password on the terminal, without showing what is typed; empty without a terminal. */
    static Optional<String> password(String account) {
        return console()
                .map(console -> console.readPassword("Password of %s: ", Visible.of(account)))
                .map(String::new);
    }

    private static Optional<Console> console() {
        boolean isInput = ask("test -t 0", shell -> shell.redirectInput(ProcessBuilder.Redirect.INHERIT))
                .isPresent();
        return isInput ? Optional.ofNullable(System.console()) : Optional.empty();
    }

    /** The output of a shell command; empty if it fails, or if there is no shell. */
    private static Optional<String> ask(String command, UnaryOperator<ProcessBuilder> streams) {
        try {
            Process shell = streams.apply(Subprocess.of("sh", "-c", command)).start();
            shell.getOutputStream().close();
            String said = new String(
                            new SequenceInputStream(shell.getInputStream(), shell.getErrorStream()).readAllBytes(),
                            StandardCharsets.US_ASCII)
                    .strip();
            return shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && shell.exitValue() == 0
                    ? Optional.of(said)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
