package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.server.postgres.PostgresConnections;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.SslMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.postgresql.Driver;

/** Connects to PostgreSQL with the statement protocol and the encryption of a trial. */
final class PostgresConnector implements Connector {

    /** Rows per fetch of a scan. */
    private static final int FETCH_ROWS = 16;

    private final String database;
    private final Tls tls;
    private final StatementProtocol protocol;

    PostgresConnector(String database, Design design) {
        this.database = database;
        tls = design.get(Tls.FACTOR);
        protocol = design.get(StatementProtocol.FACTOR);
    }

    @Override
    public Connection connect(Endpoint endpoint, Traffic traffic) throws SQLException {
        Connection connection = connectUnverified(endpoint, traffic);
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()")) {
            boolean isEncrypted = row.next() && row.getBoolean(1);
            if (isEncrypted != (tls != Tls.OFF)) {
                throw new SQLException("tls is " + tls + " by the study, but the connection is "
                        + (isEncrypted ? "" : "not ") + "encrypted");
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * With {@link StatementProtocol#SERVER}, statements are prepared from their first execution on, and values are
     * binary. With {@link StatementProtocol#TEXT}, text is sent each time, with values as hexadecimal digits.
     */
    @Override
    public Connection connectUnverified(Endpoint endpoint, Traffic traffic) throws SQLException {
        boolean isPrepared = protocol == StatementProtocol.SERVER;
        Properties properties =
                PostgresConnections.login(endpoint.with(tls == Tls.OFF ? SslMode.DISABLED : tls.mode()));
        properties.setProperty("prepareThreshold", isPrepared ? "-1" : "0");
        properties.setProperty("preferQueryMode", isPrepared ? "extended" : "simple");
        properties.setProperty("tcpNoDelay", "true");
        properties.setProperty("socketFactory", Traffic.SOCKET_FACTORY);
        String url = PostgresConnections.url(endpoint, database);
        return traffic.count(() -> new Driver().connect(url, properties));
    }

    /** The server lists prepared statements that have a name, and the driver names those that it will use again. */
    @Override
    public void verifyStatements(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_catalog.pg_prepared_statements"
                        + " WHERE statement LIKE '%" + PostgresTable.SCHEMA + ".%'"
                        + " AND statement NOT LIKE '%pg_prepared_statements%'")) {
            boolean prepared = row.next() && row.getLong(1) > 0;
            if (prepared != (protocol == StatementProtocol.SERVER)) {
                throw new SQLException("statement is '" + protocol + "' by the study, but the server has "
                        + (prepared ? "" : "not ") + "prepared statements on this connection");
            }
        }
    }

    @Override
    public int streamingFetchSize() {
        return FETCH_ROWS;
    }
}
