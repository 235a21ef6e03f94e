package dev.blobmark.lab.run;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The right to write a directory, which one process has at a time. It is on a file of its own: on POSIX systems,
 * reading a locked file in the same process would drop its lock. It ends with the process, so that a killed one leaves
 * none.
 */
public final class WriteLock implements Closeable {

    static final String FILE = ".lock";

    private final FileChannel channel;

    private WriteLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock of a directory; empty if another writer has it.
     *
     * @throws RunException if others may write to the directory
     */
    static Optional<WriteLock> tryTake(Path directory) {
        try {
            Remains.requireOwn(directory);
            FileChannel channel = PrivateFiles.open(directory.resolve(FILE), CREATE, WRITE);
            if (isLocked(channel)) {
                return Optional.of(new WriteLock(channel));
            }
            channel.close();
            return Optional.empty();
        } catch (IOException e) {
            throw RunDirectory.unwritable(directory, e);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /**
     * Takes the lock of a directory.
     *
     * @param what is written there: "run"
     * @throws RunException if another writer has it
     */
    public static WriteLock take(Path directory, String what) {
        return tryTake(directory)
                .orElseThrow(() -> new RunException(
                        directory.toString(),
                        "this " + what + " is still being written",
                        "wait until it has ended, or name another directory"));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
