package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Servers that the tests of a JVM share; they end with it. */
public final class OnePostgres {

    private static PostgresServer embedded;
    private static PostgresServer installed;

    private OnePostgres() {}

    private static PostgresServer start(String kind, PostgresBinaries binaries) {
        PostgresServer server =
                OwnPostgres.start(OneServer.CACHE, kind, binaries, Map.of("fsync", "off"), ServerLaunch.USUAL);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
    }

    /** The one that comes with Blobmark, which has no LZ4. */
    public static synchronized PostgresServer embedded() {
        if (embedded == null) {
            embedded = start(
                    "embedded",
                    PostgresBinaries.unpacked(OneServer.CACHE.toAbsolutePath().resolve("embedded")));
        }
        return embedded;
    }

    /** One of this machine, as distributions build it. */
    public static synchronized PostgresServer installed() {
        Assumptions.assumeTrue(isInstalled(), "no PostgreSQL is installed in /usr/lib/postgresql");
        if (installed == null) {
            installed = start("postgres", PostgresBinaries.find(List.of()));
        }
        return installed;
    }

    private static boolean isInstalled() {
        Path versions = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(versions)) {
            return false;
        }
        try (Stream<Path> found = Files.list(versions)) {
            return found.anyMatch(version -> Files.isExecutable(version.resolve("bin/initdb")));
        } catch (java.io.IOException e) {
            return false;
        }
    }

    public static Connection connect(PostgresServer server) throws SQLException {
        return PostgresConnections.connect(server.endpoint(), server.database());
    }
}
