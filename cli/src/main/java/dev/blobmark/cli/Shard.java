package dev.blobmark.cli;

import dev.blobmark.lab.fork.Launch;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

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
     * @param patience how long it may be silent
     * @param events receives its events
     * @throws IOException if it cannot be started
     */
    Ended run(Launch launch, ShardMain.Order order, Duration patience, Consumer<ShardEvent> events)
            throws IOException, InterruptedException {
        try (ShardProcess process = ShardProcess.start(launch, order, patience)) {
            running = process;
            for (Optional<String> line = process.receive(); line.isPresent(); line = process.receive()) {
                if (line.get().startsWith("{")) {
                    try {
                        events.accept(ShardEvent.of(line.get()));
                    } catch (IllegalArgumentException e) {
                        process.kill();
                        return new Ended(ExitCode.ERROR.code(), "its process sent an invalid event: " + e.getMessage());
                    }
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
