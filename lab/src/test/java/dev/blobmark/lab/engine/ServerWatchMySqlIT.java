package dev.blobmark.lab.engine;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerWatchMySqlIT {

    /** Those that we start have no performance schema. */
    @Test
    void aServerThatIsNotOursMayTellTheCpuOfOurStatements() throws Exception {
        Path base = RealMySql.requireBase();
        ServerOptions options = ServerOptions.of(64 << 20).with(Map.of("performance_schema", "ON"));
        try (Server mySql = Servers.parse("mysqld:" + base).open(OneServer.CACHE, options);
                Connection connection = JdbcDriver.connectForLoading(mySql.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'"
                    + " WHERE NAME = 'events_statements_cpu'");

            ServerWatchIT.assertStatementsAreCounted(mySql.endpoint());
        }
    }
}
