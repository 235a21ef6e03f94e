package dev.blobmark.lab.server.directory;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Pattern;

/** Directory trees that only their owner can access. */
public final class Trees {

    /** Types of network file systems, by the names of Linux and macOS. */
    private static final Pattern NETWORK = Pattern.compile(
            "(nfs|smb|cifs|afp|afs|ncp|lustre|gpfs|beegfs|ceph|glusterfs|fuse\\.(sshfs|glusterfs|ceph|davfs)|9p|virtiofs).*");

    private Trees() {}

    /**
     * Creates a directory and its missing parents for the owner only. Directories that exist are not changed.
     *
     * @throws dev.blobmark.lab.server.ServerException if other users may replace what is in it
     */
    public static Path createPrivate(Path directory) throws IOException {
        FileAttribute<?>[] ownerOnly =
                directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                        }
                        : new FileAttribute<?>[0];
        Ownership.requireOfCache(directory); // before something is made at a place that others chose
        Path made = Files.createDirectories(directory, ownerOnly);
        Ownership.requireOfCache(directory);
        return made;
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
