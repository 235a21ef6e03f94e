package dev.blobmark.mysql.server.directory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Work that only one thread of one process does at a time. The system releases the lock when the process ends. */
public final class FileGuard {

    /** File locks exclude only other processes. A second thread of a JVM would get an exception instead of waiting. */
    private static final ReentrantLock WITHIN_JVM = new ReentrantLock();

    private FileGuard() {}

    /** Work to do while the lock is held. */
    public interface GuardedWork<T> {
        T run() throws IOException;
    }

    /** Waits for the lock on the file, then does the work. The file stays: deleting it would admit a second holder. */
    public static <T> T alone(Path file, GuardedWork<T> work) throws IOException {
        WITHIN_JVM.lock();
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                Trees.permissions(file, "rw-------"))) {
            channel.lock();
            return work.run();
        } finally {
            WITHIN_JVM.unlock();
        }
    }
}
