package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.server.directory.Trees;
import dev.blobmark.reencode.WriterHost;
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

/** A process of {@link ShardMain}, here or on another host. */
final class ShardProcess implements WriterHost {

    private static final String PROGRAM = "blobmark: ";

    private final Path directory;
    private final Process process;
    private final Writer orders;
    private final BufferedReader lines;

    private ShardProcess(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
        orders = process.outputWriter(StandardCharsets.UTF_8);
        lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** @throws IOException if it cannot be started */
    static ShardProcess start(Launch launch, ShardMain.Order order) throws IOException {
        Path directory = Files.createTempDirectory("blobmark-fork-").toAbsolutePath();
        try {
            ShardProcess started = new ShardProcess(
                    directory, launch.start(Path.of(System.getProperty("java.home"), "bin", "java"), directory));
            started.send(order.toLine());
            return started;
        } catch (IOException | RuntimeException e) {
            Trees.delete(directory);
            throw e;
        }
    }

    @Override
    public synchronized void send(String line) throws IOException {
        orders.write(line + "\n");
        orders.flush();
    }

    @Override
    public Optional<String> receive() throws IOException {
        return Optional.ofNullable(lines.readLine());
    }

    /** Its exit code, after its last line. */
    int code() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public String lastWords() {
        try {
            List<String> errors = Files.readString(directory.resolve(Launch.ERRORS), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            Optional<String> error =
                    errors.stream().filter(line -> line.startsWith(PROGRAM)).reduce((one, other) -> other);
            return error.map(line -> line.substring(PROGRAM.length()))
                    .orElse(errors.isEmpty() ? "it printed nothing" : errors.get(errors.size() - 1));
        } catch (NoSuchFileException e) {
            return "it printed nothing";
        } catch (IOException e) {
            return "what it printed cannot be read: " + e.getMessage();
        }
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    /** Without its standard input it ends after its transaction. */
    @Override
    public void close() throws IOException {
        try (orders;
                lines) {
            Trees.delete(directory);
        }
    }
}
