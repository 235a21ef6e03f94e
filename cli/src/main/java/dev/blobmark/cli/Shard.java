package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.run.RunJson;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** A process that works on the table of one of several servers. */
final class Shard {

    private final String server;
    private volatile ShardProcess running;

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
        try (ShardProcess process = ShardProcess.start(launch, order)) {
            running = process;
            for (Optional<String> line = process.receive(); line.isPresent(); line = process.receive()) {
                if (line.get().startsWith("{")) {
                    events.accept(RunJson.MAPPER.readTree(line.get()));
                }
            }
            int code = process.code();
            return new Ended(code, code == ExitCode.DONE.code() ? "" : process.lastWords());
        } finally {
            running = null;
        }
    }

    /** Sends a command; one to a process that has ended is lost. Any thread may call it. */
    void command(String line) {
        ShardProcess to = running;
        if (to != null) {
            try {
                to.send(line);
            } catch (IOException e) {
                // it has ended
            }
        }
    }
}
