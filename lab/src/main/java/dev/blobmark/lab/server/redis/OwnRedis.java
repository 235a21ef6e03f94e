package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.server.own.OwnProcess;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerStart;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis or Valkey that Blobmark starts for one run. It is empty, listens on a free port of the loopback interface
 * with a password, and writes nothing to disk. It is deleted when it is closed, or by the next start if the run is
 * killed.
 *
 * <p>The protocol sends the password in clear text. Therefore the password is sent only when the server has logged that
 * it is ready and the system has confirmed that it owns the port. Each attempt at a port uses a new password, and the
 * account has no access beyond the server's memory.
 */
final class OwnRedis implements RedisServer {

    private static final String NAME = "Redis";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Message in the log of Redis 6.2 to 8 and Valkey. Before it, the server does not answer. */
    private static final String READY = "Ready to accept connections";

    /**
     * Allows all commands that read and write values. Denies those that set directories and files (CONFIG SET, SAVE,
     * DEBUG), load code (MODULE, EVAL), or connect to other servers (REPLICAOF, MIGRATE). The lab uses INFO and CONFIG
     * GET; clients use CLIENT.
     */
    private static final String RIGHTS = "~* &* +@all -@admin -@dangerous -@scripting +info +config|get +client";

    private final String kind;
    private final Path program;
    private final OwnProcess process;
    private Endpoint endpoint;

    private OwnRedis(String kind, Path program, OwnProcess process) {
        this.kind = kind;
        this.program = program;
        this.process = process;
    }

    /**
     * Starts a server.
     *
     * @param program the server program
     * @param prefix first words of the command, see {@link ServerLaunch}
     * @throws ServerException if it does not start, with the last lines of its log
     */
    static OwnRedis start(Path cache, String kind, Path program, List<String> prefix) {
        OwnProcess process = OwnProcess.in(
                cache,
                NAME,
                new ServerLaunch(Optional.empty(), prefix, TIMEOUT),
                Process::destroy,
                log -> "The embedded Redis needs OpenSSL 3 (libssl3): install it, or name another server with --server"
                        + " redis=redis-server:PATH.");
        OwnRedis server = new OwnRedis(kind, program, process);
        ServerStart.run(NAME, server::close, () -> process.listen(server::listens));
        return server;
    }

    private boolean listens(int port) throws IOException, InterruptedException {
        endpoint = new Endpoint(OwnProcess.HOST, port, "default", OwnProcess.newPassword());
        Files.writeString(process.directory().configuration(), configuration());
        return answers(port);
    }

    private boolean answers(int port) throws IOException, InterruptedException {
        process.spawn(
                List.of(program.toString(), process.directory().configuration().toString()), "");
        return process.awaitLogin(port, log -> log.contains(READY), () -> {
            try (Jedis jedis = RedisIdentity.connect(endpoint)) {
                jedis.ping();
                return Optional.empty();
            } catch (JedisException notYet) {
                return Optional.of(String.valueOf(notYet.getMessage()));
            }
        });
    }

    /**
     * No snapshots, no other account. {@code set-proc-title} is off because the command line identifies the server of a
     * killed run.
     */
    private String configuration() {
        return String.join(
                "\n",
                "bind " + endpoint.host(),
                "port " + endpoint.port(),
                "user " + endpoint.user() + " on #" + sha256(endpoint.password()) + " " + RIGHTS,
                "dir \"" + process.path() + "\"",
                "save \"\"",
                "appendonly no",
                "set-proc-title no",
                "daemonize no",
                "");
    }

    private static String sha256(String password) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
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
        return List.of(process.pid());
    }

    /**
     * Restarts the server with the same password, because other JVMs know the endpoint. If another process takes the
     * port between the two servers, it may receive the password from a trial's connection; then the server does not
     * start.
     */
    @Override
    public synchronized void restart() {
        process.stop();
        process.listenAgain(endpoint.port(), this::answers);
    }

    @Override
    public void close() {
        process.close();
    }
}
