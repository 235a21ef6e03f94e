package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.server.TlsMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * Where a run's Redis comes from: {@code embedded}, {@code redis-server}, {@code redis-server:PATH}, or the address of
 * one that runs.
 */
public final class RedisServers {

    private static final String EMBEDDED = "embedded";
    private static final String INSTALLED = "redis-server";
    private static final List<String> PROGRAMS = List.of("redis-server", "valkey-server");
    private static final List<String> USUAL_PLACES = List.of("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin");
    private static final int PORT = 6379;
    private static final Pattern ADDRESS = Pattern.compile(
            "redis(?<tls>s)?://((?<user>[^@/:]+)@)?(?<host>\\[[0-9A-Fa-f:.]+]|[\\w.-]+)(:(?<port>\\d{1,5}))?/?");

    /** What can be given, for help texts. */
    public static final String FORMS =
            "embedded, redis-server, redis-server:PATH (also of a valkey-server), redis://USER@HOST:PORT or rediss://…";

    /** The one that comes with Blobmark. */
    public static final Source EMBEDDED_ONE =
            (cache, prefix) -> OwnRedis.start(cache, EMBEDDED, unpacked(cache), prefix);

    private RedisServers() {}

    /** A kind of Redis that a run was given. */
    public interface Source {

        /**
         * Starts the server, or connects to it.
         *
         * @param prefix what the command that starts it begins with
         * @throws ServerException if there is no server
         */
        RedisServer open(Path cache, List<String> prefix);

        /** Whether it was there before the run, and stays. */
        default boolean isRunning() {
            return false;
        }

        /** Why connections cannot be encrypted, or cannot be unencrypted; empty if they can. */
        default Optional<String> lacking(boolean encrypted) {
            return encrypted
                    ? Optional.of(
                            "a Redis that Blobmark starts is not encrypted; set tls to off, or name one that is by"
                                    + " --server redis=rediss://HOST:PORT")
                    : Optional.empty();
        }
    }

    /**
     * Makes sense of what a user wrote.
     *
     * @param password of a running one, if it wants one
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @throws IllegalArgumentException if it names no kind of Redis, or holds a password
     */
    public static Source parse(String text, Optional<String> password, List<Path> searchPath) {
        if (text.matches("rediss?://[^/@]*:[^/@]*@.*")) {
            throw new IllegalArgumentException(
                    "a password in an address can be read by everybody on this machine: take it out,"
                            + " change it, and put it into the environment as REDISCLI_AUTH");
        }
        if (text.equals(EMBEDDED)) {
            return EMBEDDED_ONE;
        }
        if (text.equals(INSTALLED)) {
            return (cache, prefix) -> OwnRedis.start(cache, INSTALLED, found(searchPath), prefix);
        }
        if (text.startsWith(INSTALLED + ":") && text.length() > INSTALLED.length() + 1) {
            Path program = Path.of(text.substring(INSTALLED.length() + 1)).toAbsolutePath();
            return (cache, prefix) -> OwnRedis.start(cache, INSTALLED, executable(program), prefix);
        }
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            throw new IllegalArgumentException("'" + text + "' names no Redis: use one of " + FORMS);
        }
        Endpoint endpoint = new Endpoint(
                address.group("host").replaceAll("[\\[\\]]", ""),
                address.group("port") == null ? PORT : Integer.parseInt(address.group("port")),
                address.group("user") == null ? "default" : address.group("user"),
                password.orElse(""),
                address.group("tls") == null ? SslMode.DISABLED : SslMode.VERIFY_IDENTITY,
                TlsMaterial.NONE,
                false);
        return new Running(endpoint);
    }

    /** The one that comes with Blobmark, unpacked once for all runs. */
    private static Path unpacked(Path cache) {
        try {
            Path made = ExecutableProvider.newJarResourceProvider().get().toPath();
            Path kept = cache.resolve("redis").resolve(made.getFileName());
            if (Files.exists(kept) && Files.size(kept) == Files.size(made)) {
                return kept;
            }
            Files.createDirectories(kept.getParent());
            Path part = Files.createTempFile(kept.getParent(), "part-", ".tmp");
            Files.copy(made, part, StandardCopyOption.REPLACE_EXISTING);
            if (!part.toFile().setExecutable(true)) {
                throw new IOException(part + " cannot be made executable");
            }
            return Files.move(part, kept, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | IllegalArgumentException e) {
            throw new ServerException(
                    "the Redis that comes with Blobmark cannot be unpacked here (" + e.getMessage()
                            + "); install one and use --server redis=redis-server",
                    e);
        }
    }

    private static Path found(List<Path> searchPath) {
        return PROGRAMS.stream()
                .flatMap(program -> Stream.concat(
                                searchPath.stream(), USUAL_PLACES.stream().map(Path::of))
                        .map(directory -> directory.resolve(program)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new ServerException(
                        "there is no redis-server or valkey-server on PATH or in " + String.join(", ", USUAL_PLACES)
                                + "; install one, name it as redis-server:PATH, or use embedded"));
    }

    private static Path executable(Path program) {
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new ServerException(program + (Files.exists(program) ? " cannot be run" : " does not exist")
                    + ". Name a redis-server or valkey-server program.");
        }
        return program;
    }

    /** One that runs already. */
    private record Running(Endpoint endpoint) implements Source, RedisServer {

        @Override
        public RedisServer open(Path cache, List<String> prefix) {
            RedisIdentity.read(endpoint); // a login that is refused is reported at once
            return this;
        }

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public Optional<String> lacking(boolean encrypted) {
            boolean isEncrypted = endpoint.sslMode() != SslMode.DISABLED;
            if (encrypted == isEncrypted) {
                return Optional.empty();
            }
            return Optional.of(
                    isEncrypted
                            ? "rediss:// is for encrypted connections, and tls is off; set tls to on, verify-ca or verify-identity"
                            : "redis:// is for connections that are not encrypted; write rediss://, or set tls to off");
        }

        @Override
        public String kind() {
            return "address";
        }

        @Override
        public boolean isOwn() {
            return false;
        }

        @Override
        public void restart() {
            RedisIdentity.read(endpoint);
        }

        @Override
        public void close() {
            // it was there before
        }
    }
}
