package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.change.PreparedTransactions;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.copy.ShadowCopy;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.terms.ReencodeListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What is done under the lock that excludes all others. */
final class LastMoment implements Exchange.Last {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Endpoint endpoint;
    private final CopyTables tables;
    private final StateTable states;
    private final ShadowCopy.Applier last;
    private final Connection locking;
    private final boolean isByLog;
    private final ReencodeListener listener;
    private State state;
    private Optional<View> view = Optional.empty();

    /** What it waits for. */
    private Optional<String> waiting = Optional.empty();

    /**
     * @param last writes what is missing in the new table over the locking connection
     * @param isByLog whether changes are read from the binary log
     */
    LastMoment(
            Endpoint endpoint,
            CopyTables tables,
            StateTable states,
            State begin,
            ShadowCopy.Applier last,
            Connection locking,
            boolean isByLog,
            ReencodeListener listener) {
        this.endpoint = endpoint;
        this.tables = tables;
        this.states = states;
        state = begin;
        this.last = last;
        this.locking = locking;
        this.isByLog = isByLog;
        this.listener = listener;
    }

    State state() {
        return state;
    }

    /** Of the new table under the lock; whoever takes it closes it. */
    Optional<View> view() {
        return view;
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
        Optional<String> prepared = PreparedTransactions.awaitEnd(tables.asking(), nanos);
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
        locking.commit();
        last.requireCurrent(locking);
        requireAlike();
        view = Optional.of(renewed());
        State exchanging = state.with(state.copy().orElseThrow().exchanging());
        states.write(locking, exchanging);
        locking.commit();
        state = exchanging;
        return true;
    }

    private View renewed() throws SQLException {
        if (view.isPresent()) {
            view.get().renew();
            return view.get();
        }
        return View.open(JdbcDriver.connectForChanging(endpoint));
    }

    /** The new table is as the former one, up to the next number of AUTO_INCREMENT. */
    private void requireAlike() throws SQLException {
        ShadowTable.settleCounter(locking, tables.column());
        List<String> differences = Definition.differences(
                locking,
                tables.column(),
                tables.column().table(),
                ShadowNames.fresh(tables.column().table()));
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
        if (!state.copy().orElseThrow().ddl().equals(Exchange.ddl(locking, tables.column()))) {
            throw new CopyEndedException(tables.column().name(), "the table was altered while it was copied");
        }
        CopyChecks.cluster(tables.asking()).ifPresent(problem -> {
            throw new CopyEndedException(tables.column().name(), problem);
        });
        List<String> dependents = CopyChecks.dependents(tables.asking(), tables.column(), isByLog);
        if (!dependents.isEmpty()) {
            throw new CopyEndedException(
                    tables.column().name(),
                    "while the table was copied, others made: " + String.join(", ", dependents));
        }
        List<String> missing = CopyChecks.missing(tables.asking(), tables.column(), isByLog);
        if (!missing.isEmpty()) { // what others made may be invisible
            throw new CopyEndedException(tables.column().name(), String.join("; ", missing));
        }
        if (isByLog) {
            LogSettings.problem(tables.asking()).ifPresent(problem -> {
                throw new CopyEndedException(tables.column().name(), "the binary log may be incomplete: " + problem);
            });
        } else {
            tables.requireTriggers(state);
        }
    }
}
