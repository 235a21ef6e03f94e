package dev.blobmark.lab.engine;

import dev.blobmark.lab.RealMySql;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class ServerWatchMySqlTest {

    @Test
    void aServerThatIsNotOursMayTellTheCpuOfOurStatements(EmbeddedServer mySql) throws Exception {
        try (Connection connection = Driver.connectForLoading(mySql.endpoint(), "");
                Statement statement = connection.createStatement()) {
            consumer(statement, "YES");
            try {
                ServerWatchTest.assertStatementsAreCounted(mySql.endpoint());
            } finally {
                consumer(statement, "NO");
            }
        }
    }

    private static void consumer(Statement statement, String enabled) throws SQLException {
        statement.execute("UPDATE performance_schema.setup_consumers SET ENABLED = '" + enabled
                + "' WHERE NAME = 'events_statements_cpu'");
    }
}
