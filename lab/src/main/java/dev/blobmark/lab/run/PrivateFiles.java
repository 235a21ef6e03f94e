package dev.blobmark.lab.run;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.blobmark.mysql.server.directory.Ownership;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Files that only their owner may read, because a run may have messages of a server. On systems without POSIX
 * permissions, files have the system's default permissions.
 *
 * <p>Symbolic links in a run directory are never followed, because the directory may come from somebody else. They are
 * refused when a file is opened, and not only before: what is written to is what was looked at.
 */
public final class PrivateFiles {

    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    /**
     * Refuses a place where others may replace what is written. What is missing is not examined: ask again when it is
     * there.
     *
     * @throws RunException with what others may do there
     */
    public static void requireOwn(Path path) throws IOException {
        Optional<String> problem = Ownership.problem(path);
        if (problem.isPresent()) {
            throw new RunException(
                    path.toString(),
                    problem.get() + ", so that they could replace what is written here",
                    "name a directory that only you and root can replace, or make it yours alone (chown, chmod go-w)");
        }
    }

    /** Creates a directory, which others may read if the umask lets them, and its parents, if they do not exist. */
    static void ensureParents(Path directory) throws IOException {
        Files.createDirectories(directory, permissions("rwxr-xr-x"));
    }

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

    /**
     * Creates a file for its owner alone, and replaces an existing one, which may be a link.
     *
     * @param options of how it is written
     */
    public static OutputStream replace(Path path, OpenOption... options) throws IOException {
        return append(createOrReplace(path), options);
    }

    /** Opens a file for appending. An interrupt of the writing thread does not close it, unlike a channel. */
    static OutputStream append(Path path, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
        all.add(StandardOpenOption.APPEND);
        all.add(NOFOLLOW_LINKS);
        return Files.newOutputStream(path, all.toArray(OpenOption[]::new));
    }

    /** All bytes of a file. */
    public static byte[] read(Path path) throws IOException {
        requireRegularFile(path);
        try (InputStream in = Files.newInputStream(path, NOFOLLOW_LINKS)) {
            return in.readAllBytes();
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
