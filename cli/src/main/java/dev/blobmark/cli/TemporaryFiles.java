package dev.blobmark.cli;

import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The directory for temporary files that the launcher names in Blobmark's cache. Every process of Blobmark holds a
 * shared lock while it runs. So a process that gets the exclusive lock is the only one, and the files that are there
 * are of killed processes.
 */
final class TemporaryFiles {

    static final String DIRECTORY = "tmp";

    private static final String LOCK = "tmp.lock";

    /** Held until the process ends: closing it would release the lock. */
    @SuppressWarnings("unused")
    private static FileChannel held;

    private TemporaryFiles() {}

    /**
     * Removes what killed processes left, unless another one is running. Must be called before the first temporary file
     * is made.
     *
     * @throws ServerException if other users may replace files of the cache or of the directory for temporary files
     */
    static void sweep(Path cache) {
        sweep(cache, Path.of(System.getProperty("java.io.tmpdir")));
    }

    static void sweep(Path cache, Path used) {
        Ownership.requireOfCache(cache);
        Path directory = cache.resolve(DIRECTORY);
        if (!used.equals(directory)) {
            // that of the launcher where there is no cache, that of the system, or one that the user chose
            Ownership.requireOfCache(used.resolve(LOCK));
            return;
        }
        Ownership.requireOfCache(directory);
        Path file = cache.resolve(LOCK);
        Ownership.requireOfCache(file); // whoever holds it lets this process wait
        try {
            FileChannel lock = FileChannel.open(
                    file,
                    Set.of(
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock alone = lock.tryLock();
            if (alone != null) {
                if (!Trees.isOnNetwork(directory)) {
                    empty(directory);
                }
                alone.release();
            }
            // waits for a process that is removing files
            lock.lock(0, Long.MAX_VALUE, true);
            held = lock;
        } catch (IOException e) {
            // without locks nothing is removed; if the disk is full, the run reports it
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
