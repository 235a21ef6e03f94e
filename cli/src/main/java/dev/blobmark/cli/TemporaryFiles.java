package dev.blobmark.cli;

import dev.blobmark.lab.server.directory.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The directory for temporary files that the launcher names in Blobmark's cache. Every process of Blobmark holds a
 * shared lock while it lives, which goes with it. So a process that gets the lock for itself is the only one, and what
 * lies there is of killed ones.
 */
final class TemporaryFiles {

    static final String DIRECTORY = "tmp";

    private static final String LOCK = "tmp.lock";

    /** Held until the process ends: closing it would give up the lock. */
    @SuppressWarnings("unused")
    private static FileChannel held;

    private TemporaryFiles() {}

    /**
     * Removes what killed processes left, unless another one is at work. To be called before anything has a temporary
     * file.
     */
    static void sweep(Path cache) {
        sweep(cache, Path.of(System.getProperty("java.io.tmpdir")));
    }

    static void sweep(Path cache, Path used) {
        Path directory = cache.resolve(DIRECTORY);
        if (!used.equals(directory)) {
            return; // the system's, or one of the user's choice
        }
        try {
            FileChannel lock = FileChannel.open(
                    cache.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock alone = lock.tryLock();
            if (alone != null) {
                if (!Trees.isOnNetwork(directory)) {
                    empty(directory);
                }
                alone.release();
            }
            // waits for one that is just sweeping
            lock.lock(0, Long.MAX_VALUE, true);
            held = lock;
        } catch (IOException e) {
            // without locks nothing is removed; there is room for what is left, or the run will say that there is none
        }
    }

    private static void empty(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
            for (Path one : left) {
                Trees.delete(one);
            }
        }
    }
}
