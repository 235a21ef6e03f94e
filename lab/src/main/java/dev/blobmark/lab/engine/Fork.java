package dev.blobmark.lab.engine;

import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;

/** A JVM that measures, seen from its parent. Closing it ends it. */
public final class Fork implements AutoCloseable {

    private static final int ERROR_LINES = 12;

    private static final ScheduledExecutorService WATCHDOGS = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fork-watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private final ForkPlan plan;
    private final Process process;
    private final Writer in;
    private final BufferedReader out;
    private final Path errors;
    private final Duration patience;

    private Fork(ForkPlan plan, Process process, Path errors, Duration patience) {
        this.plan = plan;
        this.process = process;
        this.errors = errors;
        this.patience = patience;
        in = process.outputWriter(StandardCharsets.UTF_8);
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a JVM with this one's class path and hands it its plan.
     *
     * @param main the class to start, which is to call {@link ForkWork#run} with its standard streams
     * @param prefix what the command begins with, such as {@code taskset -c 1}: it must become the JVM by itself (exec)
     * @param flags of the JVM, before the class path
     * @param errors receives what it prints to standard error
     */
    public static Fork start(ForkPlan plan, String main, List<String> prefix, List<String> flags, Path errors)
            throws IOException {
        return start(plan, main, prefix, flags, errors, patience(plan));
    }

    /** @param patience how long it may say nothing before it is ended */
    static Fork start(
            ForkPlan plan, String main, List<String> prefix, List<String> flags, Path errors, Duration patience)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // what the JVM itself has to say when it crashes must not end up among the samples
        command.add("-XX:+DisplayVMOutputToStderr");
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main);
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        Fork fork = new Fork(plan, process, errors, patience);
        try {
            // stays open: its end tells the fork that its parent is gone
            fork.in.write(ForkMessage.MAPPER.writeValueAsString(plan) + "\n");
            fork.in.flush();
            return fork;
        } catch (IOException e) {
            fork.close();
            throw new IOException("the measuring JVM did not take its plan; " + fork.lastErrors(), e);
        }
    }

    /** Takes what a trial gave: the sample, and its latencies in nanoseconds by operation type. */
    public interface Measured {
        void accept(Trial trial, Sample sample, Map<String, Histogram> latency);
    }

    /**
     * Hears the fork to its end.
     *
     * @param started is told of each trial that begins
     * @throws IOException if the fork ends before it has done all, or says nothing for much longer than a trial may take
     */
    public void forEach(Consumer<Trial> started, Measured measured) throws IOException, InterruptedException {
        Trial trial = null;
        for (Optional<String> line = nextLine(); line.isPresent(); line = nextLine()) {
            ForkMessage message = message(line.get());
            if (message instanceof ForkMessage.Started begun) {
                trial = plan.trials().get(begun.trial()).trial();
                started.accept(trial);
            } else if (message instanceof ForkMessage.Finished ended) {
                measured.accept(trial, Sample.ofJson(ended.sample()), ended.histograms());
            }
        }
    }

    /** A JVM that is ended while it writes leaves a part of a line. */
    private ForkMessage message(String line) throws IOException {
        try {
            return ForkMessage.ofLine(line);
        } catch (JacksonException e) {
            throw new IOException(
                    "the measuring JVM said what is no message: " + line.substring(0, Math.min(80, line.length()))
                            + "; " + lastErrors(),
                    e);
        }
    }

    private Optional<String> nextLine() throws IOException, InterruptedException {
        Future<?> watchdog = WATCHDOGS.schedule(process::destroyForcibly, patience.toMillis(), TimeUnit.MILLISECONDS);
        String line;
        boolean silent;
        try {
            line = out.readLine();
        } catch (IOException ended) {
            line = null; // its stream is closed when it is ended from here
        } finally {
            silent = !watchdog.cancel(false);
        }
        if (line != null) {
            return Optional.of(line);
        }
        int code = process.waitFor();
        if (silent) {
            throw new IOException(
                    "the measuring JVM was silent for " + patience.toSeconds() + " s and was ended; " + lastErrors());
        }
        if (code != 0) {
            throw new IOException("the measuring JVM ended with code " + code + "; " + lastErrors());
        }
        return Optional.empty();
    }

    /** How long a fork may say nothing: much longer than any trial may take. */
    private static Duration patience(ForkPlan plan) {
        Duration window = plan.window() instanceof Window.Time time ? time.length() : Duration.ofHours(1);
        return window.plus(plan.warmUp()).plusMinutes(5);
    }

    private String lastErrors() throws IOException {
        List<String> lines = Files.readAllLines(errors, StandardCharsets.UTF_8);
        return lines.isEmpty()
                ? "it printed nothing"
                : "its last lines: "
                        + String.join(" | ", lines.subList(Math.max(0, lines.size() - ERROR_LINES), lines.size()));
    }

    /** The process that measures. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
