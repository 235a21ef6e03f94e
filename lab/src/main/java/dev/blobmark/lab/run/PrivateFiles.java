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
 * Files that only their owner may read, because a run may have messages of a server. On systems without POSIX
 * permissions, files have the system's default permissions.
 *
 * <p>Symbolic links in a run directory are never followed, because the directory may come from somebody else.
 */
public final class PrivateFiles {

    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    /** @throws FileAlreadyExistsException if the path exists, as whatever kind of file */
    public static Path createDirectory(Path path) throws IOException {
        return Files.createDirectory(path, permissions("rwx------"));
    }

    /** Creates a directory if it does not exist. */
    static Path ensureDirectory(Path path) throws IOException {
        try {
            return createDirectory(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, NOFOLLOW_LINKS)) {
                throw new RunException(
                        path.toString(),
                        "this is not a directory, but a symbolic link or a file",
                        "remove it if the run is not yours, or restore the directory");
            }
            return path;
        }
    }

    /**
     * Creates an empty file, and replaces an existing one. Of a symbolic link, the link is replaced, not its target.
     */
    public static Path createOrReplace(Path path) throws IOException {
        Files.deleteIfExists(path);
        return Files.createFile(path, permissions("rw-------"));
    }

    /** Creates an empty file if it does not exist. */
    static void ensureFile(Path path) throws IOException {
        requireRegularFile(path);
        if (!Files.exists(path)) {
            createOrReplace(path);
        }
    }

    /** Opens a file, and creates it for its owner alone if an option says so. */
    public static FileChannel open(Path path, OpenOption... options) throws IOException {
        requireRegularFile(path);
        Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
        all.add(NOFOLLOW_LINKS);
        return FileChannel.open(path, all, permissions("rw-------"));
    }

    /**
     * @throws RunException if the path exists and is not a regular file: a link may lead anywhere, and a pipe may block
     */
    static void requireRegularFile(Path path) {
        if (Files.exists(path, NOFOLLOW_LINKS) && !Files.isRegularFile(path, NOFOLLOW_LINKS)) {
            throw new RunException(
                    path.toString(),
                    (Files.isSymbolicLink(path) ? "this is a symbolic link" : "this is not a regular file")
                            + ", and a run consists of regular files",
                    "remove it, or replace it by a copy of the file");
        }
    }

    private static FileAttribute<?>[] permissions(String text) {
        return IS_POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }
}
