package dev.blobmark.lab;

import dev.blobmark.lab.server.EmbeddedServer;
import dev.blobmark.lab.server.Servers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a private MySQL that allows TLS, started when the first asks for it and stopped after the last of the JVM. A
 * test that asks for it is skipped where the environment does not tell a MySQL.
 */
public final class RealMySql implements ParameterResolver {

    /** The environment variable that holds the base directory of a MySQL, in which {@code bin/mysqld} is. */
    public static final String VARIABLE = "BLOBMARK_TEST_MYSQL";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == EmbeddedServer.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Path base = requireBase();
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(RealMySql.class))
                .computeIfAbsent(EmbeddedServer.class, key -> start(base), EmbeddedServer.class);
    }

    private static EmbeddedServer start(Path base) {
        return (EmbeddedServer) Servers.parse("mysqld:" + base)
                .open(
                        OneServer.CACHE,
                        EmbeddedServer.Options.of(64 << 20)
                                .withVariables(Map.of("innodb_directories", OneServer.HOLELESS.toString())));
    }

    /** The base directory of a MySQL. The test that asks is skipped if there is none. */
    public static Path requireBase() {
        Optional<String> base = Optional.ofNullable(System.getenv(VARIABLE)).filter(text -> !text.isEmpty());
        Assumptions.assumeTrue(
                base.isPresent(),
                "no MySQL to test with: set " + VARIABLE + " to a base directory, see bench/real-mysql");
        return Path.of(base.get());
    }
}
