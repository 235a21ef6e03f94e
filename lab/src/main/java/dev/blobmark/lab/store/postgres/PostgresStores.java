package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.ServerProbe;
import dev.blobmark.lab.store.StoreCosts;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Tables in PostgreSQL. Where a schema is asked for, it is the name of the database: the schema in it is always the same. */
public final class PostgresStores implements StoreKind {

    /** Seen with 18.6 on two cores; with compression by pglz, loading takes longer. */
    private static final StoreCosts COSTS = new StoreCosts(0.1, 80e6, 150e6, 0, 0, 1 << 20);

    @Override
    public String word() {
        return "postgresql";
    }

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public Set<Factor.Use> uses(Levels levels) {
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
    public String ddl(String schema, String name, Levels levels) {
        return PostgresTable.ddl(name, Toast.FACTOR.of(levels));
    }

    @Override
    public Optional<Dialect> dialect(String schema, Levels levels) {
        return Optional.of(new PostgresDialect());
    }

    @Override
    public Connector connector(String schema, Levels levels) {
        return new PostgresConnector(schema, levels);
    }

    @Override
    public StoreCosts costs(Levels levels) {
        return COSTS;
    }

    @Override
    public ServerProbe.Source probe(Levels levels) {
        return Unasked.INSTANCE;
    }

    /** Asks nothing: what the server counts of pages is in other terms than InnoDB's. */
    private enum Unasked implements ServerProbe.Source, ServerProbe {
        INSTANCE;

        @Override
        public ServerProbe open(List<Endpoint> endpoints) {
            return this;
        }

        @Override
        public Pages pages() {
            return Pages.unknown("PostgreSQL is not asked for its pages");
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
