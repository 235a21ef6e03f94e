package dev.blobmark.lab.server.own;

import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The start of a server, which leaves nothing behind if it fails. */
public final class ServerStart {

    /** Work on a server, as part of its start. */
    public interface StartWork {
        void run() throws IOException, SQLException, InterruptedException;
    }

    private ServerStart() {}

    /**
     * Runs the start of a server. Closes the server if the start fails, or if the JVM is asked to end during the start.
     * After the start, the caller must close it.
     *
     * @param name of the server in messages
     * @throws ServerException if the start fails
     */
    public static void run(String name, Runnable close, StartWork start) {
        AtomicBoolean stopped = new AtomicBoolean();
        Thread hook = new Thread(
                () -> {
                    stopped.set(true);
                    close.run();
                },
                "stop " + name);
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            start.run();
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IOException | SQLException | RuntimeException | InterruptedException e) {
            ServerException failure = failure(name, stopped.get(), e);
            try {
                close.run();
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (ServerException | IllegalStateException notCleared) {
                failure.addSuppressed(notCleared);
            }
            throw failure;
        }
    }

    static ServerException failure(String name, boolean stopped, Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        if (stopped || e instanceof InterruptedException) {
            return new ServerException(name + " was stopped while it was starting", e);
        }
        return e instanceof ServerException known
                ? known
                : new ServerException(name + " did not start: " + e.getMessage(), e);
    }
}
