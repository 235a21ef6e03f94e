package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.HomeDirectory;
import dev.blobmark.mysql.server.directory.UserDirectory;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
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
    sealed interface StoragePlace {

        /** @param directory contains directories of servers, and nothing else */
        record Available(Path directory) implements StoragePlace {}

        /** @param reason why there is no such storage on this machine, and what to do */
        record Missing(String reason) implements StoragePlace {}
    }

    /**
     * Finds the place for a server's directory. Creates nothing.
     *
     * @param cache Blobmark's cache directory
     * @param neededBytes size of the files
     */
    StoragePlace place(Path cache, long neededBytes);

    /** In Blobmark's cache. */
    record Disk() implements Storage {
        @Override
        public StoragePlace place(Path cache, long neededBytes) {
            return new StoragePlace.Available(cache.resolve("servers"));
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
        public StoragePlace place(Path cache, long neededBytes) {
            try {
                List<Path> mounts = Files.exists(MOUNTS) ? mounted(Files.readString(MOUNTS)) : List.of();
                for (Path mount : mounts) {
                    // checked again, because a later mount on the same path may hide the tmpfs
                    if (Files.isWritable(mount)
                            && Files.getFileStore(mount).type().equals("tmpfs")
                            && Files.getFileStore(mount).getUsableSpace() >= neededBytes) {
                        return new StoragePlace.Available(UserDirectory.in(mount));
                    }
                }
                return new StoragePlace.Missing("no writable tmpfs has " + (neededBytes >> 20) + " MiB free"
                        + (mounts.isEmpty() ? "" : ", out of " + mounts)
                        + "; mount one (docker run --shm-size), or use storage dir:PATH");
            } catch (IOException e) {
                return new StoragePlace.Missing("the mounts of the system cannot be read: " + e.getMessage());
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
    record StorageDirectory(Path path) implements Storage {
        @Override
        public StoragePlace place(Path cache, long neededBytes) {
            try {
                if (!Files.isDirectory(path) || !Files.isWritable(path)) {
                    return new StoragePlace.Missing(path + " is not a writable directory; create it, or name another");
                }
                FileStore store = Files.getFileStore(path);
                long free = store.getUsableSpace();
                // ramfs and others report a size of 0, and no free space either
                return free < neededBytes && store.getTotalSpace() > 0
                        ? new StoragePlace.Missing(path + " has " + (free >> 20) + " MiB free, and "
                                + (neededBytes >> 20) + " MiB are needed; free some, or name another directory")
                        : new StoragePlace.Available(UserDirectory.in(path));
            } catch (IOException e) {
                return new StoragePlace.Missing(path + " cannot be examined: " + e.getMessage());
            }
        }

        @Override
        public String toString() {
            return DIRECTORY + HomeDirectory.hidden(path.toString());
        }
    }

    String DIRECTORY = "dir:";

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
        return new StorageDirectory(Path.of(path).toAbsolutePath().normalize());
    }
}
