package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealMySql.class)
class RunningMySqlIT extends RunningServerContract {

    RunningMySqlIT(OwnServer server) {
        super(server);
    }

    /**
     * A server that has seen an account's password since its start lets it in by a proof; until then it wants the
     * password.
     */
    @Test
    void withoutTlsAPasswordIsNotSentWithAKeyThatNobodyTrusts() throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(endpoint, "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER fresh@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY 'hunter2'");
            try {
                assertThatThrownBy(() -> open(here(), "fresh", Optional.of("hunter2"), Map.of("ssl-mode", "DISABLED")))
                        .isInstanceOf(ServerException.class)
                        .hasMessageContainingAll("only over TLS", "--ssl-mode REQUIRED", "--get-server-public-key")
                        .hasMessageNotContaining("hunter2");
                try (Server running = open(here(), "fresh", Optional.of("hunter2"), Map.of())) {
                    assertThat(running.endpoint().authentication().keyRetrieval())
                            .isFalse();
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

    @Test
    void anAccountThatWantsACertificateGetsTheOneOfTheOptions() throws Exception {
        SelfSignedCertificate own = SelfSignedCertificate.make(directory);
        try (Server wanting = Servers.parse("mysqld:" + RealMySql.requireBase())
                        .open(
                                OneServer.CACHE,
                                ServerOptions.of(16 << 20)
                                        .with(Map.of("ssl_ca", own.certificate().toString())));
                Connection connection = JdbcDriver.connectForLoading(wanting.endpoint(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER known@'127.0.0.1' IDENTIFIED BY 'hunter2' REQUIRE X509");
            String address = "mysql://USER@" + wanting.endpoint().authority();
            Map<String, String> certificate = Map.of(
                    "ssl-cert",
                    own.certificate().toString(),
                    "ssl-key",
                    own.key().toString());
            assertThatThrownBy(() -> open(address, "known", Optional.of("hunter2"), Map.of()))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("refused the login of 'known'");
            try (Server running = open(address, "known", Optional.of("hunter2"), certificate)) {
                for (Driver driver : Driver.values()) {
                    driver.connect(running.endpoint(), "", Tls.ON, StatementProtocol.SERVER)
                            .close();
                }
            }
            assertThatThrownBy(() -> open(
                            address,
                            "known",
                            Optional.of("hunter2"),
                            Map.of("ssl-cert", own.certificate().toString())))
                    .hasMessageContaining("must be given together");
        }
    }
}
