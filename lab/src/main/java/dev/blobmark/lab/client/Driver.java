package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;

/** The JDBC driver of measured connections, whose traffic is counted. */
public enum Driver {
    CONNECTOR_J(JdbcDriver.CONNECTOR_J, CountedSocket.ForConnectorJ.class),
    MARIADB(JdbcDriver.MARIADB, CountedSocket.ForMariaDb.class);

    public static final Factor<Driver> FACTOR = Factor.ofWords(
            "driver",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SQL, Factor.Use.MYSQL, Factor.Use.BLOCKING),
            "the JDBC driver",
            Arrays.asList(values()),
            Driver::toString);

    private final JdbcDriver jdbc;
    private final Class<?> socketFactory;

    Driver(JdbcDriver jdbc, Class<?> socketFactory) {
        this.jdbc = jdbc;
        this.socketFactory = socketFactory;
    }

    public JdbcDriver jdbc() {
        return jdbc;
    }

    /**
     * Every option of a measured connection except the socket factory, so that the cost of counting can be measured. It
     * has no timeouts: its options are those of the study. Includes credentials: do not print them.
     */
    public Properties properties(Endpoint endpoint, Tls tls, StatementProtocol protocol) {
        return jdbc.properties(endpoint, tls.mode(), protocol == StatementProtocol.SERVER);
    }

    /**
     * Opens a connection without compression, and verifies its encryption.
     *
     * @throws SQLException if the server cannot be reached, refuses the connection, or its encryption differs from
     *     {@code tls}
     */
    public Connection connect(Endpoint endpoint, String schema, Tls tls, StatementProtocol protocol)
            throws SQLException {
        return JdbcDriver.verified(
                open(endpoint, schema, properties(endpoint, tls, protocol), new Traffic()), tls.mode());
    }

    Connection open(Endpoint endpoint, String schema, Properties properties, Traffic traffic) throws SQLException {
        properties.setProperty("socketFactory", socketFactory.getName());
        return traffic.count(() -> jdbc.open(endpoint, schema, properties));
    }

    @Override
    public String toString() {
        return jdbc.toString();
    }
}
