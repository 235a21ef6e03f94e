package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Tables of an application on a server that goes on when a change has ended. */
record UsersTable(OwnServer server) {

    /** The running server, as {@code --server} would name it. */
    Servers.Source source() {
        return (cache, options) -> new Server() {
            @Override
            public String kind() {
                return "address";
            }

            @Override
            public Endpoint endpoint() {
                return server.endpoint();
            }

            @Override
            public boolean isOwn() {
                return false;
            }

            @Override
            public void close() {
                // others use it
            }
        };
    }

    Connection connect() throws SQLException {
        return JdbcDriver.connectForLoading(server.endpoint(), "");
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    void insert(String table, Object key, byte[] value) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, payload) VALUES (?, ?)")) {
            insert.setObject(1, key);
            insert.setBytes(2, value);
            insert.executeUpdate();
        }
    }

    /** What is stored, by key. */
    Map<String, Optional<byte[]>> stored(String table) throws SQLException {
        Map<String, Optional<byte[]>> found = new LinkedHashMap<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, payload FROM " + table + " ORDER BY id")) {
            while (row.next()) {
                found.put(row.getString(1), Optional.ofNullable(row.getBytes(2)));
            }
        }
        return found;
    }

    String single(String sql) throws SQLException {
        return column(sql, 1);
    }

    /** The second column of the first row. */
    String pair(String sql) throws SQLException {
        return column(sql, 2);
    }

    private String column(String sql, int number) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(number);
        }
    }
}
