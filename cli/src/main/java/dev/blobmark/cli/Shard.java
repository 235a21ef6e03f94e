package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.run.RunJson;
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
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** A process that works on the table of one of several servers. */
final class Shard {

    private static final String PROGRAM = "blobmark: ";

    private final String server;
    private volatile Writer commands;

    Shard(String server) {
        this.server = server;
    }

    /** Host and port. */
    String label() {
        return ServerNames.label(server);
    }

    /**
     * How it ended.
     *
     * @param code exit code of the process
     * @param reason what it printed at last if it failed
     */
    record Ended(int code, String reason) {

        boolean isDone() {
            return code == ExitCode.DONE.code();
        }
    }

    /**
     * Runs the process to its end.
     *
     * @param events receives its events: objects with one field
     * @throws IOException if it cannot be started
     */
    Ended run(Launch launch, ShardMain.Order order, Consumer<JsonNode> events)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("blobmark-fork-").toAbsolutePath();
        try {
            Process process = launch.start(Path.of(System.getProperty("java.home"), "bin", "java"), directory);
            try (Writer orders = process.outputWriter(StandardCharsets.UTF_8);
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                commands = orders;
                orders.write(order.toLine() + "\n");
                orders.flush();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("{")) {
                        events.accept(RunJson.MAPPER.readTree(line));
                    }
                }
            } finally {
                commands = null;
            }
            int code = process.waitFor();
            return new Ended(code, code == ExitCode.DONE.code() ? "" : lastLine(directory.resolve(Launch.ERRORS)));
        } finally {
            Trees.delete(directory);
        }
    }

    private static String lastLine(Path errors) throws IOException {
        try {
            List<String> lines = Files.readString(errors, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            Optional<String> error =
                    lines.stream().filter(line -> line.startsWith(PROGRAM)).reduce((one, other) -> other);
            return error.map(line -> line.substring(PROGRAM.length()))
                    .orElse(lines.isEmpty() ? "it printed nothing" : lines.get(lines.size() - 1));
        } catch (NoSuchFileException e) {
            return "it printed nothing";
        }
    }

    /** Sends a command; one to a process that has ended is lost. Any thread may call it. */
    void command(String line) {
        Writer to = commands;
        if (to != null) {
            try {
                to.write(line + "\n");
                to.flush();
            } catch (IOException e) {
                // it has ended
            }
        }
    }
}
