package dev.blobmark.lab.guest;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Reads samples of a user's tables on a server that others use: only reads, pauses in between, and gives way to them. */
public final class TableVisit {

    /** Of the schema that a run's own connections are in, which here have none. */
    private static final String NO_SCHEMA = "";

    private TableVisit() {}

    /**
     * The column with the values that are read of it.
     *
     * @param file is written; holds the values as long as they are used
     * @param notes is told when reading waits for the server
     * @throws dev.blobmark.lab.dataset.DatasetException if there are none to be had, with the mend
     * @throws CriticalLoadException if the server had more to do than the terms allow
     */
    public static TableColumn read(
            Endpoint endpoint, TableColumn column, long seed, Terms terms, Path file, Consumer<String> notes)
            throws SQLException, IOException, InterruptedException {
        AtomicReference<String> critical = new AtomicReference<>();
        Runnable check = () -> {
            if (critical.get() != null) {
                throw new CriticalLoadException(critical.get());
            }
        };
        try (Connection connection = Driver.connectForLoading(endpoint, "");
                LoadWatch watch = new LoadWatch(
                                () -> Driver.connectForLoading(endpoint, ""),
                                NO_SCHEMA,
                                id(connection),
                                terms.maxLoad().orElse(LoadLimits.USUAL),
                                terms.criticalLoad(),
                                critical::set)
                        .start()) {
            return column.with(TableSample.read(connection, column, seed, file, tookNanos -> {
                TimeUnit.NANOSECONDS.sleep(tookNanos);
                check.run();
                if (watch.awaitCalm(over -> notes.accept("reading " + column + " paused: " + over), check)) {
                    notes.accept("going on: the load is below --max-load again");
                }
            }));
        }
    }

    private static long id(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
            row.next();
            return row.getLong(1);
        }
    }
}
