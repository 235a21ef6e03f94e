package dev.blobmark.lab.client;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Statements whose result is small. */
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
}
