package dev.blobmark.lab.plan;

import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.workload.Threads;

/** How many connections a trial has open at once, at most, on the servers that its table is on. */
public final class TrialConnections {

    /** That the run has open besides: one that loads and one that watches, on the server that tables are loaded on. */
    public static final int OF_RUN = 2;

    private TrialConnections() {}

    /**
     * Those of its workers and pools, dealt out over the servers as they are when it is measured, and one on each server that asks
     * it about itself.
     *
     * @param levels of a trial on a table
     * @param servers of the run: 1, or the SQL nodes of a cluster
     * @return of each server
     */
    public static int[] of(Design design, int servers) {
        int[] open = new int[servers];
        int used = design.get(StoreKinds.FACTOR).isOnAllServers(design) ? servers : 1;
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        for (Share share : Share.deal(design.get(Threads.FACTOR), design.get(Processes.FACTOR))) {
            // a pool begins with the first server, a worker is on the one of its number, and an asynchronous client on
            // the first
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
