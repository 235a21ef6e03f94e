package dev.blobmark.lab.admission;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that is somebody else's: with a schema {@code shop} that must stay as it is, and an account {@code guest}
 * that may do no more than a test says.
 */
public record ForeignServer(Server host, Endpoint endpoint) implements Server {

    private static final String PASSWORD = "guest's own";

    private static final Pattern GRANT = Pattern.compile("    GRANT (.+) TO 'you'@'%';");

    /** The grants that docs/guest.md asks for, for the product of a server, without GRANT and TO. */
    public static List<String> documented(Server host) throws SQLException, IOException {
        String product;
        try (Connection owner = JdbcDriver.connectForLoading(host.endpoint(), "")) {
            product = ServerIdentity.read(owner).product();
        }
        List<String> grants = new ArrayList<>();
        boolean isForIt = false;
        for (String line : Files.readAllLines(Path.of("..", "docs", "guest.md"))) {
            if (!line.isBlank() && !line.startsWith(" ")) {
                isForIt = line.equals(product + ":");
            }
            Matcher grant = GRANT.matcher(line);
            if (isForIt && grant.matches()) {
                grants.add(grant.group(1));
            }
        }
        return grants;
    }

    /** The documented grants less some privileges. */
    public static List<String> documentedWithout(Server host, String... privileges) throws SQLException, IOException {
        List<String> grants = documented(host);
        for (String privilege : privileges) {
            grants.replaceAll(grant -> grant.replaceFirst(", " + privilege + "(?=,| ON)", ""));
        }
        return grants;
    }

    /** With an account that has exactly the documented grants. */
    public static ForeignServer of(Server host) throws SQLException, IOException {
        return of(host, documented(host));
    }

    /** @param grants of the account, without GRANT and TO */
    public static ForeignServer of(Server host, List<String> grants) throws SQLException, IOException {
        Endpoint door = host.endpoint();
        try (Connection owner = JdbcDriver.connectForLoading(door, "")) {
            execute(owner, "DROP USER IF EXISTS 'guest'@'%'");
            execute(owner, "CREATE USER 'guest'@'%' IDENTIFIED BY '" + PASSWORD.replace("'", "''") + "'");
            for (String grant : grants) {
                execute(owner, "GRANT " + grant + " TO 'guest'@'%'");
            }
            execute(owner, "CREATE DATABASE IF NOT EXISTS shop");
            execute(owner, "CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY, paid BLOB)");
            execute(owner, "REPLACE INTO shop.orders VALUES (1, 'one'), (2, 'two')");
        }
        return new ForeignServer(host, new Endpoint(door.host(), door.port(), "guest", PASSWORD));
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static List<String> strings(Connection connection, String sql) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                strings.add(rows.getString(rows.getMetaData().getColumnCount()));
            }
        }
        return strings;
    }

    /** As its owner sees it. */
    public Connection owner() throws SQLException {
        return JdbcDriver.connectForLoading(host.endpoint(), "");
    }

    /** Of what must stay as it is: its contents, and the names of all schemas. */
    public List<String> state() throws SQLException {
        try (Connection owner = owner()) {
            List<String> state = strings(owner, "CHECKSUM TABLE shop.orders");
            state.addAll(strings(owner, "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name"));
            return state;
        }
    }

    @Override
    public String kind() {
        return "foreign";
    }

    @Override
    public boolean isOwn() {
        return false;
    }

    /** It goes on running. */
    @Override
    public void close() {
        // its host is closed by who started it
    }
}
