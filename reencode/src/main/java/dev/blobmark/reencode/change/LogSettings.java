package dev.blobmark.reencode.change;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Whether the binary log of a server has the rows of all changes, as far as its settings say. */
public final class LogSettings {

    /** ER_TABLEACCESS_DENIED_ERROR and ER_DBACCESS_DENIED_ERROR. */
    private static final List<Integer> DENIED = List.of(1142, 1044);

    private static final String SESSIONS =
            "SELECT COUNT(*) FROM performance_schema.variables_by_thread WHERE variable_name = 'binlog_format' AND"
                    + " variable_value <> 'ROW'";

    private LogSettings() {}

    /** Why changes cannot be read from the log; empty if they can. */
    public static Optional<String> problem(Connection connection) throws SQLException {
        Map<String, String> variables = Sql.pairs(
                connection,
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'binlog_storage_engine',"
                        + " 'performance_schema', 'version')");
        Optional<String> problem = ofVariables(variables);
        if (problem.isPresent()) {
            return problem;
        }
        Map<String, String> status;
        try {
            status = LogPlace.status(connection);
        } catch (SQLException e) {
            if (e.getErrorCode() != 1227) { // ER_SPECIFIC_ACCESS_DENIED_ERROR
                throw e;
            }
            return Optional.of("the account may not see whether changes are left out of the binary log: GRANT "
                    + (variables.get("version").contains("MariaDB") ? "BINLOG MONITOR" : "REPLICATION CLIENT")
                    + " ON *.*");
        }
        problem = ofStatus(status);
        boolean isMariaDb = variables.get("version").contains("MariaDB");
        return problem.isPresent() || isMariaDb ? problem : sessions(connection);
    }

    public static Optional<String> ofVariables(Map<String, String> variables) {
        if (!isOn(variables.get("log_bin"))) {
            return Optional.of("the server writes no binary log");
        }
        String format = variables.getOrDefault("binlog_format", "ROW");
        if (!format.equalsIgnoreCase("ROW")) {
            return Optional.of("binlog_format is " + format + ", so not all changes are logged as rows");
        }
        String engine = variables.getOrDefault("binlog_storage_engine", "");
        if (!engine.isEmpty()) {
            return Optional.of("the binary log is kept in " + engine + " (binlog_storage_engine), which is not read");
        }
        return Optional.empty();
    }

    /** @param status what {@link LogPlace#status} returns */
    public static Optional<String> ofStatus(Map<String, String> status) {
        for (Map.Entry<String, String> each : status.entrySet()) {
            boolean isFilter = each.getKey().contains("_do_") || each.getKey().contains("_ignore_");
            if (isFilter && !each.getValue().isEmpty() && !each.getValue().equals("null")) {
                return Optional.of("the server leaves changes out of the binary log: " + each.getKey() + " is '"
                        + each.getValue() + "'");
            }
        }
        return Optional.empty();
    }

    /** Of MySQL; MariaDB does not show variables of other sessions. */
    private static Optional<String> sessions(Connection connection) throws SQLException {
        try {
            String count = Sql.strings(connection, SESSIONS).get(0);
            return count.equals("0")
                    ? Optional.empty()
                    : Optional.of(count + " sessions have another binlog_format than ROW"
                            + " (performance_schema.variables_by_thread)");
        } catch (SQLException e) {
            if (!DENIED.contains(e.getErrorCode())) {
                throw e;
            }
            return Optional.empty(); // what they log is noticed when it is read
        }
    }

    private static boolean isOn(String value) {
        return value != null && value.toUpperCase(Locale.ROOT).matches("ON|1");
    }

    /** Whether the server writes a binary log of any kind. */
    public static boolean hasLog(Connection connection) throws SQLException {
        return isOn(
                Sql.pairs(connection, "SHOW GLOBAL VARIABLES LIKE 'log_bin'").get("log_bin"));
    }
}
