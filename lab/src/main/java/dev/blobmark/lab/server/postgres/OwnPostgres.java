package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.directory.ServerDirectory;
import dev.blobmark.lab.server.own.Listening;
import dev.blobmark.lab.server.own.OwnServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL of Blobmark's own, made for one run: empty, on a free port of the loopback interface, with one role whose password only
 * this JVM knows, in a private directory that is deleted when it is closed, or by the next start if the run is killed.
 *
 * <p>PostgreSQL refuses to run as root. Where Blobmark does, the server runs in a user namespace of its own ({@code unshare --user}), in
 * which it is nobody, has no capability, and still owns its files.
 *
 * <p>Seen with 18.6: 0.5 s to make the data directory, 0.1 s to start.
 */
final class OwnPostgres implements PostgresServer {

    private static final String HOST = "127.0.0.1";
    private static final String ROLE = "blobmark";
    private static final String DATABASE = "postgres";

    /** A port that was free may be taken before the server listens on it. */
    private static final int PORTS_TO_TRY = 5;

    private static final long START_SECONDS = 180;
    private static final long POLL_MILLIS = 10;
    private static final int STOP_SECONDS = 10;
    private static final int LOG_LINES_SHOWN = 20;

    /** In all versions, with lc_messages C. */
    private static final String READY = "database system is ready to accept connections";

    private static final String TAKEN = "Address already in use";

    /** Stops after the transactions in hand are rolled back and all pages are written. */
    private static final String FAST = "INT";

    /** Stops at once; the next start would have to recover. SIGTERM, which Java sends, waits for all clients to leave. */
    private static final String IMMEDIATE = "QUIT";

    /** What every server is given, and why. All else is PostgreSQL's default, among it fsync, synchronous_commit and autovacuum. */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("listen_addresses", HOST),
            // no socket file: its path may be too long for the system, and nobody is to connect by it
            Map.entry("unix_socket_directories", ""),
            // many workers, each with a connection of its own
            Map.entry("max_connections", "1024"),
            // nothing is replicated or archived
            Map.entry("wal_level", "minimal"),
            Map.entry("max_wal_senders", "0"),
            // shared memory in the server's directory: that in /dev/shm would outlive a server that is killed
            Map.entry("dynamic_shared_memory_type", "mmap"),
            Map.entry("password_encryption", "scram-sha-256"),
            Map.entry("log_destination", "stderr"),
            Map.entry("logging_collector", "off"),
            // read by this class
            Map.entry("lc_messages", "C"));

    private final String kind;
    private final ServerDirectory directory;
    private final List<String> prefix;
    private final String password;
    private List<String> command = List.of();
    private Endpoint endpoint;
    private Process process;
    private boolean closed;

    private OwnPostgres(String kind, ServerDirectory directory, List<String> prefix) {
        this.kind = kind;
        this.directory = directory;
        this.prefix = prefix;
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        password = HexFormat.of().formatHex(random);
    }

    /**
     * Starts a server and waits until it accepts its role. Leftovers of killed runs are removed first.
     *
     * @param servers the directory in which the servers of all runs of this user have theirs
     * @param settings of its configuration, which override those that every server is given
     * @param prefix what the command that starts it begins with: it must become the server by itself (exec)
     * @throws ServerException if it does not start, with the last lines of its log
     */
    static OwnPostgres start(
            Path servers, String kind, PostgresBinaries binaries, Map<String, String> settings, List<String> prefix) {
        try {
            OwnPostgres server = new OwnPostgres(kind, ServerDirectory.create(servers), prefix);
            Thread hook = new Thread(server::close, "stop-embedded-postgresql");
            try {
                Runtime.getRuntime().addShutdownHook(hook);
                server.start(binaries, settings);
                Runtime.getRuntime().removeShutdownHook(hook);
                return server;
            } catch (IOException | RuntimeException | InterruptedException e) {
                server.close();
                Runtime.getRuntime().removeShutdownHook(hook);
                throw e;
            }
        } catch (IOException e) {
            throw new ServerException("cannot start " + binaries.postgres() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while PostgreSQL was starting", e);
        }
    }

    private void start(PostgresBinaries binaries, Map<String, String> settings)
            throws IOException, InterruptedException {
        Files.createFile(log());
        List<String> asUser = new ArrayList<>(prefix);
        if (isRoot()) {
            asUser.addAll(unprivileged());
        }
        makeData(asUser, binaries);
        Files.writeString(hba(), "host all " + ROLE + " " + HOST + "/32 scram-sha-256\n");
        asUser.addAll(List.of(binaries.postgres().toString(), "--config_file=" + directory.configuration()));
        command = List.copyOf(asUser);
        for (int attempt = 1; attempt <= PORTS_TO_TRY; attempt++) {
            endpoint = new Endpoint(HOST, OwnServer.freePort(), ROLE, password);
            Files.write(directory.configuration(), configuration(settings));
            if (listens()) {
                return;
            }
        }
        throw new ServerException(
                "PostgreSQL found no port of " + HOST + " to listen on. Close programs that hold many ports.");
    }

    private boolean isRoot() throws IOException {
        return directory.path().getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(directory.path(), "unix:uid").equals(0);
    }

    /** The words of a command that runs a program without the rights of root. */
    private static List<String> unprivileged() throws InterruptedException {
        List<String> words = List.of("unshare", "--user");
        String reason;
        try {
            List<String> trial = new ArrayList<>(words);
            trial.add("true");
            Process process = Subprocess.of(trial).redirectErrorStream(true).start();
            reason = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() == 0) {
                return words;
            }
        } catch (IOException e) {
            reason = e.getMessage();
        }
        throw new ServerException("PostgreSQL does not run as root, and a user namespace for it cannot be made here ("
                + reason + "). Run Blobmark as another user, or name a running server: --server"
                + " postgresql=postgresql://USER@HOST:PORT/DATABASE.");
    }

    /** The password goes by a pipe, so that no file ever holds it. */
    private void makeData(List<String> asUser, PostgresBinaries binaries) throws IOException, InterruptedException {
        List<String> initdb = new ArrayList<>(asUser);
        initdb.addAll(List.of(
                binaries.initdb().toString(),
                "--pgdata=" + data(),
                "--username=" + ROLE,
                "--auth=scram-sha-256",
                "--pwfile=/dev/stdin",
                "--encoding=UTF8",
                "--no-locale",
                "--no-sync",
                "--no-instructions"));
        Process making = spawn(initdb);
        try (OutputStream in = making.getOutputStream()) {
            in.write((password + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        if (!making.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            throw failed("initdb has not ended within " + START_SECONDS + " s");
        }
        if (making.exitValue() != 0) {
            throw failed("initdb ended with exit status " + making.exitValue());
        }
    }

    private List<String> configuration(Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(SETTINGS);
        all.putAll(settings);
        all.put("port", Integer.toString(endpoint.port()));
        all.put("data_directory", data().toString());
        all.put("hba_file", hba().toString());
        all.put("ident_file", data().resolve("pg_ident.conf").toString());
        return all.entrySet().stream()
                .map(setting -> setting.getKey() + " = '"
                        + setting.getValue().replace("\\", "\\\\").replace("'", "''") + "'")
                .toList();
    }

    private synchronized Process spawn(List<String> words) throws IOException {
        if (closed) {
            throw new IllegalStateException("already closed");
        }
        ProcessBuilder builder = Subprocess.of(words)
                .directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        // messages are read by this class, in English
        builder.environment().put("LC_ALL", "C");
        // the clients' variables would change what it does: PGDATA, PGPORT, PGOPTIONS
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        process = builder.start();
        directory.recordServer(process.pid());
        return process;
    }

    /**
     * Starts the server; false if somebody else took its port first. No connection is made before the server itself has logged that it is
     * ready, and the system says that the port is this server's.
     */
    private boolean listens() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        long logged = Files.size(log());
        Process server = spawn(command);
        server.getOutputStream().close();
        String missing = "its log does not say that it is ready";
        while (!server.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (logSince(logged).contains(READY)) {
                missing = "port " + endpoint.port() + " is not its own";
                if (Listening.of(server.pid(), endpoint.port()) != Listening.NO) {
                    try {
                        PostgresConnections.connect(endpoint, DATABASE).close();
                        return true;
                    } catch (SQLException notYet) {
                        missing = notYet.getMessage();
                    }
                }
            }
            if (System.nanoTime() > deadline) {
                throw failed("it accepted no connection within " + START_SECONDS + " s (" + missing + ")");
            }
        }
        if (logSince(logged).contains(TAKEN)) {
            return false;
        }
        throw failed("it ended with exit status " + server.exitValue());
    }

    private ServerException failed(String how) throws IOException {
        List<String> lines = logSince(0).lines().toList();
        return new ServerException("the embedded PostgreSQL did not start: " + how + ". The last lines of its log:\n  "
                + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()))
                + "\nCorrect what the log names, or name another PostgreSQL: --server postgresql=postgres:DIR.");
    }

    private String logSince(long offset) throws IOException {
        try (InputStream in = Files.newInputStream(log())) {
            in.skipNBytes(offset);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Path log() {
        return directory.path().resolve("server.log");
    }

    private Path data() {
        return directory.path().resolve("data");
    }

    private Path hba() {
        return directory.path().resolve("hba.conf");
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public String database() {
        return DATABASE;
    }

    @Override
    public OptionalLong pid() {
        return OptionalLong.of(process.pid());
    }

    /** Its files may still be in the memory of the system, which it reads them through. */
    @Override
    public void restart() {
        try {
            signal(FAST);
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                throw failed("it has not stopped within " + START_SECONDS + " s");
            }
            if (!listens()) {
                throw failed("it lost its port " + endpoint.port() + " while it was started again");
            }
        } catch (IOException e) {
            throw new ServerException("cannot start PostgreSQL again: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while PostgreSQL was starting", e);
        }
    }

    /** @throws ServerException if its directory cannot be deleted; the next start tries again */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (process != null) {
            stop();
        }
        try {
            directory.close();
        } catch (IOException e) {
            throw new ServerException("cannot delete " + directory.path() + ": " + e + ". Delete it by hand.", e);
        }
    }

    /** Its data is thrown away: nothing is written back. */
    private void stop() {
        try {
            signal(IMMEDIATE);
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Java sends no other signals than SIGTERM and SIGKILL. */
    private void signal(String name) throws IOException, InterruptedException {
        if (process.isAlive()) {
            Subprocess.of("sh", "-c", "kill -s \"$0\" \"$1\"", name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }
}
