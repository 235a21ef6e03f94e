package dev.blobmark.lab.admission;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableSample;
import dev.blobmark.lab.server.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Reads samples of a user's tables on a server that others use. It writes nothing, and pauses between its queries. */
public final class TableSession {

    /** The connections used here have no schema. */
    private static final String NO_SCHEMA = "";

    private TableSession() {}

    /**
     * Reads a sample of a column's values.
     *
     * @param most what is read at most
     * @param file receives the values; it must exist as long as they are used
     * @param notes receives a line when reading pauses or continues
     * @return the column with its values
     * @throws dev.blobmark.lab.dataset.DatasetException if there are no values; with the remedy
     * @throws CriticalLoadException if the load exceeds the critical limit
     * @throws WatchLostException if the server's load could not be read
     */
    public static TableColumn read(
            Endpoint endpoint,
            TableColumn column,
            long seed,
            TableSample.Limits most,
            RunLimits limits,
            Path file,
            Consumer<String> notes)
            throws SQLException, IOException, InterruptedException {
        Ended ended = new Ended();
        try (Connection connection = Driver.connectForLoading(endpoint, "");
                LoadWatch watch = new LoadWatch(
                                () -> Driver.connectToWatch(endpoint),
                                NO_SCHEMA,
                                ServerSession.id(connection),
                                watched -> Optional.empty(), // reading is safe on a replica too
                                limits.maxLoad().orElse(LoadLimits.USUAL),
                                limits.criticalLoad(),
                                ended)
                        .start()) {
            return column.with(TableSample.read(connection, column, seed, most, file, tookNanos -> {
                TimeUnit.NANOSECONDS.sleep(tookNanos);
                ended.check();
                if (watch.awaitLowLoad(
                        reason -> notes.accept("reading " + column + " paused: " + reason), ended::check)) {
                    notes.accept(LoadWatch.CONTINUING);
                }
            }));
        }
    }

    /** Keeps the reason for which the watch ends reading. */
    private static final class Ended implements Alarm {

        private final AtomicReference<RuntimeException> cause = new AtomicReference<>();

        @Override
        public void critical(String excess) {
            cause.compareAndSet(null, new CriticalLoadException(excess));
        }

        @Override
        public void lost(String reason) {
            cause.compareAndSet(null, new WatchLostException(reason));
        }

        void check() {
            RuntimeException thrown = cause.get();
            if (thrown != null) {
                throw thrown;
            }
        }
    }
}
