package dev.blobmark.reencode.check;

import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.binlog.LogStream;
import dev.blobmark.reencode.table.Grants;
import dev.blobmark.reencode.table.SqlTokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What else reads a column, as far as the account may see. */
public final class Dependents {

    private static final String OF_THE_SERVER = " NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')";

    private Dependents() {}

    /** A line each: views, routines, triggers and events that name the column, and connections that read the log. */
    public static List<String> read(Connection connection, TableColumn column) throws SQLException {
        List<String> found = new ArrayList<>();
        add(found, connection, column, "view", "table_schema", "table_name", "view_definition", "''", "views");
        add(
                found,
                connection,
                column,
                "routine",
                "routine_schema",
                "routine_name",
                "routine_definition",
                "sql_mode",
                "routines");
        add(
                found,
                connection,
                column,
                "trigger",
                "trigger_schema",
                "trigger_name",
                "action_statement",
                "sql_mode",
                "triggers");
        add(found, connection, column, "event", "event_schema", "event_name", "event_definition", "sql_mode", "events");
        logReaders(connection).ifPresent(found::addAll);
        return found;
    }

    private static void add(
            List<String> found,
            Connection connection,
            TableColumn column,
            String kind,
            String schema,
            String name,
            String definition,
            String mode,
            String table)
            throws SQLException {
        String sql = "SELECT " + schema + ", " + name + ", " + definition + ", " + mode + " FROM information_schema."
                + table + " WHERE " + schema + OF_THE_SERVER + " AND " + definition + " LIKE ?";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, "%" + column.column().replaceAll("([%_\\\\])", "\\\\$1") + "%");
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    List<SqlTokens.Token> tokens = SqlTokens.of(row.getString(3), row.getString(4));
                    if (SqlTokens.mentions(tokens, column.column()) && SqlTokens.mentions(tokens, column.table())) {
                        found.add("the " + kind + " " + row.getString(1) + "." + row.getString(2) + " names it");
                    }
                }
            }
        }
    }

    /**
     * Accounts that read the binary log: replicas, and programs that follow changes, but no copies. Empty if they
     * cannot be seen.
     */
    static Optional<List<String>> logReaders(Connection connection) throws SQLException {
        boolean isSeen = Grants.read(connection).hasEverywhere("PROCESS");
        if (!isSeen) {
            return Optional.empty();
        }
        List<String> found = new ArrayList<>();
        for (Session session : Session.list(connection)) {
            if (session.readsLog() && !LogStream.isOurs(connection, session.id())) {
                found.add("'" + session.user() + "' from "
                        + session.host().replaceFirst(":\\d+$", "")
                        + " reads the binary log: a replica, or a program that follows changes");
            }
        }
        return Optional.of(found);
    }
}
