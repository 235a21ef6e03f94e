package dev.blobmark.cli.shards;

import dev.blobmark.lab.fork.Launch;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A process that works on the table of one of several servers. */
final class Shard {

    private volatile ShardProcess running;

    /**
     * Runs the process to its end.
     *
     * @param patience how long it may be silent
     * @param events receives its events
     * @throws IOException if it cannot be started
     */
    ShardEnd run(Launch launch, ShardOrder order, Duration patience, Consumer<ShardEvent> events)
            throws IOException, InterruptedException {
        try (ShardProcess process = ShardProcess.start(launch, order, patience)) {
            running = process;
            for (Optional<String> line = process.receive(); line.isPresent(); line = process.receive()) {
                if (line.get().startsWith("{")) {
                    try {
                        events.accept(ShardEvent.of(line.get()));
                    } catch (IllegalArgumentException e) {
                        process.kill();
                        return new ShardEnd(ShardEnd.ERROR, "its process sent an invalid event: " + e.getMessage());
                    }
                }
            }
            int code = process.code();
            return new ShardEnd(code, code == ShardEnd.DONE ? "" : process.lastWords());
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
