package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.MySqlConnector;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Tables in MySQL, MariaDB or a cluster. */
public final class MySqlStores implements StoreKind {

    private static final StoreCosts INNODB = new StoreCosts(0.1, 150e6, 250e6, 8e-6, 60, 4 << 20, 2L << 30, true);

    /**
     * Creating and dropping a table on all nodes, and loading both replicas. Seen with MySQL Cluster 9.7.4 on two
     * cores. Tables take memory of the data nodes, twice because of replicas, and parts and pages are not full.
     */
    private static final StoreCosts CLUSTER =
            new StoreCosts(0.6, 40e6, Double.POSITIVE_INFINITY, 8e-6, 60, 4 << 20, 256L << 20, false);

    @Override
    public String word() {
        return "mysql";
    }

    @Override
    public String product() {
        return "MySQL";
    }

    @Override
    public Set<Factor.Use> uses(Design design) {
        Set<Factor.Use> uses = EnumSet.of(Factor.Use.SQL, Factor.Use.MYSQL);
        if (isClustered(design)) {
            uses.add(Factor.Use.CLUSTER);
            if (design.get(Column.FACTOR).hasParts()) {
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
    public boolean isOnAllServers(Design design) {
        return isClustered(design);
    }

    private static boolean isClustered(Design design) {
        return design.get(Layout.FACTOR).isClustered();
    }

    @Override
    public String ddl(String schema, String name, Design design) {
        Layout layout = design.get(Layout.FACTOR);
        if (LoadOrder.isOfSet(design)) {
            return KeyTable.ddl(schema, name, layout, "BINARY(/* the longest key */)");
        }
        Column column = design.get(Column.FACTOR);
        return MySqlTable.ddl(
                schema, name, layout, layout.isClustered() ? column.shown(design.get(Inline.FACTOR)) : column);
    }

    @Override
    public Optional<Dialect> dialect(String schema, Design design) {
        return Optional.of(new MySqlDialect(schema, isClustered(design)));
    }

    @Override
    public Connector connector(String schema, Design design) {
        return new MySqlConnector(schema, design);
    }

    @Override
    public ServerProbe.ProbeSource probe(Design design) {
        return new MySqlProbe.MySqlProbeSource(design.get(Driver.FACTOR), isClustered(design));
    }

    @Override
    public StoreCosts costs(Design design) {
        return isClustered(design) ? CLUSTER : INNODB;
    }
}
