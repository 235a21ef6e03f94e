package dev.blobmark.lab.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

class EmbeddedServerTest {
    private static final Path CACHE = Path.of("target", "cache").toAbsolutePath();

    @Test
    void starts() throws Exception {
        for (int i = 0; i < 2; i++) {
            long t = System.nanoTime();
            try (EmbeddedServer s = EmbeddedServer.start(CACHE, EmbeddedServer.Options.of(64 << 20))) {
                System.out.println((System.nanoTime() - t) / 1e9);
                try (Connection c = DriverManager.getConnection(
                        "jdbc:mysql://127.0.0.1:" + s.endpoint().port() + "/?sslMode=REQUIRED",
                        "blobmark",
                        s.endpoint().password())) {
                    System.out.println(ServerIdentity.read(c));
                }
                t = System.nanoTime();
            }
            System.out.println((System.nanoTime() - t) / 1e9);
            assertThat(Files.list(CACHE.resolve("servers"))).hasSize(1);
        }
    }
}
