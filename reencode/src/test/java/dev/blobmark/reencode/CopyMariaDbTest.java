package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.Map;

/** Copies on MariaDB by its binary log. */
class CopyMariaDbTest extends CopyContract {

    @Override
    OwnServer start() throws Exception {
        return (OwnServer) Servers.parse("embedded")
                .open(
                        Path.of("target", "test-cache").toAbsolutePath(),
                        ServerOptions.of(64 << 20)
                                .with(Map.of(
                                        "log_bin",
                                        "copied",
                                        "binlog_format",
                                        "ROW",
                                        "server_id",
                                        "7",
                                        "binlog_row_image",
                                        "MINIMAL")));
    }

    @Override
    boolean isByLog() {
        return true;
    }
}
