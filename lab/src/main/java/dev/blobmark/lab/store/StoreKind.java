package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Optional;
import java.util.Set;

/**
 * A kind of server that holds values or keys. A level of the factor {@code store}; {@link
 * dev.blobmark.lab.store.kind.StoreKinds} lists all kinds.
 */
public interface StoreKind {

    /** As studies spell it; also the name of its server in a manifest. */
    String word();

    /** The name of its server for people. */
    String product();

    /** What trials on it use, which decides the factors that matter to them. */
    Set<Factor.Use> uses(Design design);

    /** Whether it holds tables of values. Every kind holds sets of keys. */
    boolean holdsValues();

    /** Whether its workers keep several operations in flight without a thread for each. */
    boolean hasAsyncClient();

    /** Whether a store is on every server of its kind that a run has: its workers are then spread over them. */
    default boolean isOnAllServers(Design design) {
        return false;
    }

    /** The statement or commands that make a store, as a plan shows them before the values are known. */
    String ddl(String schema, String name, Design design);

    /** The SQL of the tables of a trial; empty where the client does not speak SQL. */
    Optional<Dialect> dialect(String schema, Design design);

    /** How workers of a trial connect; only for a kind with a dialect. */
    Connector connector(String schema, Design design);

    /** How the server that holds the stores of a trial is asked about its own work. */
    ServerProbe.Source probe(Design design);

    /** What loading and keeping a store is expected to cost. */
    StoreCosts costs(Design design);
}
