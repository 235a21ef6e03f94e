package dev.blobmark.lab.plan;

import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.workload.Threads;

/** The most connections that a trial has open at the same time. */
public final class TrialConnections {

    /** Further connections of the run, to the server on which tables are loaded: one to load, and one to watch. */
    public static final int OF_RUN = 2;

    private TrialConnections() {}

    /**
     * The connections of workers and pools, distributed over the servers as during measurement, and one to each server
     * that reads its counters.
     *
     * @param design of a trial on a table
     * @param servers number of servers of the run: 1, or the SQL nodes of a cluster
     * @return connections to each server
     */
    public static int[] of(Design design, int servers) {
        int[] open = new int[servers];
        int used = design.get(StoreKinds.FACTOR).isOnAllServers(design) ? servers : 1;
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        for (Share share : Share.distribute(design.get(Threads.FACTOR), design.get(Processes.FACTOR))) {
            // a pool starts with the first server, a worker uses the server of its number, and an asynchronous client
            // the first server
            int first = handling.isPooled() ? 0 : share.first();
            for (int i = 0; i < handling.connections(share.count()); i++) {
                open[design.get(ClientKind.FACTOR) == ClientKind.ASYNC ? 0 : (first + i) % used]++;
            }
        }
        for (int server = 0; server < used; server++) {
            open[server]++;
        }
        return open;
    }
}
