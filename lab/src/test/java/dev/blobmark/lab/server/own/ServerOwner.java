package dev.blobmark.lab.server.own;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.Server;
import java.nio.file.Path;
import java.util.Optional;

/** Starts a server, prints its process id and port, and waits for the end of its input. Tests kill it. */
final class ServerOwner {

    private ServerOwner() {}

    public static void main(String[] arguments) throws Exception {
        Path cache = Path.of(arguments[0]);
        Optional<Path> base =
                Optional.of(arguments[1]).filter(text -> !text.isEmpty()).map(Path::of);
        System.out.println("starting");
        if (arguments[1].startsWith("ndb:")) {
            try (Server cluster = Servers.parse(arguments[1]).open(cache, ServerOptions.of(16 << 20))) {
                System.out.println("started " + cluster.endpoint().port());
                System.in.read();
            }
            return;
        }
        try (OwnServer server =
                OwnServer.start(cache, base, ServerOptions.of(16 << 20).withTls(false))) {
            System.out.println(
                    "started " + server.pid() + " " + server.endpoint().port());
            System.in.read();
        }
        System.out.println("stopped");
    }
}
