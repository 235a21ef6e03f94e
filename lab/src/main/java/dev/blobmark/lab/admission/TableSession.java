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

/** Reads samples of a user's tables on a server that others use: only reads, pauses in between, and gives way to them. */
public final class TableSession {

    /** Of the schema that a run's own connections are in, which here have none. */
    private static final String NO_SCHEMA = "";

    private TableSession() {}

    /**
     * The column with the values that are read of it.
     *
     * @param file is written; holds the values as long as they are used
     * @param notes is told when reading waits for the server
     * @throws dev.blobmark.lab.dataset.DatasetException if there are none to be had, with the mend
     * @throws CriticalLoadException if the server had more to do than the terms allow
     * @throws WatchLostException if the server's load could not be read
     */
    public static TableColumn read(
            Endpoint endpoint, TableColumn column, long seed, RunLimits terms, Path file, Consumer<String> notes)
            throws SQLException, IOException, InterruptedException {
        Ended ended = new Ended();
        try (Connection connection = Driver.connectForLoading(endpoint, "");
                LoadWatch watch = new LoadWatch(
                                () -> Driver.connectToWatch(endpoint),
                                NO_SCHEMA,
                                ServerSession.id(connection),
                                watched -> Optional.empty(), // a replica is read as well as its source
                                terms.maxLoad().orElse(LoadLimits.USUAL),
                                terms.criticalLoad(),
                                ended)
                        .start()) {
            return column.with(TableSample.read(connection, column, seed, file, tookNanos -> {
                TimeUnit.NANOSECONDS.sleep(tookNanos);
                ended.check();
                if (watch.awaitCalm(why -> notes.accept("reading " + column + " paused: " + why), ended::check)) {
                    notes.accept(LoadWatch.GOING_ON);
                }
            }));
        }
    }

    /** What the watch has ended reading for. */
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
