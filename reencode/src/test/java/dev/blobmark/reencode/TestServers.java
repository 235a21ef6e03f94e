package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Servers that tests start. */
final class TestServers {

    private static final Path CACHE = Path.of("target", "test-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();
    private static final long POOL_BYTES = 64 << 20;

    private TestServers() {}

    /** The MariaDB that comes with Blobmark. */
    static OwnServer mariaDb(Map<String, String> variables) {
        return (OwnServer) Servers.parse("embedded")
                .open(CACHE, ServerOptions.of(POOL_BYTES).with(variables));
    }

    /** A real MySQL; the test is skipped if there is none. */
    static OwnServer mySql(Map<String, String> variables) {
        String base = System.getenv("BLOBMARK_TEST_MYSQL");
        Assumptions.assumeTrue(
                base != null && !base.isEmpty(),
                "no MySQL to test with: set BLOBMARK_TEST_MYSQL to a base directory, see bench/real-mysql");
        Map<String, String> all = new HashMap<>(Map.of("innodb_redo_log_capacity", Integer.toString(64 << 20)));
        all.putAll(variables);
        return (OwnServer) Servers.parse("mysqld:" + base)
                .open(CACHE, ServerOptions.of(POOL_BYTES).with(all));
    }
}
