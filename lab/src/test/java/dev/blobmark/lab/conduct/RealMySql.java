package dev.blobmark.lab.conduct;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a private MySQL that allows TLS, started when the first asks for it and stopped after the last of the
 * JVM. A test that asks for it is skipped where the environment does not tell a MySQL.
 */
public final class RealMySql implements ExecutionCondition, ParameterResolver {

    /** The environment variable that holds the base directory of a MySQL, in which {@code bin/mysqld} is. */
    public static final String VARIABLE = "BLOBMARK_TEST_MYSQL";

    private static final String ABSENT =
            "no MySQL to test with: set " + VARIABLE + " to a base directory, see bench/real-mysql";

    /**
     * Skips what is extended before anything of it is made: an assumption in a constructor's parameter would be an
     * error.
     */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        return base().map(base -> ConditionEvaluationResult.enabled("with " + base))
                .orElseGet(() -> ConditionEvaluationResult.disabled(ABSENT));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == OwnServer.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Path base = requireBase();
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(RealMySql.class))
                .computeIfAbsent(OwnServer.class, key -> start(base), OwnServer.class);
    }

    private static OwnServer start(Path base) {
        return (OwnServer) Servers.parse("mysqld:" + base)
                .open(
                        OneServer.CACHE,
                        ServerOptions.of(64 << 20).with(Map.of("innodb_directories", OneServer.HOLELESS.toString())));
    }

    /** The base directory of a MySQL. The test that asks is skipped if there is none. */
    public static Path requireBase() {
        Optional<Path> base = base();
        Assumptions.assumeTrue(base.isPresent(), ABSENT);
        return base.get();
    }

    static Optional<Path> base() {
        return Optional.ofNullable(System.getenv(VARIABLE))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
    }
}
