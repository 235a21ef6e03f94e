package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Copies on a real MySQL by its binary log. */
class CopyMySqlTest extends CopyContract {

    @Override
    OwnServer start() throws Exception {
        String base = System.getenv("BLOBMARK_TEST_MYSQL");
        Assumptions.assumeTrue(
                base != null && !base.isEmpty(),
                "no MySQL to test with: set BLOBMARK_TEST_MYSQL to a base directory, see bench/real-mysql");
        return (OwnServer) Servers.parse("mysqld:" + base)
                .open(
                        Path.of("target", "test-cache").toAbsolutePath(),
                        ServerOptions.of(64 << 20)
                                .with(Map.of(
                                        "innodb_redo_log_capacity",
                                        Integer.toString(64 << 20),
                                        "log_bin",
                                        "copied",
                                        "server_id",
                                        "7",
                                        "binlog_row_image",
                                        "NOBLOB")));
    }

    @Override
    boolean isByLog() {
        return true;
    }
}
