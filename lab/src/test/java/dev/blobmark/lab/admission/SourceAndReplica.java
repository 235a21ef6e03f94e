package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Two private servers with binary logs, on the loopback interface, the second a replica of the first. It may be
 * written, as replicas are by default; and it stops at what does not fit it, as MySQL's do, and MariaDB's with
 * slave_ddl_exec_mode=STRICT.
 */
record SourceAndReplica(OwnServer source, OwnServer replica, boolean isMariaDb) implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    /** @param what as {@code --server} has it: {@code embedded}, {@code mysqld:DIR} */
    static SourceAndReplica start(String what) throws SQLException {
        OwnServer source = open(what, 101);
        OwnServer replica = open(what, 102);
        try (Connection of = JdbcDriver.connectForLoading(source.endpoint(), "");
                Connection to = JdbcDriver.connectForLoading(replica.endpoint(), "")) {
            boolean isMariaDb = ServerIdentity.read(of).product().equals("MariaDB");
            Endpoint door = source.endpoint();
            String[] position = position(of, isMariaDb);
            if (isMariaDb) {
                ForeignServer.execute(to, "SET GLOBAL slave_ddl_exec_mode = STRICT");
            }
            String words = isMariaDb ? "MASTER" : "SOURCE";
            ForeignServer.execute(
                    to,
                    (isMariaDb ? "CHANGE MASTER TO" : "CHANGE REPLICATION SOURCE TO")
                            + " X_HOST='127.0.0.1', X_PORT=".replace("X", words)
                            + door.port()
                            + ", X_USER='repl', X_PASSWORD='repl', X_LOG_FILE='".replace("X", words)
                            + position[0]
                            + "', X_LOG_POS=".replace("X", words)
                            + position[1]
                            + (isMariaDb ? "" : ", GET_SOURCE_PUBLIC_KEY=1"));
            ForeignServer.execute(of, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'repl'");
            ForeignServer.execute(of, "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'");
            ForeignServer.execute(to, "START REPLICA");
            return new SourceAndReplica(source, replica, isMariaDb);
        }
    }

    private static OwnServer open(String what, int id) {
        Map<String, String> variables = new HashMap<>(Map.of("log_bin", "binlog", "server_id", Integer.toString(id)));
        return (OwnServer) Servers.parse(what)
                .open(OneServer.CACHE, ServerOptions.of(64 << 20).with(variables));
    }

    /**
     * Makes the source look like a server that has been demoted: it has a source of its own, which it does not follow
     * yet.
     */
    void demote() throws SQLException {
        try (Connection of = JdbcDriver.connectForLoading(source.endpoint(), "")) {
            ForeignServer.execute(
                    of,
                    (isMariaDb ? "CHANGE MASTER TO MASTER_HOST" : "CHANGE REPLICATION SOURCE TO SOURCE_HOST")
                            + "='127.0.0.1'");
        }
    }

    void promote() throws SQLException {
        try (Connection of = JdbcDriver.connectForLoading(source.endpoint(), "")) {
            ForeignServer.execute(of, "RESET REPLICA ALL");
        }
    }

    /** File and offset that the source's log has come to. */
    private static String[] position(Connection source, boolean isMariaDb) throws SQLException {
        try (Statement statement = source.createStatement();
                ResultSet row = statement.executeQuery(isMariaDb ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS")) {
            row.next();
            return new String[] {row.getString(1), row.getString(2)};
        }
    }

    /**
     * Waits until the replica has applied all that is in the source's log; fails where it has stopped, with its error.
     */
    void awaitReplica() throws SQLException {
        try (Connection of = JdbcDriver.connectForLoading(source.endpoint(), "");
                Connection to = JdbcDriver.connectForLoading(replica.endpoint(), "")) {
            String[] position = position(of, isMariaDb);
            String wait = (isMariaDb ? "SELECT MASTER_POS_WAIT('" : "SELECT SOURCE_POS_WAIT('") + position[0] + "', "
                    + position[1] + ", " + PATIENCE_SECONDS + ")";
            List<String> applied = ForeignServer.strings(to, wait);
            try (Statement statement = to.createStatement();
                    ResultSet row = statement.executeQuery("SHOW REPLICA STATUS")) {
                row.next();
                assertThat(List.of(
                                row.getString(isMariaDb ? "Slave_SQL_Running" : "Replica_SQL_Running"),
                                row.getString(isMariaDb ? "Slave_IO_Running" : "Replica_IO_Running"),
                                row.getString("Last_SQL_Error")))
                        .containsExactly("Yes", "Yes", "");
            }
            assertThat(applied.get(0))
                    .as("events applied; null or -1: stopped, or too late")
                    .isNotNull()
                    .isNotEqualTo("-1");
        }
    }

    /** What is in the newest binary log of a server, as SHOW BINLOG EVENTS has it. */
    static List<String> events(Server server) throws SQLException {
        try (Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = owner.createStatement();
                ResultSet logs = statement.executeQuery("SHOW BINARY LOGS")) {
            String log = null;
            while (logs.next()) {
                log = logs.getString(1);
            }
            return ForeignServer.strings(owner, "SHOW BINLOG EVENTS IN '" + log + "'");
        }
    }

    @Override
    public void close() {
        replica.close();
        source.close();
    }
}
