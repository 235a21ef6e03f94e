package dev.blobmark.lab.server.redis;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.error.OsArchitectureNotFound;
import redis.embedded.model.OsArchitecture;

/**
 * Where a run's Redis comes from: {@code embedded}, {@code redis-server}, {@code redis-server:PATH}, or the address of
 * one that runs.
 */
public final class RedisServers {

    private static final String EMBEDDED_KIND = "embedded";
    private static final String INSTALLED_KIND = "redis-server";
    private static final List<String> PROGRAMS = List.of("redis-server", "valkey-server");
    private static final List<String> USUAL_PLACES = List.of("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin");
    private static final int PORT = 6379;
    private static final Pattern ADDRESS = Pattern.compile(
            "redis(?<tls>s)?://((?<user>[^@/:]+)@)?(?<host>\\[[0-9A-Fa-f:.]+]|[\\w.-]+)(:(?<port>\\d{1,5}))?/?");

    /** Forms of the option, for help texts. */
    public static final String FORMS =
            "embedded, redis-server, redis-server:PATH (also of a valkey-server), redis://USER@HOST:PORT or rediss://…";

    /** The embedded server. */
    public static final ServerSource<RedisServer> EMBEDDED = new StartedRedis(EMBEDDED_KIND, RedisServers::unpacked);

    private RedisServers() {}

    /** A server that Blobmark starts. The function returns its program; its parameter is the cache. */
    private record StartedRedis(String kind, UnaryOperator<Path> program) implements ServerSource<RedisServer> {

        @Override
        public RedisServer open(Path cache, Environment environment, ServerLaunch launch) {
            return OwnRedis.start(cache, kind, program.apply(cache), launch.prefix());
        }

        @Override
        public Optional<String> encryptionProblem(boolean isEncrypted) {
            return isEncrypted
                    ? Optional.of("a Redis that Blobmark starts is not encrypted; set tls to off, or name an encrypted"
                            + " one with --server redis=rediss://HOST:PORT")
                    : Optional.empty();
        }
    }

    /**
     * Parses the name of a Redis.
     *
     * @param password of a running server, if it needs one
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @throws IllegalArgumentException if the text has none of the forms, or contains a password
     */
    public static ServerSource<RedisServer> parse(String text, Optional<String> password, List<Path> searchPath) {
        if (text.matches("rediss?://[^/@]*:[^/@]*@.*")) {
            throw new IllegalArgumentException(
                    "everybody on this machine can read a password in an address: remove it, change it, and put it into"
                            + " the environment as REDISCLI_AUTH");
        }
        if (text.equals(EMBEDDED_KIND)) {
            return EMBEDDED;
        }
        if (text.equals(INSTALLED_KIND)) {
            return new StartedRedis(INSTALLED_KIND, cache -> found(searchPath));
        }
        if (text.startsWith(INSTALLED_KIND + ":") && text.length() > INSTALLED_KIND.length() + 1) {
            Path program = Path.of(text.substring(INSTALLED_KIND.length() + 1)).toAbsolutePath();
            return new StartedRedis(INSTALLED_KIND, cache -> executable(program));
        }
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a Redis: use one of " + FORMS);
        }
        Endpoint endpoint = new Endpoint(
                address.group("host").replaceAll("[\\[\\]]", ""),
                address.group("port") == null ? PORT : Integer.parseInt(address.group("port")),
                address.group("user") == null ? "default" : address.group("user"),
                password.orElse(""),
                address.group("tls") == null ? SslMode.DISABLED : SslMode.VERIFY_IDENTITY,
                TlsMaterial.NONE,
                false);
        return new RunningRedis(endpoint);
    }

    /** The embedded program, unpacked once for all runs. Its bytes are compared each time, where it is started from. */
    private static Path unpacked(Path cache) {
        try {
            String name = Optional.ofNullable(
                            ExecutableProvider.newProvidedVersionsMap().get(OsArchitecture.detectOSandArchitecture()))
                    .orElseThrow(() -> new IOException("there is none for this system"));
            Path kept = Trees.createPrivate(cache.resolve("redis")).resolve(name.substring(name.lastIndexOf('/') + 1));
            if (!isUnpacked(name, kept)) {
                Path part = kept.resolveSibling("part-" + UUID.randomUUID() + ".tmp");
                try (InputStream program = packed(name)) {
                    Trees.copyPrivate(program, part, true);
                    Files.move(part, kept, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(part);
                }
                if (!isUnpacked(name, kept)) {
                    throw new IOException(kept + " is not what was written");
                }
            }
            return kept;
        } catch (IOException | IllegalArgumentException | OsArchitectureNotFound e) {
            throw new ServerException(
                    "the embedded Redis cannot be unpacked here (" + e.getMessage()
                            + "); install a Redis and use --server redis=redis-server",
                    e);
        }
    }

    private static InputStream packed(String name) throws IOException {
        InputStream program = ExecutableProvider.class.getResourceAsStream(name);
        if (program == null) {
            throw new IOException("it is not on the class path: " + name);
        }
        return program;
    }

    private static boolean isUnpacked(String name, Path kept) throws IOException {
        if (!Files.isExecutable(kept) || Ownership.problem(kept).isPresent()) {
            return false;
        }
        try (InputStream program = packed(name);
                InputStream there = Files.newInputStream(kept)) {
            return Arrays.equals(program.readAllBytes(), there.readAllBytes());
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

    /** A running server. */
    private record RunningRedis(Endpoint endpoint) implements ServerSource<RedisServer>, RedisServer {

        @Override
        public RedisServer open(Path cache, Environment environment, ServerLaunch launch) {
            RedisIdentity.read(endpoint); // a login that is refused is reported at once
            return this;
        }

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public boolean isRemote() {
            return endpoint.isRemote();
        }

        @Override
        public Optional<String> encryptionProblem(boolean isEncrypted) {
            boolean hasTls = endpoint.sslMode() != SslMode.DISABLED;
            if (hasTls == isEncrypted) {
                return Optional.empty();
            }
            return Optional.of(
                    hasTls
                            ? "rediss:// is for encrypted connections, and tls is off; set tls to on, verify-ca or verify-identity"
                            : "redis:// is for connections that are not encrypted; write rediss://, or set tls to off");
        }

        @Override
        public String kind() {
            return endpoint.kind();
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
            // Blobmark did not start it
        }
    }
}
