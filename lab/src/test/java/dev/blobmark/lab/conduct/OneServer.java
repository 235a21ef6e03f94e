package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests a server that allows TLS, started when the first asks for it and stopped after the last of the JVM. */
public final class OneServer implements ParameterResolver {

    /** Kept between builds, so that the server is unpacked once. */
    public static final Path CACHE = Path.of("target", "blobmark-cache" + System.getProperty("blobmark.test.jvm", ""))
            .toAbsolutePath();

    /** Where a test may mount a file system without hole punching; servers may have tables there. */
    public static final Path HOLELESS = CACHE.resolve("holeless");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == OwnServer.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(OneServer.class))
                .computeIfAbsent(
                        OwnServer.class, key -> OwnServer.start(CACHE, ServerOptions.of(64 << 20)), OwnServer.class);
    }

    /**
     * The server of the tests for a run, again and again: what a run leaves on it is dropped when the run closes it.
     */
    static Servers.Source lent(OwnServer server) {
        return (cache, options) -> new Lent(server);
    }

    private record Lent(OwnServer server) implements Server {

        @Override
        public String kind() {
            return server.kind();
        }

        @Override
        public Endpoint endpoint() {
            return server.endpoint();
        }

        @Override
        public void close() {
            try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP DATABASE IF EXISTS `" + RunLimits.DEFAULT_SCHEMA + "`");
            } catch (SQLException e) {
                throw new ServerException("cannot drop what the run left", e);
            }
        }
    }
}
