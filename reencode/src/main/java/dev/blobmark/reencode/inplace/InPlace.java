package dev.blobmark.reencode.inplace;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.checkpoint.ChangedTableException;
import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Chunks.Chunk;
import dev.blobmark.reencode.row.ComputedColumns;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Rewriter;
import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableInForce;
import dev.blobmark.reencode.table.TableLock;
import dev.blobmark.reencode.throttle.Throttle;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Changes rows where they are, in the order of the key, in transactions that are sized by their time and bytes. While
 * one is written, the rows of the next are read and converted. Each transaction also writes the {@link State}, so that
 * a row is done exactly once whatever is killed.
 */
public final class InPlace implements AutoCloseable {

    /** How often a row is read again that others change all the time. Then it is left as they wrote it. */
    private static final int ATTEMPTS = 4;

    private final TableColumn column;
    private final TableInForce table;
    private final TableKey key;
    private final Chunks chunks;
    private final RowReader again;
    private final Connection writing;
    private final Rewriter rewriter;
    private final ComputedColumns computed;
    private final StateTable states;
    private final Clock clock;
    private final Throttle throttle;
    private final RowImage image;
    private final boolean keepsOriginals;

    /** Receives what happens. */
    public interface Listener {
        void committed(State state);

        /** A transaction was rolled back, and is made again. */
        void repeated(String reason);
    }

    /**
     * What it reads and writes with.
     *
     * @param reading a connection that nobody else uses
     * @param writing a connection whose transactions change rows
     */
    public record RowConnections(Connection reading, Connection writing, StateTable states) {}

    /**
     * @param table as it was when it was looked at
     * @param keepsOriginals whether former bytes are kept that decoding does not give back
     */
    public InPlace(Work work, RowConnections open, TableFacts facts, TableInForce table, boolean keepsOriginals)
            throws SQLException {
        this.table = table;
        column = work.column();
        key = work.key();
        writing = open.writing();
        Chunks.Limits limits = Chunks.Limits.of(writing, facts.type(), facts.maxBytes());
        chunks = new Chunks(
                column,
                key,
                new RowReader(open.reading(), column, key, limits.maxLength()),
                work.conversion(),
                limits,
                work.targetNanos(),
                work.converters(),
                work.clock());
        again = new RowReader(writing, column, key, limits.maxLength());
        rewriter = new Rewriter(writing, column, key, facts.updatedColumns(), again, limits.packetBytes());
        computed = new ComputedColumns(writing, column, key);
        states = open.states();
        clock = work.clock();
        throttle = work.throttle();
        image = work.image();
        this.keepsOriginals = keepsOriginals;
    }

    /**
     * Changes all rows from the state's position on.
     *
     * @return the state after the last row
     * @throws StoppedException if the throttle ends the work; what was committed stays
     * @throws ChangedTableException if it has another table at the end than at the beginning
     */
    public State run(State begin, Listener listener) throws SQLException {
        State state = begin;
        chunks.until(begin.until().map(key::parse));
        Optional<List<Object>> position = state.position().map(key::parse);
        CompletableFuture<Chunk> next = chunks.prepare(position);
        while (true) {
            Chunk chunk = Chunks.await(next);
            throttle.awaitPermission();
            if (!chunk.isEmpty()) {
                next = chunks.prepare(Optional.of(chunk.last()));
            }
            long start = clock.nanoTime();
            long logged = state.counts().binlogBytes();
            try {
                state = chunk.isEmpty() ? end(state) : write(chunk, state);
            } catch (SQLException e) {
                rollBack(e);
                listener.repeated(e.getMessage() + PreparedTransactions.alsoSeen(writing));
                Chunks.await(next); // the reader is used by one at a time
                next = chunks.prepare(position);
                continue;
            }
            if (chunk.isEmpty()) {
                return state;
            }
            position = Optional.of(chunk.last());
            long took = clock.nanoTime() - start;
            chunks.written(took);
            listener.committed(state);
            throttle.worked(took + chunk.tookNanos(), state.counts().binlogBytes() - logged);
        }
    }

    private State end(State state) throws SQLException {
        requireSameTable(true); // the order of the key decides that no row is left
        ChangedTableException.check(writing, column, state);
        State ended = state.ended();
        states.write(writing, ended);
        writing.commit();
        return ended;
    }

    private void rollBack(SQLException e) throws SQLException {
        writing.rollback();
        if (!TableLock.isRepeated(e)) {
            throw e;
        }
        chunks.halve();
    }

    private State write(Chunk chunk, State state) throws SQLException {
        requireSameTable(false);
        List<Change> done = new ArrayList<>();
        long overtaken = update(state.isBack() ? withOriginals(chunk.changes()) : chunk.changes(), state, done);
        List<String> last = key.texts(chunk.last());
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
            List<String> first = key.texts(chunk.first());
            states.add(writing, new StateTable.Range(first, last, done.size(), checksum));
        }
        long logged = image.transactionBytes(originals.stream()
                .mapToLong(original ->
                        original.stored().map(stored -> stored.length).orElse(0))
                .sum());
        State advanced = state.advanced(
                last,
                counts.plus(Counts.ofOvertaken(overtaken))
                        .plus(Counts.ofOriginals(originals.size()))
                        .plus(Counts.ofBinlog(logged)));
        states.write(writing, advanced);
        writing.commit();
        return advanced;
    }

    /**
     * After a statement has read from the table, nobody alters, renames or exchanges it until the transaction ends, or
     * makes a trigger. So each row that is written, and each position, is of the table and the definition that the
     * process has looked at: no trigger runs, and the order of the key is the same.
     */
    private void requireSameTable(boolean isCertain) throws SQLException {
        Sql.strings(writing, "SELECT 1 FROM " + Names.quoted(column.schema(), column.table()) + " WHERE FALSE");
        if (!table.isSame(writing, isCertain)) {
            writing.rollback();
            throw new ChangedTableException(
                    column, "others have altered the table, or its triggers, while it was changed");
        }
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
            List<Change> failed = rewritten(pending);
            Set<Change> left = Collections.newSetFromMap(new IdentityHashMap<>());
            left.addAll(failed);
            pending.stream().filter(change -> !left.contains(change)).forEach(done::add);
            overtaken += attempt == 1 ? failed.size() : 0;
            List<Change> renewed = new ArrayList<>();
            for (Change change : failed) {
                Optional<Row> now = again.find(change.row().key());
                now.map(chunks::converted).ifPresent(renewed::add);
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

    /** The changes whose old bytes were no longer there. */
    private List<Change> rewritten(List<Change> changes) throws SQLException {
        if (computed.isEmpty()) {
            return updated(changes);
        }
        Map<List<Object>, List<String>> before =
                computed.lock(changes.stream().map(change -> change.row().key()).toList());
        List<Change> overtaken = updated(changes);
        computed.requireSame(before);
        return overtaken;
    }

    private List<Change> updated(List<Change> changes) throws SQLException {
        try {
            return rewriter.update(changes);
        } catch (SQLException e) {
            if (Failures.isUnfit(column, e)) {
                for (Change change : changes) {
                    requireFit(change);
                }
            }
            throw e;
        }
    }

    /** @throws ReencodeException with the key of the row if it is the one that its table refuses */
    private void requireFit(Change change) throws SQLException {
        try {
            rewriter.update(List.of(change));
        } catch (SQLException e) {
            throw Failures.unfit(
                    column.name() + ", key " + key.readable(change.row().key()), e);
        }
    }

    private Counts counts(Change change) {
        Row row = change.row();
        if (!change.isNeeded()) {
            return Counts.ofRow(row.length(), row.isTooLong());
        }
        long after = change.result().stored().length;
        return Counts.ofChange(row.length(), after).plus(Counts.ofBinlog(image.bytes(row.length(), after)));
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
        chunks.close();
        rewriter.close();
    }
}
