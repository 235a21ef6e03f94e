package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Optional;
import java.util.Set;

/**
 * A kind of server that holds values or keys. A level of the factor {@code store};
 * {@link dev.blobmark.lab.store.kind.StoreKinds} lists all kinds.
 */
public interface StoreKind {

    /** The level in studies; also the name of the server in a manifest. */
    String word();

    /** The name of the server in messages. */
    String product();

    /** What trials on it use, which decides which factors apply to them. */
    Set<Factor.Use> uses(Design design);

    /** Whether it stores tables of values. */
    boolean holdsValues();

    /** Whether it has a client that keeps several operations in flight without a thread for each. */
    boolean hasAsyncClient();

    /** Whether a store is on all servers of its kind in a run, so that workers are distributed over them. */
    default boolean isOnAllServers(Design design) {
        return false;
    }

    /** The statement or commands that create a store, as a plan shows them before the values are known. */
    String ddl(String schema, String name, Design design);

    /** The SQL of a trial's tables; empty if the server does not have SQL. */
    Optional<Dialect> dialect(String schema, Design design);

    /** Connects the workers of a trial; only for a kind with a dialect. */
    Connector connector(String schema, Design design);

    /** Opens probes of the server that holds the stores of a trial. */
    ServerProbe.ProbeSource probe(Design design);

    /** Estimated time and space of a store. */
    StoreCosts costs(Design design);
}
