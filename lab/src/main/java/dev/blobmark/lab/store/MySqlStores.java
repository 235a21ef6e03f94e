package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.MySqlConnector;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Tables in MySQL, MariaDB or a cluster. */
public final class MySqlStores implements StoreKind {

    private static final StoreCosts INNODB = new StoreCosts(0.1, 150e6, 250e6, 8e-6, 60, 4 << 20);

    /**
     * To make a table on all nodes of a cluster, and to drop it; and to load both replicas and read them back. Seen with MySQL Cluster
     * 9.7.4 on two cores.
     */
    private static final StoreCosts CLUSTER = new StoreCosts(0.6, 40e6, Double.POSITIVE_INFINITY, 8e-6, 60, 4 << 20);

    @Override
    public String word() {
        return "mysql";
    }

    @Override
    public String product() {
        return "MySQL";
    }

    @Override
    public Set<Factor.Use> uses(Levels levels) {
        Set<Factor.Use> uses = EnumSet.of(Factor.Use.SQL, Factor.Use.MYSQL);
        if (Layout.FACTOR.of(levels).isClustered()) {
            uses.add(Factor.Use.CLUSTER);
            if (Column.FACTOR.of(levels).hasParts()) {
                uses.add(Factor.Use.PARTS);
            }
        }
        return uses;
    }

    @Override
    public boolean holdsValues() {
        return true;
    }

    @Override
    public boolean hasAsyncClient() {
        return true;
    }

    @Override
    public String ddl(String schema, String name, Levels levels) {
        Layout layout = Layout.FACTOR.of(levels);
        if (LoadOrder.isOfSet(levels)) {
            return KeyTable.ddl(schema, name, layout, "BINARY(/* the longest key */)");
        }
        Column column = Column.FACTOR.of(levels);
        return MySqlTable.ddl(
                schema, name, layout, layout.isClustered() ? column.shown(Inline.FACTOR.of(levels)) : column);
    }

    @Override
    public Optional<Dialect> dialect(String schema, Levels levels) {
        return Optional.of(new MySqlDialect(schema, Layout.FACTOR.of(levels).isClustered()));
    }

    @Override
    public Connector connector(String schema, Levels levels) {
        return new MySqlConnector(schema, levels);
    }

    @Override
    public ServerProbe.Source probe(Levels levels) {
        return new MySqlProbe.Source(
                Driver.FACTOR.of(levels), Layout.FACTOR.of(levels).isClustered());
    }

    @Override
    public StoreCosts costs(Levels levels) {
        return Layout.FACTOR.of(levels).isClustered() ? CLUSTER : INNODB;
    }
}
