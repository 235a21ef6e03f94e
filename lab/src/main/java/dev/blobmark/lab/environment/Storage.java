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

/** Where the files of a server of Blobmark's own lie. A level of the factor {@code storage}. */
public sealed interface Storage {

    Factor<Storage> FACTOR = new Factor<>(
            "storage",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.SERVER),
            Set.of(Factor.Use.STORE),
            "where the server's files lie: Blobmark's cache, memory, or a directory",
            List.of("disk", "tmpfs", "dir:PATH"),
            Optional.of("disk"),
            Storage::parse,
            Object::toString);

    /** Where a server's directory is to be made. */
    sealed interface Place {

        /** @param directory in which servers have theirs, and nobody else has anything */
        record There(Path directory) implements Place {}

        /** @param reason why there is none here */
        record Nowhere(String reason) implements Place {}
    }

    /**
     * Finds the place for files of so many bytes. Makes nothing.
     *
     * @param cache Blobmark's cache directory
     */
    Place place(Path cache, long neededBytes);

    /** In Blobmark's cache. */
    record Disk() implements Storage {
        @Override
        public Place place(Path cache, long neededBytes) {
            return new Place.There(cache.resolve("servers"));
        }

        @Override
        public String toString() {
            return "disk";
        }
    }

    /** In memory: a tmpfs that this user may write to and that has the room, {@code /dev/shm} if it does. */
    record Tmpfs() implements Storage {

        private static final Path MOUNTS = Path.of("/proc/mounts");
        private static final Path USUAL = Path.of("/dev/shm");

        @Override
        public Place place(Path cache, long neededBytes) {
            try {
                List<Path> mounts = Files.exists(MOUNTS) ? mounted(Files.readString(MOUNTS)) : List.of();
                for (Path mount : mounts) {
                    // what is mounted there now, whatever the list says: a later mount may hide it
                    if (Files.isWritable(mount)
                            && Files.getFileStore(mount).type().equals("tmpfs")
                            && Files.getFileStore(mount).getUsableSpace() >= neededBytes) {
                        return new Place.There(own(mount));
                    }
                }
                return new Place.Nowhere("no tmpfs with " + (neededBytes >> 20) + " MiB free that may be written to"
                        + (mounts.isEmpty() ? "" : ": of " + mounts)
                        + "; mount one (docker run --shm-size), or use storage dir:PATH");
            } catch (IOException e) {
                return new Place.Nowhere("the system does not tell of its tmpfs: " + e.getMessage());
            }
        }

        /** The places of the tmpfs in a list of mounts, see proc_pid_mounts(5); the usual one first. */
        static List<Path> mounted(String mounts) {
            return mounts.lines()
                    .map(line -> line.split(" "))
                    .filter(words -> words.length > 2 && words[2].equals("tmpfs"))
                    .map(words -> Path.of(words[1].replace("\\040", " ").replace("\\134", "\\")))
                    .distinct()
                    .sorted((a, b) -> Boolean.compare(b.equals(USUAL), a.equals(USUAL)))
                    .toList();
        }

        @Override
        public String toString() {
            return "tmpfs";
        }
    }

    /** @param path absolute; exists where a run is to begin */
    record Directory(Path path) implements Storage {
        @Override
        public Place place(Path cache, long neededBytes) {
            try {
                if (!Files.isDirectory(path) || !Files.isWritable(path)) {
                    return new Place.Nowhere(
                            path + " is no directory that may be written to; make it, or name another");
                }
                FileStore store = Files.getFileStore(path);
                long free = store.getUsableSpace();
                // ramfs and others tell no size, and so no room either
                return free < neededBytes && store.getTotalSpace() > 0
                        ? new Place.Nowhere(path + " has " + (free >> 20) + " MiB free, of " + (neededBytes >> 20)
                                + " MiB needed; free some, or name another")
                        : new Place.There(own(path));
            } catch (IOException e) {
                return new Place.Nowhere("the system does not tell of " + path + ": " + e.getMessage());
            }
        }

        @Override
        public String toString() {
            return DIRECTORY + Home.hidden(path.toString());
        }
    }

    String DIRECTORY = "dir:";

    /** Of the directory of a user in one that all may write to. */
    String OWN_PREFIX = "blobmark-servers-";

    /** Bits of a mode, see inode(7). */
    int STICKY = 01000;

    int WRITTEN_BY_OTHERS = 0002;

    private static int mode(Path directory) throws IOException {
        return (int) Files.getAttribute(directory, "unix:mode");
    }

    private static boolean isPosix(Path place) {
        return place.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /** What nobody else may do with it. */
    Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    /** A directory of this user's in one that may be others' as well. */
    private static Path own(Path shared) throws IOException {
        Path own = shared.resolve(OWN_PREFIX + System.getProperty("user.name"));
        if (isPosix(shared)) {
            if ((mode(shared) & WRITTEN_BY_OTHERS) != 0 && (mode(shared) & STICKY) == 0) {
                throw new IOException(shared + " may be written by everybody and is not sticky: others could put their"
                        + " own directory in the place of this user's. Use chmod +t, or name another");
            }
            if (Files.exists(own, LinkOption.NOFOLLOW_LINKS)) {
                requireOwn(own);
            }
        }
        return own;
    }

    /**
     * Makes the directory that {@link #own} names, if it is one; others are made where they are used. To make it fails where there is
     * something of its name, and what is there then, whoever has made it meanwhile, is looked at: nobody else can put another thing in its
     * place, as the directories that all users share are sticky.
     */
    static void makeOwn(Path directory) throws IOException {
        if (!directory.getFileName().toString().startsWith(OWN_PREFIX) || !isPosix(directory)) {
            return;
        }
        try {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            requireOwn(directory);
        }
    }

    /**
     * What an owner is gone of is deleted there, and servers keep their data there: it must not be a link that leads elsewhere, nor be
     * somebody else's, nor may others write to it.
     */
    private static void requireOwn(Path own) throws IOException {
        PosixFileAttributes found = Files.readAttributes(own, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (found.isSymbolicLink()) {
            throw new IOException(own + " is a link; remove it");
        }
        if (!found.owner()
                .equals(own.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(System.getProperty("user.name")))) {
            throw new IOException(own + " is not this user's; remove it");
        }
        if (!found.isDirectory() || found.permissions().stream().anyMatch(OF_OTHERS::contains)) {
            throw new IOException(own + " is not a directory for its owner alone; remove it");
        }
    }

    private static Storage parse(String text) {
        for (Storage one : List.of(new Disk(), new Tmpfs())) {
            if (one.toString().equals(text)) {
                return one;
            }
        }
        String path = text.startsWith(DIRECTORY)
                ? text.substring(DIRECTORY.length()).replaceFirst("^~(?=/)", System.getProperty("user.home"))
                : "";
        if (path.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no storage; write disk, tmpfs, or dir: and the path of a directory");
        }
        return new Directory(Path.of(path).toAbsolutePath().normalize());
    }
}
