package dev.blobmark.lab.conduct;

import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a private NDB Cluster of two data nodes and {@value #SQL_NODES} SQL nodes, started when the first asks
 * for it and stopped after the last of the JVM. A test that asks for it is skipped where the environment does not tell
 * a MySQL that has one.
 *
 * <p>It takes 20 s to start and 2.5 GB of memory. Call a class that wants it {@code …IT}: those run in one JVM, after
 * the other tests, so that there is but one cluster at a time.
 */
public final class RealCluster implements ExecutionCondition, ParameterResolver {

    public static final int SQL_NODES = 2;

    private static final String ABSENT = "no NDB Cluster to test with: set " + RealMySql.VARIABLE
            + " to a base directory that has bin/ndb_mgmd and bin/ndbmtd, see bench/real-mysql";

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
        return parameter.getParameter().getType() == NdbCluster.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Path base = base().orElseThrow(() -> new IllegalStateException(ABSENT));
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(RealCluster.class))
                .computeIfAbsent(NdbCluster.class, key -> start(base), NdbCluster.class);
    }

    private static NdbCluster start(Path base) {
        return ((Servers.Ndb) Servers.parse("ndb:" + base))
                .withSqlNodes(SQL_NODES)
                .open(OneServer.CACHE, ServerOptions.of(64 << 20));
    }

    private static Optional<Path> base() {
        return RealMySql.base()
                .filter(base -> Files.isExecutable(base.resolve("bin/ndb_mgmd"))
                        && Files.isExecutable(base.resolve("bin/ndbmtd")));
    }
}
