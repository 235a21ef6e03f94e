package dev.blobmark.lab.run;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Files that only their owner may read: a run may hold what a server said. On systems without POSIX permissions they are as the
 * system makes them.
 *
 * <p>Nothing is read or written through a symbolic link in a run directory: the directory may come from somebody else.
 */
public final class PrivateFiles {

    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    /** @throws FileAlreadyExistsException if something of that name is there */
    static Path createDirectory(Path path) throws IOException {
        return Files.createDirectory(path, permissions("rwx------"));
    }

    /** Does nothing if the directory is there. */
    static Path ensureDirectory(Path path) throws IOException {
        try {
            return createDirectory(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, NOFOLLOW_LINKS)) {
                throw new RunException(
                        path.toString(),
                        "this is not a directory, but a symbolic link or a file",
                        "remove it if the run is not yours, or put the directory back in its place");
            }
            return path;
        }
    }

    /** An empty file. One of that name is removed, a symbolic link itself and not what it leads to. */
    public static Path createAnew(Path path) throws IOException {
        Files.deleteIfExists(path);
        return Files.createFile(path, permissions("rw-------"));
    }

    /** Makes an empty file where there is none. */
    static void ensureFile(Path path) throws IOException {
        requireOwnFile(path);
        if (!Files.exists(path)) {
            createAnew(path);
        }
    }

    static FileChannel open(Path path, OpenOption... options) throws IOException {
        requireOwnFile(path);
        Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
        all.add(NOFOLLOW_LINKS);
        return FileChannel.open(path, all, permissions("rw-------"));
    }

    /** @throws RunException if it is there and not a regular file: a link may lead anywhere, a pipe waits for ever */
    static void requireOwnFile(Path path) {
        if (Files.exists(path, NOFOLLOW_LINKS) && !Files.isRegularFile(path, NOFOLLOW_LINKS)) {
            throw new RunException(
                    path.toString(),
                    (Files.isSymbolicLink(path) ? "this is a symbolic link" : "this is not a regular file")
                            + ", and a run consists of files of its own",
                    "remove it, or put a copy of the file in its place");
        }
    }

    private static FileAttribute<?>[] permissions(String text) {
        return IS_POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }
}
