package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Sql;
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
 * What an account may do, found by trying it on objects that do not exist: the server checks privileges before existence, so the
 * answer is either "denied" or "does not exist". Roles, wildcards and proxy accounts are counted, which a reading of SHOW GRANTS
 * would have to work out. Seen with MySQL 9.7.4 and MariaDB 11.4.5.
 */
record Privileges(Connection connection) {

    /**
     * ER_DBACCESS_DENIED, ER_ACCESS_DENIED, ER_TABLEACCESS_DENIED, ER_COLUMNACCESS_DENIED, ER_SPECIFIC_ACCESS_DENIED,
     * ER_PROCACCESS_DENIED.
     */
    private static final Set<Integer> DENIED = Set.of(1044, 1045, 1142, 1143, 1227, 1370);

    /** @throws SQLException if the connection is lost */
    boolean isDenied(String sql) throws SQLException {
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

    static boolean isDenial(SQLException e) {
        return DENIED.contains(e.getErrorCode());
    }

    /** A name that nothing has, so that even DROP has nothing to work on. */
    static String nobodys(String schema) {
        return Marker.quoted(schema) + ".`" + Marker.TABLE + "_" + Long.toHexString(System.nanoTime()) + "`";
    }

    /**
     * The privileges without which information_schema does not show the routines (MySQL: and libraries, MariaDB: and packages) and
     * the events of a schema; tables, views and sequences show with any privilege on it.
     */
    List<String> missingToSee(String schema) throws SQLException {
        List<String> missing = new ArrayList<>();
        if (isDenied("CALL " + nobodys(schema) + "()")) {
            missing.add("EXECUTE");
        }
        if (isDenied("SHOW EVENTS FROM " + Marker.quoted(schema))) {
            missing.add("EVENT");
        }
        return missing;
    }

    String grant(String privileges) throws SQLException {
        return "GRANT " + privileges + " ON *.* TO " + account();
    }

    /** {@code _} is a wildcard in a schema's name there, unless the server has partial revokes (MySQL 8.0.16). */
    String grant(String privileges, String schema) throws SQLException {
        boolean isLiteral = Set.of("ON", "1").contains(variable("partial_revokes"));
        return "GRANT " + privileges + " ON "
                + Marker.quoted(isLiteral ? schema : schema.replace("_", "\\_").replace("%", "\\%")) + ".* TO "
                + account();
    }

    private String account() throws SQLException {
        String account = single("SELECT CURRENT_USER()").orElse("?@?");
        int at = account.lastIndexOf('@');
        return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
    }

    boolean isMariaDb() throws SQLException {
        return (variable("version") + variable("version_comment")).contains("MariaDB");
    }

    /** A global variable; empty where the server has none of that name. */
    String variable(String name) throws SQLException {
        return variables(name).getOrDefault(name, "");
    }

    Optional<String> single(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
        }
    }

    /** Of the variables named, those that the server has. */
    Map<String, String> variables(String... names) throws SQLException {
        return Sql.pairs(
                connection, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('" + String.join("', '", names) + "')");
    }
}
