package dev.blobmark.mysql.admission;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.SampleLimits;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableSample;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.ValueFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Reads samples of a user's tables on a server that others use. It writes nothing, pauses between its queries, and
 * waits while the server's load is high.
 */
public final class TableSession implements AutoCloseable {

    /** The connections used here have no schema. */
    private static final String NO_SCHEMA = "";

    private static final ValueFormat VALUES =
            ValueFormat.builder().maxLength(TableColumn.MAX_BYTES).build();
    private static final UnaryOperator<byte[]> FRAMES = TableSession::decoded;

    private final Connection connection;
    private final LoadWatch watch;
    private final EndReason ended;
    private final Runnable check;
    private final Consumer<String> notes;

    private TableSession(
            Connection connection, LoadWatch watch, EndReason ended, Runnable check, Consumer<String> notes) {
        this.connection = connection;
        this.watch = watch;
        this.ended = ended;
        this.check = check;
        this.notes = notes;
    }

    /**
     * Opens a session.
     *
     * @param load with which reading continues
     * @param check runs after each statement and while the load is high, and may throw to end reading
     * @param notes receives a line when reading pauses or continues
     */
    public static TableSession open(Endpoint endpoint, ToleratedLoad load, Runnable check, Consumer<String> notes)
            throws SQLException {
        EndReason ended = new EndReason();
        Connection connection = JdbcDriver.connectForLoading(endpoint, NO_SCHEMA);
        try {
            LoadWatch watch = new LoadWatch(
                    () -> JdbcDriver.connectToWatch(endpoint),
                    NO_SCHEMA,
                    Sql.id(connection),
                    watched -> Optional.empty(), // reading is safe on a replica too
                    load.max().orElse(LoadLimits.USUAL),
                    load.critical(),
                    ended);
            return new TableSession(connection, watch.start(), ended, check, notes);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Reads a sample of a column's values. Those in the value format are decoded, as the application reads them, except
     * for those that need a dictionary.
     *
     * @param most what is read at most
     * @param file receives the values; it must exist as long as they are used
     * @param notes receives a line when reading pauses or continues
     * @throws dev.blobmark.mysql.table.DatasetException if there are no values; with the remedy
     * @throws CriticalLoadException if the load exceeds the critical limit
     * @throws WatchLostException if the server's load could not be read
     */
    public static TableColumn.Sample read(
            Endpoint endpoint,
            TableColumn column,
            long seed,
            SampleLimits most,
            ToleratedLoad load,
            Path file,
            Consumer<String> notes)
            throws SQLException, IOException, InterruptedException {
        try (TableSession session = open(endpoint, load, () -> {}, notes)) {
            TableColumn.Sample sample = session.read(column, seed, most, FRAMES, file);
            long encoded = sample.origin().getOrDefault(TableSample.DECODED, 0L);
            if (encoded > 0) {
                notes.accept(encoded + " of " + sample.rows().size() + " values of " + column
                        + " are encoded in the value format; they were decoded");
            }
            return sample;
        }
    }

    /** A sample of what is stored, within this session. */
    public TableColumn.Sample read(TableColumn column, long seed, SampleLimits most, Path file)
            throws SQLException, IOException, InterruptedException {
        return read(column, seed, most, stored -> stored, file);
    }

    private TableColumn.Sample read(
            TableColumn column, long seed, SampleLimits most, UnaryOperator<byte[]> reader, Path file)
            throws SQLException, IOException, InterruptedException {
        return TableSample.read(
                connection, column, seed, most, reader, file, tookNanos -> pause(tookNanos, "" + column));
    }

    /** The value in a frame. What is none, or cannot be decoded without more, is taken for a value. */
    private static byte[] decoded(byte[] stored) {
        try {
            return VALUES.decode(stored);
        } catch (FrameException e) {
            return stored;
        }
    }

    /** The connection, on which {@link #pause} must follow each statement. */
    public Connection connection() {
        return connection;
    }

    /**
     * Pauses as long as a statement took, and then while the server's load is high.
     *
     * @param what was read, for notes
     */
    public void pause(long tookNanos, String what) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(tookNanos);
        check();
        if (watch.awaitLowLoad(reason -> notes.accept("reading " + what + " paused: " + reason), this::check)) {
            notes.accept(LoadWatch.CONTINUING);
        }
    }

    /**
     * Why work should wait now: the load is high, or cannot be read.
     *
     * @throws CriticalLoadException if the load exceeds the critical limit
     * @throws WatchLostException if the server's load could not be read for long
     */
    public Optional<String> reasonToWait() {
        check();
        return watch.reasonToWait();
    }

    private void check() {
        ended.check();
        check.run();
    }

    @Override
    public void close() throws SQLException {
        watch.close();
        connection.close();
    }

    /** Keeps the reason for which the watch ends reading. */
    private static final class EndReason implements Alarm {

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
