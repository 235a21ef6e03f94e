package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Servers that tests start. */
public final class TestServers {

    private static final Path CACHE = Path.of("target", "test-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();
    private static final long POOL_BYTES = 64 << 20;

    private TestServers() {}

    /** The MariaDB that comes with Blobmark. */
    public static OwnServer mariaDb(Map<String, String> variables) {
        return (OwnServer) Servers.parse("embedded")
                .open(CACHE, ServerOptions.of(POOL_BYTES).with(variables));
    }

    /** A real MySQL; the test is skipped if there is none. */
    public static OwnServer mySql(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(Map.of("innodb_redo_log_capacity", Integer.toString(64 << 20)));
        all.putAll(variables);
        return at(base("BLOBMARK_TEST_MYSQL", "MySQL"), all);
    }

    /** Another MariaDB than the one that comes with Blobmark; the test is skipped if there is none. */
    static OwnServer otherMariaDb(Map<String, String> variables) {
        return at(otherMariaDb(), variables);
    }

    /** The base directory of the other MariaDB. */
    static Path otherMariaDb() {
        return base("BLOBMARK_TEST_MARIADB", "other MariaDB");
    }

    private static Path base(String variable, String product) {
        String base = System.getenv(variable);
        Assumptions.assumeTrue(
                base != null && !base.isEmpty(),
                "no " + product + " to test with: set " + variable + " to a base directory, see bench/real-mysql");
        return Path.of(base);
    }

    private static OwnServer at(Path base, Map<String, String> variables) {
        return (OwnServer) Servers.parse("mysqld:" + base)
                .open(CACHE, ServerOptions.of(POOL_BYTES).with(variables));
    }
}
