package dev.blobmark.reencode;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.reencode.Rewriter.Change;
import dev.blobmark.reencode.State.Counts;
import dev.blobmark.value.FrameException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/**
 * Changes rows where they are, in the order of the key, in transactions that are sized by their time and bytes. While
 * one is written, the rows of the next are read and converted. Each transaction also writes the {@link State}, so that
 * a row is done exactly once whatever is killed.
 */
final class InPlace implements AutoCloseable {

    private static final long MIN_BYTES = 16 << 10;
    private static final long MAX_BYTES = 8 << 20;

    /** At most this much larger than the one before. */
    private static final double MAX_GROWTH = 1.5;

    /** Rows that are converted before their size is looked at. */
    private static final int CONVERTED_ROWS = 32;

    /** How often a row is read again that others change all the time. Then it is left as they wrote it. */
    private static final int ATTEMPTS = 4;

    /**
     * ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_CHECKREAD, ER_STATEMENT_TIMEOUT of MariaDB, ER_TABLE_DEF_CHANGED: the
     * transaction is made again.
     */
    private static final Set<Integer> REPEATED = Set.of(1205, 1213, 1020, 1969, 1412);

    private final TableColumn column;
    private final TableKey key;
    private final RowReader reader;
    private final RowReader again;
    private final Connection writing;
    private final TableFacts facts;
    private final long packetBytes;
    private final Rewriter rewriter;
    private final Conversion conversion;
    private final StateTable states;
    private final Throttle throttle;
    private final RowImage image;
    private final long targetNanos;
    private final boolean keepsOriginals;
    private final ExecutorService preparing = Executors.newSingleThreadExecutor(InPlace::daemon);
    private final ForkJoinPool converting;
    private long bytes = MIN_BYTES * 4;

    /** Bytes that are written for a byte that is read, at least 1. Used by the thread that prepares. */
    private double growth = 1;

    /** Key of the last row; empty for no end. */
    private Optional<List<Object>> until = Optional.empty();

    /** What a change needs of its surroundings. */
    record Surroundings(
            TableColumn column,
            TableKey key,
            Connection reading,
            Connection writing,
            TableFacts facts,
            Conversion conversion,
            StateTable states,
            Throttle throttle,
            RowImage image,
            long targetNanos,
            int converters,
            boolean keepsOriginals) {}

    /** Receives what happens. */
    interface Listener {
        void committed(State state);

        /** A transaction was rolled back, and is made again. */
        void repeated(String reason);
    }

    /** Rows that are converted, in the order of the key. */
    private record Chunk(List<Change> changes, long tookNanos) {}

    InPlace(Surroundings with) throws SQLException {
        column = with.column();
        key = with.key();
        writing = with.writing();
        facts = with.facts();
        packetBytes = Long.parseLong(Driver.variable(writing, "max_allowed_packet"));
        long maxLength = Math.min(Conversion.MAX_LENGTH, packetBytes - Rewriter.ROW_OVERHEAD);
        reader = new RowReader(with.reading(), column, key, maxLength);
        again = new RowReader(writing, column, key, maxLength);
        rewriter = new Rewriter(writing, column, key, facts.updatedColumns(), again, packetBytes);
        conversion = with.conversion();
        states = with.states();
        throttle = with.throttle();
        image = with.image();
        targetNanos = with.targetNanos();
        converting = new ForkJoinPool(with.converters());
        keepsOriginals = with.keepsOriginals();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "reencode-reader");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Changes all rows from the state's position on.
     *
     * @return the state after the last row
     * @throws StoppedException if the throttle ends the work; what was committed stays
     */
    State run(State begin, Listener listener) throws SQLException {
        State state = begin;
        until = begin.until().map(key::parse);
        Optional<List<Object>> position = state.position().map(key::parse);
        CompletableFuture<Chunk> next = prepare(position);
        while (true) {
            Chunk chunk = await(next);
            throttle.awaitPermission();
            if (!chunk.changes().isEmpty()) {
                next = prepare(Optional.of(lastOf(chunk).key()));
            }
            long start = System.nanoTime();
            long logged = state.counts().binlogBytes();
            try {
                state = chunk.changes().isEmpty() ? end(state) : write(chunk, state);
            } catch (SQLException e) {
                rollBack(e);
                listener.repeated(e.getMessage());
                await(next); // the reader is used by one at a time
                next = prepare(position);
                continue;
            }
            if (chunk.changes().isEmpty()) {
                return state;
            }
            position = Optional.of(lastOf(chunk).key());
            long took = System.nanoTime() - start;
            resize(took);
            listener.committed(state);
            throttle.worked(took + chunk.tookNanos(), state.counts().binlogBytes() - logged);
        }
    }

    private State end(State state) throws SQLException {
        State ended = state.ended();
        states.write(writing, ended);
        writing.commit();
        return ended;
    }

    private void rollBack(SQLException e) throws SQLException {
        writing.rollback();
        if (!isRepeated(e)) {
            throw e;
        }
        bytes = Math.max(MIN_BYTES, bytes / 2);
    }

    /** Whether a transaction that failed can be made again. */
    static boolean isRepeated(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && REPEATED.contains(sql.getErrorCode())) {
                return true;
            }
        }
        return false;
    }

    private void resize(long tookNanos) {
        double factor = Math.min(MAX_GROWTH, (double) targetNanos / Math.max(1, tookNanos));
        bytes = Math.max(MIN_BYTES, Math.min(MAX_BYTES, Math.round(bytes * factor)));
    }

    private CompletableFuture<Chunk> prepare(Optional<List<Object>> after) {
        long size = bytes;
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        long begin = System.nanoTime();
                        List<Row> rows = reader.next(after, until, Math.max(1, Math.round(size / growth)));
                        return new Chunk(converted(rows, size), System.nanoTime() - begin);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                preparing);
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
            List<Change> converted = converting
                    .submit(() -> some.parallelStream().map(this::converted).toList())
                    .join();
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

    private Change converted(Row row) {
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
        if (length > facts.maxBytes()) {
            throw new ReencodeException(
                    place(row),
                    converted + ", and the column is of type " + facts.type(),
                    "give it a longer type; then the same command continues");
        }
        if (length > packetBytes - Rewriter.ROW_OVERHEAD) {
            throw new ReencodeException(
                    place(row),
                    converted + ", and max_allowed_packet is " + packetBytes,
                    "SET GLOBAL max_allowed_packet to more; then the same command continues");
        }
    }

    private String place(Row row) {
        return column.name() + ", key " + String.join(", ", key.texts(row.key()));
    }

    private static Chunk await(CompletableFuture<Chunk> chunk) throws SQLException {
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

    private State write(Chunk chunk, State state) throws SQLException {
        List<Change> done = new ArrayList<>();
        long overtaken = update(state.isBack() ? withOriginals(chunk.changes()) : chunk.changes(), state, done);
        List<String> last = key.texts(lastOf(chunk).key());
        Counts counts = Counts.ZERO;
        List<StateTable.Original> originals = new ArrayList<>();
        long checksum = 0;
        for (Change change : done) {
            counts = counts.plus(counts(change));
            if (!state.isBack() && change.result() != null) {
                List<String> texts = key.texts(change.row().key());
                long hash = hash(texts, change);
                checksum += hash;
                if (keepsOriginals && state.isFirst() && change.result().isOriginalKept()) {
                    originals.add(new StateTable.Original(
                            texts, hash, change.row().stored().filter(stored -> change.isNeeded())));
                }
            }
        }
        if (!state.isBack()) {
            states.add(writing, originals);
            List<String> first = key.texts(chunk.changes().get(0).row().key());
            states.add(writing, new StateTable.Range(first, last, done.size(), checksum));
        }
        long logged = image.transactionBytes(originals.stream()
                .mapToLong(original ->
                        original.stored().map(stored -> stored.length).orElse(0))
                .sum());
        State advanced =
                state.advanced(last, counts.plus(new Counts(0, 0, overtaken, 0, originals.size(), 0, 0, logged)));
        states.write(writing, advanced);
        writing.commit();
        return advanced;
    }

    private static Row lastOf(Chunk chunk) {
        return chunk.changes().get(chunk.changes().size() - 1).row();
    }

    /**
     * Writes what is needed. Rows that others changed meanwhile are read again.
     *
     * @param done receives the rows as they are now, without those that are gone
     * @return how many were changed or deleted by others
     */
    private long update(List<Change> changes, State state, List<Change> done) throws SQLException {
        List<Change> pending = changes.stream().filter(Change::isNeeded).toList();
        changes.stream().filter(change -> !change.isNeeded()).forEach(done::add);
        long overtaken = 0;
        for (int attempt = 1; !pending.isEmpty(); attempt++) {
            List<Change> failed = rewriter.update(pending);
            Set<Change> left = Collections.newSetFromMap(new IdentityHashMap<>());
            left.addAll(failed);
            pending.stream().filter(change -> !left.contains(change)).forEach(done::add);
            overtaken += attempt == 1 ? failed.size() : 0;
            List<Change> renewed = new ArrayList<>();
            for (Change change : failed) {
                Optional<Row> now = again.find(change.row().key());
                now.map(this::converted).ifPresent(renewed::add);
            }
            List<Change> wanted = state.isBack() ? withOriginals(renewed) : renewed;
            boolean isLast = attempt == ATTEMPTS;
            wanted.stream()
                    .filter(change -> isLast || !change.isNeeded())
                    .map(Change::left)
                    .forEach(done::add);
            pending = isLast
                    ? List.of()
                    : wanted.stream().filter(Change::isNeeded).toList();
        }
        return overtaken;
    }

    private Counts counts(Change change) {
        Row row = change.row();
        long after = change.result() == null ? row.length() : change.result().stored().length;
        boolean isChanged = change.isNeeded();
        return new Counts(
                1,
                isChanged ? 1 : 0,
                0,
                row.isTooLong() ? 1 : 0,
                0,
                row.length(),
                after,
                isChanged ? image.bytes(row.length(), after) : 0);
    }

    private static long hash(List<String> key, Change change) {
        return Conversion.hash(
                String.join("\0", key).getBytes(StandardCharsets.UTF_8),
                change.result().value());
    }

    /** On the way back: the bytes that were kept, where the value is still the same. */
    private List<Change> withOriginals(List<Change> changes) throws SQLException {
        List<List<String>> keys =
                changes.stream().map(change -> key.texts(change.row().key())).toList();
        Map<List<String>, StateTable.Original> kept = states.originals(writing, keys);
        List<Change> with = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            StateTable.Original original = kept.get(keys.get(i));
            with.add(
                    original == null || change.result() == null || original.hash() != hash(keys.get(i), change)
                            ? change
                            : original.stored().map(change::with).orElseGet(change::left));
        }
        return with;
    }

    @Override
    public void close() throws SQLException {
        preparing.shutdownNow();
        converting.shutdownNow();
        rewriter.close();
    }
}
