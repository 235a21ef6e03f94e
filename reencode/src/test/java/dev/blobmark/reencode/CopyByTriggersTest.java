package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.Map;

/** Copies on the MariaDB that comes with Blobmark, without a binary log. */
class CopyByTriggersTest extends CopyContract {

    @Override
    OwnServer start() throws Exception {
        return (OwnServer) Servers.parse("embedded")
                .open(
                        Path.of("target", "test-cache").toAbsolutePath(),
                        ServerOptions.of(64 << 20).with(Map.of("innodb_log_file_size", Integer.toString(64 << 20))));
    }

    @Override
    boolean isByLog() {
        return false;
    }
}
