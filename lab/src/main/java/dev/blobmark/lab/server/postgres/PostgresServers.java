package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.server.TlsMaterial;
import dev.blobmark.lab.server.own.Launch;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a run's PostgreSQL comes from: {@code embedded}, {@code postgres}, {@code postgres:DIR}, or the address of one
 * that runs.
 */
public final class PostgresServers {

    private static final String EMBEDDED = "embedded";
    private static final String INSTALLED = "postgres";
    private static final int PORT = 5432;

    private static final Pattern ADDRESS =
            Pattern.compile("postgres(?:ql)?://(?<user>[^@/:?]+)@(?<host>\\[[0-9A-Fa-f:.]+]|[\\w.-]+)"
                    + "(?::(?<port>\\d{1,5}))?(?:/(?<database>[^/?]*))?(?:\\?sslmode=(?<sslmode>[\\w-]+))?");

    /** What can be given, for help texts. */
    public static final String FORMS =
            "embedded, postgres, postgres:DIR, postgresql://USER@HOST:PORT/DATABASE[?sslmode=require|verify-ca|verify-full]";

    /** The one that comes with Blobmark. */
    public static final Source EMBEDDED_ONE = (cache, settings, launch) -> OwnPostgres.start(
            cache, EMBEDDED, PostgresBinaries.unpacked(cache.toAbsolutePath().resolve("embedded")), settings, launch);

    private PostgresServers() {}

    /** A kind of PostgreSQL that a run was given. */
    public interface Source {

        /**
         * Starts the server, or connects to it.
         *
         * @param settings of the configuration of a server that is started
         * @param launch of a server that is started
         * @throws dev.blobmark.lab.server.ServerException if it does not start, or refuses the login
         */
        PostgresServer open(Path cache, Map<String, String> settings, Launch launch);

        /** Whether it was there before the run, and stays. */
        default boolean isRunning() {
            return false;
        }

        /** Why connections cannot be encrypted, or cannot be unencrypted; empty if they can. */
        default Optional<String> lacking(boolean encrypted) {
            return encrypted
                    ? Optional.of(
                            "a PostgreSQL that Blobmark starts is not encrypted; set tls to off, or name one that is"
                                    + " by --server postgresql=postgresql://USER@HOST:PORT/DATABASE")
                    : Optional.empty();
        }
    }

    /**
     * Reads what a user wrote.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @param environment of the process: a running server's password comes from {@code PGPASSWORD} or the file
     *     {@code PGPASSFILE}
     * @throws IllegalArgumentException if it names no kind of PostgreSQL, or holds a password
     */
    public static Source parse(String text, List<Path> searchPath, Map<String, String> environment) {
        if (text.matches("postgres(ql)?://[^/@]*:[^/@]*@.*") || text.matches(".*[?&]password=.*")) {
            throw new IllegalArgumentException(
                    "a password in an address can be read by everybody on this machine: take it"
                            + " out, change it, and put it into ~/.pgpass, or into the environment as PGPASSWORD");
        }
        if (text.equals(EMBEDDED)) {
            return EMBEDDED_ONE;
        }
        if (text.equals(INSTALLED)) {
            return installed(() -> PostgresBinaries.find(searchPath));
        }
        if (text.startsWith(INSTALLED + ":")
                && !text.startsWith(INSTALLED + "://")
                && text.length() > INSTALLED.length() + 1) {
            Path place = Path.of(text.substring(INSTALLED.length() + 1)).toAbsolutePath();
            return installed(() -> PostgresBinaries.installed(place));
        }
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            throw new IllegalArgumentException("'" + text + "' names no PostgreSQL: use one of " + FORMS);
        }
        String user = address.group("user");
        String host = address.group("host").replaceAll("[\\[\\]]", "");
        int port = address.group("port") == null ? PORT : Integer.parseInt(address.group("port"));
        // as libpq does, a database that is not named has the name of the user
        String database =
                address.group("database") == null || address.group("database").isEmpty()
                        ? user
                        : address.group("database");
        String password =
                PasswordFile.password(environment, host, port, database, user).orElse("");
        SslMode mode = address.group("sslmode") == null ? SslMode.PREFERRED : mode(address.group("sslmode"));
        return new Running(new Endpoint(host, port, user, password, mode, TlsMaterial.NONE, false), database);
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

    private interface Binaries {
        PostgresBinaries get();
    }

    private static Source installed(Binaries binaries) {
        return (cache, settings, launch) -> OwnPostgres.start(cache, INSTALLED, binaries.get(), settings, launch);
    }

    /** One that runs already. */
    private record Running(Endpoint endpoint, String database) implements Source, PostgresServer {

        @Override
        public PostgresServer open(Path cache, Map<String, String> settings, Launch launch) {
            restart(); // a login that is refused is reported at once
            return this;
        }

        @Override
        public boolean isRunning() {
            return true;
        }

        /** Each trial asks for what it wants; what the server does not have ends the connection. */
        @Override
        public Optional<String> lacking(boolean encrypted) {
            return Optional.empty();
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
            // it was there before
        }
    }
}
