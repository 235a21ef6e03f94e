package dev.blobmark.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.OneServer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class RunningMariaDbTest extends RunningServerContract {

    RunningMariaDbTest(EmbeddedServer server) {
        super(server);
    }

    @Test
    void aServerWithoutTlsIsTakenAsItIsUnlessTlsIsWanted() {
        try (EmbeddedServer plain = EmbeddedServer.start(OneServer.CACHE, EmbeddedServerTest.SMALL)) {
            Endpoint its = plain.endpoint();
            String address = "mysql://USER@" + its.authority();
            try (Server running = open(address, its.user(), Optional.of(its.password()), Map.of())) {
                assertThat(running.endpoint().sslMode()).isEqualTo(SslMode.DISABLED);
            }
            assertThatThrownBy(() ->
                            open(address, its.user(), Optional.of(its.password()), Map.of("ssl-mode", "REQUIRED")))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("does not offer TLS, and --ssl-mode REQUIRED wants it");
        }
    }
}
