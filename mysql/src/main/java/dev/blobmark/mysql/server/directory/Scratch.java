package dev.blobmark.mysql.server.directory;

import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A private directory for files that must not outlive a run. It is deleted when it is closed. If the run is killed, the
 * next start of a server deletes it.
 */
public final class Scratch implements AutoCloseable {

    private final ServerDirectory directory;

    private Scratch(ServerDirectory directory) {
        this.directory = directory;
    }

    /**
     * @param cache Blobmark's cache directory
     * @throws ServerException if the directory cannot be made
     */
    public static Scratch make(Path cache) {
        try {
            return new Scratch(ServerDirectory.create(cache.resolve("servers")));
        } catch (IOException e) {
            throw new ServerException(
                    "cannot make a directory in " + cache + ": " + e
                            + ". Set XDG_CACHE_HOME to use another directory for the cache.",
                    e);
        }
    }

    public Path path() {
        return directory.path();
    }

    /** @throws ServerException if the directory cannot be deleted; the next start of a server tries again */
    @Override
    public void close() {
        if (!Files.exists(path())) {
            return;
        }
        try {
            directory.close();
        } catch (IOException e) {
            throw new ServerException("cannot delete " + path() + ": " + e + ". Delete it by hand.", e);
        }
    }
}
