package dev.blobmark.mysql.server.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The directory of a user, for servers, in a directory that may be shared with other users. */
public final class UserDirectory {

    /** The beginning of the name of a user's directory in a shared directory. */
    private static final String USER_PREFIX = "blobmark-servers-";

    /** Bits of a mode, see inode(7). */
    private static final int STICKY = 01000;

    private static final int WRITABLE_BY_OTHERS = 0002;

    /** The permissions that a user's directory must not have. */
    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private UserDirectory() {}

    private static int mode(Path directory) throws IOException {
        return (int) Files.getAttribute(directory, "unix:mode");
    }

    private static boolean isPosix(Path place) {
        return place.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /** The directory of this user in a directory that may be shared with other users. */
    public static Path in(Path shared) throws IOException {
        Path own = shared.resolve(USER_PREFIX + System.getProperty("user.name"));
        if (isPosix(shared)) {
            if ((mode(shared) & WRITABLE_BY_OTHERS) != 0 && (mode(shared) & STICKY) == 0) {
                throw new IOException(shared + " is writable by everybody and is not sticky: other users could replace"
                        + " this user's directory by theirs. Use chmod +t, or name another");
            }
            if (Files.exists(own, LinkOption.NOFOLLOW_LINKS)) {
                requirePrivate(own);
            }
        }
        return own;
    }

    /**
     * Creates the directory that {@link #in} names. Does nothing for other directories, which are created when they are
     * used. If the name is taken already, the existing directory is checked. Nobody else can replace it later, because
     * shared directories are sticky.
     */
    static void make(Path directory) throws IOException {
        if (!directory.getFileName().toString().startsWith(USER_PREFIX) || !isPosix(directory)) {
            return;
        }
        try {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            requirePrivate(directory);
        }
    }

    /**
     * Servers keep their data in this directory, and abandoned directories in it are deleted. So it must not be a
     * symbolic link, belong to another user, or give permissions to others.
     */
    private static void requirePrivate(Path own) throws IOException {
        PosixFileAttributes found = Files.readAttributes(own, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (found.isSymbolicLink()) {
            throw new IOException(own + " is a symbolic link; remove it");
        }
        if (!found.owner()
                .equals(own.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(System.getProperty("user.name")))) {
            throw new IOException(own + " belongs to another user; remove it");
        }
        if (!found.isDirectory() || found.permissions().stream().anyMatch(OF_OTHERS::contains)) {
            throw new IOException(own + " is not a directory, or other users have permissions on it; remove it");
        }
    }
}
