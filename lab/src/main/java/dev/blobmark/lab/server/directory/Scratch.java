package dev.blobmark.lab.server.directory;

import dev.blobmark.lab.server.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A private directory for what must not outlive a run: deleted when it is closed, or by the next server of the cache if the run is killed. */
public final class Scratch implements AutoCloseable {

    private final ServerDirectory directory;

    private Scratch(ServerDirectory directory) {
        this.directory = directory;
    }

    /**
     * @param cache Blobmark's cache directory
     * @throws ServerException if there can be none
     */
    public static Scratch make(Path cache) {
        try {
            return new Scratch(ServerDirectory.create(cache.resolve("servers")));
        } catch (IOException e) {
            throw new ServerException(
                    "cannot make a directory in " + cache + ": " + e
                            + ". Have the cache elsewhere by setting XDG_CACHE_HOME.",
                    e);
        }
    }

    public Path path() {
        return directory.path();
    }

    /** @throws ServerException if it cannot be deleted; the next server tries again */
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
