package dev.blobmark.reencode;

import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.ConnectionLostException;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.ProbeRead;
import dev.blobmark.reencode.throttle.ReplicaLag;
import dev.blobmark.reencode.throttle.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a change waits for besides the load: replicas that are late, reads that take long, a server that is demoted. */
final class Guards implements AutoCloseable {

    private static final long DEMOTION_NANOS = 1_000_000_000L;
    private static final int ANSWER_SECONDS = 5;

    private final List<Signal> signals = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    private Guards() {}

    /**
     * @param replicas whose lag is watched
     * @param locking the connection that has the lock of the change, used by the thread that works
     */
    static Guards start(
            Endpoint endpoint,
            TableColumn column,
            TableKey key,
            ReencodeOptions options,
            List<Endpoint> replicas,
            Connection locking)
            throws SQLException {
        Guards guards = new Guards();
        try {
            guards.signals.add(new Demotion(locking));
            if (!replicas.isEmpty()) {
                ReplicaLag lag = new ReplicaLag(
                        new Connections(endpoint),
                        column,
                        replicas,
                        options.pace().maxLag());
                guards.opened.add(lag);
                guards.signals.add(lag);
            }
            if (options.pace().maxProbe().isPresent()) {
                ProbeRead probe = new ProbeRead(
                        endpoint,
                        "SELECT " + Names.quoted(column.column()) + key.all().sql() + " LIMIT 1",
                        options.pace().maxProbe().get());
                guards.opened.add(probe);
                guards.signals.add(probe);
            }
            return guards;
        } catch (SQLException | RuntimeException e) {
            guards.close();
            throw e;
        }
    }

    List<Signal> signals() {
        return signals;
    }

    @Override
    public void close() {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (Exception e) {
                // the connection is lost, and the row of a beat is harmless
            }
        }
    }

    /** Ends the work when the server becomes a replica: its source would not have what is written. */
    private static final class Demotion implements Signal {
        private final Connection session;
        private long askedNanos = System.nanoTime();

        Demotion(Connection session) {
            this.session = session;
        }

        /** @throws ConnectionLostException if the lock may be lost too */
        @Override
        public Optional<String> reasonToWait() {
            if (System.nanoTime() - askedNanos < DEMOTION_NANOS) {
                return Optional.empty();
            }
            try {
                if (new Replication(session).replica() == Replication.Replica.YES) {
                    throw new WatchLostException("the server has become a replica; continue on its source");
                }
                askedNanos = System.nanoTime();
                return Optional.empty();
            } catch (SQLException e) {
                if (!isUsable()) {
                    throw new ConnectionLostException(e);
                }
                return Optional.of("it is not known whether the server has become a replica (" + e.getMessage() + ")");
            }
        }

        private boolean isUsable() {
            try {
                return session.isValid(ANSWER_SECONDS);
            } catch (SQLException e) {
                return false;
            }
        }
    }
}
