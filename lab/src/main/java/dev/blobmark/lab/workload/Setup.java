package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.client.ConnectionPool;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * What a trial's operations work on.
 *
 * @param design the trial's effective levels
 * @param values encoded as they are stored; without a table, as the codec encodes them
 * @param endpoint null without a table
 * @param others further servers that have the table, over which workers are distributed
 * @param schema null without a table
 * @param table null without a table
 * @param seed of this trial in this round, the same for all its processes
 * @param link between client and server, shared by all workers of the trial
 * @param pool of connections, if workers borrow them
 * @param keyOrders in which a process takes the keys of a set, if each is taken once; empty before {@link #forProcess}
 * @param isRunIn whether this is a run-in, which measures nothing; it inserts into the warm-up's table, with other keys
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
        Optional<KeyOrder.Both> keyOrders,
        boolean isRunIn) {

    /** Stored bytes of a separate table for the warm-up, well below the smallest buffer pool. */
    private static final long WARM_UP_BYTES = 1 << 20;

    /** A measured trial on one server with seed 0 and without a link or a pool. */
    public Setup(Design design, EncodedValues values, Endpoint endpoint, String schema, String table) {
        this(design, values, endpoint, schema, table, 0, SharedLink.LOOPBACK, Optional.empty(), false);
    }

    /** A trial on one server. */
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

    /** A trial on one or more servers. */
    public Setup(
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
        this(design, values, endpoint, others, schema, table, seed, link, pool, Optional.empty(), isRunIn);
    }

    /** This setup for a run-in. */
    public Setup runIn() {
        return new Setup(design, values, endpoint, others, schema, table, seed, link, pool, keyOrders, true);
    }

    /**
     * This setup for all workers of one process, which share it.
     *
     * @param first number of the first of these workers, from 0
     * @param count number of these workers
     * @param total number of workers in all processes of the trial
     */
    public Setup forProcess(int first, int count, int total) {
        if (!design.get(Workload.FACTOR).holdsKeys() || design.get(Draw.FACTOR) == Draw.UNIFORM) {
            return this;
        }
        Optional<KeyOrder.Both> orders = Optional.of(KeyOrder.Both.of(values.count(), seed, first, count, total));
        return new Setup(design, values, endpoint, others, schema, table, seed, link, pool, orders, isRunIn);
    }

    /** What the values are encoded with. */
    Codec codec() throws IOException {
        return values.codec(design.get(StoredCodec.FACTOR));
    }

    /** The number of servers over which workers are distributed. */
    public int nodes() {
        return 1 + others.size();
    }

    /** This setup for one worker; servers are assigned in turn. */
    public Setup forWorker(int worker) {
        int node = worker % nodes();
        return node == 0
                ? this
                : new Setup(
                        design,
                        values,
                        others.get(node - 1),
                        List.of(),
                        schema,
                        table,
                        seed,
                        link,
                        pool,
                        keyOrders,
                        isRunIn);
    }

    /** The trial's kind of store. */
    StoreKind store() {
        return design.get(StoreKinds.FACTOR);
    }

    /** The SQL of the trial's tables. */
    Dialect dialect() {
        return store().dialect(schema, design).orElseThrow();
    }

    /** Connects the trial's workers and pools. */
    public Connector connector() {
        return store().connector(schema, design);
    }

    /** How operations get their connections. */
    ConnectionHandling handling() {
        return design.get(ConnectionHandling.FACTOR);
    }

    /** Whether windows begin without a page of the table in the buffer pool. The warm-up then uses another table. */
    public boolean isCold() {
        return design.get(Pool.FACTOR) == Pool.COLD;
    }

    /** The table that the warm-up reads. */
    String warmUpTable() {
        return isCold() ? warmUpTable(table) : table;
    }

    /** The number of rows that the warm-up's table has: the first rows of the table. */
    public int warmUpRows() {
        return isCold() ? warmUpRows(values) : values.count();
    }

    /** The table that the window reads. A run-in must not read a cold table into memory. */
    String windowTable() {
        return isRunIn ? warmUpTable() : table;
    }

    public int windowRows() {
        return isRunIn ? warmUpRows() : values.count();
    }

    /** The number of values in the warm-up's table of a trial with a cold buffer pool; at least 1. */
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

    /** The name of the warm-up's table, if it cannot be that of the window. Both are created in the same way. */
    public static String warmUpTable(String table) {
        return "w" + table.substring(1);
    }
}
