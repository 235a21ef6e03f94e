package dev.blobmark.lab;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Need;
import dev.blobmark.lab.machine.ServerVariables;
import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Environment;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.Servers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;

/** Looks at a server for what makes figures noisy or wrong, as {@link Checkup} does at the machine. */
public record Doctor(Servers.Source source, Path cache, Need need) {

    /**
     * Starts the server or connects to it, reads its variables, and lets it go.
     *
     * @throws dev.blobmark.lab.server.ServerException if there is no server to be had
     */
    public void examine(Consumer<Finding> found) throws SQLException {
        try (Server server = source.open(
                        cache, EmbeddedServer.Options.of(Environment.USUAL).withTls(false));
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            found.accept(ServerVariables.identity(identity.product(), identity.version(), server.kind()));
            new ServerVariables(identity.variables()).findings(need).forEach(found);
        }
    }
}
