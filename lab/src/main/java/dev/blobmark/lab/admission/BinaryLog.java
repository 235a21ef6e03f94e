package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/**
 * What a session may write to the binary log. Nothing else sets {@code sql_log_bin}: what was loaded without the log must be
 * dropped without it, and what was loaded with it must be dropped with it, or replicas get changes of tables that they do not have.
 */
record BinaryLog(Connection connection) {

    interface Action<T> {
        T run() throws SQLException;
    }

    /** Whether the account may turn the log on and off for its session: a privilege is needed even to set the same value. */
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
     * Runs something with the log on or off; afterwards it is as it was before.
     *
     * @throws AdmissionException if the account may not set it; nothing has been run then
     */
    <T> T run(boolean isLogged, Action<T> action) throws SQLException {
        boolean before = isOn();
        if (before == isLogged || !isKept()) {
            return action.run();
        }
        try {
            set(isLogged);
        } catch (SQLException e) {
            if (Privileges.isDenial(e)) {
                throw new AdmissionException(
                        "it was loaded " + (isLogged ? "with" : "without") + " the binary log, and must be dropped "
                                + (isLogged ? "with" : "without")
                                + " it, or replication stops; the account may not turn"
                                + " it " + (isLogged ? "on" : "off") + " for its session: " + grantToSet(),
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

    /** Whether this server has a binary log; an SQL node's session decides on the logs of the other SQL nodes too. */
    boolean isKept() throws SQLException {
        return isOn(new Privileges(connection).variables("log_bin"), "log_bin") || isSqlNode();
    }

    private boolean isSqlNode() throws SQLException {
        return Sql.pairs(connection, "SHOW GLOBAL STATUS LIKE 'Ndb_number_of_data_nodes'").values().stream()
                .anyMatch(nodes -> !nodes.equals("0"));
    }

    /** Whether DDL of such a session goes to other servers: replicas, members of a Galera cluster, other SQL nodes. */
    boolean isSentOn(boolean isLogged) throws SQLException {
        Map<String, String> variables = new Privileges(connection).variables("log_bin", "wsrep_on");
        return isLogged && (isOn(variables, "log_bin") || isOn(variables, "wsrep_on")) || isSqlNode();
    }

    private static boolean isOn(Map<String, String> variables, String name) {
        return variables.getOrDefault(name, "OFF").matches("ON|1");
    }
}
