package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;

/** Changes of tables of the MariaDB that comes with Blobmark. */
class ReencodeMariaDbTest extends ReencodeContract {

    @Override
    OwnServer start() throws Exception {
        return (OwnServer) Servers.parse("embedded")
                .open(Path.of("target", "test-cache").toAbsolutePath(), ServerOptions.of(64 << 20));
    }
}
