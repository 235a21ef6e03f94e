package dev.blobmark.lab.fork;

import dev.blobmark.mysql.server.directory.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;

/** One measuring JVM, seen from its parent. Closing it kills the JVM. */
final class WorkerProcess implements AutoCloseable {

    private static final int ERROR_LINES = 12;
    private static final int MAX_QUOTED = 80;
    private static final long END_PATIENCE_SECONDS = 10;

    /** 128 + SIGINT: the exit code of a JVM that was interrupted, even before it has a handler. */
    private static final int INTERRUPTED = 130;

    private final StartedJvm process;
    private final Path directory;
    private final AtomicInteger answers = new AtomicInteger();
    private volatile String wrong = "";
    private volatile boolean ended;

    /**
     * A message of a child, in the order sent.
     *
     * @param message empty when there will be no more
     */
    record Received(WorkerProcess from, Optional<ForkMessage> message) {}

    private WorkerProcess(StartedJvm process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    long pid() {
        return process.pid();
    }

    /**
     * Starts a JVM.
     *
     * @param received gets its messages, and at last an empty one
     * @throws IOException if the system cannot start it
     */
    static WorkerProcess start(Launch launch, Path java, BlockingQueue<Received> received) throws IOException {
        Path directory = Files.createTempDirectory("blobmark-fork-").toAbsolutePath();
        try {
            WorkerProcess child = new WorkerProcess(launch.start(java, directory), directory);
            Thread reader = new Thread(() -> child.read(received), "fork-" + child.process.pid());
            reader.setDaemon(true);
            reader.start();
            return child;
        } catch (IOException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    private void read(BlockingQueue<Received> received) {
        try (BufferedReader lines = process.lines()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                ForkMessage message = message(line);
                if (answers.getAndDecrement() <= 0) {
                    reject("sent more messages than it was asked for");
                    break;
                }
                received.add(new Received(this, Optional.of(message)));
            }
        } catch (JacksonException e) {
            process.kill();
        } catch (IOException e) {
            // the stream is closed when this process kills the child
        }
        ended = true;
        received.add(new Received(this, Optional.empty()));
    }

    /** A JVM that is killed while it writes leaves a part of a line. */
    private ForkMessage message(String line) {
        try {
            return ForkMessage.ofLine(line);
        } catch (JacksonException e) {
            wrong = "sent a line that is not a message: " + line.substring(0, Math.min(MAX_QUOTED, line.length()));
            throw e;
        }
    }

    /** Ends it, because of what it has sent. */
    void reject(String why) {
        wrong = why;
        process.kill();
    }

    /** Sends an order. If the JVM has ended, the order is lost, and an empty {@link Received} follows. */
    void send(ForkOrder order) {
        answers.addAndGet(order.answers());
        try {
            process.send(order.toLine());
        } catch (IOException e) {
            process.kill();
        }
    }

    /** Whether it will send no more messages: true before the empty {@link Received} is received. */
    boolean hasEnded() {
        return ended;
    }

    /** How a JVM that sends no more messages has ended, with its last output. */
    String describeEnd() throws IOException, InterruptedException {
        if (!process.waitFor(END_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.kill();
            process.waitFor();
        }
        if (process.lost().isPresent()) {
            return "was lost: " + process.lost().get();
        }
        return (wrong.isEmpty() ? "ended with code " + process.exitCode() : wrong) + "; " + lastErrors();
    }

    /** Whether it was ended by Ctrl-C. To be called after {@link #describeEnd}. */
    boolean isInterrupted() {
        return process.exitCode() == INTERRUPTED;
    }

    /** The last lines of its standard error. */
    String lastErrors() throws IOException {
        byte[] printed;
        try {
            printed = Files.readAllBytes(directory.resolve(Launch.ERRORS));
        } catch (NoSuchFileException e) {
            return "it has been closed"; // by another thread
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

    /** Kills it without waiting for its end. */
    void kill() {
        process.kill();
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
            // the next start of Blobmark empties the directory of temporary files
        }
    }
}
