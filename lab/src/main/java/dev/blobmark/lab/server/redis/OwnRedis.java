package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.directory.ServerDirectory;
import dev.blobmark.lab.server.own.Listening;
import dev.blobmark.lab.server.own.OwnServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis or Valkey of Blobmark's own, made for one run: empty, on a free port of the loopback interface, with a password, and nothing is
 * written to disk. It goes when it is closed, or with the next start if the run is killed.
 *
 * <p>The protocol sends the password as it is. So it is sent only once the server has said that it listens and the system that the port is
 * its own, each attempt at a port has another one, and its account may not do what reaches beyond the server's memory.
 */
final class OwnRedis implements RedisServer {

    private static final String HOST = "127.0.0.1";

    /** A port that was free may be taken before the server gets to it; so many others are tried. */
    private static final int PORTS_TRIED = 5;

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_MILLIS = 20;
    private static final int STOP_SECONDS = 10;
    private static final int LOG_LINES_SHOWN = 10;

    /** Of the log, in Redis 6.2 to 8 and Valkey; before that line the server answers nobody. */
    private static final String READY = "Ready to accept connections";

    /**
     * All that reads and writes values; not what sets directories and files (CONFIG SET, SAVE, DEBUG), loads code (MODULE, EVAL), or connects
     * to others (REPLICAOF, MIGRATE). INFO and CONFIG GET are asked by the lab, CLIENT by the clients.
     */
    private static final String RIGHTS = "~* &* +@all -@admin -@dangerous -@scripting +info +config|get +client";

    private final String kind;
    private final ServerDirectory directory;
    private final List<String> command;
    private final Endpoint endpoint;
    private Process process;
    private boolean closed;

    private OwnRedis(String kind, ServerDirectory directory, List<String> command, Process process, Endpoint endpoint) {
        this.kind = kind;
        this.directory = directory;
        this.command = command;
        this.process = process;
        this.endpoint = endpoint;
    }

    /**
     * Starts a server.
     *
     * @param servers the directory in which the servers of all runs of this user have theirs
     * @param program the server's
     * @param prefix what the command that starts it begins with: it must become the server by itself (exec)
     * @throws ServerException if it does not start, with its last words
     */
    static OwnRedis start(Path servers, String kind, Path program, List<String> prefix) {
        try {
            ServerDirectory directory = ServerDirectory.create(servers);
            try {
                return start(directory, kind, program, prefix);
            } catch (IOException | RuntimeException | InterruptedException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw new ServerException("cannot start " + program + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while Redis was starting", e);
        }
    }

    private static OwnRedis start(ServerDirectory directory, String kind, Path program, List<String> prefix)
            throws IOException, InterruptedException {
        for (int i = 0; i < PORTS_TRIED; i++) {
            byte[] random = new byte[16];
            new SecureRandom().nextBytes(random);
            Endpoint endpoint = new Endpoint(
                    HOST, OwnServer.freePort(), "default", HexFormat.of().formatHex(random));
            Files.writeString(directory.configuration(), configuration(directory, endpoint));
            List<String> command = new ArrayList<>(prefix);
            command.addAll(List.of(program.toString(), directory.configuration().toString()));
            long logged = logBytes(directory);
            Process process = spawn(directory, command);
            if (answers(process, endpoint, directory, logged)) {
                return new OwnRedis(kind, directory, command, process, endpoint);
            }
        }
        throw new ServerException(
                "Redis found no port of " + HOST + " to listen on. Close programs that hold many ports.");
    }

    private static Process spawn(ServerDirectory directory, List<String> command) throws IOException {
        Process process = Subprocess.of(command)
                .directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
                .start();
        process.getOutputStream().close();
        directory.recordServer(process.pid());
        return process;
    }

    /** Nothing is saved, nobody else is let in, and its command line stays the one by which it is found if the run is killed. */
    private static String configuration(ServerDirectory directory, Endpoint endpoint) {
        return String.join(
                "\n",
                "bind " + endpoint.host(),
                "port " + endpoint.port(),
                "user " + endpoint.user() + " on #" + sha256(endpoint.password()) + " " + RIGHTS,
                "dir \"" + directory.path() + "\"",
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

    /**
     * Waits until the server listens; false if somebody else was faster to take the port. Nobody is connected to before the server itself
     * has said that it is ready, and the system that the port is this server's.
     *
     * @param logged how long its log was before it was started
     */
    private static boolean answers(Process process, Endpoint endpoint, ServerDirectory directory, long logged)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_NANOS;
        String missing = "its log does not say that it is ready";
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (logSince(directory, logged).contains(READY)) {
                missing = "port " + endpoint.port() + " is not its own";
                if (Listening.of(process.pid(), endpoint.port()) != Listening.NO) {
                    try (Jedis jedis = RedisIdentity.connect(endpoint)) {
                        jedis.ping();
                        return true;
                    } catch (JedisException notYet) {
                        missing = notYet.getMessage();
                    }
                }
            }
            if (System.nanoTime() - deadline > 0) {
                stop(process);
                throw new ServerException("Redis let nobody in within " + TimeUnit.NANOSECONDS.toSeconds(START_NANOS)
                        + " s (" + missing + "). " + lastWords(directory));
            }
        }
        if (logSince(directory, logged).contains("Address already in use")) {
            return false;
        }
        throw new ServerException("Redis ended with exit status " + process.exitValue() + ". " + lastWords(directory)
                + "\nThe one that comes with Blobmark needs OpenSSL 3 (libssl3); another one is named by --server"
                + " redis=redis-server:PATH.");
    }

    private static Path log(ServerDirectory directory) {
        return directory.path().resolve("redis.log");
    }

    private static long logBytes(ServerDirectory directory) throws IOException {
        return Files.exists(log(directory)) ? Files.size(log(directory)) : 0;
    }

    private static String logSince(ServerDirectory directory, long offset) throws IOException {
        try (InputStream in = Files.newInputStream(log(directory))) {
            in.skipNBytes(offset);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String lastWords(ServerDirectory directory) throws IOException {
        List<String> lines = logSince(directory, 0).lines().toList();
        return "The last lines of its log:\n  "
                + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
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
    public OptionalLong pid() {
        return OptionalLong.of(process.pid());
    }

    /**
     * At the same endpoint, which others know, and so with the same password. Between the two servers another process may have taken the
     * port and been given the password by a connection of a trial: the server then does not start.
     */
    @Override
    public synchronized void restart() {
        if (process.isAlive()) {
            stop(process);
        }
        try {
            long logged = logBytes(directory);
            process = spawn(directory, command);
            if (!answers(process, endpoint, directory, logged)) {
                throw new ServerException("Redis lost its port " + endpoint.port() + " while it was started again");
            }
        } catch (IOException e) {
            throw new ServerException("cannot start Redis again: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while Redis was starting", e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        stop(process);
        try {
            directory.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + directory.path(), e);
        }
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
