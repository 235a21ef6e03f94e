package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryTable;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** New connections to a server, for the tables of the value library. */
public final class Connections implements DataSource {

    private final Endpoint endpoint;

    public Connections(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * The dictionaries of a column's schema, each asked for when it is needed. Those that values are read with are not
     * deleted any more.
     */
    public static Dictionaries dictionaries(Endpoint endpoint, TableColumn column) {
        return new TableDictionaries(table(endpoint, column));
    }

    /** The same for a dry run, which changes nothing. */
    public static Dictionaries dictionariesAsTheyAre(Endpoint endpoint, TableColumn column) {
        return table(endpoint, column)::find;
    }

    private static DictionaryTable table(Endpoint endpoint, TableColumn column) {
        return DictionaryTable.in(new Connections(endpoint), column.schema());
    }

    @Override
    public Connection getConnection() throws SQLException {
        return JdbcDriver.connectToWatch(endpoint);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the account is that of the endpoint");
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException("there is no log");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("the timeouts are those of a watch");
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("there is no log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
