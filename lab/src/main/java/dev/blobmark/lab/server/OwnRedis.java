package dev.blobmark.lab.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 */
final class OwnRedis implements RedisServer {

    private static final String HOST = "127.0.0.1";

    /** A port that was free may be taken before the server gets to it; so many others are tried. */
    private static final int PORTS_TRIED = 5;

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_MILLIS = 20;
    private static final int STOP_SECONDS = 10;
    private static final int LOG_LINES_SHOWN = 10;

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
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        for (int i = 0; i < PORTS_TRIED; i++) {
            int port = EmbeddedServer.freePort();
            Endpoint endpoint = new Endpoint(HOST, port, "default", password);
            // the directory is private: no other user reads the password, which is in no argument
            Files.writeString(directory.configuration(), configuration(directory, endpoint));
            List<String> command = new ArrayList<>(prefix);
            command.addAll(List.of(program.toString(), directory.configuration().toString()));
            Process process = spawn(directory, command);
            if (answers(process, endpoint, directory)) {
                return new OwnRedis(kind, directory, command, process, endpoint);
            }
        }
        throw new ServerException(
                "Redis found no port of " + HOST + " to listen on. Close programs that hold many ports.");
    }

    private static Process spawn(ServerDirectory directory, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
                .start();
        directory.recordServer(process.pid());
        return process;
    }

    /** Nothing is saved, nobody else is let in, and its command line stays the one by which it is found if the run is killed. */
    private static String configuration(ServerDirectory directory, Endpoint endpoint) {
        return String.join(
                "\n",
                "bind " + endpoint.host(),
                "port " + endpoint.port(),
                "requirepass " + endpoint.password(),
                "dir \"" + directory.path() + "\"",
                "save \"\"",
                "appendonly no",
                "set-proc-title no",
                "daemonize no",
                "");
    }

    /** False if somebody else was faster to take the port. */
    private static boolean answers(Process process, Endpoint endpoint, ServerDirectory directory)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_NANOS;
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            try (Jedis jedis = RedisIdentity.connect(endpoint)) {
                jedis.ping();
                return true;
            } catch (JedisException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    stop(process);
                    throw new ServerException("Redis let nobody in within "
                            + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s (" + notYet.getMessage() + "). "
                            + lastWords(directory));
                }
            }
        }
        if (lastWords(directory).contains("Address already in use")) {
            return false;
        }
        throw new ServerException("Redis ended with exit status " + process.exitValue() + ". " + lastWords(directory)
                + "\nThe one that comes with Blobmark needs OpenSSL 3 (libssl3); another one is named by --server"
                + " redis=redis-server:PATH.");
    }

    private static Path log(ServerDirectory directory) {
        return directory.path().resolve("redis.log");
    }

    private static String lastWords(ServerDirectory directory) throws IOException {
        List<String> lines = new String(Files.readAllBytes(log(directory)), StandardCharsets.UTF_8)
                .lines()
                .toList();
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

    @Override
    public synchronized void restart() {
        if (process.isAlive()) {
            stop(process);
        }
        try {
            process = spawn(directory, command);
            if (!answers(process, endpoint, directory)) {
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
