package dev.blobmark.reencode.copy;

import dev.blobmark.mysql.Clock;
import dev.blobmark.reencode.change.ChangeFeed;
import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.failure.StoppedException;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Chunks.Chunk;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowSource;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.table.TableLock;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
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
public final class ShadowCopy implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int MOST_KEYS = 1_000;
    private static final int MOST_CONFLICTING_KEYS = 1 << 20;

    /** How long the last changes may take for which others wait. */
    private static final long MOST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long others wait at most, if the last changes take longer after all. */
    public static final long MOST_LOCKED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** After this time of catching up, and again after as much, the user is informed. */
    private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** How long rows may wait for changes that are read after theirs. */
    private static final long MOST_CONFLICT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Surroundings with;
    private final Work work;
    private final Clock clock;
    private final CopySession writing;

    /** Keys that were polled, and are not dealt with yet. */
    private final Set<List<Object>> pending = new LinkedHashSet<>();

    /** Since when rows of {@link #pending} do not fit into the new table; empty if they do. */
    private OptionalLong conflictingSince = OptionalLong.empty();

    private final Chunks chunks;
    private final Applier applier;

    /**
     * What a copy needs.
     *
     * @param reading rows of the former table, over a session that nobody else uses
     * @param finding rows that are read again, each in a transaction of its own
     * @param limits of values of the new table
     * @param repeated receives why rows that others changed cannot be dealt with yet
     * @param notices receives lines for the user
     */
    public record Surroundings(
            Work work,
            RowSource reading,
            CopySession writing,
            RowSource finding,
            Chunks.Limits limits,
            ChangeFeed feed,
            Consumer<String> repeated,
            Consumer<String> notices) {}

    public ShadowCopy(Surroundings with) {
        this.with = with;
        work = with.work();
        clock = work.clock();
        writing = with.writing();
        applier = new Applier(writing, with.finding());
        chunks = new Chunks(
                work.column(),
                work.key(),
                with.reading(),
                work.conversion(),
                with.limits(),
                work.targetNanos(),
                work.converters(),
                clock);
    }

    /**
     * Copies all rows from the state's position on, and deals with what others change.
     *
     * @return the state with an equal table
     * @throws StoppedException if the throttle ends the work; what was committed stays
     */
    public State run(State begin, InPlace.Listener listener) throws SQLException, InterruptedException {
        State state = begin;
        Optional<List<Object>> position = state.position().map(work.key()::parse);
        CompletableFuture<Chunk> next = chunks.prepare(position);
        while (!state.copy().orElseThrow().isComplete()) {
            Chunk chunk = Chunks.await(next);
            work.throttle().awaitPermission();
            state = applier.apply(state);
            if (chunk.isEmpty()) {
                state = state.copied();
                writing.write(state);
                writing.commit();
                break;
            }
            next = chunks.prepare(Optional.of(chunk.last()));
            long start = clock.nanoTime();
            long logged = state.counts().binlogBytes();
            state = copy(chunk, state);
            long took = clock.nanoTime() - start;
            chunks.written(took);
            listener.committed(state);
            work.throttle().worked(took + chunk.tookNanos(), state.counts().binlogBytes() - logged);
        }
        return catchUp(state);
    }

    /** Deals with changes until that takes no long time any more, so that others need not wait long. */
    public State catchUp(State begin) throws SQLException, InterruptedException {
        State state = begin;
        for (boolean isClose = false; !isClose; ) {
            work.throttle().awaitPermission();
            long start = clock.nanoTime();
            long overtaken = state.counts().overtaken();
            CaughtUp pass = applier.catchUp(state, BEHIND_NANOS);
            state = pass.state();
            isClose = pass.isDone() && clock.nanoTime() - start <= MOST_BEHIND_NANOS;
            if (!pass.isDone()) {
                with.notices()
                        .accept((state.counts().overtaken() - overtaken)
                                + " rows that others changed were copied again in "
                                + TimeUnit.NANOSECONDS.toSeconds(clock.nanoTime() - start)
                                + " s, and more are waiting: if this line comes again and again, rows are changed faster"
                                + " than they can be copied; give the copy a higher --speed, or let it run when the"
                                + " application writes less");
            }
        }
        return state;
    }

    /** An applier over a session that holds the locks of all tables that it uses. */
    public Applier over(CopySession locked) {
        return new Applier(locked, locked.former());
    }

    private State copy(Chunk chunk, State state) throws SQLException {
        Optional<List<Object>> before = state.position().map(work.key()::parse);
        // rows that were changed by others may be there before they are copied
        Sum known = writing.fresh().sum(before, chunk.last());
        writing.fresh().copy(chunk.changes());
        Sum added = writing.fresh().sum(before, chunk.last()).minus(known);
        Counts counts = Counts.ZERO;
        long checksum = 0;
        int rows = 0;
        for (Change change : chunk.changes()) {
            Row row = change.row();
            long after =
                    change.result() == null ? row.length() : change.result().stored().length;
            counts = counts.plus(
                            change.isNeeded()
                                    ? Counts.ofChange(row.length(), after)
                                    : Counts.ofRow(row.length(), row.isTooLong()))
                    .plus(Counts.ofBinlog(work.image().bytesOfInsert(after)));
            rows++;
            if (change.result() != null) {
                checksum += Conversion.hash(
                        String.join("\0", work.key().texts(row.key())).getBytes(StandardCharsets.UTF_8),
                        change.result().value());
            }
        }
        List<String> last = work.key().texts(chunk.last());
        writing.add(new StateTable.Range(work.key().texts(chunk.first()), last, rows, checksum));
        Counts logged = Counts.ofBinlog(work.image().transactionBytes(0));
        State advanced = state.advanced(last, counts.plus(logged))
                .plus(added)
                .at(with.feed().position());
        writing.write(advanced);
        writing.commit();
        return advanced;
    }

    /**
     * After changes were dealt with.
     *
     * @param isDone whether none is left that was committed before
     */
    public record CaughtUp(State state, boolean isDone) {}

    /** Writes to the new table over one session. */
    public final class Applier {
        private final CopySession writing;
        private final RowSource again;

        /** @param again the rows of the former table as they are now */
        Applier(CopySession writing, RowSource again) {
            this.writing = writing;
            this.again = again;
        }

        /**
         * Deals with changes until none is left that was committed before this call, within a time.
         *
         * @param mostNanos how long it may take
         */
        public CaughtUp catchUp(State begin, long mostNanos) throws SQLException, InterruptedException {
            long start = clock.nanoTime();
            State state = begin;
            String end = with.feed().end(writing);
            writing.rollback();
            while (!with.feed().hasReached(end) || !pending.isEmpty()) {
                if (clock.nanoTime() - start > mostNanos) {
                    return new CaughtUp(state, false);
                }
                State next = apply(state, mostNanos - (clock.nanoTime() - start));
                if (next == state) {
                    clock.sleep(PAUSE_NANOS);
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
            long start = clock.nanoTime();
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
                    long now = clock.nanoTime();
                    conflictingSince = OptionalLong.of(conflictingSince.orElse(now));
                    if (now - conflictingSince.getAsLong() > MOST_CONFLICT_NANOS) {
                        throw new CopyEndedException(
                                work.column().name(),
                                "rows that others changed cannot be written to the new table, one of them with the key "
                                        + work.key().readable(pending.iterator().next()));
                    }
                    clock.sleep(PAUSE_NANOS);
                } catch (SQLException e) {
                    writing.rollback();
                    if (!TableLock.isRepeated(e)) {
                        throw e;
                    }
                    with.repeated().accept(e.getMessage() + writing.alsoSeen());
                    if (mostNanos > MOST_LOCKED_NANOS) { // otherwise others wait for a lock of this process
                        work.throttle().awaitPermission();
                    }
                }
                if (clock.nanoTime() - start > mostNanos) {
                    return state;
                }
            }
        }

        /** Empty if not all rows could be written. */
        private Optional<State> apply(State state, List<List<Object>> keys) throws SQLException {
            List<Change> rows =
                    again.findAll(keys).stream().map(chunks::converted).toList();
            Map<List<Object>, Sum> before = writing.fresh().sums(keys);
            writing.fresh().replace(keys, rows);
            Map<List<Object>, Sum> after = writing.fresh().sums(keys);
            List<List<Object>> missing = rows.stream()
                    .map(row -> row.row().key())
                    .filter(key -> !after.containsKey(key))
                    .toList();
            // a row that was deleted meanwhile is not missing
            if (!again.findAll(missing).isEmpty()) {
                return Optional.empty();
            }
            State advanced = state.plus(Counts.ofOvertaken(keys.size()))
                    .plus(sum(after).minus(sum(before)))
                    .at(with.feed().position());
            writing.write(advanced);
            writing.commit();
            return Optional.of(advanced);
        }

        private static Sum sum(Map<List<Object>, Sum> rows) {
            return rows.values().stream().reduce(Sum.ZERO, Sum::plus);
        }

        /** @throws dev.blobmark.reencode.binlog.IncompleteLogException if changes may be missing */
        public void requireCurrent() throws SQLException {
            with.feed().requireCurrent(writing);
        }
    }

    /**
     * Keeps all others from the tables of the copy. A lock for reading would do, but it is never given while
     * transactions that write overlap: writers come before who waits to read, and after who waits to write.
     */
    public interface ExclusiveLock {

        /** Waits for {@link TableLock#LOCK_SECONDS} at most. */
        void lock() throws SQLException;

        /** The session that holds the locks. */
        CopySession holder();

        /**
         * Prepared transactions that may have changed the table and that the lock has not waited for, for the user;
         * empty if they have ended.
         */
        Optional<String> passedOver() throws SQLException, InterruptedException;

        void unlock() throws SQLException;
    }

    /**
     * Compares all rows of both tables, as they are at one moment, while changes continue. Those of the last step are
     * not dealt with.
     *
     * @throws CopyEndedException if a row differs
     */
    public State compare(State begin, ExclusiveLock lock, BothTables tables) throws SQLException, InterruptedException {
        try {
            return compared(begin, lock, tables);
        } catch (SQLException e) {
            if (e.getErrorCode() == View.REBUILT) {
                throw new CopyEndedException(work.column().name(), "the table was altered while it was compared", e);
            }
            throw e;
        }
    }

    private void lock(ExclusiveLock lock) throws SQLException, InterruptedException {
        work.throttle().awaitPermission();
        lock.lock();
        Optional<String> passedOver = lock.passedOver();
        if (passedOver.isPresent()) { // it may become visible between the last change and the view
            lock.unlock();
            throw TableLock.repeated(passedOver.get());
        }
    }

    private State compared(State begin, ExclusiveLock lock, BothTables tables)
            throws SQLException, InterruptedException {
        State state = begin;
        for (boolean isDone = false; !isDone; ) {
            state = catchUp(state);
            TableLock.take(work.column().name(), clock, () -> lock(lock));
            try {
                CaughtUp last = over(lock.holder()).catchUp(state, MOST_LOCKED_NANOS);
                state = last.state();
                isDone = last.isDone();
                if (isDone) {
                    tables.renew();
                }
            } finally {
                lock.unlock();
            }
        }
        Sum expected = state.copy().orElseThrow().sum();
        Optional<List<Object>> after = Optional.empty();
        Sum found = Sum.ZERO;
        EqualRows equal = new EqualRows(tables, work);
        while (true) {
            work.throttle().awaitPermission(); // while nobody waits to alter the table
            long start = clock.nanoTime();
            tables.begin();
            List<Row> rows = equal.next(after);
            if (rows.isEmpty()) {
                break;
            }
            found = found.plus(equal.require(rows, after));
            tables.end();
            after = Optional.of(rows.get(rows.size() - 1).key());
            state = applier.apply(state);
            work.throttle().worked(clock.nanoTime() - start, 0);
        }
        equal.requireEnd(after);
        if (!found.equals(expected)) {
            throw new CopyEndedException(
                    work.column().name(),
                    "the new table has other rows than were written to it: somebody else has changed it");
        }
        return state;
    }

    @Override
    public void close() {
        chunks.close();
    }
}
