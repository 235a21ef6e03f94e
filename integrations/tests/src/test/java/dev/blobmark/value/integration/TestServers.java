package dev.blobmark.value.integration;

import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A MariaDB and a MySQL for all tests of the JVM, stopped at its end. */
public final class TestServers {

    public static final String SCHEMA = "shop";

    private static final Path CACHE = Path.of("target/cache").toAbsolutePath();
    private static final Map<String, Server> RUNNING = new ConcurrentHashMap<>();

    private TestServers() {}

    /** The test is skipped if there is no such server. */
    public static DataSource source(String product) {
        Endpoint endpoint = endpoint(product);
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return JdbcDriver.connectForLoading(endpoint, SCHEMA);
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        };
    }

    /** The test is skipped if there is no such server. */
    static Endpoint endpoint(String product) {
        String mysql = System.getenv("BLOBMARK_TEST_MYSQL");
        Assumptions.assumeTrue(
                product.equals("MariaDB") || mysql != null && !mysql.isEmpty(),
                "no MySQL to test with: set BLOBMARK_TEST_MYSQL to a base directory, see bench/real-mysql");
        return RUNNING.computeIfAbsent(product, of -> start(of.equals("MariaDB") ? "embedded" : "mysqld:" + mysql))
                .endpoint();
    }

    /** Drops all tables that tests have left in the schema. */
    public static void clean(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "SET foreign_key_checks = 0");
            for (String table : Sql.strings(
                    connection,
                    "SELECT table_name FROM information_schema.tables WHERE table_schema = '" + SCHEMA + "'")) {
                Sql.execute(connection, "DROP TABLE `" + table.replace("`", "``") + "`");
            }
        }
    }

    /** An empty table with a column {@code payload}. */
    public static void table(DataSource source, String name) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "CREATE TABLE " + name + " (id INT PRIMARY KEY, payload MEDIUMBLOB)");
        }
    }

    private static Server start(String source) {
        Server server = Servers.parse(source).open(CACHE, ServerOptions.of(64 << 20));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(connection, "CREATE DATABASE " + SCHEMA);
            return server;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
