package dev.blobmark.reencode.row;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.value.FrameException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/**
 * Reads rows and converts their values, while others are written. The number of rows follows from the time that it took
 * to write those before.
 */
public final class Chunks implements AutoCloseable {

    private static final int MAX_CONVERTERS = 4;

    private static final long MIN_BYTES = 16 << 10;
    public static final long MAX_BYTES = 2 << 20;

    /** At most this much larger than the one before. */
    private static final double MAX_GROWTH = 1.5;

    /** Rows that are converted before their size is looked at. */
    private static final int CONVERTED_ROWS = 32;

    private final TableColumn column;
    private final TableKey key;
    private final RowSource reader;
    private final Conversion conversion;
    private final Limits limits;
    private final long targetNanos;
    private final Clock clock;

    /** Empty if the caller's thread reads and converts. */
    private final Optional<ChunkThreads> threads;

    private long bytes = MIN_BYTES * 4;

    /** Bytes that are written for a byte that is read, at least 1. Used by the thread that prepares. */
    private double growth = 1;

    /** Key of the last row; empty for no end. */
    private Optional<List<Object>> until = Optional.empty();

    private record ChunkThreads(ExecutorService preparing, ForkJoinPool converting) {}

    /**
     * How long a value may be when it is converted.
     *
     * @param type of the column, as the server writes it
     * @param maxBytes that it holds
     * @param packetBytes {@code max_allowed_packet} of the connection that writes
     */
    public record Limits(String type, long maxBytes, long packetBytes) {

        public static Limits of(Connection writing, String type, long maxBytes) throws SQLException {
            return new Limits(type, maxBytes, Long.parseLong(JdbcDriver.variable(writing, "max_allowed_packet")));
        }

        /** Longer values are not read. */
        public long maxLength() {
            return Math.min(Conversion.MAX_LENGTH, packetBytes - Rewriter.ROW_OVERHEAD);
        }
    }

    /** Rows that are converted, in the order of the key. */
    public record Chunk(List<Change> changes, long tookNanos) {

        public boolean isEmpty() {
            return changes.isEmpty();
        }

        public List<Object> first() {
            return changes.get(0).row().key();
        }

        public List<Object> last() {
            return changes.get(changes.size() - 1).row().key();
        }
    }

    /**
     * @param reader whose session nobody else uses
     * @param limits of converted values
     * @param targetNanos time that it should take to write the rows
     * @param converters threads that convert values; 0 to read and convert in the caller's thread
     */
    public Chunks(
            TableColumn column,
            TableKey key,
            RowSource reader,
            Conversion conversion,
            Limits limits,
            long targetNanos,
            int converters,
            Clock clock) {
        this.column = column;
        this.key = key;
        this.reader = reader;
        this.conversion = conversion;
        this.limits = limits;
        this.targetNanos = targetNanos;
        this.clock = clock;
        threads = converters == 0
                ? Optional.empty()
                : Optional.of(new ChunkThreads(
                        Executors.newSingleThreadExecutor(Chunks::daemon), new ForkJoinPool(converters)));
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "reencode-reader");
        thread.setDaemon(true);
        return thread;
    }

    /** Sets the key of the last row, before the first ones are prepared. */
    public void until(Optional<List<Object>> last) {
        until = last;
    }

    /** Begins to prepare the rows after a key; one after the other, not several at once. */
    public CompletableFuture<Chunk> prepare(Optional<List<Object>> after) {
        long size = bytes;
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        long begin = clock.nanoTime();
                        List<Row> rows = reader.next(after, until, Math.max(1, Math.round(size / growth)));
                        return new Chunk(converted(rows, size), clock.nanoTime() - begin);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                threads.<Executor>map(ChunkThreads::preparing).orElse(Runnable::run));
    }

    public static Chunk await(CompletableFuture<Chunk> chunk) throws SQLException {
        try {
            return chunk.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SQLException sql) {
                throw sql;
            }
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /**
     * The first rows, until a transaction of them is large enough: on the way back, values become longer, by how much
     * is known afterwards. Rows that are left over are read again.
     */
    private List<Change> converted(List<Row> rows, long size) {
        List<Change> changes = new ArrayList<>();
        long read = 0;
        long written = 0;
        for (int from = 0; from < rows.size() && written < size; from += CONVERTED_ROWS) {
            List<Row> some = rows.subList(from, Math.min(rows.size(), from + CONVERTED_ROWS));
            List<Change> converted = threads.map(with -> with.converting()
                            .submit(() ->
                                    some.parallelStream().map(this::converted).toList())
                            .join())
                    .orElseGet(() -> some.stream().map(this::converted).toList());
            for (Iterator<Change> each = converted.iterator(); each.hasNext() && written < size; ) {
                Change change = each.next();
                changes.add(change);
                read += change.row().length();
                written += change.isNeeded()
                        ? Math.max(change.row().length(), change.result().stored().length)
                        : change.row().length();
            }
        }
        growth = read == 0 ? growth : (double) written / read;
        return changes;
    }

    /** @throws ReencodeException if the value cannot be read, or is too long when it is converted */
    public Change converted(Row row) {
        try {
            Change change =
                    new Change(row, row.stored().map(conversion::convert).orElse(null));
            if (change.isNeeded()) {
                requireFits(row, change.result().stored().length);
            }
            return change;
        } catch (FrameException | IllegalStateException e) {
            throw new ReencodeException(
                    place(row),
                    e.getMessage() + (e instanceof FrameException frame ? Conversion.remedy(frame) : ""),
                    "then the same command continues",
                    e);
        }
    }

    private void requireFits(Row row, long length) {
        String converted = "its value has " + length + " bytes when it is converted";
        if (length > limits.maxBytes()) {
            throw new ReencodeException(
                    place(row),
                    converted + ", and the column is of type " + limits.type(),
                    "give it a longer type; then the same command continues");
        }
        if (length > limits.packetBytes() - Rewriter.ROW_OVERHEAD) {
            throw new ReencodeException(
                    place(row),
                    converted + ", and max_allowed_packet is " + limits.packetBytes(),
                    "SET GLOBAL max_allowed_packet to more; then the same command continues");
        }
    }

    private String place(Row row) {
        return column.name() + ", key " + key.readable(row.key());
    }

    /** Adjusts the size of the next rows. */
    public void written(long tookNanos) {
        double factor = Math.min(MAX_GROWTH, (double) targetNanos / Math.max(1, tookNanos));
        bytes = Math.max(MIN_BYTES, Math.min(MAX_BYTES, Math.round(bytes * factor)));
    }

    /** The rows could not be written at once. */
    public void halve() {
        bytes = Math.max(MIN_BYTES, bytes / 2);
    }

    @Override
    public void close() {
        threads.ifPresent(with -> {
            with.preparing().shutdownNow();
            with.converting().shutdownNow();
        });
    }

    /** How many threads convert values. */
    public static int converters() {
        return Math.max(1, Math.min(MAX_CONVERTERS, Runtime.getRuntime().availableProcessors() - 1));
    }
}
