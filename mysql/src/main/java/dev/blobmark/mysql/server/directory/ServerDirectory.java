package dev.blobmark.mysql.server.directory;

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
 * The private directory of one server, with all files that the server writes. Its file {@code lock} names the owner's
 * process and the server's. The owner keeps this file locked until it ends.
 *
 * <p>A directory was left behind by a killed run if its lock is free and its owner has ended. The next creation of a
 * directory kills the server that still runs on it, and deletes it. Only one process at a time creates or sweeps, so a
 * directory without a lock is never one that is being created. A server is found by its command line, which names a
 * file in its directory. So the sweep works at whatever moment the owner was killed.
 */
public final class ServerDirectory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServerDirectory.class);

    private static final String LOCK = "lock";

    /** Start of the line that names the owner's machine. */
    private static final String HOST = "host ";

    private static final String CONFIGURATION = "server.cnf";
    private static final String DEFAULTS_FILE = "--defaults-file=";

    /** Names of server programs and of their builds, such as {@code mysqld-debug}. */
    private static final Pattern PROGRAMS =
            Pattern.compile("(mariadbd|mysqld|ndbmtd|ndbd|ndb_mgmd|redis-server|valkey-server|postgres).*");

    /** Enough time for the kernel to end a process that has much memory or waits for a disk. */
    private static final long KILL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * The directories of this JVM. Their lock files must not be opened again, because closing any descriptor of a file
     * releases all POSIX locks that the process holds on it.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private ServerDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Removes the directories of killed runs, then makes a new one.
     *
     * @param servers parent of the directories of this user's servers
     */
    public static ServerDirectory create(Path servers) throws IOException {
        UserDirectory.make(servers);
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

    /** The server's first argument, which identifies it as the one that runs on this directory. */
    public String argument() {
        return argument(path);
    }

    private static String argument(Path path) {
        return DEFAULTS_FILE + path.resolve(CONFIGURATION);
    }

    /** Writes the server's process to the lock file. */
    public void recordServer(long pid) throws IOException {
        record("server", pid);
    }

    /** Writes the machine's name where other machines can see the file. Elsewhere it avoids a name look-up. */
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
        // the lock is deleted last: until then a directory that is half deleted counts as in use
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
                    // a directory that cannot be removed must not prevent a new run
                    LOG.warn("cannot remove {}, left behind by a run that was killed: {}", directory, e.toString());
                }
            }
        }
    }

    /** Processes of another machine cannot be seen, nor can its locks on some network file systems. */
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

    /** The last process that was recorded for a role. A line that was cut short does not count. */
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
                    throw new IOException("its server, process " + server.pid() + ", was killed but has not ended");
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    /**
     * Whether the process is a server program that was started with the directory's option file. Other programs may
     * name that file too, such as an editor.
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
                // if the system hides the arguments, only the recorded process counts
                .orElse(isServer && isRecorded);
    }

    /** Linux appends a word to the path of a program whose file was replaced or removed. */
    private static String programName(String command) {
        return Path.of(command.replaceFirst(" \\(deleted\\)$", ""))
                .getFileName()
                .toString();
    }
}
