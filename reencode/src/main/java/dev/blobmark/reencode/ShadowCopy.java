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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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
    private static final int MOST_CONFLICTING_KEYS = 1 << 20;

    /** How long the last changes may take for which others wait. */
    private static final long MOST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long others wait at most, if the last changes take longer after all. */
    static final long MOST_LOCKED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** After this time of catching up, and again after as much, the user is informed. */
    private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** How long rows may wait for changes that are read after theirs. */
    private static final long MOST_CONFLICT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Surroundings with;

    /** Keys that were polled, and are not dealt with yet. */
    private final Set<List<Object>> pending = new LinkedHashSet<>();

    /** Since when rows of {@link #pending} do not fit into the new table; empty if they do. */
    private OptionalLong conflictingSince = OptionalLong.empty();

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
     * @param repeated receives why rows that others changed cannot be dealt with yet
     * @param notices receives lines for the user
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
            int converters,
            Consumer<String> repeated,
            Consumer<String> notices) {}

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
    State catchUp(State begin) throws SQLException, InterruptedException {
        State state = begin;
        for (boolean isClose = false; !isClose; ) {
            with.throttle().awaitPermission();
            long start = System.nanoTime();
            long overtaken = state.counts().overtaken();
            CaughtUp pass = applier.catchUp(state, BEHIND_NANOS);
            state = pass.state();
            isClose = pass.isDone() && System.nanoTime() - start <= MOST_BEHIND_NANOS;
            if (!pass.isDone()) {
                with.notices()
                        .accept((state.counts().overtaken() - overtaken)
                                + " rows that others changed were copied again in "
                                + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)
                                + " s, and more are waiting: if this line comes again and again, rows are changed faster"
                                + " than they can be copied; give the copy a higher --speed, or let it run when the"
                                + " application writes less");
            }
        }
        return state;
    }

    /** An applier over a connection that holds the locks of all tables that it uses. */
    Applier over(Connection locked) throws SQLException {
        return new Applier(locked, locked);
    }

    private State copy(Chunk chunk, State state) throws SQLException {
        Optional<List<Object>> before = state.position().map(with.key()::parse);
        // rows that were changed by others may be there before they are copied
        Sum known = applier.fresh.sum(before, chunk.last());
        applier.fresh.copy(chunk.changes());
        Sum added = applier.fresh.sum(before, chunk.last()).minus(known);
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
        State advanced = state.advanced(last, counts.plus(logged))
                .plus(added)
                .at(with.feed().position());
        with.states().write(with.writing(), advanced);
        with.writing().commit();
        return advanced;
    }

    /**
     * After changes were dealt with.
     *
     * @param isDone whether none is left that was committed before
     */
    record CaughtUp(State state, boolean isDone) {}

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

        /**
         * Deals with changes until none is left that was committed before this call, within a time.
         *
         * @param mostNanos how long it may take
         */
        CaughtUp catchUp(State begin, long mostNanos) throws SQLException, InterruptedException {
            long start = System.nanoTime();
            State state = begin;
            String end = with.feed().end(writing);
            writing.rollback();
            while (!with.feed().hasReached(end) || !pending.isEmpty()) {
                if (System.nanoTime() - start > mostNanos) {
                    return new CaughtUp(state, false);
                }
                State next = apply(state, mostNanos - (System.nanoTime() - start));
                if (next == state) {
                    Thread.sleep(1);
                }
                state = next;
            }
            return new CaughtUp(state, true);
        }

        private State apply(State state) throws SQLException, InterruptedException {
            return apply(state, Long.MAX_VALUE);
        }

        /**
         * Deals with changes; the same state if there is none. What was polled is kept until it is committed: if a row
         * is locked by others, it is tried again. If a row does not fit in yet, because another one still has the value
         * of a UNIQUE column that it has now, the change of that other one comes later, at most with the same
         * transaction; then both are dealt with together.
         */
        private State apply(State state, long mostNanos) throws SQLException, InterruptedException {
            int most = MOST_KEYS;
            long start = System.nanoTime();
            while (true) {
                pending.addAll(with.feed().poll(writing, most));
                if (pending.isEmpty()) {
                    writing.rollback(); // ends the reading of a table of changes
                    return state;
                }
                try {
                    Optional<State> applied = apply(state, List.copyOf(pending));
                    if (applied.isPresent()) {
                        pending.clear();
                        conflictingSince = OptionalLong.empty();
                        return applied.get();
                    }
                    writing.rollback();
                    most = Math.min(MOST_CONFLICTING_KEYS, most * 2);
                    long now = System.nanoTime();
                    conflictingSince = OptionalLong.of(conflictingSince.orElse(now));
                    if (now - conflictingSince.getAsLong() > MOST_CONFLICT_NANOS) {
                        throw new CopyEndedException(
                                with.column().name(),
                                "rows that others changed cannot be written to the new table, one of them with the key "
                                        + with.key().readable(pending.iterator().next()));
                    }
                    Thread.sleep(1);
                } catch (SQLException e) {
                    writing.rollback();
                    if (!InPlace.isRepeated(e)) {
                        throw e;
                    }
                    with.repeated().accept(e.getMessage() + PreparedTransactions.alsoSeen(writing));
                    if (mostNanos > MOST_LOCKED_NANOS) { // otherwise others wait for a lock of this process
                        with.throttle().awaitPermission();
                    }
                }
                if (System.nanoTime() - start > mostNanos) {
                    return state;
                }
            }
        }

        /** Empty if not all rows could be written. */
        private Optional<State> apply(State state, List<List<Object>> keys) throws SQLException {
            List<Change> rows =
                    again.findAll(keys).stream().map(chunks::converted).toList();
            Map<List<Object>, Sum> before = fresh.sums(keys);
            fresh.replace(keys, rows);
            Map<List<Object>, Sum> after = fresh.sums(keys);
            List<List<Object>> missing = rows.stream()
                    .map(row -> row.row().key())
                    .filter(key -> !after.containsKey(key))
                    .toList();
            // a row that was deleted meanwhile is not missing
            if (!again.findAll(missing).isEmpty()) {
                return Optional.empty();
            }
            State advanced = state.plus(new Counts(0, 0, keys.size(), 0, 0, 0, 0, 0))
                    .plus(sum(after).minus(sum(before)))
                    .at(with.feed().position());
            with.states().write(writing, advanced);
            writing.commit();
            return Optional.of(advanced);
        }

        private static Sum sum(Map<List<Object>, Sum> rows) {
            return rows.values().stream().reduce(Sum.ZERO, Sum::plus);
        }

        /** @throws dev.blobmark.reencode.binlog.IncompleteLogException if changes may be missing */
        void requireCurrent(Connection asking) throws SQLException {
            with.feed().requireCurrent(asking);
        }

        @Override
        public void close() throws SQLException {
            fresh.close();
        }
    }

    /**
     * Compares all rows of both tables, as they are at one moment, while changes continue.
     *
     * @throws CopyEndedException if a row differs
     */
    State compare(State begin, Connection locking, Witness.View view) throws SQLException, InterruptedException {
        try {
            return compared(begin, locking, view);
        } catch (SQLException e) {
            if (e.getErrorCode() == Witness.REBUILT) {
                throw new CopyEndedException(with.column().name(), "the table was altered while it was compared", e);
            }
            throw e;
        }
    }

    private State compared(State begin, Connection locking, Witness.View view)
            throws SQLException, InterruptedException {
        TableColumn column = with.column();
        String table = Names.quoted(column.schema(), column.table());
        Connection snapshot = view.connection();
        State state = begin;
        for (boolean isDone = false; !isDone; ) {
            state = catchUp(state);
            lockForReading(locking, table);
            try {
                CaughtUp last = applier.catchUp(state, MOST_LOCKED_NANOS);
                state = last.state();
                isDone = last.isDone();
                if (isDone) {
                    view.renew();
                }
            } finally {
                Sql.execute(locking, "UNLOCK TABLES");
            }
        }
        Sum expected = state.copy().orElseThrow().sum();
        RowReader former =
                new RowReader(snapshot, column, with.key(), with.limits().maxLength(), with.value());
        RowReader copied = new RowReader(
                snapshot,
                TableColumn.of(column.schema(), ShadowNames.fresh(column.table()), column.column()),
                with.key().of(ShadowNames.fresh(column.table())),
                with.limits().maxLength());
        Optional<List<Object>> after = Optional.empty();
        Sum found = Sum.ZERO;
        try (ShadowTable digests = new ShadowTable(snapshot, column, with.key(), with.value())) {
            while (true) {
                with.throttle().awaitPermission(); // while nobody waits to alter the table
                long start = System.nanoTime();
                view.begin();
                List<Row> rows = former.next(after, Optional.empty(), Chunks.MAX_BYTES);
                if (rows.isEmpty()) {
                    break;
                }
                List<Object> last = rows.get(rows.size() - 1).key();
                requireEqual(rows, copied.between(after, last), after, last);
                Sum ofFresh = digests.sum(after, last);
                if (!digests.othersOfFormer(after, last).others().equals(ofFresh.others())) {
                    throw othersDiffer(snapshot, rows, after, last);
                }
                view.end();
                found = found.plus(ofFresh);
                after = Optional.of(last);
                state = applier.apply(state);
                with.throttle().worked(System.nanoTime() - start, 0);
            }
        }
        if (!copied.next(after, Optional.empty(), 1).isEmpty()) {
            throw new CopyEndedException(column.name(), "the new table has rows that the former one does not have");
        }
        if (!found.equals(expected)) {
            throw new CopyEndedException(
                    column.name(),
                    "the new table has other rows than were written to it: somebody else has changed it");
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
                Exchange.pause(attempt);
            }
        }
    }

    private void requireEqual(List<Row> rows, List<Row> copies, Optional<List<Object>> after, List<Object> last) {
        if (rows.size() != copies.size()) {
            throw differs("numbers of rows", after, last);
        }
        for (int i = 0; i < rows.size(); i++) {
            Optional<byte[]> value = rows.get(i).stored().map(with.conversion()::value);
            Optional<byte[]> copy =
                    copies.get(i).stored().map(stored -> with.conversion().valueAfter(stored, false));
            boolean isEqual = value.isPresent() == copy.isPresent()
                    && (value.isEmpty() || Arrays.equals(value.get(), copy.get()));
            if (!isEqual) {
                throw differs("values", after, last);
            }
        }
    }

    private CopyEndedException othersDiffer(
            Connection snapshot, List<Row> rows, Optional<List<Object>> after, List<Object> last) throws SQLException {
        TableColumn column = with.column();
        String fresh = ShadowNames.fresh(column.table());
        ComputedColumns former = new ComputedColumns(snapshot, column, with.key());
        ComputedColumns copied = new ComputedColumns(
                snapshot,
                TableColumn.of(column.schema(), fresh, column.column()),
                with.key().of(fresh));
        return former.difference(copied, rows.stream().map(Row::key).toList())
                .orElseGet(() -> differs("columns", after, last));
    }

    private CopyEndedException differs(String what, Optional<List<Object>> after, List<Object> last) {
        return new CopyEndedException(
                with.column().name(),
                "the two tables have different " + what + " in the rows after "
                        + after.map(with.key()::readable).orElse("the beginning") + " up to "
                        + with.key().readable(last) + ": a change of others was not seen");
    }

    @Override
    public void close() throws SQLException {
        chunks.close();
        applier.close();
    }
}
