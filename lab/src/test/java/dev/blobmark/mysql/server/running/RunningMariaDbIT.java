package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.OwnServerIT;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class RunningMariaDbIT extends RunningServerContract {

    RunningMariaDbIT(OwnServer server) {
        super(server);
    }

    @Test
    void aServerWithoutTlsIsTakenAsItIsUnlessTlsIsWanted() {
        try (OwnServer plain = OwnServer.start(OneServer.CACHE, OwnServerIT.SMALL)) {
            Endpoint its = plain.endpoint();
            String address = "mysql://USER@" + its.authority();
            try (Server running = open(address, its.user(), Optional.of(its.password()), Map.of())) {
                assertThat(running.endpoint().sslMode()).isEqualTo(SslMode.DISABLED);
            }
            assertThatThrownBy(() ->
                            open(address, its.user(), Optional.of(its.password()), Map.of("ssl-mode", "REQUIRED")))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("does not offer TLS, which --ssl-mode REQUIRED requires");
        }
    }
}
