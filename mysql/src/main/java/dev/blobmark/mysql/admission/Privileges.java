package dev.blobmark.mysql.admission;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The privileges of an account, found by attempts on objects that do not exist. The server checks privileges before
 * existence, so the answer is either "denied" or "does not exist". This includes roles, wildcards and proxy accounts,
 * which SHOW GRANTS does not resolve. Seen with MySQL 9.7.4 and MariaDB 11.4.5.
 */
public record Privileges(Connection connection) {

    /**
     * ER_DBACCESS_DENIED, ER_ACCESS_DENIED, ER_TABLEACCESS_DENIED, ER_COLUMNACCESS_DENIED, ER_SPECIFIC_ACCESS_DENIED,
     * ER_PROCACCESS_DENIED.
     */
    private static final Set<Integer> DENIED = Set.of(1044, 1045, 1142, 1143, 1227, 1370);

    /**
     * Whether the account lacks the privilege for a statement.
     *
     * @throws SQLException if the connection is lost
     */
    public boolean isDenied(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException e) {
            if (!connection.isValid(5)) {
                throw e;
            }
            return isDenial(e);
        }
    }

    public static boolean isDenial(SQLException e) {
        return DENIED.contains(e.getErrorCode());
    }

    /** A table name that does not exist, so that even DROP has no effect. */
    public static String nonexistent(String schema) {
        return Sql.quoted(schema) + ".`blobmark_marker_" + Long.toHexString(System.nanoTime()) + "`";
    }

    /**
     * The missing privileges of those that show routines (with MySQL also libraries, with MariaDB also packages) and
     * events of a schema in information_schema. Tables, views and sequences are shown with any privilege on it.
     */
    public List<String> missingToSee(String schema) throws SQLException {
        List<String> missing = new ArrayList<>();
        if (isDenied("CALL " + nonexistent(schema) + "()")) {
            missing.add("EXECUTE");
        }
        if (isDenied("SHOW EVENTS FROM " + Sql.quoted(schema))) {
            missing.add("EVENT");
        }
        return missing;
    }

    public String grant(String privileges) throws SQLException {
        return "GRANT " + privileges + " ON *.* TO " + account();
    }

    /**
     * A GRANT on a schema. {@code _} in its name is a wildcard, unless the server has partial revokes (MySQL 8.0.16).
     */
    public String grant(String privileges, String schema) throws SQLException {
        boolean isLiteral = Set.of("ON", "1").contains(variable("partial_revokes"));
        return "GRANT " + privileges + " ON "
                + Sql.quoted(isLiteral ? schema : schema.replace("_", "\\_").replace("%", "\\%")) + ".* TO "
                + account();
    }

    private String account() throws SQLException {
        String account = single("SELECT CURRENT_USER()").orElse("?@?");
        int at = account.lastIndexOf('@');
        return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
    }

    public boolean isMariaDb() throws SQLException {
        return (variable("version") + variable("version_comment")).contains("MariaDB");
    }

    /** A global variable, empty if the server does not have it. */
    public String variable(String name) throws SQLException {
        return variables(name).getOrDefault(name, "");
    }

    public Optional<String> single(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
        }
    }

    /** Those of the named global variables that the server has. */
    public Map<String, String> variables(String... names) throws SQLException {
        return Sql.pairs(
                connection, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('" + String.join("', '", names) + "')");
    }
}
