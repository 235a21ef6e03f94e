package dev.blobmark.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.RealMySql;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class RunningMySqlTest extends RunningServerContract {

    RunningMySqlTest(EmbeddedServer server) {
        super(server);
    }

    /** A server that has seen an account's password since its start lets it in by a proof; until then it wants the password. */
    @Test
    void withoutTlsAPasswordIsNotSentWithAKeyThatNobodyTrusts() throws Exception {
        try (Connection connection = Driver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER fresh@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY 'hunter2'");
            try {
                assertThatThrownBy(() -> open(here(), "fresh", Optional.of("hunter2"), Map.of("ssl-mode", "DISABLED")))
                        .isInstanceOf(ServerException.class)
                        .hasMessageContainingAll("by TLS only", "--ssl-mode REQUIRED", "--get-server-public-key")
                        .hasMessageNotContaining("hunter2");
                try (Server running = open(here(), "fresh", Optional.of("hunter2"), Map.of())) {
                    assertThat(running.endpoint().allowPublicKeyRetrieval()).isFalse();
                    for (Driver driver : Driver.values()) {
                        driver.connect(running.endpoint(), "", Tls.OFF, StatementProtocol.SERVER)
                                .close();
                    }
                }
            } finally {
                statement.execute("DROP USER fresh@'127.0.0.1'");
            }
        }
    }
}
