package dev.blobmark.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** What standard error is connected to. */
final class Terminal {

    private static final int DEFAULT_COLUMNS = 80;
    private static final int MIN_COLUMNS = 40;

    private Terminal() {}

    /**
     * Columns of the terminal that standard error goes to; empty where it goes to none. Asked of the shell, since Java
     * tells of standard input and output together, and never of standard error.
     */
    static OptionalInt columns() {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "test -t 2 && { stty size <&2 || echo; }")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            shell.getOutputStream().close();
            String size = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            if (!shell.waitFor(2, TimeUnit.SECONDS) || shell.exitValue() != 0) {
                return OptionalInt.empty();
            }
            String[] rowsAndColumns = size.split(" ");
            int columns = rowsAndColumns.length == 2 ? Integer.parseInt(rowsAndColumns[1]) : 0;
            return OptionalInt.of(columns == 0 ? DEFAULT_COLUMNS : Math.max(MIN_COLUMNS, columns));
        } catch (IOException | NumberFormatException e) {
            return OptionalInt.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }
}
