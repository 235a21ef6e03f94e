package dev.blobmark.fleet.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory for what a host keeps while its task runs, or a submitted application while its command does, which only
 * its user may enter. A file in it is locked as long as the JVM lives. So the next one of the same user finds what a
 * killed one has left, and removes it.
 */
public final class HostDirectory implements AutoCloseable {

    private static final String PREFIX = "blobmark-host-";

    /** Until it is locked. */
    private static final String UNLOCKED = "blobmark-host+";

    private static final String LOCK = "lock";

    /** The directory of an application below that of a worker. */
    private static final Pattern APPLICATION = Pattern.compile("app-\\d+-\\d+");

    /** A task locks its directory at once. */
    private static final Duration YOUNG = Duration.ofHours(1);

    /** Those of this JVM: to close a file is to give up all locks that this process has on it (POSIX, fcntl). */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private HostDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Removes what killed tasks of this user have left in the directory of temporary files, and makes a new one. */
    static HostDirectory make() throws IOException {
        return make(ofExecutor());
    }

    /**
     * The directory for temporary files of this JVM, which an executor may have relative to the one it was started in.
     */
    static Path ofExecutor() {
        return Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath().normalize();
    }

    /**
     * Refuses to work where other users may replace what this executor loads: its directory for temporary files, in
     * which native libraries are unpacked, and the one it was started in, which has the jars of the application. What
     * was loaded before is not known.
     *
     * @throws IllegalStateException if they may; the message has the directory and what to do
     */
    static void requireOwnOfExecutor() {
        requireOwn(ofExecutor());
        requireOwn(Path.of("").toAbsolutePath());
    }

    /** @throws IllegalStateException if others may replace what is in a directory of an executor */
    static void requireOwn(Path directory) {
        try {
            Optional<String> problem = Ownership.problem(directory);
            if (problem.isPresent()) {
                throw new IllegalStateException(
                        problem.get() + ", so that they could replace what the executor loads from " + directory
                                + ": start the worker with umask 022 or 077 and a directory of its own (SPARK_WORKER_DIR);"
                                + " spark.executor.extraJavaOptions may name another directory for temporary files of"
                                + " its user (-Djava.io.tmpdir=DIRECTORY)");
            }
        } catch (IOException e) {
            throw new IllegalStateException("the executor's directory " + directory + " cannot be examined: " + e, e);
        }
    }

    /** Removes what killed ones of this user have left in a directory, and makes a new one there. */
    public static HostDirectory make(Path parent) throws IOException {
        Path unlocked = Files.createTempDirectory(parent, UNLOCKED);
        FileChannel lock =
                FileChannel.open(unlocked.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        lock.lock();
        Path path = unlocked.resolveSibling(unlocked.getFileName().toString().replace(UNLOCKED, PREFIX));
        OWN.add(path);
        Files.move(unlocked, path, StandardCopyOption.ATOMIC_MOVE);
        UserPrincipal user = Files.getOwner(path);
        sweep(parent, user);
        for (Path other : ofOtherExecutors(parent)) {
            sweep(other, user);
        }
        return new HostDirectory(path, lock);
    }

    /** Those of a worker are WORK/APPLICATION/NUMBER. */
    private static List<Path> ofOtherExecutors(Path own) throws IOException {
        List<Path> all = new ArrayList<>();
        Path application = own.getParent();
        if (application == null
                || application.getParent() == null
                || !APPLICATION.matcher(application.getFileName().toString()).matches()) {
            return all;
        }
        try (DirectoryStream<Path> applications = Files.newDirectoryStream(application.getParent(), "app-*")) {
            for (Path each : applications) {
                try (DirectoryStream<Path> executors = Files.newDirectoryStream(each, Files::isDirectory)) {
                    executors.forEach(all::add);
                } catch (NoSuchFileException | NotDirectoryException e) {
                    // the worker has removed it
                }
            }
        }
        all.remove(own);
        return all;
    }

    private static void sweep(Path parent, UserPrincipal user) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, "blobmark-host[-+]*")) {
            for (Path each : left) {
                try {
                    boolean isOurs = Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                            && Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).equals(user);
                    if (isOurs && isLeft(each)) {
                        delete(each);
                    }
                } catch (NoSuchFileException e) {
                    // another task has removed it
                } catch (IOException e) { // in the log of the executor; the task does not need it
                    System.err.println("Blobmark: " + each + ", which a killed task has left, was not removed: " + e);
                }
            }
        } catch (NoSuchFileException e) {
            // a worker has removed what an application has left
        }
    }

    /** Whether no process uses it. */
    private static boolean isLeft(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        boolean isLocked = directory.getFileName().toString().startsWith(PREFIX)
                && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        if (!isLocked) {
            FileTime changed = Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS);
            return changed.toInstant().isBefore(Instant.now().minus(YOUNG));
        }
        if (OWN.contains(directory)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            return channel.tryLock() != null;
        }
    }

    public Path path() {
        return path;
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            delete(path);
        } finally {
            OWN.remove(path);
        }
    }
}
