package dev.blobmark.lab.server.directory;

import dev.blobmark.lab.environment.Storage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The private directory of one server, with all that the server ever writes. It holds a file {@code lock} that its owner
 * keeps locked for as long as it lives, with the owner's and the server's process in it.
 *
 * <p>A directory whose lock nobody holds and whose owner is gone was left behind by a killed run. The next one to be created
 * sweeps it: the server that still runs on it is killed, the directory deleted. Creating and sweeping are done by one process
 * at a time, so a directory without a lock is never one that is just being made. A server is found by its command line,
 * which names a file in its directory: so it does not matter at which moment the owner was killed.
 */
public final class ServerDirectory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServerDirectory.class);

    private static final String LOCK = "lock";

    /** Of the line with the machine that the owner is on. */
    private static final String HOST = "host ";

    private static final String CONFIGURATION = "server.cnf";
    private static final String DEFAULTS_FILE = "--defaults-file=";

    /** The servers that are started, as they and their builds are called: {@code mysqld-debug} is one. */
    private static final Pattern PROGRAMS =
            Pattern.compile("(mariadbd|mysqld|ndbmtd|ndbd|ndb_mgmd|redis-server|valkey-server|postgres).*");

    /** Long enough for the kernel to take down a process that has much memory or is in a disk wait. */
    private static final long KILL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * The directories of this JVM. Their lock files must not be opened again: closing any descriptor of a file gives up all
     * POSIX locks that the process has on it.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private ServerDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Removes what killed runs have left behind, then makes a new directory.
     *
     * @param servers the directory in which the servers of all runs of this user have theirs
     */
    public static ServerDirectory create(Path servers) throws IOException {
        Storage.makeOwn(servers);
        Path parent = Trees.createPrivate(servers).toRealPath();
        return FileGuard.alone(parent.resolve(LOCK), () -> {
            sweep(parent);
            Path path = parent.resolve(UUID.randomUUID().toString());
            OWN.add(path);
            try {
                Trees.createPrivate(path);
                FileChannel lock =
                        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                lock.lock();
                ServerDirectory directory = new ServerDirectory(path, lock);
                directory.record("owner", ProcessHandle.current().pid());
                directory.recordHost();
                return directory;
            } catch (IOException | RuntimeException e) {
                OWN.remove(path);
                Trees.delete(path);
                throw e;
            }
        });
    }

    public Path path() {
        return path;
    }

    /** The server's option file. The server must be started with {@link #argument()}, which names it. */
    public Path configuration() {
        return path.resolve(CONFIGURATION);
    }

    /** The server's first argument, by which it is recognised as the one that runs on this directory. */
    public String argument() {
        return argument(path);
    }

    private static String argument(Path path) {
        return DEFAULTS_FILE + path.resolve(CONFIGURATION);
    }

    /** Writes down which process is the server. */
    public void recordServer(long pid) throws IOException {
        record("server", pid);
    }

    /** Only where it matters: to ask for the name may take a look-up. */
    private void recordHost() throws IOException {
        if (Trees.isOnNetwork(path)) {
            lock.write(ByteBuffer.wrap((HOST + host() + "\n").getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void record(String role, long pid) throws IOException {
        Optional<ProcessIdentity> process = ProcessIdentity.of(pid);
        if (process.isPresent()) {
            String line = role + " " + pid + " " + process.get().started() + "\n";
            lock.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** Deletes the directory; the server must have ended. */
    @Override
    public void close() throws IOException {
        // The lock goes last, so that nobody takes a half-deleted directory for one that is being used, or the reverse.
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                if (!entry.endsWith(LOCK)) {
                    Trees.delete(entry);
                }
            }
        }
        lock.close();
        Trees.delete(path);
        OWN.remove(path);
    }

    private static void sweep(Path servers) throws IOException {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(servers, Files::isDirectory)) {
            for (Path directory : directories) {
                try {
                    if (!OWN.contains(directory) && isOfThisHost(directory) && isLeftBehind(directory)) {
                        LOG.info("removing {}, left behind by a run that was killed", directory);
                        kill(directory);
                        Trees.delete(directory);
                    }
                } catch (IOException e) {
                    // What cannot be removed must not keep a new run from starting.
                    LOG.warn("cannot remove {}, left behind by a run that was killed: {}", directory, e.toString());
                }
            }
        }
    }

    /** Processes of another machine cannot be seen from here, and its locks not on every network file system. */
    private static boolean isOfThisHost(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        if (!Trees.isOnNetwork(directory) || !Files.exists(file)) {
            return true;
        }
        return Files.readString(file).lines().noneMatch(line -> line.startsWith(HOST) && !line.equals(HOST + host()));
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    private static boolean isLeftBehind(Path directory) throws IOException {
        try (FileChannel lock =
                FileChannel.open(directory.resolve(LOCK), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return lock.tryLock() != null
                    && recorded(directory, "owner")
                            .filter(ProcessIdentity::isAlive)
                            .isEmpty();
        } catch (NoSuchFileException e) {
            return true;
        }
    }

    /** A line that was cut short names no process. */
    private static Optional<ProcessIdentity> recorded(Path directory, String role) throws IOException {
        Path file = directory.resolve(LOCK);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Optional<ProcessIdentity> last = Optional.empty();
        for (String line : Files.readString(file).split("(?<=\n)")) {
            String[] words = line.strip().split(" ");
            if (line.endsWith("\n") && words.length == 3 && words[0].equals(role) && words[1].matches("\\d{1,18}")) {
                last = Optional.of(new ProcessIdentity(Long.parseLong(words[1]), words[2]));
            }
        }
        return last;
    }

    private static void kill(Path directory) throws IOException {
        Optional<ProcessIdentity> recorded = recorded(directory, "server");
        List<ProcessHandle> servers = ProcessHandle.allProcesses()
                .filter(process -> runsOn(directory, process, recorded))
                .toList();
        for (ProcessHandle server : servers) {
            Optional<ProcessIdentity> identity = ProcessIdentity.of(server.pid());
            server.destroyForcibly();
            long deadline = System.nanoTime() + KILL_TIMEOUT_NANOS;
            while (identity.isPresent() && identity.get().isAlive()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("its server, process " + server.pid() + ", does not end when killed");
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    /**
     * Whether it is a server program, started with the directory's option file; many others may name that file, to look at it for one.
     */
    private static boolean runsOn(Path directory, ProcessHandle process, Optional<ProcessIdentity> recorded) {
        boolean isServer = process.info().command().stream()
                .map(ServerDirectory::programName)
                .anyMatch(name -> PROGRAMS.matcher(name).matches());
        boolean isRecorded =
                recorded.isPresent() && ProcessIdentity.of(process.pid()).equals(recorded);
        String configuration = directory.resolve(CONFIGURATION).toString();
        return process.info()
                .arguments()
                .map(arguments -> (isServer || isRecorded)
                        && Stream.of(arguments)
                                .anyMatch(argument ->
                                        argument.equals(configuration) || argument.endsWith("=" + configuration)))
                // where the system does not tell arguments, it must be the one that was written down when it was
                // started
                .orElse(isServer && isRecorded);
    }

    /** Linux adds a word to the path of a program whose file was replaced or removed since. */
    private static String programName(String command) {
        return Path.of(command.replaceFirst(" \\(deleted\\)$", ""))
                .getFileName()
                .toString();
    }
}
