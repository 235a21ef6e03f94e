package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Home;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where the files of an own server are: a level of the factor {@code storage}. */
public sealed interface Storage {

    Factor<Storage> FACTOR = new Factor<>(
                    "storage",
                    Factor.Home.CONDITION,
                    Set.of(Factor.Shape.SERVER),
                    Set.of(Factor.Use.STORE),
                    "where the server's files are: Blobmark's cache, memory, or a directory",
                    List.of("disk", "tmpfs", "dir:PATH"),
                    Optional.of("disk"),
                    Storage::parse,
                    Object::toString)
            .withForm("disk|tmpfs|dir:.+");

    /** Where the directory of a server can be created. */
    sealed interface Place {

        /** @param directory contains directories of servers, and nothing else */
        record Available(Path directory) implements Place {}

        /** @param reason why there is no such storage on this machine, and what to do */
        record Missing(String reason) implements Place {}
    }

    /**
     * Finds the place for a server's directory. Creates nothing.
     *
     * @param cache Blobmark's cache directory
     * @param neededBytes size of the files
     */
    Place place(Path cache, long neededBytes);

    /** In Blobmark's cache. */
    record Disk() implements Storage {
        @Override
        public Place place(Path cache, long neededBytes) {
            return new Place.Available(cache.resolve("servers"));
        }

        @Override
        public String toString() {
            return "disk";
        }
    }

    /** In memory: a writable tmpfs with enough free space, preferably {@code /dev/shm}. */
    record Tmpfs() implements Storage {

        private static final Path MOUNTS = Path.of("/proc/mounts");
        private static final Path PREFERRED = Path.of("/dev/shm");

        @Override
        public Place place(Path cache, long neededBytes) {
            try {
                List<Path> mounts = Files.exists(MOUNTS) ? mounted(Files.readString(MOUNTS)) : List.of();
                for (Path mount : mounts) {
                    // checked again, because a later mount on the same path may hide the tmpfs
                    if (Files.isWritable(mount)
                            && Files.getFileStore(mount).type().equals("tmpfs")
                            && Files.getFileStore(mount).getUsableSpace() >= neededBytes) {
                        return new Place.Available(userDirectory(mount));
                    }
                }
                return new Place.Missing("no writable tmpfs has " + (neededBytes >> 20) + " MiB free"
                        + (mounts.isEmpty() ? "" : ", out of " + mounts)
                        + "; mount one (docker run --shm-size), or use storage dir:PATH");
            } catch (IOException e) {
                return new Place.Missing("the mounts of the system cannot be read: " + e.getMessage());
            }
        }

        /** The mount points of tmpfs in a list of mounts, see proc_pid_mounts(5); the preferred one first. */
        static List<Path> mounted(String mounts) {
            return mounts.lines()
                    .map(line -> line.split(" "))
                    .filter(words -> words.length > 2 && words[2].equals("tmpfs"))
                    .map(words -> Path.of(words[1].replace("\\040", " ").replace("\\134", "\\")))
                    .distinct()
                    .sorted((a, b) -> Boolean.compare(b.equals(PREFERRED), a.equals(PREFERRED)))
                    .toList();
        }

        @Override
        public String toString() {
            return "tmpfs";
        }
    }

    /** @param path absolute; must exist when a run starts */
    record Directory(Path path) implements Storage {
        @Override
        public Place place(Path cache, long neededBytes) {
            try {
                if (!Files.isDirectory(path) || !Files.isWritable(path)) {
                    return new Place.Missing(path + " is not a writable directory; create it, or name another");
                }
                FileStore store = Files.getFileStore(path);
                long free = store.getUsableSpace();
                // ramfs and others report a size of 0, and no free space either
                return free < neededBytes && store.getTotalSpace() > 0
                        ? new Place.Missing(path + " has " + (free >> 20) + " MiB free, and " + (neededBytes >> 20)
                                + " MiB are needed; free some, or name another directory")
                        : new Place.Available(userDirectory(path));
            } catch (IOException e) {
                return new Place.Missing(path + " cannot be examined: " + e.getMessage());
            }
        }

        @Override
        public String toString() {
            return DIRECTORY + Home.hidden(path.toString());
        }
    }

    String DIRECTORY = "dir:";

    /** The beginning of the name of a user's directory in a shared directory. */
    String USER_PREFIX = "blobmark-servers-";

    /** Bits of a mode, see inode(7). */
    int STICKY = 01000;

    int WRITABLE_BY_OTHERS = 0002;

    private static int mode(Path directory) throws IOException {
        return (int) Files.getAttribute(directory, "unix:mode");
    }

    private static boolean isPosix(Path place) {
        return place.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /** The permissions that a user's directory must not have. */
    Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    /** The directory of this user in a directory that may be shared with other users. */
    private static Path userDirectory(Path shared) throws IOException {
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
     * Creates the directory that {@link #userDirectory} names. Does nothing for other directories, which are created
     * when they are used. If the name is taken already, the existing directory is checked. Nobody else can replace it
     * later, because shared directories are sticky.
     */
    static void makeUserDirectory(Path directory) throws IOException {
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

    private static Storage parse(String text) {
        for (Storage storage : List.of(new Disk(), new Tmpfs())) {
            if (storage.toString().equals(text)) {
                return storage;
            }
        }
        String path = text.startsWith(DIRECTORY)
                ? text.substring(DIRECTORY.length()).replaceFirst("^~(?=/)", System.getProperty("user.home"))
                : "";
        if (path.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a storage; write disk, tmpfs, or dir: and the path of a directory");
        }
        return new Directory(Path.of(path).toAbsolutePath().normalize());
    }
}
