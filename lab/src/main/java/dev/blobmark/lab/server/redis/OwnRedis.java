package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.server.own.OwnProcess;
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
 * A Redis or Valkey of Blobmark's own, made for one run: empty, on a free port of the loopback interface, with a password, and nothing is
 * written to disk. It is deleted when it is closed, or with the next start if the run is killed.
 *
 * <p>The protocol sends the password as it is. So it is sent only once the server has logged that it listens and the system has confirmed
 * that the port is the server's. Each attempt at a port has a new password, and the account may not do what reaches beyond the server's
 * memory.
 */
final class OwnRedis implements RedisServer {

    private static final String NAME = "Redis";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Of the log, in Redis 6.2 to 8 and Valkey; before that line the server answers nobody. */
    private static final String READY = "Ready to accept connections";

    /**
     * All that reads and writes values; not what sets directories and files (CONFIG SET, SAVE, DEBUG), loads code (MODULE, EVAL), or connects
     * to others (REPLICAOF, MIGRATE). INFO and CONFIG GET are asked by the lab, CLIENT by the clients.
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
     * @param program the server's
     * @param prefix what the command that starts it begins with: it must become the server by itself (exec)
     * @throws ServerException if it does not start, with the last lines of its log
     */
    static OwnRedis start(Path cache, String kind, Path program, List<String> prefix) {
        OwnProcess process = OwnProcess.in(
                cache,
                NAME,
                new Launch(Optional.empty(), prefix, PATIENCE),
                Process::destroy,
                log -> "The one that comes with Blobmark needs OpenSSL 3 (libssl3); another one is named by --server"
                        + " redis=redis-server:PATH.");
        OwnRedis server = new OwnRedis(kind, program, process);
        OwnProcess.start(NAME, server::close, () -> process.listen(server::listens));
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

    /** Nothing is saved, no other account exists, and the command line stays the one by which a killed run's server is found. */
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
     * At the same endpoint, which others know, and so with the same password. Between the two servers another process may have taken the
     * port and been given the password by a connection of a trial: the server then does not start.
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
