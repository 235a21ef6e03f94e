package dev.blobmark.cli.shards;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.fork.StartedJvm;
import dev.blobmark.mysql.server.directory.Trees;
import dev.blobmark.reencode.inplace.WriterHost;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process that does a {@link ShardOrder}, here or on another host. */
public final class ShardProcess implements WriterHost {

    /** How long a process may be silent, which writes a line every few seconds. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String PROGRAM = "blobmark: ";
    private static final int MOST_WAITING = 1_000;
    private static final long END_SECONDS = 10;

    /** Exit codes above are that of a signal, as the shell and Java have it. */
    private static final int SIGNALS = 128;

    private static final Map<Integer, String> NAMES = Map.of(6, "SIGABRT", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    private final Path directory;
    private final StartedJvm process;
    private final Duration patience;
    private final BlockingQueue<Optional<String>> received = new ArrayBlockingQueue<>(MOST_WAITING);
    private volatile boolean isSilent;

    private ShardProcess(Path directory, StartedJvm process, Duration patience) {
        this.directory = directory;
        this.process = process;
        this.patience = patience;
        Thread reading = new Thread(this::read, "shard-lines");
        reading.setDaemon(true);
        reading.start();
    }

    /** @throws IOException if it cannot be started */
    public static ShardProcess start(Launch launch, ShardOrder order) throws IOException {
        return start(launch, order, PATIENCE);
    }

    /** @param patience how long it may be silent before it is ended */
    static ShardProcess start(Launch launch, ShardOrder order, Duration patience) throws IOException {
        Path directory = Files.createTempDirectory("blobmark-fork-").toAbsolutePath();
        try {
            ShardProcess started = new ShardProcess(
                    directory,
                    launch.start(Path.of(System.getProperty("java.home"), "bin", "java"), directory),
                    patience);
            started.send(order.toLine());
            return started;
        } catch (IOException | RuntimeException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    @Override
    public synchronized void send(String line) throws IOException {
        process.send(line);
    }

    @Override
    public Optional<String> receive() throws IOException {
        try {
            Optional<String> line = received.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (line == null) {
                isSilent = true;
                kill();
                return Optional.empty();
            }
            if (line.isEmpty()) {
                received.add(line); // for whoever asks again
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a process was listened to", e);
        }
    }

    private void read() {
        try {
            try (BufferedReader lines = process.lines()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    received.put(Optional.of(line));
                }
            } catch (IOException e) {
                // the same as the end
            }
            received.put(Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its exit code, after its last line. */
    int code() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public String lastWords() {
        if (isSilent) {
            String who = process.host().map(host -> "its process on " + host).orElse("its process");
            return who + " was silent for " + patience.toSeconds() + " s and was ended";
        }
        try {
            List<String> errors = Files.readString(directory.resolve(Launch.ERRORS), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            Optional<String> error =
                    errors.stream().filter(line -> line.startsWith(PROGRAM)).reduce((one, other) -> other);
            return error.map(line -> line.substring(PROGRAM.length()))
                    .orElse(errors.isEmpty() ? silentEnd() : errors.get(errors.size() - 1));
        } catch (NoSuchFileException e) {
            return silentEnd();
        } catch (IOException e) {
            return "what it printed cannot be read: " + e.getMessage();
        }
    }

    /** How a process ended that has printed nothing. */
    private String silentEnd() {
        try {
            int code = process.waitFor(END_SECONDS, TimeUnit.SECONDS) ? process.exitCode() : 0;
            String name = NAMES.getOrDefault(code - SIGNALS, "");
            return code <= SIGNALS
                    ? "it printed nothing"
                    : "it was ended by the signal " + (code - SIGNALS) + (name.isEmpty() ? "" : ", " + name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "it printed nothing";
        }
    }

    @Override
    public void kill() {
        process.kill();
    }

    /** Without its standard input it ends after its transaction. */
    @Override
    public void close() throws IOException {
        try {
            process.endInput();
        } finally {
            Trees.delete(directory);
        }
    }
}
