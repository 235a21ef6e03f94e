package dev.blobmark.reencode;

import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.reencode.Rewriter.Change;
import dev.blobmark.value.FrameException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/**
 * Reads rows and converts their values, while others are written. The number of rows follows from the time that it took
 * to write those before.
 */
final class Chunks implements AutoCloseable {

    private static final long MIN_BYTES = 16 << 10;
    static final long MAX_BYTES = 8 << 20;

    /** At most this much larger than the one before. */
    private static final double MAX_GROWTH = 1.5;

    private final TableColumn column;
    private final TableKey key;
    private final RowReader reader;
    private final Conversion conversion;
    private final long targetNanos;
    private final ExecutorService preparing = Executors.newSingleThreadExecutor(Chunks::daemon);
    private final ForkJoinPool converting;
    private long bytes = MIN_BYTES * 4;

    /** Rows that are converted, in the order of the key. */
    record Chunk(List<Change> changes, long tookNanos) {

        boolean isEmpty() {
            return changes.isEmpty();
        }

        List<Object> first() {
            return changes.get(0).row().key();
        }

        List<Object> last() {
            return changes.get(changes.size() - 1).row().key();
        }
    }

    /**
     * @param reader whose connection nobody else uses
     * @param targetNanos time that it should take to write the rows
     * @param converters threads that convert values
     */
    Chunks(
            TableColumn column,
            TableKey key,
            RowReader reader,
            Conversion conversion,
            long targetNanos,
            int converters) {
        this.column = column;
        this.key = key;
        this.reader = reader;
        this.conversion = conversion;
        this.targetNanos = targetNanos;
        converting = new ForkJoinPool(converters);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "reencode-reader");
        thread.setDaemon(true);
        return thread;
    }

    /** Begins to prepare the rows after a key; one after the other, not several at once. */
    CompletableFuture<Chunk> prepare(Optional<List<Object>> after) {
        long size = bytes;
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        long begin = System.nanoTime();
                        List<Row> rows = reader.next(after, Optional.empty(), size);
                        List<Change> changes = converting
                                .submit(() -> rows.parallelStream()
                                        .map(this::converted)
                                        .toList())
                                .join();
                        return new Chunk(changes, System.nanoTime() - begin);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                preparing);
    }

    static Chunk await(CompletableFuture<Chunk> chunk) throws SQLException {
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

    /** @throws ReencodeException if the value cannot be read */
    Change converted(Row row) {
        try {
            return new Change(row, row.stored().map(conversion::convert).orElse(null));
        } catch (FrameException | IllegalStateException e) {
            throw new ReencodeException(
                    column.name() + ", key " + String.join(", ", key.texts(row.key())),
                    e.getMessage() + (e instanceof FrameException frame ? Conversion.remedy(frame) : ""),
                    "then the same command continues",
                    e);
        }
    }

    /** Adjusts the size of the next rows. */
    void written(long tookNanos) {
        double factor = Math.min(MAX_GROWTH, (double) targetNanos / Math.max(1, tookNanos));
        bytes = Math.max(MIN_BYTES, Math.min(MAX_BYTES, Math.round(bytes * factor)));
    }

    /** The rows could not be written at once. */
    void halve() {
        bytes = Math.max(MIN_BYTES, bytes / 2);
    }

    @Override
    public void close() {
        preparing.shutdownNow();
        converting.shutdownNow();
    }
}
