package dev.blobmark.lab.conduct;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Need;
import dev.blobmark.lab.machine.ServerVariables;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.function.Consumer;

/** Checks a server for what makes figures noisy or wrong, as {@link Checkup} checks the machine. */
public record Doctor(Servers.Source source, Path cache, Need need) {

    private static final int BITS = 8;

    /**
     * Starts the server or connects to it, reads its variables, and closes it.
     *
     * @throws dev.blobmark.mysql.server.ServerException if the server cannot be started or reached
     */
    public void examine(Consumer<Finding> found) throws SQLException {
        try (Server server =
                        source.open(cache, ServerOptions.of(Environment.DEFAULT).withTls(false));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            found.accept(ServerVariables.identity(identity.product(), identity.version(), server.kind()));
            new ServerVariables(identity.variables(), source.isOwn())
                    .findings(need)
                    .forEach(found);
        }
    }

    /** The finding for what an emulated link delivers on this machine. */
    public static Finding finding(Delivery delivery) {
        String what = "link " + delivery.link();
        String observed = String.format(
                Locale.ROOT,
                "%.4g Mbit/s, round trip %.4g ms; without it %.4g Mbit/s, %.3g ms",
                delivery.bytesPerSecond() * BITS / 1e6,
                delivery.roundTrip().toNanos() / 1e6,
                delivery.loopback().bytesPerSecond() * BITS / 1e6,
                delivery.loopback().roundTrip().toNanos() / 1e6);
        return delivery.fault()
                .map(fault -> new Finding(
                        what,
                        observed,
                        Finding.Level.WARNING,
                        "The emulated link is not as specified: " + fault + ".",
                        "use a slower link, a quieter machine or one with more cores"))
                .orElseGet(() -> new Finding(what, observed, Finding.Level.OK, "", ""));
    }
}
