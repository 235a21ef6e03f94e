package dev.blobmark.lab.server.own;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Restartable;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.mariadb.jdbc.Driver;

/**
 * A MariaDB or MySQL server that Blobmark starts for one run. It is empty, listens on a free port of the loopback
 * interface, and has one account whose password only this JVM knows. Its files are in a private directory that is
 * deleted when it is closed.
 *
 * <p>{@link #close()} may be called from a shutdown hook. If the JVM is killed, the next start of a server with the
 * same cache directory removes this one.
 *
 * <p>Seen with MariaDB 11.4.5: 1.3 s to make the system tables, 0.5 s to start, 0.3 s to stop.
 */
public final class OwnServer implements Restartable {

    private static final String USER = "blobmark";
    private static final String ACCOUNT = "'" + USER + "'@'" + OwnProcess.HOST + "'";
    private static final String NAME = "the embedded server";

    /** Reads statements from a pipe, so that no file contains them. */
    static final String READ_STATEMENTS = "--init-file=/dev/stdin";

    /**
     * With the default of MariaDB, 96 MB, loading waits for checkpoints. A redo log must also have room for ten of the
     * largest values.
     */
    static final long REDO_LOG_BYTES = 512L << 20;

    /** Settings of all servers, with their reasons. A variable of {@link ServerOptions} overrides them. */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            // no work besides that of the trials: no instrumentation, logs, replication or DNS
            Map.entry("performance_schema", "OFF"),
            Map.entry("general_log", "OFF"),
            Map.entry("slow_query_log", "OFF"),
            Map.entry("skip_log_bin", "ON"),
            Map.entry("skip_name_resolve", "ON"),
            // the study alone determines the contents of the buffer pool, also after a start
            Map.entry("innodb_buffer_pool_dump_at_shutdown", "OFF"),
            Map.entry("innodb_buffer_pool_load_at_startup", "OFF"),
            // the default of current servers; otherwise the system's page cache would keep pages that the pool dropped
            Map.entry("innodb_flush_method", "O_DIRECT"),
            // the data is deleted, so no pages are written at the end
            Map.entry("innodb_fast_shutdown", "2"),
            // each worker has a connection, and a tool may connect too; the default is 151
            Map.entry("max_connections", "1024"),
            // the server must not request files of the client
            Map.entry("local_infile", "OFF"));

    private final Path cache;
    private final OwnProcess process;
    private final Binaries binaries;
    private final String kind;
    private final ServerOptions options;
    private TlsMaterial tls = TlsMaterial.NONE;
    private Endpoint endpoint;

    /**
     * Starts the embedded MariaDB and waits until it accepts a login. Servers of killed runs are removed first.
     *
     * @param cache Blobmark's cache directory, for unpacked programs and the directories of servers
     * @throws ServerException if there is none for this platform, or it does not start; with the last lines of its log
     */
    public static OwnServer start(Path cache, ServerOptions options) {
        return start(cache, Optional.empty(), options);
    }

    /** @param base base directory of an installed MariaDB that replaces the embedded one */
    public static OwnServer start(Path cache, Optional<Path> base, ServerOptions options) {
        Binaries binaries = base.map(installation -> MariaDbBinaries.installed(installation.toAbsolutePath()))
                .orElseGet(() -> MariaDbBinaries.unpacked(cache.toAbsolutePath().resolve("embedded")));
        return start(cache, binaries, "embedded", options);
    }

    /** @param kind see {@link Server#kind} */
    public static OwnServer start(Path cache, Binaries binaries, String kind, ServerOptions options) {
        OwnProcess process = OwnProcess.in(cache, NAME, options.launch(), Process::destroy, OwnServer::remedy);
        OwnServer server = new OwnServer(cache, process, binaries, kind, options);
        ServerStart.run(NAME, server::close, server::start);
        return server;
    }

    private static String remedy(String log) {
        if (log.contains("unknown variable") || log.contains("unknown option")) {
            return "Correct the server variables of the study.";
        }
        if (log.contains("error while loading shared libraries")) {
            return "Install the library that the log names (libcrypt.so.1 is in libcrypt1 or libxcrypt-compat), or install"
                    + " MariaDB and use --server embedded:/usr.";
        }
        return log.contains("No space left on device")
                ? "Free some space: a server needs 1 GB in addition to its data."
                : "Fix what the log names, or install MariaDB and use --server embedded:/usr.";
    }

    private OwnServer(Path cache, OwnProcess process, Binaries binaries, String kind, ServerOptions options) {
        this.cache = cache;
        this.process = process;
        this.binaries = binaries;
        this.kind = kind;
        this.options = options;
    }

    private void start() throws IOException, InterruptedException {
        Files.createDirectory(scratch());
        Files.createDirectory(data());
        Files.createDirectory(temporary());
        Optional<SelfSignedCertificate> certificate =
                options.tls() ? Optional.of(SelfSignedCertificate.make(process.path())) : Optional.empty();
        if (certificate.isPresent()) {
            tls = TlsMaterial.make(
                    process.path(), Optional.of(certificate.get().certificate()), Optional.empty(), Optional.empty());
        }
        Files.write(process.directory().configuration(), configuration(certificate), StandardCharsets.UTF_8);
        makeData();
        process.listen(port -> {
            // a new password for each attempt: the server reads it before it is ready
            String password = OwnProcess.newPassword();
            return listen(port, password, binaries.firstSql(ACCOUNT, password));
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>Afterwards the buffer pool has no page of a user's table, variables have their values of the first start, and
     * connections are lost. Seen on two busy cores: 1 s with MariaDB 11.4.5, 4 s with MySQL 9.7.4, more if many pages
     * must be written.
     */
    @Override
    public void restart() {
        // a full shutdown, because recovery at the start would read pages into the buffer pool
        try (Connection connection = connect(endpoint);
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL innodb_fast_shutdown = 1");
        } catch (SQLException e) {
            throw new ServerException(
                    NAME + " was lost before a restart: " + e.getMessage() + ". Run the study again.", e);
        }
        process.stopInTime();
        process.listenAgain(endpoint.port(), port -> listen(port, endpoint.password(), ""));
    }

    /** A directory for files that are deleted with the server. */
    public Path scratch() {
        return process.path().resolve("scratch");
    }

    private Path data() {
        return process.path().resolve("data");
    }

    private Path temporary() {
        return process.path().resolve("tmp");
    }

    private Map<String, String> settings() {
        Map<String, String> all = new TreeMap<>(SETTINGS);
        all.putAll(binaries.settings(options.bufferPoolBytes()));
        all.putAll(options.variables());
        if (options.variables().containsKey("log_bin")) {
            all.remove("skip_log_bin"); // would override log_bin
        }
        return all;
    }

    private List<String> configuration(Optional<SelfSignedCertificate> certificate) throws IOException {
        Map<String, String> all = settings();
        all.put("innodb_buffer_pool_size", Long.toString(options.bufferPoolBytes()));
        all.put("max_allowed_packet", Long.toString(options.maxAllowedPacketBytes()));
        all.put("basedir", binaries.base().toString());
        all.put("lc_messages_dir", binaries.share().toString());
        all.put("datadir", data().toString());
        all.put("tmpdir", temporary().toString());
        all.put("secure_file_priv", temporary().toString());
        all.put("pid_file", process.path().resolve("pid").toString());
        all.put("bind_address", OwnProcess.HOST);
        // no socket: it is not used, and its path may exceed the system's limit of 108 bytes
        all.put("socket", "");
        if (certificate.isPresent()) {
            all.put("ssl_cert", certificate.get().certificate().toString());
            all.put("ssl_key", certificate.get().key().toString());
        }
        if (isRoot()) {
            all.put("user", "root");
        }
        List<String> lines = new ArrayList<>(List.of("[mysqld]"));
        all.forEach((name, value) ->
                lines.add(name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\""));
        if (!options.tls()) {
            lines.addAll(binaries.withoutTls());
        }
        return lines;
    }

    /** Whether the process runs as root, which the server accepts only with an explicit option. */
    private boolean isRoot() throws IOException {
        return process.path().getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(process.path(), "unix:uid").equals(0);
    }

    private void makeData() throws IOException, InterruptedException {
        Optional<DataTemplate> template = binaries.template(cache, settings(), data());
        if (template.isPresent() && process.whileOpen(() -> template.get().unpack(data()))) {
            return;
        }
        makeSystemTables();
        if (template.isPresent()) {
            process.whileOpen(() -> template.get().pack(data()));
        }
    }

    /** Runs the server once without a network to make its system tables and its account. */
    private void makeSystemTables() throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(binaries.bootstrapArguments());
        // a full shutdown, so that the next start needs no recovery
        arguments.add("--innodb-fast-shutdown=1");
        spawn(arguments, binaries.bootstrapSql(ACCOUNT));
        process.awaitSuccess("made its system tables");
    }

    private void spawn(List<String> arguments, String sql) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(binaries.server().toString(), process.directory().argument()));
        command.addAll(arguments);
        process.spawn(command, sql);
    }

    /** @param sql statements of the init file */
    private boolean listen(int port, String password, String sql) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--port=" + port));
        if (!sql.isEmpty()) {
            arguments.add(READ_STATEMENTS);
        }
        spawn(arguments, sql);
        return process.awaitLogin(port, log -> isReady(log, port), () -> {
            Endpoint candidate = new Endpoint(
                    OwnProcess.HOST, port, USER, password, SslMode.DISABLED, tls, binaries.authentication(data()));
            try (Connection connection = connect(candidate)) {
                verify(connection);
                endpoint = candidate;
                return Optional.empty();
            } catch (SQLException notYet) {
                return Optional.of(String.valueOf(notYet.getMessage()));
            }
        });
    }

    /**
     * Whether the log has the last line of a start. MySQL 8.0 to 9.7 and MariaDB 10.6 to 11.4 log it in any language,
     * MariaDB one line below "ready for connections". The line of MySQL's X plugin has no version.
     */
    static boolean isReady(String log, int port) {
        return Pattern.compile("Version: '[^']*'\\s+socket: '[^']*'\\s+port: " + port + "\\b", Pattern.CASE_INSENSITIVE)
                .matcher(log)
                .find();
    }

    private static Connection connect(Endpoint endpoint) throws SQLException {
        return new Driver()
                .connect("jdbc:mariadb://" + endpoint.authority() + "/", endpoint.mariaDbLogin(endpoint.sslMode()));
    }

    /** A server may round sizes; then the study would report sizes that it did not have. */
    private void verify(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@innodb_buffer_pool_size, @@max_allowed_packet")) {
            row.next();
            if (row.getLong(1) != options.bufferPoolBytes() || row.getLong(2) != options.maxAllowedPacketBytes()) {
                throw new ServerException(NAME + " was started with a buffer pool of " + options.bufferPoolBytes()
                        + " bytes and a max_allowed_packet of " + options.maxAllowedPacketBytes() + " bytes, but uses "
                        + row.getLong(1) + " and " + row.getLong(2) + ": request these sizes");
            }
        }
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
    public List<Long> pids() {
        return List.of(pid());
    }

    /** Its log, until it is closed. */
    public Path logFile() {
        return process.log().file();
    }

    /** The last 20 lines of its log; none after it is closed. */
    public List<String> lastLogLines() throws IOException {
        return process.log().lastLines();
    }

    /** The server's process, whose CPU time is measured. */
    public long pid() {
        return process.pid();
    }

    /**
     * Stops the server and deletes its directory. When this returns both are gone, even if another thread closes it at
     * the same time. A server that has not ended after 10 s is killed; an interrupt kills it at once.
     *
     * @throws ServerException if the directory cannot be deleted; the next start tries again
     */
    @Override
    public void close() {
        process.close();
    }
}
