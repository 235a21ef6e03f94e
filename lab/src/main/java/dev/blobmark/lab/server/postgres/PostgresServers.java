package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a run's PostgreSQL comes from: {@code embedded}, {@code postgres}, {@code postgres:DIR}, or the address of one
 * that runs.
 */
public final class PostgresServers {

    private static final String EMBEDDED_KIND = "embedded";
    private static final String INSTALLED_KIND = "postgres";
    private static final int PORT = 5432;

    private static final Pattern ADDRESS =
            Pattern.compile("postgres(?:ql)?://(?<user>[^@/:?]+)@(?<host>\\[[0-9A-Fa-f:.]+]|[\\w.-]+)"
                    + "(?::(?<port>\\d{1,5}))?(?:/(?<database>[^/?]*))?(?:\\?sslmode=(?<sslmode>[\\w-]+))?");

    /** Forms of the option, for help texts. */
    public static final String FORMS =
            "embedded, postgres, postgres:DIR, postgresql://USER@HOST:PORT/DATABASE[?sslmode=require|verify-ca|verify-full]";

    /** The embedded server. */
    public static final ServerSource<PostgresServer> EMBEDDED = new StartedPostgres(
            EMBEDDED_KIND,
            cache -> PostgresBinaries.unpacked(cache.toAbsolutePath().resolve("embedded")));

    private PostgresServers() {}

    /** A server that Blobmark starts. The parameter of the function is the cache. */
    private record StartedPostgres(String kind, Function<Path, PostgresBinaries> binaries)
            implements ServerSource<PostgresServer> {

        @Override
        public PostgresServer open(Path cache, Environment environment, ServerLaunch launch) {
            return OwnPostgres.start(cache, kind, binaries.apply(cache), PostgresSettings.of(environment), launch);
        }

        @Override
        public Optional<String> encryptionProblem(boolean isEncrypted) {
            return isEncrypted
                    ? Optional.of("a PostgreSQL that Blobmark starts is not encrypted; set tls to off, or name an"
                            + " encrypted one with --server postgresql=postgresql://USER@HOST:PORT/DATABASE")
                    : Optional.empty();
        }
    }

    /**
     * Parses the name of a PostgreSQL.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @param environment of the process: a running server's password comes from {@code PGPASSWORD} or the file
     *     {@code PGPASSFILE}
     * @throws IllegalArgumentException if the text has none of the forms, or contains a password
     */
    public static ServerSource<PostgresServer> parse(
            String text, List<Path> searchPath, Map<String, String> environment) {
        if (text.matches("postgres(ql)?://[^/@]*:[^/@]*@.*") || text.matches(".*[?&]password=.*")) {
            throw new IllegalArgumentException(
                    "everybody on this machine can read a password in an address: remove it, change it, and put it into"
                            + " ~/.pgpass, or into the environment as PGPASSWORD");
        }
        if (text.equals(EMBEDDED_KIND)) {
            return EMBEDDED;
        }
        if (text.equals(INSTALLED_KIND)) {
            return new StartedPostgres(INSTALLED_KIND, cache -> PostgresBinaries.find(searchPath));
        }
        if (text.startsWith(INSTALLED_KIND + ":")
                && !text.startsWith(INSTALLED_KIND + "://")
                && text.length() > INSTALLED_KIND.length() + 1) {
            Path place = Path.of(text.substring(INSTALLED_KIND.length() + 1)).toAbsolutePath();
            return new StartedPostgres(INSTALLED_KIND, cache -> PostgresBinaries.installed(place));
        }
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a PostgreSQL: use one of " + FORMS);
        }
        String user = address.group("user");
        String host = address.group("host").replaceAll("[\\[\\]]", "");
        int port = address.group("port") == null ? PORT : Integer.parseInt(address.group("port"));
        // as with libpq, the default database has the name of the user
        String database =
                address.group("database") == null || address.group("database").isEmpty()
                        ? user
                        : address.group("database");
        String password =
                PasswordFile.password(environment, host, port, database, user).orElse("");
        SslMode mode = address.group("sslmode") == null ? SslMode.PREFERRED : mode(address.group("sslmode"));
        return new RunningPostgres(new Endpoint(host, port, user, password, mode, TlsMaterial.NONE, false), database);
    }

    private static SslMode mode(String word) {
        return switch (word) {
            case "disable" -> SslMode.DISABLED;
            case "prefer" -> SslMode.PREFERRED;
            case "require" -> SslMode.REQUIRED;
            case "verify-ca" -> SslMode.VERIFY_CA;
            case "verify-full" -> SslMode.VERIFY_IDENTITY;
            default ->
                throw new IllegalArgumentException(
                        "unknown sslmode '" + word + "'; use disable, prefer, require, verify-ca or verify-full");
        };
    }

    /** A running server. It ends connections whose encryption it does not support. */
    private record RunningPostgres(Endpoint endpoint, String database)
            implements ServerSource<PostgresServer>, PostgresServer {

        @Override
        public PostgresServer open(Path cache, Environment environment, ServerLaunch launch) {
            restart(); // a login that is refused is reported at once
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
        public String kind() {
            return endpoint.kind();
        }

        @Override
        public boolean isOwn() {
            return false;
        }

        @Override
        public OptionalLong pid() {
            return OptionalLong.empty();
        }

        @Override
        public void restart() {
            try (Connection connection = PostgresConnections.connect(endpoint, database)) {
                connection.isValid(0);
            } catch (SQLException e) {
                throw PostgresConnections.refused(endpoint, e);
            }
        }

        @Override
        public void close() {
            // Blobmark did not start it
        }
    }
}
