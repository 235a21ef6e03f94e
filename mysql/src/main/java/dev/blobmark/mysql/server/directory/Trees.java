package dev.blobmark.mysql.server.directory;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Pattern;

/** Directory trees that only their owner can access. */
public final class Trees {

    /** Types of network file systems, by the names of Linux and macOS. */
    private static final Pattern NETWORK = Pattern.compile(
            "(nfs|smb|cifs|afp|afs|ncp|lustre|gpfs|beegfs|ceph|glusterfs|fuse\\.(sshfs|glusterfs|ceph|davfs)|9p|virtiofs).*");

    private Trees() {}

    /**
     * Creates a directory and its missing parents for the owner only, whatever the umask is. Directories that exist are
     * not changed.
     *
     * @throws dev.blobmark.mysql.server.ServerException if other users may replace what is in it
     */
    public static Path createPrivate(Path directory) throws IOException {
        Ownership.requireOfCache(directory); // before something is made at a place that others chose
        Path made = Files.createDirectories(directory, permissions(directory, "rwx------"));
        Ownership.requireOfCache(directory);
        return made;
    }

    /**
     * Writes a new file that only its owner may read, write and execute, whatever the umask is.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is something of this name, also a link
     */
    public static void copyPrivate(InputStream from, Path file, boolean isExecutable) throws IOException {
        try (OutputStream to = Channels.newOutputStream(Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                permissions(file, isExecutable ? "rwx------" : "rw-------")))) {
            from.transferTo(to);
        }
    }

    static FileAttribute<?>[] permissions(Path path, String text) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }

    /**
     * Whether other machines may use these files too. Their processes cannot be seen, and locks do not always reach
     * them. Also true if the system does not name the file system, as in a chroot whose root is not a mount point.
     */
    public static boolean isOnNetwork(Path directory) {
        try {
            return NETWORK.matcher(Files.getFileStore(directory).type()).matches();
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Deletes a tree without following links. Files that another process deletes at the same time are not an error. */
    public static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                if (e != null && !(e instanceof NoSuchFileException)) {
                    throw e;
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
