package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.ServerProbe;
import dev.blobmark.lab.store.StoreCosts;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.server.Endpoint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Tables in PostgreSQL. Parameters named {@code schema} are the name of the database; the schema within it is always
 * {@link PostgresTable#SCHEMA}.
 */
public final class PostgresStores implements StoreKind {

    /** Seen with 18.6 on two cores. Loading takes longer with pglz compression. */
    private static final StoreCosts COSTS = new StoreCosts(0.1, 80e6, 150e6, 0, 0, 1 << 20, 2L << 30, true);

    @Override
    public String word() {
        return "postgresql";
    }

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public Set<Factor.Use> uses(Design design) {
        return Set.of(Factor.Use.SQL, Factor.Use.POSTGRES);
    }

    @Override
    public boolean holdsValues() {
        return true;
    }

    @Override
    public boolean hasAsyncClient() {
        return false;
    }

    @Override
    public String ddl(String schema, String name, Design design) {
        return PostgresTable.ddl(name, design.get(Toast.FACTOR));
    }

    @Override
    public Optional<Dialect> dialect(String schema, Design design) {
        return Optional.of(new PostgresDialect());
    }

    @Override
    public Connector connector(String schema, Design design) {
        return new PostgresConnector(schema, design);
    }

    @Override
    public StoreCosts costs(Design design) {
        return COSTS;
    }

    @Override
    public ServerProbe.ProbeSource probe(Design design) {
        return NoProbe.INSTANCE;
    }

    /** Reads nothing: PostgreSQL's counters of pages are not comparable with InnoDB's. */
    private enum NoProbe implements ServerProbe.ProbeSource, ServerProbe {
        INSTANCE;

        @Override
        public ServerProbe open(List<Endpoint> endpoints) {
            return this;
        }

        @Override
        public ProbedCounts counts() {
            return ProbedCounts.unknown("pages of PostgreSQL are not counted");
        }

        @Override
        public OptionalLong waits() {
            return OptionalLong.empty();
        }

        @Override
        public OptionalLong cpuNanos() {
            return OptionalLong.empty();
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
