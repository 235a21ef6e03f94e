package dev.blobmark.lab.server.running;

import dev.blobmark.lab.server.Authentication;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerVersion;
import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.server.TlsMaterial;
import dev.blobmark.lab.server.directory.ServerDirectory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
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
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.mariadb.jdbc.Driver;

/** A MySQL or MariaDB, or SQL nodes of one NDB Cluster, that ran before Blobmark came and run on when it goes. */
public final class RunningServer implements Server {

    /** How it is called in reports, which do not name the user's hosts. */
    static final String KIND = "address";

    /** For a connection, and for each answer on it. */
    private static final String TIMEOUT_MILLIS = "10000";

    private static final int NOT_ALLOWED_HOST = 1130;
    private static final int INSECURE_TRANSPORT = 3159;
    private static final int TOO_MANY_CONNECTIONS = 1040;

    /** Servers that speak the protocol of MySQL and store values in another way. */
    private static final Pattern OTHERS = Pattern.compile(
            "(?i)TiDB|Vitess|OceanBase|MemSQL|SingleStore|ClickHouse|StarRocks|Doris|Manticore|Dolt|Cloud Spanner");

    private final ServerDirectory directory;
    private final List<Endpoint> endpoints;
    private final SslMode least;
    private final Optional<String> proxy;

    private RunningServer(ServerDirectory directory, List<Endpoint> endpoints, SslMode least, Optional<String> proxy) {
        this.directory = directory;
        this.endpoints = endpoints;
        this.least = least;
        this.proxy = proxy;
    }

    /**
     * How to get in, as found out before anything is connected.
     *
     * @param sslMode as asked for
     * @param passwordFrom where the password came from, for messages
     */
    public record Login(
            String host,
            int port,
            String user,
            String password,
            String passwordFrom,
            SslMode sslMode,
            Optional<Path> ca,
            Optional<Path> certificate,
            Optional<Path> key,
            Authentication authentication) {

        /**
         * Of each place that the address names, with one account and one password for all.
         *
         * @throws ServerException if what the option file says is not possible
         */
        public static List<Login> of(ServerAddress address, ClientOptions options) {
            Map<String, Optional<String>> found = options.read();
            String protocol = value(found, "protocol").orElse("tcp");
            if (!protocol.equalsIgnoreCase("tcp")) {
                throw new ServerException("the option file says protocol=" + protocol
                        + ", and neither JDBC driver connects that way: name host and port, as in"
                        + " --server mysql://127.0.0.1:3306/, and write protocol=tcp into the group [blobmark]");
            }
            String user =
                    address.user().or(() -> value(found, "user")).orElseGet(() -> System.getProperty("user.name"));
            List<HostAndPort> places = address.places().stream()
                    .map(place -> new HostAndPort(
                            place.host().or(() -> value(found, "host")).orElse("localhost"),
                            place.port()
                                    .orElseGet(() -> port(value(found, "port").orElse("3306")))))
                    .toList();
            Optional<String> other = found.containsKey("password")
                            && found.get("password").isPresent()
                    ? Optional.empty()
                    : options.otherPassword()
                            .apply(user + "@"
                                    + places.stream().map(HostAndPort::toString).collect(Collectors.joining(",")));
            Optional<String> filed = found.getOrDefault("password", Optional.empty());
            return places.stream()
                    .map(place -> new Login(
                            place.host(),
                            place.port(),
                            user,
                            filed.or(() -> other).orElse(""),
                            filed.isPresent()
                                    ? "the password is that of the option file"
                                    : other.isPresent()
                                            ? "the password is that of the environment or the prompt"
                                            : "no password was given: put one into ~/.my.cnf ([client] password=…, chmod"
                                                    + " 600) or into the environment as BLOBMARK_PASSWORD"
                                                    + (options.hasLoginPaths()
                                                            ? " (login paths, ~/.mylogin.cnf, are not read)"
                                                            : ""),
                            address.sslMode()
                                    .or(() -> value(found, "ssl-mode").map(Login::mode))
                                    .orElse(SslMode.PREFERRED),
                            value(found, "ssl-ca").map(Path::of),
                            value(found, "ssl-cert").map(Path::of),
                            value(found, "ssl-key").map(Path::of),
                            Authentication.running(
                                    isOn(found, "get-server-public-key"), isOn(found, "enable-cleartext-plugin"))))
                    .toList();
        }

        private record HostAndPort(String host, int port) {
            @Override
            public String toString() {
                return host + ":" + port;
            }
        }

        /** An option without a value is on. */
        private static boolean isOn(Map<String, Optional<String>> found, String name) {
            return found.containsKey(name) && !found.get(name).orElse("1").matches("(?i)0|off|false");
        }

        private static Optional<String> value(Map<String, Optional<String>> found, String name) {
            return found.getOrDefault(name, Optional.empty()).filter(value -> !value.isEmpty());
        }

        private static SslMode mode(String word) {
            try {
                return SslMode.parse(word);
            } catch (IllegalArgumentException e) {
                throw new ServerException(e.getMessage(), e);
            }
        }

        private static int port(String text) {
            if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65535) {
                throw new ServerException("the option file says port=" + text + "; a port is a number from 1 to 65535");
            }
            return Integer.parseInt(text);
        }

        @Override
        public String toString() {
            return user + "@" + host + ":" + port;
        }
    }

    /**
     * Connects, and looks whether it is a server that can be measured; of several, whether they are SQL nodes of one cluster.
     *
     * @param logins one for each; they differ in host and port
     * @throws ServerException if one cannot be reached, lets nobody in, or is none that Blobmark works with
     */
    public static RunningServer open(Path cache, List<Login> logins) {
        ServerDirectory directory = null;
        try {
            directory = ServerDirectory.create(cache.resolve("servers"));
            Files.createDirectory(scratch(directory));
            Login first = logins.get(0);
            TlsMaterial tls = TlsMaterial.make(directory.path(), first.ca(), first.certificate(), first.key());
            SslMode mode = first.sslMode();
            for (Login login : logins) {
                mode = settled(login, tls, mode);
            }
            List<Endpoint> endpoints = new ArrayList<>();
            List<SqlNode> nodes = new ArrayList<>();
            Optional<String> proxy = Optional.empty();
            for (Login login : logins) {
                Endpoint endpoint = endpoint(login, tls).with(mode);
                try (Connection connection = connect(endpoint)) {
                    requireKnown(connection);
                    proxy = proxy.isPresent() ? proxy : Proxies.recognise(connection);
                    if (logins.size() > 1) {
                        nodes.add(SqlNode.read(connection, endpoint.authority()));
                    }
                } catch (SQLException e) {
                    throw explained(e, login);
                }
                endpoints.add(endpoint);
            }
            SqlNode.requireOneCluster(nodes);
            SslMode least = first.sslMode() == SslMode.PREFERRED ? SslMode.DISABLED : first.sslMode();
            return new RunningServer(directory, List.copyOf(endpoints), least, proxy);
        } catch (IOException e) {
            close(directory);
            throw new ServerException(
                    "cannot make a directory in " + cache + ": " + e
                            + ". Have the cache elsewhere by setting XDG_CACHE_HOME.",
                    e);
        } catch (ServerException e) {
            close(directory);
            throw e;
        }
    }

    private static Endpoint endpoint(Login login, TlsMaterial tls) {
        return new Endpoint(
                login.host(),
                login.port(),
                login.user(),
                login.password(),
                login.sslMode(),
                tls,
                login.authentication());
    }

    /**
     * {@code PREFERRED} is decided once, so that all connections are alike: one of several that has no TLS decides for all.
     *
     * @param soFar by those before it
     */
    private static SslMode settled(Login login, TlsMaterial tls, SslMode soFar) {
        if (login.sslMode() != SslMode.PREFERRED || soFar == SslMode.DISABLED) {
            return soFar;
        }
        try {
            connect(endpoint(login, tls).with(SslMode.REQUIRED)).close();
            return SslMode.REQUIRED;
        } catch (SQLException e) {
            if (isWithoutTls(e)) {
                return SslMode.DISABLED;
            }
            throw explained(e, login);
        }
    }

    private static Connection connect(Endpoint endpoint) throws SQLException {
        Properties login = endpoint.mariaDbLogin(endpoint.sslMode());
        login.setProperty("connectTimeout", TIMEOUT_MILLIS);
        login.setProperty("socketTimeout", TIMEOUT_MILLIS);
        login.setProperty("tcpKeepAlive", "true");
        return new Driver().connect("jdbc:mariadb://" + endpoint.authority() + "/", login);
    }

    private static boolean isWithoutTls(SQLException e) {
        return String.valueOf(e.getMessage()).contains("ssl not enabled in the server");
    }

    private static void requireKnown(Connection connection) throws SQLException {
        String version;
        String comment;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION(), @@version_comment")) {
            row.next();
            version = row.getString(1);
            comment = row.getString(2);
        }
        requireKnown(version, comment);
        try (Statement statement = connection.createStatement();
                ResultSet engines = statement.executeQuery("SHOW ENGINES")) {
            while (engines.next()) {
                if (engines.getString(1).equalsIgnoreCase("InnoDB")
                        && engines.getString(2).matches("YES|DEFAULT")) {
                    return;
                }
            }
        }
        throw new ServerException("the server (" + version + ", " + comment + ") has no InnoDB: Blobmark measures how"
                + " InnoDB stores values. Start it with InnoDB, or name another server.");
    }

    static void requireKnown(String version, String comment) {
        if (OTHERS.matcher(version + " " + comment).find()) {
            throw new ServerException("the server says that it is '" + version + ", " + comment
                    + "': it speaks the protocol of MySQL but is neither MySQL nor MariaDB. Name a server that is.");
        }
        boolean mariaDb = (version + comment).contains("MariaDB");
        ServerVersion oldest = mariaDb ? ServerVersion.MARIADB : ServerVersion.MYSQL;
        if (ServerVersion.parse(version.replaceFirst("^5\\.5\\.5-(?=1\\d)", "")).isBefore(oldest)) {
            throw new ServerException("the server is " + (mariaDb ? "MariaDB " : "MySQL ") + version
                    + ", which is too old: use MySQL " + ServerVersion.MYSQL + " or MariaDB " + ServerVersion.MARIADB
                    + ", or later.");
        }
    }

    /** Says what went wrong and what to do, in words that hold no password, whatever the driver said. */
    private static ServerException explained(SQLException e, Login login) {
        String at = login.host() + ":" + login.port();
        String said = String.valueOf(e.getMessage()).replaceAll("^\\(conn=\\d+\\) ", "");
        if (!login.password().isEmpty()) {
            said = said.replace(login.password(), "…");
        }
        String words;
        if (hasCause(e, UnknownHostException.class)) {
            words = "there is no host '" + login.host() + "': correct its name, or name its address";
        } else if (hasCause(e, SSLException.class)) {
            words = at + " was reached, but not by TLS (" + innermost(e) + "). With --ssl-mode " + login.sslMode()
                    + (login.sslMode().isVerifying()
                            ? " the server's certificate must be signed by one of --ssl-ca"
                                    + (login.sslMode() == SslMode.VERIFY_IDENTITY
                                            ? " and made out to '" + login.host() + "'"
                                            : "")
                                    + ": name the right file, such as the ca.pem of the server's data directory, or give"
                                    + " a lower --ssl-mode"
                            : ": update the server's TLS, or use --ssl-mode DISABLED on a network that only you are on");
        } else if (hasCause(e, ConnectException.class)) {
            words = "nothing listens at " + at + ": start the server, correct host and port, or see whether its"
                    + " bind_address keeps it to another interface";
        } else if (hasCause(e, SocketTimeoutException.class) || hasCause(e, NoRouteToHostException.class)) {
            words = at + " does not answer: see whether host and port are right and no firewall is between";
        } else if (isWithoutTls(e)) {
            words = at + " does not offer TLS, and --ssl-mode " + login.sslMode()
                    + " wants it: set ssl_cert and ssl_key there, or use --ssl-mode DISABLED on a network that only you"
                    + " are on";
        } else if (said.contains("restrict authentication plugin")) {
            words = at + " wants the password in clear text (" + said.replaceAll("(?s).*'(\\w+)'.*", "$1")
                    + "), and has not proved that it is your server: nothing was sent. Use --ssl-mode VERIFY_IDENTITY,"
                    + " with --ssl-ca if Java does not know who signed its certificate; or --enable-cleartext-plugin on a"
                    + " network that only you are on";
        } else if (said.contains("RSA public key")) {
            words = login.user() + " at " + at + " logs in by caching_sha2_password or sha256_password, which sends the"
                    + " password by TLS only: use --ssl-mode REQUIRED; or, on a network that only you are on,"
                    + " --get-server-public-key";
        } else if (e.getErrorCode() == NOT_ALLOWED_HOST) {
            words = at + " lets nobody in from this host (" + said + "): CREATE USER '" + login.user()
                    + "'@'…' there, or" + " run Blobmark on a host that it lets in";
        } else if (e.getErrorCode() == INSECURE_TRANSPORT) {
            words = at + " takes encrypted connections only (require_secure_transport): use --ssl-mode REQUIRED";
        } else if (e.getErrorCode() == TOO_MANY_CONNECTIONS) {
            words = at + " has no connection left (" + said + "): wait, or raise its max_connections";
        } else if (said.contains("does not support authentication protocol")) {
            // of an account that it does not have, MySQL names some plugin, so that nobody learns which there are
            words = at + " lets '" + login.user() + "' not in (" + said
                    + "): there is no such account, or it logs in by a"
                    + " plugin that Blobmark does not know; caching_sha2_password is MySQL's own";
        } else if (String.valueOf(e.getSQLState()).startsWith("28")) {
            words = at + " lets '" + login.user() + "' not in (" + said + "); " + login.passwordFrom();
        } else {
            words = "cannot connect to " + at + " as " + login.user() + ": " + said;
        }
        return new ServerException(words + ".", e);
    }

    private static boolean hasCause(Throwable e, Class<? extends Throwable> type) {
        return Stream.iterate(e, t -> t != null, Throwable::getCause).anyMatch(type::isInstance);
    }

    private static String innermost(Throwable e) {
        return Stream.iterate(e, t -> t != null, Throwable::getCause)
                .reduce((outer, inner) -> inner)
                .orElse(e)
                .getMessage();
    }

    private static Path scratch(ServerDirectory directory) {
        return directory.path().resolve("scratch");
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Endpoint endpoint() {
        return endpoints.get(0);
    }

    @Override
    public List<Endpoint> others() {
        return endpoints.subList(1, endpoints.size());
    }

    @Override
    public boolean isOwn() {
        return false;
    }

    @Override
    public Path scratch() {
        return scratch(directory);
    }

    @Override
    public SslMode leastSsl() {
        return least;
    }

    @Override
    public Optional<String> proxy() {
        return proxy;
    }

    @Override
    public void close() {
        close(directory);
    }

    private static void close(ServerDirectory directory) {
        if (directory != null && Files.exists(directory.path())) {
            try {
                directory.close();
            } catch (IOException e) {
                throw new ServerException("cannot delete " + directory.path() + ": " + e + ". Delete it by hand.", e);
            }
        }
    }
}
