package dev.blobmark.lab.server.directory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/** Work that one process at a time may do, and one thread of it. The system lifts the lock when its holder dies. */
public final class FileGuard {

    /** Locks on files hold between processes; a second thread of the same JVM would get an exception instead of a wait. */
    private static final ReentrantLock WITHIN_JVM = new ReentrantLock();

    private FileGuard() {}

    /** What is done while the lock is held. */
    public interface Work<T> {
        T run() throws IOException;
    }

    /** Waits for the lock on the file, then works. The file stays: deleting it would let a second holder in. */
    public static <T> T alone(Path file, Work<T> work) throws IOException {
        WITHIN_JVM.lock();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();
            return work.run();
        } finally {
            WITHIN_JVM.unlock();
        }
    }
}
