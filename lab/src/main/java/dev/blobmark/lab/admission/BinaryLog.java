package dev.blobmark.lab.admission;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Privileges;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/**
 * Turns the binary log on or off for a session. Nothing else sets {@code sql_log_bin}. A table must be dropped with the
 * same setting that it was loaded with; otherwise replicas receive changes of tables that they do not have.
 */
record BinaryLog(Connection connection) {

    interface LoggedAction<T> {
        T run() throws SQLException;
    }

    /** Whether the account may turn the log on and off. The privilege is needed even to set the same value. */
    boolean maySet() throws SQLException {
        return !new Privileges(connection).isDenied("SET SESSION sql_log_bin = " + (isOn() ? 1 : 0));
    }

    private boolean isOn() throws SQLException {
        return new Privileges(connection)
                .single("SELECT @@SESSION.sql_log_bin")
                .orElseThrow()
                .equals("1");
    }

    /** Turns the log on or off for the rest of the session. */
    void set(boolean isLogged) throws SQLException {
        if (isOn() != isLogged) {
            Sql.execute(connection, "SET SESSION sql_log_bin = " + (isLogged ? 1 : 0));
        }
    }

    /**
     * Runs an action with the log on or off, and restores the setting afterwards.
     *
     * @throws AdmissionException if the account may not change the setting; then the action was not run
     */
    <T> T run(boolean isLogged, LoggedAction<T> action) throws SQLException {
        boolean before = isOn();
        if (before == isLogged || !exists()) {
            return action.run();
        }
        try {
            set(isLogged);
        } catch (SQLException e) {
            if (Privileges.isDenial(e)) {
                String setting = isLogged ? "on" : "off";
                throw new AdmissionException(
                        "the tables were loaded with the binary log " + setting
                                + " and must be dropped in the same way,"
                                + " or replication stops; the account may not turn the log " + setting
                                + " for its session: " + grantToSet(),
                        e);
            }
            throw e;
        }
        try {
            return action.run();
        } finally {
            if (connection.isValid(5)) {
                set(before);
            }
        }
    }

    String grantToSet() throws SQLException {
        Privileges privileges = new Privileges(connection);
        return privileges.grant(privileges.isMariaDb() ? "BINLOG ADMIN" : "SESSION_VARIABLES_ADMIN");
    }

    /** Whether the setting has an effect. That of an SQL node also applies to the logs of the other SQL nodes. */
    boolean exists() throws SQLException {
        return isOn(new Privileges(connection).variables("log_bin"), "log_bin") || isSqlNode();
    }

    private boolean isSqlNode() throws SQLException {
        return Sql.pairs(connection, "SHOW GLOBAL STATUS LIKE 'Ndb_number_of_data_nodes'").values().stream()
                .anyMatch(nodes -> !nodes.equals("0"));
    }

    /** Whether DDL of such a session reaches other servers: replicas, members of a Galera cluster, other SQL nodes. */
    boolean isReplicated(boolean isLogged) throws SQLException {
        Map<String, String> variables = new Privileges(connection).variables("log_bin", "wsrep_on");
        return isLogged && (isOn(variables, "log_bin") || isOn(variables, "wsrep_on")) || isSqlNode();
    }

    private static boolean isOn(Map<String, String> variables, String name) {
        return variables.getOrDefault(name, "OFF").matches("ON|1");
    }
}
