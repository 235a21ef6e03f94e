package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Connects to MySQL, MariaDB or an SQL node with the driver, statement protocol, encryption and compression of a trial.
 */
public final class MySqlConnector implements Connector {

    private final String schema;
    private final Design design;
    private final Driver driver;
    private final Tls tls;
    private final StatementProtocol protocol;
    private final WireCompression compression;
    private final Preparation preparation;

    public MySqlConnector(String schema, Design design) {
        this.schema = schema;
        this.design = design;
        driver = design.get(Driver.FACTOR);
        tls = design.get(Tls.FACTOR);
        protocol = design.get(StatementProtocol.FACTOR);
        compression = design.get(WireCompression.FACTOR);
        preparation = design.get(Preparation.FACTOR);
    }

    @Override
    public Connection connect(Endpoint endpoint, Traffic traffic) throws SQLException {
        Connection connection = JdbcDriver.verified(connectUnverified(endpoint, traffic), tls.mode());
        try {
            compression.verify(connection);
            BatchBytes.verify(connection, design);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public Connection connectUnverified(Endpoint endpoint, Traffic traffic) throws SQLException {
        Properties properties = driver.properties(endpoint, tls, protocol);
        properties.setProperty("useCompression", Boolean.toString(compression == WireCompression.ZLIB));
        properties.setProperty("cachePrepStmts", Boolean.toString(preparation == Preparation.CACHED));
        String session = BatchBytes.settings(design);
        if (!session.isEmpty()) {
            properties.setProperty("sessionVariables", session); // both drivers set them on connect
        }
        return driver.open(endpoint, schema, properties, traffic);
    }

    @Override
    public void verifyStatements(Connection connection) throws SQLException {
        boolean prepared = Long.parseLong(JdbcDriver.status(connection, "Com_stmt_execute")) > 0;
        if (prepared != (protocol == StatementProtocol.SERVER)) {
            throw new SQLException("statement is '" + protocol + "' by the study, but the server has "
                    + (prepared ? "" : "not ") + "executed prepared statements on this connection");
        }
    }

    @Override
    public int streamingFetchSize() {
        return driver.jdbc().streamingFetchSize();
    }
}
