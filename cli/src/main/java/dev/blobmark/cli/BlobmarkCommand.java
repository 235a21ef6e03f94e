package dev.blobmark.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What commands have in common: where they print, how they refuse words, and that they end in order on Ctrl-C. */
abstract class BlobmarkCommand implements Callable<Integer> {

    static final long STOP_PATIENCE_SECONDS = 30;

    @Spec
    CommandSpec spec;

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** @param message names the option or the word, says what is wrong with it, and what to write instead */
    final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    final ParameterException usage(String message, Throwable cause) {
        return new ParameterException(spec.commandLine(), message, cause);
    }

    /**
     * What an option means.
     *
     * @throws ParameterException with the name of the option if the parser has an {@link IllegalArgumentException},
     *     unless its message begins with that of another one
     */
    final <V, R> R parsed(String option, V value, Function<V, R> parser) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage().startsWith("--") ? e.getMessage() : option + ": " + e.getMessage(), e);
        }
    }

    /**
     * Refuses options that were given.
     *
     * @param reason to which is added: leave out, and their names
     */
    final void refuse(Predicate<String> isRefused, String reason) {
        List<String> refused = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(OptionSpec::longestName)
                .filter(isRefused)
                .distinct()
                .toList();
        if (!refused.isEmpty()) {
            throw usage(reason + "; leave out " + String.join(", ", refused));
        }
    }

    /**
     * On Ctrl-C the JVM is shutting down already. This delays that until the work has ended, for at most
     * {@value #STOP_PATIENCE_SECONDS} s.
     *
     * @param name of the thread that waits
     * @param interruption asks the work to end
     * @param ended counted down when the work has ended, and all that it used is closed
     */
    static void endOnInterruption(String name, Runnable interruption, CountDownLatch ended) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(interruption, ended), name));
    }

    private static void stop(Runnable interruption, CountDownLatch ended) {
        interruption.run();
        try {
            ended.await(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
