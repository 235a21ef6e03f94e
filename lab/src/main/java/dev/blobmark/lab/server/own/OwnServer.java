package dev.blobmark.lab.server.own;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.StudyVariables;
import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.server.TlsMaterial;
import dev.blobmark.lab.server.directory.ServerDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.mariadb.jdbc.Driver;

/**
 * A MariaDB or MySQL server of Blobmark's own, made for one run: empty, on a free port of the loopback interface, with one account
 * whose password only this JVM knows, in a private directory that is deleted when it is closed.
 *
 * <p>It does not outlive its owner for long: {@link #close()} may be called from a shutdown hook, and what a killed JVM leaves
 * behind is removed by the next start of any user of the same cache directory.
 *
 * <p>Seen with MariaDB 11.4.5: 1.3 s to make the system tables, 0.9 s for a certificate, 0.5 s to start, 0.3 s to stop.
 */
public final class OwnServer implements Server {

    private static final String USER = "blobmark";
    private static final String HOST = "127.0.0.1";
    private static final String ACCOUNT = "'" + USER + "'@'" + HOST + "'";

    /** Statements come by a pipe, so that none of them is in a file. */
    static final String READ_STATEMENTS = "--init-file=/dev/stdin";

    /** A port that was free may be taken before the server gets to it; so many others are tried. */
    private static final int PORTS_TO_TRY = 5;

    private static final long POLL_MILLIS = 10;
    private static final long STOP_TIMEOUT_SECONDS = 10;
    private static final int LOG_LINES_SHOWN = 20;

    /** The default, 96 MB in MariaDB, makes loading wait for checkpoints; a redo log must also hold ten of the largest values. */
    static final long REDO_LOG_BYTES = 512L << 20;

    /** What every embedded server is given, and why. A server variable of {@link Options} overrides it. */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            // Nothing that takes time besides the work asked for: no instrumentation, no logs, no replication, no DNS.
            Map.entry("performance_schema", "OFF"),
            Map.entry("general_log", "OFF"),
            Map.entry("slow_query_log", "OFF"),
            Map.entry("skip_log_bin", "ON"),
            Map.entry("skip_name_resolve", "ON"),
            // What is in the buffer pool is the study's business, at the start too.
            Map.entry("innodb_buffer_pool_dump_at_shutdown", "OFF"),
            Map.entry("innodb_buffer_pool_load_at_startup", "OFF"),
            // As today's servers do by themselves: with older ones the system's memory would keep what the pool does
            // not.
            Map.entry("innodb_flush_method", "O_DIRECT"),
            // The data is thrown away: nothing is written back at the end.
            Map.entry("innodb_fast_shutdown", "2"),
            // Many workers, each with a connection of its own, and a tool beside them; the default is 151.
            Map.entry("max_connections", "1024"),
            // Files of the client's machine are none of the server's business.
            Map.entry("local_infile", "OFF"));

    private final Path cache;
    private final ServerDirectory directory;
    private final Binaries binaries;
    private final String kind;
    private final Options options;
    private TlsMaterial tls = TlsMaterial.NONE;
    private Process process;
    private Endpoint endpoint;
    private boolean closed;

    /**
     * How the server is to be.
     *
     * @param tls whether connections may be encrypted; those that are not asked to be stay plain either way
     * @param bufferPoolBytes size of InnoDB's buffer pool, in bytes: whole MiB, at least {@link Environment#MIN_POOL_BYTES}
     * @param maxAllowedPacketBytes the largest statement or row, in bytes: a multiple of 1024, at most 1 GiB
     * @param variables further server variables by name, as in an option file
     * @param baseDirectory the MariaDB installation to use; if empty, the one that comes with Blobmark
     * @param startTimeout how long the server may take until it answers, beside the making of its system tables
     * @param prefix what the command that starts it begins with, such as {@code taskset -c 0}: it must become the server by
     *     itself (exec), so that its process is the server's
     * @param parent where the server's directory is made; if empty, in the cache
     */
    public record Options(
            boolean tls,
            long bufferPoolBytes,
            long maxAllowedPacketBytes,
            Map<String, String> variables,
            Optional<Path> baseDirectory,
            Duration startTimeout,
            List<String> prefix,
            Optional<Path> parent) {

        private static final long MIB = 1L << 20;
        private static final long GIB = 1L << 30;

        public Options {
            Environment.requirePool(bufferPoolBytes);
            if (maxAllowedPacketBytes < 1024 || maxAllowedPacketBytes > GIB || maxAllowedPacketBytes % 1024 != 0) {
                throw new IllegalArgumentException("a max_allowed_packet of " + maxAllowedPacketBytes
                        + " bytes: it must be a multiple of 1024 from 1024 to " + GIB);
            }
            Map<String, String> normal = new TreeMap<>();
            variables.forEach((name, value) -> normal.put(StudyVariables.name(name), StudyVariables.line(name, value)));
            variables = Map.copyOf(normal);
            Objects.requireNonNull(baseDirectory, "baseDirectory");
            prefix = List.copyOf(prefix);
            Objects.requireNonNull(parent, "parent");
            if (startTimeout.isNegative() || startTimeout.isZero()) {
                throw new IllegalArgumentException("a start time-out of " + startTimeout + ": it must be positive");
            }
        }

        /** TLS possible, packets of 64 MiB (a MEDIUMBLOB has up to 16 MiB), the bundled MariaDB, 3 minutes to start. */
        public static Options of(long bufferPoolBytes) {
            return new Options(
                    true,
                    bufferPoolBytes,
                    64 * MIB,
                    Map.of(),
                    Optional.empty(),
                    Duration.ofMinutes(3),
                    List.of(),
                    Optional.empty());
        }

        /** The smallest buffer pool: for a server that is only connected to. */
        public static Options smallest() {
            return of(Environment.MIN_POOL_BYTES);
        }

        /** With the buffer pool and the variables that a trial needs. */
        public static Options of(Environment environment) {
            return of(environment.bufferPoolBytes()).withVariables(environment.variables());
        }

        public Options withTls(boolean possible) {
            return new Options(
                    possible,
                    bufferPoolBytes,
                    maxAllowedPacketBytes,
                    variables,
                    baseDirectory,
                    startTimeout,
                    prefix,
                    parent);
        }

        public Options withVariables(Map<String, String> others) {
            return new Options(
                    tls, bufferPoolBytes, maxAllowedPacketBytes, others, baseDirectory, startTimeout, prefix, parent);
        }

        public Options withMaxAllowedPacketBytes(long bytes) {
            return new Options(tls, bufferPoolBytes, bytes, variables, baseDirectory, startTimeout, prefix, parent);
        }

        public Options withBaseDirectory(Optional<Path> directory) {
            return new Options(
                    tls, bufferPoolBytes, maxAllowedPacketBytes, variables, directory, startTimeout, prefix, parent);
        }

        public Options withStartTimeout(Duration timeout) {
            return new Options(
                    tls, bufferPoolBytes, maxAllowedPacketBytes, variables, baseDirectory, timeout, prefix, parent);
        }

        public Options withPrefix(List<String> words) {
            return new Options(
                    tls, bufferPoolBytes, maxAllowedPacketBytes, variables, baseDirectory, startTimeout, words, parent);
        }

        public Options withParent(Path directory) {
            return new Options(
                    tls,
                    bufferPoolBytes,
                    maxAllowedPacketBytes,
                    variables,
                    baseDirectory,
                    startTimeout,
                    prefix,
                    Optional.of(directory));
        }
    }

    /**
     * Starts a server and waits until it lets its account in. Leftovers of killed runs are removed first. Should the JVM be
     * told to end meanwhile, a hook removes what there is; once this method has returned, that is the caller's part.
     *
     * @param cache Blobmark's cache directory: unpacked programs are kept in it, and servers have their directories in it
     * @throws ServerException if there is none for this platform, or it does not start; with the last lines of its log
     */
    public static OwnServer start(Path cache, Options options) {
        return start(
                cache,
                options.baseDirectory()
                        .map(base -> MariaDbBinaries.installed(base.toAbsolutePath()))
                        .orElseGet(() ->
                                MariaDbBinaries.unpacked(cache.toAbsolutePath().resolve("embedded"))),
                "embedded",
                options);
    }

    /** @param kind what the server is called, see {@link Server#kind} */
    public static OwnServer start(Path cache, Binaries binaries, String kind, Options options) {
        OwnServer server;
        try {
            server = new OwnServer(
                    cache,
                    ServerDirectory.create(options.parent().orElseGet(() -> cache.resolve("servers"))),
                    binaries,
                    kind,
                    options);
        } catch (IOException e) {
            throw new ServerException(
                    "cannot make a directory for the embedded server in "
                            + options.parent().orElse(cache) + ": " + e
                            + ". Have the cache elsewhere by setting XDG_CACHE_HOME, or the server's files by the factor"
                            + " 'storage'.",
                    e);
        }
        Thread hook = new Thread(server::close, "stop-embedded-server");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            server.start();
            Runtime.getRuntime().removeShutdownHook(hook);
            return server;
        } catch (IOException | RuntimeException | InterruptedException e) {
            ServerException failure = server.failure(e);
            try {
                server.close();
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (ServerException | IllegalStateException notCleared) {
                failure.addSuppressed(notCleared);
            }
            throw failure;
        }
    }

    private synchronized ServerException failure(Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        if (closed || e instanceof InterruptedException) {
            return new ServerException("the embedded server was stopped while it was starting", e);
        }
        return e instanceof ServerException known
                ? known
                : new ServerException("the embedded server in " + directory.path() + " did not start: " + e, e);
    }

    private OwnServer(Path cache, ServerDirectory directory, Binaries binaries, String kind, Options options) {
        this.cache = cache;
        this.directory = directory;
        this.binaries = binaries;
        this.kind = kind;
        this.options = options;
    }

    private static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    private void start() throws IOException, InterruptedException {
        Files.createDirectory(scratch());
        Files.createDirectory(data());
        Files.createDirectory(temporary());
        Optional<SelfSignedCertificate> certificate =
                options.tls() ? SelfSignedCertificate.make(directory.path()) : Optional.empty();
        if (certificate.isPresent()) {
            tls = TlsMaterial.make(
                    directory.path(), Optional.of(certificate.get().certificate()), Optional.empty(), Optional.empty());
        }
        Files.write(directory.configuration(), configuration(certificate), StandardCharsets.UTF_8);
        Files.createFile(log());
        makeData();
        for (int attempt = 1; !listenFirst(freePort()); attempt++) {
            if (attempt == PORTS_TO_TRY) {
                throw failed("found no port of " + HOST + " to listen on", "Close programs that hold many ports.");
            }
        }
    }

    /** Each attempt has a password of its own, which the server is given before it is ready. */
    private boolean listenFirst(int port) throws IOException, InterruptedException {
        String password = newPassword();
        return listen(port, password, binaries.firstSql(ACCOUNT, password));
    }

    /**
     * Stops the server once all pages are written back, and starts it again at the same endpoint. Its buffer pool then has nothing
     * of any table of its users', its variables are those that it was first started with, and its connections are lost.
     *
     * <p>Seen on two busy cores with MariaDB 11.4.5: 1 s; with MySQL 9.7.4: 4 s; more where much has to be written back.
     *
     * @throws ServerException if it does not stop, or does not start again; it can only be closed then
     */
    public void restart() {
        try {
            stopOrderly();
            if (!listen(endpoint.port(), endpoint.password(), "")) {
                throw failed("lost its port " + endpoint.port() + " while it was started again", BUSY);
            }
        } catch (SQLException e) {
            throw new ServerException("the embedded server is gone, and cannot be started again: " + e.getMessage(), e);
        } catch (IOException | InterruptedException e) {
            throw failure(e);
        }
    }

    /** Unlike the stop at the end, this one leaves nothing to recover, for which a start would read pages. */
    private void stopOrderly() throws IOException, SQLException, InterruptedException {
        try (Connection connection = connect(endpoint);
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL innodb_fast_shutdown = 1");
        }
        process.destroy();
        if (!process.waitFor(options.startTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("has not stopped within " + seconds(options.startTimeout()), BUSY);
        }
    }

    /** A port of the loopback interface that nobody listens on at this moment. */
    public static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return free.getLocalPort();
        }
    }

    @Override
    public Path scratch() {
        return directory.path().resolve("scratch");
    }

    private Path data() {
        return directory.path().resolve("data");
    }

    private Path temporary() {
        return directory.path().resolve("tmp");
    }

    private Path log() {
        return directory.path().resolve("server.log");
    }

    private Map<String, String> settings() {
        Map<String, String> all = new TreeMap<>(SETTINGS);
        all.putAll(binaries.settings(options.bufferPoolBytes()));
        all.putAll(options.variables());
        if (options.variables().containsKey("log_bin")) {
            all.remove("skip_log_bin"); // it would win
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
        all.put("pid_file", directory.path().resolve("pid").toString());
        all.put("bind_address", HOST);
        // No socket: its path may be too long for the system (108 bytes), and nobody is to come in by it.
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

    /** The server runs as root only when told to. */
    private boolean isRoot() throws IOException {
        return directory.path().getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(directory.path(), "unix:uid").equals(0);
    }

    private void makeData() throws IOException, InterruptedException {
        Optional<DataTemplate> template = binaries.template(cache, settings(), data());
        if (template.isPresent() && unpacked(template.get())) {
            return;
        }
        makeSystemTables();
        template.ifPresent(this::pack);
    }

    /** Has its turn with {@link #close}, which deletes what it makes. */
    private synchronized boolean unpacked(DataTemplate template) throws IOException {
        requireOpen();
        return template.unpack(data());
    }

    private synchronized void pack(DataTemplate template) {
        requireOpen();
        template.pack(data());
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("already closed");
        }
    }

    /** Runs the server once without a network, to make its tables and the one account. */
    private void makeSystemTables() throws IOException, InterruptedException {
        String sql = binaries.bootstrapSql(ACCOUNT);
        List<String> arguments = new ArrayList<>(binaries.bootstrapArguments());
        // An orderly shutdown, so that the next start has nothing to recover.
        arguments.add("--innodb-fast-shutdown=1");
        Process bootstrap = spawn(arguments);
        // on a thread of its own: a server that reads nothing must not hold this one for ever
        Thread teller = new Thread(() -> tell(bootstrap, sql), "tell-embedded-server");
        teller.setDaemon(true);
        teller.start();
        if (!bootstrap.waitFor(options.startTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("has not made its system tables within " + seconds(options.startTimeout()), BUSY);
        }
        if (bootstrap.exitValue() != 0) {
            throw ended(bootstrap);
        }
    }

    private static void tell(Process server, String sql) {
        try (OutputStream in = server.getOutputStream()) {
            in.write(sql.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException endedEarly) {
            // its exit status tells why
        }
    }

    /**
     * Starts the server on a port; false if somebody else was faster to take it. Nobody is connected to before the server itself has
     * said that it is ready on that port, and the system that the port is this server's: another process that listens there hears
     * nothing.
     *
     * @param sql what it reads first; so little that a pipe holds it before it is read
     */
    private boolean listen(int port, String password, String sql) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + options.startTimeout().toNanos();
        long logged = Files.size(log());
        List<String> arguments = new ArrayList<>(List.of("--port=" + port));
        if (!sql.isEmpty()) {
            arguments.add(READ_STATEMENTS);
        }
        Process server = spawn(arguments);
        tell(server, sql);
        String missing = "its log does not say that it is ready on port " + port;
        while (!server.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (isReady(logSince(logged), port)) {
                missing = "port " + port + " is not its own";
                if (Listening.of(server.pid(), port) != Listening.NO) {
                    Endpoint candidate = new Endpoint(
                            HOST, port, USER, password, SslMode.DISABLED, tls, binaries.authentication(data()));
                    try (Connection connection = connect(candidate)) {
                        verify(connection);
                        endpoint = candidate;
                        return true;
                    } catch (SQLException notYet) {
                        missing = notYet.getMessage();
                    }
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw failed("let nobody in within " + seconds(options.startTimeout()) + " (" + missing + ")", BUSY);
            }
        }
        if (logSince(logged).contains("Address already in use")) {
            return false;
        }
        throw ended(server);
    }

    /**
     * The last line of a start, as MySQL 8.0 to 9.7 and MariaDB 10.6 to 11.4 log it in any language, in MariaDB one line below "ready for
     * connections". That of MySQL's X plugin names no version.
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

    /** A server may round what it is given; the study would then tell a size that was not there. */
    private void verify(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@innodb_buffer_pool_size, @@max_allowed_packet")) {
            row.next();
            if (row.getLong(1) != options.bufferPoolBytes() || row.getLong(2) != options.maxAllowedPacketBytes()) {
                throw new ServerException("the embedded server was given a buffer pool of " + options.bufferPoolBytes()
                        + " bytes and a max_allowed_packet of " + options.maxAllowedPacketBytes() + " bytes, but has "
                        + row.getLong(1) + " and " + row.getLong(2) + ": ask for these sizes");
            }
        }
    }

    private synchronized Process spawn(List<String> arguments) throws IOException {
        requireOpen();
        List<String> command = new ArrayList<>(options.prefix());
        command.addAll(List.of(binaries.server().toString(), directory.argument()));
        command.addAll(arguments);
        process = Subprocess.of(command)
                .directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        directory.recordServer(process.pid());
        return process;
    }

    private static final String BUSY = "Start again when the machine is less busy.";

    private ServerException ended(Process process) throws IOException {
        String log = logSince(0);
        String mend = log.contains("unknown variable") || log.contains("unknown option")
                ? "Correct the server variables that were asked for."
                : log.contains("error while loading shared libraries")
                        ? "Install the library that the log names (libcrypt.so.1 is in libcrypt1 or libxcrypt-compat),"
                                + " or install MariaDB and use --server embedded:/usr."
                        : log.contains("No space left on device")
                                ? "Free some space: a server needs 1 GB besides its data."
                                : "Mend what the log names, or install MariaDB and use --server embedded:/usr.";
        return failed("ended with exit status " + process.exitValue(), mend);
    }

    private ServerException failed(String how, String mend) throws IOException {
        return new ServerException("the embedded server " + how + ". The last lines of its log:\n  "
                + String.join("\n  ", lastLogLines()) + "\n" + mend);
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }

    private String logSince(long offset) throws IOException {
        try (var in = Files.newInputStream(log())) {
            in.skipNBytes(offset);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The last 20 lines that the server has logged; none once it is closed. */
    public List<String> lastLogLines() throws IOException {
        if (!Files.exists(log())) {
            return List.of();
        }
        List<String> lines = logSince(0).lines().toList();
        return lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size());
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
    public boolean isOwn() {
        return true;
    }

    @Override
    public List<Long> pids() {
        return List.of(pid());
    }

    /** All that it has logged is here, until it is closed. */
    public Path logFile() {
        return log();
    }

    /** The process that the server is, for the accounting of its CPU time. */
    public long pid() {
        return process.pid();
    }

    /**
     * Stops the server and deletes its directory. When this returns both are gone, also when another thread is closing it at
     * the same time. A server that does not end in 10 s is killed; an interrupt kills it at once.
     *
     * @throws ServerException if the directory cannot be deleted; the next start tries again
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (process != null) {
                stop(process);
            }
            directory.close();
        } catch (IOException e) {
            throw new ServerException("cannot delete " + directory.path() + ": " + e + ". Delete it by hand.", e);
        }
    }

    private static void stop(Process process) {
        process.destroy();
        boolean interrupted = false;
        try {
            if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        }
        // A process in a disk wait may take its time to end even when killed; the rest need not wait for that.
        process.onExit()
                .completeOnTimeout(process, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
