package dev.blobmark.mysql.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Executes statements that return small results. */
public final class Sql {

    private Sql() {}

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column, in the order of the rows. */
    public static List<String> strings(Connection connection, String sql) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                strings.add(rows.getString(1));
            }
        }
        return strings;
    }

    /** The first two columns, in the order of the rows. */
    public static Map<String, String> pairs(Connection connection, String sql) throws SQLException {
        Map<String, String> pairs = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                pairs.put(rows.getString(1), String.valueOf(rows.getString(2)));
            }
        }
        return pairs;
    }

    /** The id of the connection's session. */
    public static long id(Connection connection) throws SQLException {
        return Long.parseLong(strings(connection, "SELECT CONNECTION_ID()").get(0));
    }

    /** A name in backquotes. */
    public static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** The columns of the first row by lower-case name; empty if there is no row. */
    public static Map<String, String> row(Connection connection, String sql, String... parameters) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                ResultSetMetaData metaData = row.getMetaData();
                if (row.next()) {
                    for (int i = 1; i <= metaData.getColumnCount(); i++) {
                        columns.put(
                                metaData.getColumnLabel(i).toLowerCase(Locale.ROOT), String.valueOf(row.getString(i)));
                    }
                }
            }
        }
        return columns;
    }
}
