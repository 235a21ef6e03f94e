package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import dev.blobmark.reencode.Chunks.Chunk;
import dev.blobmark.reencode.Rewriter.Change;
import dev.blobmark.reencode.State.Counts;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Fills a new table with the rows of the former one, in the order of the key, while a {@link ChangeFeed} says which
 * rows others change. Then both are compared and exchanged.
 *
 * <p>Rows are copied and changes are dealt with by one thread, one after the other. A changed row is read again from
 * the former table as it is now, whatever the change was. So it does not matter how often and in which order a change
 * is dealt with, only that it is after the row was copied. The new table is complete when all changes are dealt with.
 */
final class ShadowCopy implements AutoCloseable {

    private static final int MOST_KEYS = 1_000;

    /** How long the last changes may take for which others wait. */
    private static final long MOST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Surroundings with;
    private final Chunks chunks;
    private final Applier applier;

    /**
     * What a copy needs.
     *
     * @param reading a connection that nobody else uses
     * @param writing a connection whose transactions change the new table
     * @param finding a connection that reads rows again, in autocommit
     * @param value expression for the stored bytes of the former table
     * @param limits of values of the new table
     * @param image what the change of a row adds to the binary log
     */
    record Surroundings(
            TableColumn column,
            TableKey key,
            Connection reading,
            Connection writing,
            Connection finding,
            String value,
            Chunks.Limits limits,
            Conversion conversion,
            ChangeFeed feed,
            StateTable states,
            Throttle throttle,
            RowImage image,
            long targetNanos,
            int converters) {}

    ShadowCopy(Surroundings with) throws SQLException {
        this.with = with;
        applier = new Applier(with.writing(), with.finding());
        chunks = new Chunks(
                with.column(),
                with.key(),
                new RowReader(
                        with.reading(), with.column(), with.key(), with.limits().maxLength(), with.value()),
                with.conversion(),
                with.limits(),
                with.targetNanos(),
                with.converters());
    }

    /**
     * Copies all rows from the state's position on, and deals with what others change.
     *
     * @return the state with an equal table
     * @throws StoppedException if the throttle ends the work; what was committed stays
     */
    State run(State begin, InPlace.Listener listener) throws SQLException, InterruptedException {
        State state = begin;
        Optional<List<Object>> position = state.position().map(with.key()::parse);
        CompletableFuture<Chunk> next = chunks.prepare(position);
        while (!state.copy().orElseThrow().isComplete()) {
            Chunk chunk = Chunks.await(next);
            with.throttle().awaitPermission();
            state = applier.apply(state);
            if (chunk.isEmpty()) {
                state = state.copied();
                with.states().write(with.writing(), state);
                with.writing().commit();
                break;
            }
            next = chunks.prepare(Optional.of(chunk.last()));
            long start = System.nanoTime();
            long logged = state.counts().binlogBytes();
            state = copy(chunk, state);
            long took = System.nanoTime() - start;
            chunks.written(took);
            listener.committed(state);
            with.throttle().worked(took + chunk.tookNanos(), state.counts().binlogBytes() - logged);
        }
        return catchUp(state);
    }

    /** Deals with changes until that takes no long time any more, so that others need not wait long. */
    private State catchUp(State begin) throws SQLException, InterruptedException {
        State state = begin;
        long took;
        do {
            with.throttle().awaitPermission();
            long start = System.nanoTime();
            state = applier.catchUp(state);
            took = System.nanoTime() - start;
        } while (took > MOST_BEHIND_NANOS);
        return state;
    }

    /** An applier over a connection that holds the locks of all tables that it uses. */
    Applier over(Connection locked) throws SQLException {
        return new Applier(locked, locked);
    }

    private State copy(Chunk chunk, State state) throws SQLException {
        applier.fresh.copy(chunk.changes());
        Counts counts = Counts.ZERO;
        long checksum = 0;
        int rows = 0;
        for (Change change : chunk.changes()) {
            Row row = change.row();
            long after =
                    change.result() == null ? row.length() : change.result().stored().length;
            counts = counts.plus(new Counts(
                    1,
                    change.isNeeded() ? 1 : 0,
                    0,
                    row.isTooLong() ? 1 : 0,
                    0,
                    row.length(),
                    after,
                    with.image().bytesOfInsert(after)));
            rows++;
            if (change.result() != null) {
                checksum += Conversion.hash(
                        String.join("\0", with.key().texts(row.key())).getBytes(StandardCharsets.UTF_8),
                        change.result().value());
            }
        }
        List<String> last = with.key().texts(chunk.last());
        with.states().add(with.writing(), new StateTable.Range(with.key().texts(chunk.first()), last, rows, checksum));
        Counts logged = new Counts(0, 0, 0, 0, 0, 0, 0, with.image().transactionBytes(0));
        State advanced =
                state.advanced(last, counts.plus(logged)).at(with.feed().position());
        with.states().write(with.writing(), advanced);
        with.writing().commit();
        return advanced;
    }

    /** Writes to the new table over one connection. */
    final class Applier implements AutoCloseable {
        private final Connection writing;
        private final RowReader again;
        private final ShadowTable fresh;

        /**
         * @param writing without autocommit
         * @param finding reads rows of the former table
         */
        Applier(Connection writing, Connection finding) throws SQLException {
            this.writing = writing;
            again = new RowReader(
                    finding, with.column(), with.key(), with.limits().maxLength(), with.value());
            fresh = new ShadowTable(writing, with.column(), with.key(), with.value());
        }

        /** Deals with changes until none is left that was committed before this call. */
        State catchUp(State begin) throws SQLException, InterruptedException {
            State state = begin;
            String end = with.feed().end(writing);
            writing.rollback();
            while (!with.feed().hasReached(end)) {
                State next = apply(state);
                if (next == state) {
                    Thread.sleep(1);
                }
                state = next;
            }
            return state;
        }

        /**
         * Deals with changes; the same state if there is none. If a row is locked by others, it is tried again: what
         * was polled must not be lost.
         */
        private State apply(State state) throws SQLException {
            Set<List<Object>> keys = new LinkedHashSet<>();
            while (true) {
                keys.addAll(with.feed().poll(writing, MOST_KEYS));
                if (keys.isEmpty()) {
                    writing.rollback(); // ends the reading of a table of changes
                    return state;
                }
                try {
                    return apply(state, List.copyOf(keys));
                } catch (SQLException e) {
                    writing.rollback();
                    if (!InPlace.isRepeated(e)) {
                        throw e;
                    }
                    with.throttle().awaitPermission();
                }
            }
        }

        private State apply(State state, List<List<Object>> keys) throws SQLException {
            List<Change> rows =
                    again.findAll(keys).stream().map(chunks::converted).toList();
            fresh.replace(keys, rows);
            State advanced = state.plus(new Counts(0, 0, keys.size(), 0, 0, 0, 0, 0))
                    .at(with.feed().position());
            with.states().write(writing, advanced);
            writing.commit();
            return advanced;
        }

        @Override
        public void close() throws SQLException {
            fresh.close();
        }
    }

    /**
     * Compares all rows of both tables, as they are at one moment, while changes continue.
     *
     * @throws ReencodeException if a row differs, which is a defect
     */
    State compare(State begin, Connection locking, Connection snapshot) throws SQLException, InterruptedException {
        TableColumn column = with.column();
        String table = Names.quoted(column.schema(), column.table());
        Sql.execute(snapshot, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        lockForReading(locking, table);
        State state;
        try {
            state = applier.catchUp(begin);
            Sql.execute(snapshot, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        } finally {
            Sql.execute(locking, "UNLOCK TABLES");
        }
        RowReader former =
                new RowReader(snapshot, column, with.key(), with.limits().maxLength(), with.value());
        RowReader copied = new RowReader(
                snapshot,
                TableColumn.of(column.schema(), ShadowNames.fresh(column.table()), column.column()),
                with.key().of(ShadowNames.fresh(column.table())),
                with.limits().maxLength());
        Optional<List<Object>> after = Optional.empty();
        try (ShadowTable digests = new ShadowTable(snapshot, column, with.key(), with.value())) {
            for (List<Row> rows = former.next(after, Optional.empty(), Chunks.MAX_BYTES);
                    !rows.isEmpty();
                    rows = former.next(after, Optional.empty(), Chunks.MAX_BYTES)) {
                with.throttle().awaitPermission();
                long start = System.nanoTime();
                List<Object> last = rows.get(rows.size() - 1).key();
                TableKey.Range range = with.key().between(after, last);
                requireEqual(rows, copied.between(after, last), after, last);
                if (!digests.digest(table, range).equals(digests.digest(ShadowTable.fresh(column), range))) {
                    throw differs("columns", after, last);
                }
                after = Optional.of(last);
                state = applier.apply(state);
                with.throttle().worked(System.nanoTime() - start, 0);
            }
        }
        if (!copied.next(after, Optional.empty(), 1).isEmpty()) {
            throw new ReencodeException(
                    column.name(), "the new table has rows that the former one has not", "take it back with --revert");
        }
        snapshot.rollback();
        return catchUp(state);
    }

    /** Others wait for the lock too, so it is not waited for long at once. */
    private void lockForReading(Connection locking, String table) throws SQLException, InterruptedException {
        Sql.execute(locking, "SET SESSION lock_wait_timeout = " + Exchange.LOCK_SECONDS);
        for (int attempt = 1; ; attempt++) {
            try {
                Sql.execute(locking, "LOCK TABLES " + table + " READ");
                return;
            } catch (SQLException e) {
                if (!InPlace.isRepeated(e) || attempt == Exchange.ATTEMPTS) {
                    throw e;
                }
                with.throttle().awaitPermission();
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    private void requireEqual(List<Row> rows, List<Row> copies, Optional<List<Object>> after, List<Object> last) {
        if (rows.size() != copies.size()) {
            throw differs("numbers of rows", after, last);
        }
        for (int i = 0; i < rows.size(); i++) {
            Optional<byte[]> value = rows.get(i).stored().map(with.conversion()::value);
            Optional<byte[]> copy = copies.get(i).stored().map(with.conversion()::value);
            boolean isEqual = value.isPresent() == copy.isPresent()
                    && (value.isEmpty() || Arrays.equals(value.get(), copy.get()));
            if (!isEqual) {
                throw differs("values", after, last);
            }
        }
    }

    private ReencodeException differs(String what, Optional<List<Object>> after, List<Object> last) {
        return new ReencodeException(
                with.column().name(),
                "the two tables have different " + what + " in the rows after "
                        + after.map(key -> String.join(", ", with.key().texts(key)))
                                .orElse("the beginning") + " up to "
                        + String.join(", ", with.key().texts(last)) + ", which is a defect of Blobmark",
                "nothing was exchanged; take it back with --revert");
    }

    @Override
    public void close() throws SQLException {
        chunks.close();
        applier.close();
    }
}
