package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import java.util.List;
import java.util.Optional;

/**
 * What a trial's operations work on.
 *
 * @param levels the trial's effective levels
 * @param values the values as stored, for loading and checking; as they are for workloads without a table
 * @param endpoint null without a table
 * @param others further servers that have the table, over which workers are spread
 * @param schema null without a table
 * @param table null without a table
 * @param seed of this trial in this round, the same for all its processes
 * @param link between client and server, shared by all workers of the trial
 * @param pool of connections, where workers borrow them
 * @param isRunIn whether nothing is measured: what is inserted then stays off the table, and clear of the warm-up's keys
 */
public record Setup(
        Design design,
        EncodedValues values,
        Endpoint endpoint,
        List<Endpoint> others,
        String schema,
        String table,
        long seed,
        SharedLink link,
        Optional<ConnectionPool> pool,
        boolean isRunIn) {

    /** Stored bytes of a table that is warmed up on for another one: well below the smallest buffer pool. */
    private static final long WARM_UP_BYTES = 1 << 20;

    /** Of a trial that is measured, and that nothing is drawn for. */
    public Setup(Design design, EncodedValues values, Endpoint endpoint, String schema, String table) {
        this(design, values, endpoint, List.of(), schema, table, 0, SharedLink.LOOPBACK, Optional.empty(), false);
    }

    /** On one server. */
    public Setup(
            Design design,
            EncodedValues values,
            Endpoint endpoint,
            String schema,
            String table,
            long seed,
            SharedLink link,
            Optional<ConnectionPool> pool,
            boolean isRunIn) {
        this(design, values, endpoint, List.of(), schema, table, seed, link, pool, isRunIn);
    }

    /** The same, to be run in. */
    public Setup runIn() {
        return new Setup(design, values, endpoint, others, schema, table, seed, link, pool, true);
    }

    /** How many servers workers are spread over. */
    public int nodes() {
        return 1 + others.size();
    }

    /** The same for one worker, at its turn of the servers. */
    public Setup of(int worker) {
        int node = worker % nodes();
        return node == 0
                ? this
                : new Setup(design, values, others.get(node - 1), List.of(), schema, table, seed, link, pool, isRunIn);
    }

    /** The kind of store that the trial works on. */
    StoreKind store() {
        return design.get(StoreKinds.FACTOR);
    }

    /** The SQL of the trial's tables. */
    Dialect dialect() {
        return store().dialect(schema, design).orElseThrow();
    }

    /** How the trial's workers and pools connect. */
    public Connector connector() {
        return store().connector(schema, design);
    }

    /** How operations come by their connections. */
    ConnectionHandling handling() {
        return design.get(ConnectionHandling.FACTOR);
    }

    /** Whether the window is to find nothing of the table in the server's buffer pool: the warm-up then has another one. */
    public boolean isCold() {
        return design.get(Pool.FACTOR) == Pool.COLD;
    }

    /** The table that reads warm up on. */
    String warmUpTable() {
        return isCold() ? warmUpTable(table) : table;
    }

    /** How many rows it has: the first ones of the table. */
    public int warmUpRows() {
        return isCold() ? warmUpRows(values) : values.count();
    }

    /** The table that is read in the window; what is only run in must not bring it into memory. */
    String windowTable() {
        return isRunIn ? warmUpTable() : table;
    }

    public int windowRows() {
        return isRunIn ? warmUpRows() : values.count();
    }

    /** How many values are put into the table that a trial with a cold buffer pool warms up on; at least one. */
    public static int warmUpRows(EncodedValues values) {
        int rows = 1;
        for (long bytes = values.storedLength(0); rows < values.count(); rows++) {
            bytes += values.storedLength(rows);
            if (bytes > WARM_UP_BYTES) {
                break;
            }
        }
        return rows;
    }

    /** The table that is warmed up on where that cannot be the one of the window: it is made alike. */
    public static String warmUpTable(String table) {
        return "w" + table.substring(1);
    }
}
