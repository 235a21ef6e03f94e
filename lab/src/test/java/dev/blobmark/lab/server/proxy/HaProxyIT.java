package dev.blobmark.lab.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnProcess;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
@Timeout(120)
class HaProxyIT {

    private final OwnServer server;

    HaProxyIT(OwnServer server) {
        this.server = server;
    }

    @BeforeAll
    static void requireProgram() {
        HaProxy.unavailable().ifPresent(reason -> Assumptions.abort(reason));
    }

    @Test
    void connectionsReachTheServer() throws Exception {
        assertThat(HaProxy.version()).matches("[0-9]+\\.[0-9]+.*");
        Endpoint address;
        try (HaProxy proxy = HaProxy.start(OneServer.CACHE, List.of(server.endpoint()), List.of())) {
            address = proxy.endpoint();
            assertThat(address.host()).isEqualTo("127.0.0.1");
            assertThat(address.port()).isNotEqualTo(server.endpoint().port());
            assertThat(ProcessHandle.of(proxy.pid())).isPresent();
            try (Connection connection = JdbcDriver.connectForLoading(address, "")) {
                assertThat(connection.isValid(5)).isTrue();
            }
        }

        Endpoint closed = address;
        assertThatThrownBy(() -> new Socket(closed.host(), closed.port()).close())
                .isInstanceOf(IOException.class);
    }

    /** Nothing listens at the second address, so the connections to it fail. */
    @Test
    void connectionsAreDistributedOverServers() throws Exception {
        Endpoint nobody = server.endpoint().at(OwnProcess.HOST, OwnProcess.freePort());
        try (HaProxy proxy = HaProxy.start(OneServer.CACHE, List.of(server.endpoint(), nobody), List.of())) {
            int reached = 0;
            for (int i = 0; i < 4; i++) {
                try (Connection connection = JdbcDriver.connectForLoading(proxy.endpoint(), "")) {
                    reached += connection.isValid(5) ? 1 : 0;
                } catch (SQLException refused) {
                    assertThat(refused.getMessage()).isNotEmpty();
                }
            }

            assertThat(reached).isEqualTo(2);
        }
    }
}
