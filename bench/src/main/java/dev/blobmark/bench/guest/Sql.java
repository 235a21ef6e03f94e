package dev.blobmark.bench.guest;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A session of the administrator, for statements with small results. */
final class Sql implements AutoCloseable {

    private final Connection connection;

    Sql(Endpoint administrator) throws SQLException {
        this.connection = JdbcDriver.connectForLoading(administrator, "");
    }

    /** Keeps the session's statements out of the binary log. */
    Sql unlogged() throws SQLException {
        return execute("SET SESSION sql_log_bin = 0");
    }

    Sql execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return this;
    }

    Sql executeAll(List<String> statements) throws SQLException {
        for (String sql : statements) {
            execute(sql);
        }
        return this;
    }

    /** Executes statements that may fail because they have no effect. */
    Sql attempt(List<String> statements) {
        for (String sql : statements) {
            try {
                execute(sql);
            } catch (SQLException noEffect) {
                // such as stopping a replica that is stopped
            }
        }
        return this;
    }

    /** The first column of all rows. */
    List<String> strings(String sql) throws SQLException {
        return column(sql, 1);
    }

    List<String> column(String sql, int column) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                strings.add(rows.getString(column));
            }
        }
        return strings;
    }

    /** A column of the first row, by its name. */
    Optional<String> field(String sql, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? Optional.ofNullable(rows.getString(name)) : Optional.empty();
        }
    }

    boolean isAny(String sql) throws SQLException {
        return !strings(sql).isEmpty();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
