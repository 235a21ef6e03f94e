package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.own.OwnProcess;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerStart;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A PostgreSQL that Blobmark starts for one run. It is empty, listens on a free port of the loopback interface, and has
 * one role whose password only this JVM knows. Its private directory is deleted when it is closed, or by the next start
 * if the run is killed.
 *
 * <p>PostgreSQL refuses to run as root. If Blobmark runs as root, the server runs in a separate user namespace
 * ({@code unshare --user}). There it is the user nobody without capabilities, and still owns its files.
 *
 * <p>Seen with 18.6: 0.5 s to make the data directory, 0.1 s to start.
 */
final class OwnPostgres implements PostgresServer {

    private static final String NAME = "PostgreSQL";
    private static final String ROLE = "blobmark";
    private static final String DATABASE = "postgres";

    /** Log message of all versions with lc_messages C. */
    private static final String READY = "database system is ready to accept connections";

    /** Fast shutdown: rolls open transactions back and writes all pages. */
    private static final String FAST = "INT";

    /** Immediate shutdown, without writing pages. SIGTERM, which Java sends, waits for all clients to disconnect. */
    private static final String IMMEDIATE = "QUIT";

    /** Settings of all servers. Others, such as fsync, synchronous_commit and autovacuum, have their defaults. */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("listen_addresses", OwnProcess.HOST),
            // no socket file: it is not used, and its path may be too long for the system
            Map.entry("unix_socket_directories", ""),
            // each worker has a connection
            Map.entry("max_connections", "1024"),
            // nothing is replicated or archived
            Map.entry("wal_level", "minimal"),
            Map.entry("max_wal_senders", "0"),
            // shared memory in /dev/shm would outlive a server that is killed
            Map.entry("dynamic_shared_memory_type", "mmap"),
            Map.entry("password_encryption", "scram-sha-256"),
            Map.entry("log_destination", "stderr"),
            Map.entry("logging_collector", "off"),
            // this class reads messages in English
            Map.entry("lc_messages", "C"));

    private final String kind;
    private final OwnProcess process;
    private final Map<String, String> settings;
    private final String password = OwnProcess.newPassword();
    private List<String> command = List.of();
    private Endpoint endpoint;
    private volatile String stopSignal = FAST;

    private OwnPostgres(String kind, Path cache, Map<String, String> settings, ServerLaunch launch) {
        this.kind = kind;
        this.settings = settings;
        process = OwnProcess.in(
                cache,
                NAME,
                launch,
                this::signal,
                log -> "Fix what the log names, or name another PostgreSQL with --server postgresql=postgres:DIR.");
    }

    /**
     * Starts a server and waits until it accepts a login.
     *
     * @param settings of the configuration; they override those of all servers
     * @throws ServerException if it does not start, with the last lines of its log
     */
    static OwnPostgres start(
            Path cache, String kind, PostgresBinaries binaries, Map<String, String> settings, ServerLaunch launch) {
        OwnPostgres server = new OwnPostgres(kind, cache, settings, launch);
        ServerStart.run(NAME, server::close, () -> server.start(binaries));
        return server;
    }

    private void start(PostgresBinaries binaries) throws IOException, InterruptedException {
        List<String> prefix = new ArrayList<>(List.of("env", "LC_ALL=C"));
        if (isRoot()) {
            prefix.addAll(unprivileged());
        }
        // the password is passed through a pipe, so that no file contains it
        List<String> initdb = new ArrayList<>(prefix);
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
        process.spawn(initdb, password + "\n");
        process.awaitSuccess("made its data directory");
        Files.writeString(hba(), "host all " + ROLE + " " + OwnProcess.HOST + "/32 scram-sha-256\n");
        prefix.addAll(List.of(
                binaries.postgres().toString(),
                "--config_file=" + process.directory().configuration()));
        command = List.copyOf(prefix);
        process.listen(port -> {
            endpoint = new Endpoint(OwnProcess.HOST, port, ROLE, password);
            Files.write(process.directory().configuration(), configuration());
            return listens(port);
        });
    }

    private boolean isRoot() throws IOException {
        Path path = process.path();
        return path.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(path, "unix:uid").equals(0);
    }

    /** The prefix of a command that runs a program without the privileges of root. */
    private static List<String> unprivileged() throws InterruptedException {
        String reason;
        try {
            Process process = Subprocess.of("unshare", "--user", "true")
                    .redirectErrorStream(true)
                    .start();
            reason = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() == 0) {
                return List.of("unshare", "--user");
            }
        } catch (IOException e) {
            reason = e.getMessage();
        }
        throw new ServerException("PostgreSQL does not run as root, and a user namespace cannot be created here ("
                + reason + "). Run Blobmark as another user, or name a running server with --server"
                + " postgresql=postgresql://USER@HOST:PORT/DATABASE.");
    }

    private List<String> configuration() {
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

    private boolean listens(int port) throws IOException, InterruptedException {
        process.spawn(command, "");
        return process.awaitLogin(port, log -> log.contains(READY), () -> {
            try {
                PostgresConnections.connect(endpoint, DATABASE).close();
                return Optional.empty();
            } catch (SQLException notYet) {
                return Optional.of(String.valueOf(notYet.getMessage()));
            }
        });
    }

    private Path data() {
        return process.path().resolve("data");
    }

    private Path hba() {
        return process.path().resolve("hba.conf");
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

    /** Restarts the server. The system's page cache may still contain its files. */
    @Override
    public void restart() {
        process.stopInTime();
        process.listenAgain(endpoint.port(), this::listens);
    }

    /** Stops the server without writing pages, and deletes its data. */
    @Override
    public void close() {
        stopSignal = IMMEDIATE;
        process.close();
    }

    /** Uses a shell, because Java can send only SIGTERM and SIGKILL. */
    private void signal(Process server) {
        if (!server.isAlive()) {
            return;
        }
        try {
            Subprocess.of("sh", "-c", "kill -s \"$0\" \"$1\"", stopSignal, Long.toString(server.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            server.destroyForcibly();
        } catch (InterruptedException e) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
