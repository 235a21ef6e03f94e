package dev.blobmark.lab.fork;

import dev.blobmark.lab.server.directory.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;

/** One measuring JVM, seen from its parent. Closing it ends it, whatever it does. */
final class WorkerProcess implements AutoCloseable {

    private static final int ERROR_LINES = 12;
    private static final int MOST_QUOTED = 80;
    private static final long END_PATIENCE_SECONDS = 10;

    /** 128 + SIGINT, of a JVM that was ended by it, at its start also before it has a handler. */
    private static final int INTERRUPTED = 130;

    private final Process process;
    private final Writer orders;
    private final Path directory;
    private volatile String nonsense = "";
    private volatile boolean ended;

    /**
     * What is heard of a child, in its order.
     *
     * @param message empty when there will be no more
     */
    record Heard(WorkerProcess from, Optional<ForkMessage> message) {}

    private WorkerProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
        orders = process.outputWriter(StandardCharsets.UTF_8);
    }

    long pid() {
        return process.pid();
    }

    /**
     * Starts one.
     *
     * @param heard receives what it says, and last that it says no more
     * @throws IOException if the system cannot start it
     */
    static WorkerProcess start(Launch launch, Path java, BlockingQueue<Heard> heard) throws IOException {
        Path directory = Files.createTempDirectory("blobmark-fork-").toAbsolutePath();
        try {
            WorkerProcess child = new WorkerProcess(launch.start(java, directory), directory);
            Thread ear = new Thread(() -> child.hear(heard), "fork-" + child.process.pid());
            ear.setDaemon(true);
            ear.start();
            return child;
        } catch (IOException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    private void hear(BlockingQueue<Heard> heard) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard.add(new Heard(this, Optional.of(message(line))));
            }
        } catch (JacksonException e) {
            process.destroyForcibly();
        } catch (IOException e) {
            // its stream is closed when it is ended from here
        }
        ended = true;
        heard.add(new Heard(this, Optional.empty()));
    }

    /** A JVM that is ended while it writes leaves a part of a line. */
    private ForkMessage message(String line) {
        try {
            return ForkMessage.ofLine(line);
        } catch (JacksonException e) {
            nonsense = line.substring(0, Math.min(MOST_QUOTED, line.length()));
            throw e;
        }
    }

    /** Tells it what to do. One that has ended does not hear it, which {@link Heard} tells. */
    void say(ForkOrder order) {
        try {
            orders.write(order.toLine() + "\n");
            orders.flush(); // stays open: its end tells the child that its parent is gone
        } catch (IOException e) {
            process.destroyForcibly();
        }
    }

    /** Whether it says no more: true before {@link Heard} tells so. */
    boolean hasEnded() {
        return ended;
    }

    /** How one that says no more came to its end, with the last that it printed. */
    String howItEnded() throws IOException, InterruptedException {
        if (!process.waitFor(END_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return (nonsense.isEmpty() ? "ended with code " + process.exitValue() : "said what is no message: " + nonsense)
                + "; " + lastErrors();
    }

    /** Of one that {@link #howItEnded} has told of. */
    boolean isInterrupted() {
        return process.exitValue() == INTERRUPTED;
    }

    /** The last lines that it printed to standard error. */
    String lastErrors() throws IOException {
        byte[] printed;
        try {
            printed = Files.readAllBytes(directory.resolve(Launch.ERRORS));
        } catch (NoSuchFileException e) {
            return "it has been closed"; // meanwhile, by another thread
        }
        List<String> lines = new String(printed, StandardCharsets.UTF_8)
                .replace(System.getProperty("user.home"), "~")
                .lines()
                .toList();
        return lines.isEmpty()
                ? "it printed nothing"
                : "its last lines: "
                        + String.join(" | ", lines.subList(Math.max(0, lines.size() - ERROR_LINES), lines.size()));
    }

    /** Ends it at once, and does not wait until it is gone. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        try {
            process.waitFor(END_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            Trees.delete(directory);
        } catch (IOException e) {
            // in the directory for such files, which the next start empties
        }
    }
}
