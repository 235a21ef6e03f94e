package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerVersion;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import dev.blobmark.mysql.server.directory.Scratch;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.mariadb.jdbc.Driver;

/** A MySQL or MariaDB, or SQL nodes of one NDB Cluster, that Blobmark did not start and does not stop. */
public final class RunningServer implements Server {

    /** Time limit for connecting, and for each answer. */
    private static final String TIMEOUT_MILLIS = "10000";

    /** Servers that use MySQL's protocol but store values in other ways. */
    private static final Pattern OTHER_PRODUCTS = Pattern.compile(
            "(?i)TiDB|Vitess|OceanBase|MemSQL|SingleStore|ClickHouse|StarRocks|Doris|Manticore|Dolt|Cloud Spanner");

    private final Scratch directory;
    private final List<Endpoint> endpoints;
    private final SslMode least;
    private final Optional<String> proxy;

    private RunningServer(Scratch directory, List<Endpoint> endpoints, SslMode least, Optional<String> proxy) {
        this.directory = directory;
        this.endpoints = endpoints;
        this.least = least;
        this.proxy = proxy;
    }

    /**
     * Connects, and checks that the server can be measured. Several servers must be SQL nodes of one cluster.
     *
     * @param logins one for each server; they differ only in host and port
     * @throws ServerException if a server cannot be reached, refuses the login, or is not supported
     */
    public static RunningServer open(Path cache, List<Login> logins) {
        Scratch directory = Scratch.make(cache);
        try {
            Login first = logins.get(0);
            TlsMaterial tls = TlsMaterial.make(directory.path(), first.ca(), first.certificate(), first.key());
            SslMode mode = first.sslMode();
            for (Login login : logins) {
                mode = resolved(login, tls, mode);
            }
            List<Endpoint> endpoints = new ArrayList<>();
            List<SqlNode> nodes = new ArrayList<>();
            Optional<String> proxy = Optional.empty();
            for (Login login : logins) {
                Endpoint endpoint = login.endpoint(tls).with(mode);
                try (Connection connection = connect(endpoint)) {
                    requireSupported(connection);
                    proxy = proxy.isPresent() ? proxy : ProxyDetection.recognise(connection);
                    if (logins.size() > 1) {
                        nodes.add(SqlNode.read(connection, endpoint.authority()));
                    }
                } catch (SQLException e) {
                    throw Refusal.explained(e, login);
                }
                endpoints.add(endpoint);
            }
            SqlNode.requireOneCluster(nodes);
            SslMode least = first.sslMode() == SslMode.PREFERRED ? SslMode.DISABLED : first.sslMode();
            return new RunningServer(directory, List.copyOf(endpoints), least, proxy);
        } catch (IOException e) {
            directory.close();
            throw new ServerException("cannot write to " + directory.path() + ": " + e, e);
        } catch (ServerException e) {
            directory.close();
            throw e;
        }
    }

    /**
     * Resolves {@code PREFERRED} once, so that all connections have the same encryption. If one of several servers has
     * no TLS, no connection is encrypted.
     *
     * @param previous the result for the servers before this one
     */
    private static SslMode resolved(Login login, TlsMaterial tls, SslMode previous) {
        if (login.sslMode() != SslMode.PREFERRED || previous == SslMode.DISABLED) {
            return previous;
        }
        try {
            connect(login.endpoint(tls).with(SslMode.REQUIRED)).close();
            return SslMode.REQUIRED;
        } catch (SQLException e) {
            if (Refusal.isWithoutTls(e)) {
                return SslMode.DISABLED;
            }
            throw Refusal.explained(e, login);
        }
    }

    private static Connection connect(Endpoint endpoint) throws SQLException {
        Properties login = endpoint.mariaDbLogin(endpoint.sslMode());
        login.setProperty("connectTimeout", TIMEOUT_MILLIS);
        login.setProperty("socketTimeout", TIMEOUT_MILLIS);
        login.setProperty("tcpKeepAlive", "true");
        return new Driver().connect("jdbc:mariadb://" + endpoint.authority() + "/", login);
    }

    private static void requireSupported(Connection connection) throws SQLException {
        String version;
        String comment;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION(), @@version_comment")) {
            row.next();
            version = row.getString(1);
            comment = row.getString(2);
        }
        requireSupported(version, comment);
        try (Statement statement = connection.createStatement();
                ResultSet engines = statement.executeQuery("SHOW ENGINES")) {
            while (engines.next()) {
                if (engines.getString(1).equalsIgnoreCase("InnoDB")
                        && engines.getString(2).matches("YES|DEFAULT")) {
                    return;
                }
            }
        }
        throw new ServerException("the server (" + version + ", " + comment
                + ") has no InnoDB, which Blobmark measures." + " Start it with InnoDB, or name another server.");
    }

    static void requireSupported(String version, String comment) {
        if (OTHER_PRODUCTS.matcher(version + " " + comment).find()) {
            throw new ServerException("the server identifies itself as '" + version + ", " + comment
                    + "': it uses MySQL's protocol but is neither MySQL nor MariaDB. Name a server that is.");
        }
        boolean mariaDb = (version + comment).contains("MariaDB");
        ServerVersion oldest = mariaDb ? ServerVersion.MARIADB : ServerVersion.MYSQL;
        if (ServerVersion.parse(version.replaceFirst("^5\\.5\\.5-(?=1\\d)", "")).isBefore(oldest)) {
            throw new ServerException("the server is " + (mariaDb ? "MariaDB " : "MySQL ") + version
                    + ", which is too old: use MySQL " + ServerVersion.MYSQL + " or MariaDB " + ServerVersion.MARIADB
                    + ", or later.");
        }
    }

    @Override
    public String kind() {
        return endpoints.stream()
                .filter(Endpoint::isRemote)
                .findFirst()
                .orElse(endpoints.get(0))
                .kind();
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
    public SslMode minimumSsl() {
        return least;
    }

    @Override
    public Optional<String> proxy() {
        return proxy;
    }

    @Override
    public void close() {
        directory.close();
    }
}
