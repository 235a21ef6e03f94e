package dev.blobmark.reencode.cutover;

import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.terms.ReencodeListener;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What is done under the lock that excludes all others. */
final class LastMoment implements Exchange.Last {
    /** How long prepared transactions are waited for while others wait too. */
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final CopyServer server;
    private final CopyServer.CopySessions opened;
    private final CopyTables tables;
    private final ShadowCopy.Applier last;
    private final boolean isByLog;
    private final ReencodeListener listener;
    private State state;

    /** What it waits for. */
    private Optional<String> waiting = Optional.empty();

    LastMoment(
            CopyServer server,
            CopyServer.CopySessions opened,
            CopyTables tables,
            State begin,
            ReencodeListener listener)
            throws SQLException {
        this.server = server;
        this.opened = opened;
        this.tables = tables;
        this.listener = listener;
        state = begin;
        last = opened.copy().over(opened.locked());
        isByLog = begin.copy().orElseThrow().log().isPresent();
    }

    State state() {
        return state;
    }

    /** Why it was not exchanged. */
    Optional<String> waiting() {
        return waiting;
    }

    @Override
    public boolean mayLock() throws SQLException, InterruptedException {
        return isUnprepared(LOOK_NANOS);
    }

    /** Waits for those that are prepared now; others that come later have not changed the table under the lock. */
    private boolean isUnprepared(long nanos) throws SQLException, InterruptedException {
        Optional<String> prepared = server.awaitPrepared(nanos);
        if (prepared.isPresent() && !waiting.equals(prepared)) {
            listener.noticeIssued("waiting with the exchange: " + prepared.get());
        }
        waiting = prepared;
        return prepared.isEmpty();
    }

    @Override
    public boolean run() throws SQLException, InterruptedException {
        if (!isUnprepared(LOOK_NANOS)) {
            return false;
        }
        requireSame();
        ShadowCopy.CaughtUp done = last.catchUp(state, ShadowCopy.MOST_LOCKED_NANOS);
        state = done.state();
        if (!done.isDone()) {
            return false;
        }
        opened.locked().commit();
        last.requireCurrent();
        requireAlike();
        opened.keepView();
        State exchanging = state.with(state.copy().orElseThrow().exchanging());
        opened.locked().write(exchanging);
        opened.locked().commit();
        state = exchanging;
        return true;
    }

    /** The new table is as the former one, up to the next number of AUTO_INCREMENT. */
    private void requireAlike() throws SQLException {
        List<String> differences = opened.differences();
        if (!differences.isEmpty()) {
            throw new CopyEndedException(
                    tables.column().name(),
                    "the new table is not as the former one: " + String.join("; ", differences));
        }
    }

    /** Both tables are the ones that they were, with the same definition, and the feed has seen all changes. */
    private void requireSame() throws SQLException {
        State.Tables known = state.copy().orElseThrow().tables().orElseThrow();
        if (!tables.identity(tables.column().table()).equals(Optional.of(known.former()))
                || !tables.identity(ShadowNames.fresh(tables.column().table())).equals(Optional.of(known.fresh()))) {
            throw tables.isAnother();
        }
        if (!state.copy().orElseThrow().ddl().equals(opened.definition())) {
            throw new CopyEndedException(tables.column().name(), "the table was altered while it was copied");
        }
        server.obstacle(isByLog).ifPresent(problem -> {
            throw new CopyEndedException(tables.column().name(), problem);
        });
        if (!isByLog) {
            tables.requireTriggers(state, server.triggers());
        }
    }
}
